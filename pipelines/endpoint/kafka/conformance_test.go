package kafka

import (
	"testing"

	"privpipe/pipelines/endpoint/topic/conformance"
	"privpipe/pipelines/testkit/broker"
)

// TestConformance has both brokers keep what endpoints want of a transport.
func TestConformance(t *testing.T) {
	broker.Each(t, func(t *testing.T, b *broker.Broker) {
		conformance.Run(t, func(t *testing.T, ending string, partitions int) string {
			return Scheme + b.Address + "/" + b.Topic(t, ending, partitions, nil)
		})
	})
}
