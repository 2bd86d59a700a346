package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/segmentio/kafka-go"

	"privpipe/pipelines/exit"
)

// cleanupPolicy is the topic setting that says how old messages go.
const cleanupPolicy = "cleanup.policy"

// compacted is the error of a topic that is compacted. Compaction keeps the last message of each key: it would tear streams,
// whose messages have no key, and the broker refuses such messages.
func (c *client) compacted() error {
	return exit.Errorf(exit.Missing, "%s: the topic is compacted (%s), and a stream needs all its messages", c.Location, cleanupPolicy).
		WithHint("topics.sh makes topics with %s=delete; a topic that was ever compacted must be made anew", cleanupPolicy)
}

// uncompacted refuses a topic that is compacted. It lets a topic pass whose settings the broker does not show: that takes a
// right of its own, DescribeConfigs, and whoever writes to such a topic is refused by the broker.
func (c *client) uncompacted(ctx context.Context) error {
	return c.retry(ctx, "look at the topic's settings", func(ctx context.Context) error {
		entries, err := c.settings(ctx, cleanupPolicy)
		if code := kafka.Error(0); errors.As(err, &code) && !passing(err) {
			return nil
		}
		for _, e := range entries {
			if e.ConfigName == cleanupPolicy && strings.Contains(e.ConfigValue, "compact") {
				return c.compacted()
			}
		}
		return err
	})
}

// settings returns settings of the topic.
func (c *client) settings(ctx context.Context, names ...string) ([]kafka.DescribeConfigResponseConfigEntry, error) {
	r, err := c.kafka.DescribeConfigs(ctx, &kafka.DescribeConfigsRequest{
		Resources: []kafka.DescribeConfigRequestResource{{
			ResourceType: kafka.ResourceTypeTopic, ResourceName: c.Topic, ConfigNames: names,
		}},
	})
	if err != nil {
		return nil, err
	}
	if len(r.Resources) != 1 {
		return nil, fmt.Errorf("the broker answers about %d topics", len(r.Resources))
	}
	return r.Resources[0].ConfigEntries, r.Resources[0].Error
}
