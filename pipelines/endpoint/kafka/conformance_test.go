package kafka_test

import (
	"testing"

	"privpipe/pipelines/endpoint/kafka"
	"privpipe/pipelines/testkit/broker"
)

// TestConformance has both brokers keep what endpoints want of a transport.
func TestConformance(t *testing.T) {
	broker.Each(t, func(t *testing.T, b *broker.Broker) {
		conforms(t, func(t *testing.T, ending string, partitions int) string {
			return kafka.Scheme + b.Address + "/" + b.Topic(t, ending, partitions, nil)
		})
	})
}
