package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/segmentio/kafka-go"

	"privpipe/pipelines/exit"
)

// cleanupPolicy is the topic setting that chooses between deletion and compaction of old messages.
const cleanupPolicy = "cleanup.policy"

// timestampType is the topic setting that says whose clock stamps messages. The value brokerTime means the broker's
// clock.
const (
	timestampType = "message.timestamp.type"
	brokerTime    = "LogAppendTime"
)

// stamped refuses a topic with writers' timestamps, if the location wants the broker's time. It accepts a topic if the
// user may not read its settings: each batch says whose time it has.
func (c *client) stamped(ctx context.Context) error {
	if !c.BrokerTime {
		return nil
	}
	return c.retry(ctx, "look at the topic's settings", func(ctx context.Context) error {
		entries, err := c.settings(ctx, timestampType)
		if code := kafka.Error(0); errors.As(err, &code) && !passing(err) {
			return nil
		}
		for _, e := range entries {
			if e.ConfigName == timestampType && e.ConfigValue != brokerTime {
				return writersTime(c.Location.String(), "the topic has "+timestampType+"="+e.ConfigValue)
			}
		}
		return err
	})
}

// writersTime is the error for messages that their writer stamped.
func writersTime(name, what string) error {
	return exit.Errorf(exit.Refused,
		"%s: refused: %s: the writer of a message chooses its time, and so whose messages count when", name, what).
		WithHint("give the topic %s=%s; older messages keep their writers' time, so take a new topic, or an offset "+
			"after them in from=; "+
			"--trust-stamps, where there is such a flag, if no author can write to the topic", timestampType,
			brokerTime)
}

// compacted is the error for a compacted topic. Compaction keeps only the last message of each key, and a stream needs
// all of its messages. Messages in a stream have no key, and a compacted topic refuses messages without a key.
func (c *client) compacted() error {
	return exit.Errorf(exit.Missing, "%s: the topic is compacted (%s), and a stream needs all its messages", c.Location,
		cleanupPolicy).
		WithHint("topics.sh makes topics with %s=delete; a topic that was ever compacted cannot be repaired: take a "+
			"new one", cleanupPolicy)
}

// uncompacted refuses a compacted topic. It accepts a topic if the user may not read its settings, which needs the
// right DescribeConfigs. If the topic is compacted after all, the broker refuses the first write.
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
