package kafka

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/segmentio/kafka-go"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
)

// A Plan describes a topic to create.
type Plan = topic.Plan

// planned returns the settings for the location's topic. A private topic is short-lived. A public topic is small, and
// keeps its messages for late readers. The broker's clock stamps messages, since time windows use this clock.
func planned(p Plan, l *Location) map[string]string {
	retention := int64(-1)
	if l.IsPrivate() {
		retention = p.Retention.Milliseconds()
	}
	settings := map[string]string{
		cleanupPolicy:                    "delete",
		"retention.ms":                   strconv.FormatInt(retention, 10),
		timestampType:                    brokerTime,
		"unclean.leader.election.enable": "false",
	}
	if strings.HasSuffix(l.Topic, Claims) { // an acknowledged claim also survives a power cut
		settings["flush.messages"] = "1"
	}
	if p.Replicas > 0 { // an acknowledged message survives if one broker is lost
		settings["min.insync.replicas"] = strconv.Itoa(max(1, p.Replicas-1))
	}
	return settings
}

// Create creates the location's topic if the topic is missing. It refuses an existing topic with other settings.
func Create(ctx context.Context, l *Location, p Plan) error {
	c, err := newClient(l)
	if err != nil {
		return err
	}
	defer c.leave()
	settings := planned(p, l)
	config := kafka.TopicConfig{Topic: l.Topic, NumPartitions: p.Partitions, ReplicationFactor: p.Replicas}
	if p.Replicas == 0 {
		config.ReplicationFactor = -1 // KIP-464
	}
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		config.ConfigEntries = append(config.ConfigEntries,
			kafka.ConfigEntry{ConfigName: key, ConfigValue: settings[key]})
	}
	exists := false
	err = c.retry(ctx, "make the topic", func(ctx context.Context) error {
		// partitions gives a better reason why there is no answer.
		if _, err := c.kafka.Metadata(ctx, &kafka.MetadataRequest{Topics: []string{c.Topic}}); err != nil {
			return err
		}
		r, err := c.kafka.CreateTopics(ctx, &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{config}})
		if err != nil {
			return err
		}
		err = r.Errors[l.Topic]
		if exists = errors.Is(err, kafka.TopicAlreadyExists); exists {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	if exists {
		return c.compare(ctx, p, settings)
	}
	_, err = c.partitions(ctx) // wait until the brokers know the topic
	return err
}

// compare refuses a topic if its settings differ from the planned ones.
func (c *client) compare(ctx context.Context, p Plan, settings map[string]string) error {
	n, err := c.partitions(ctx)
	if err != nil {
		return err
	}
	if n != p.Partitions {
		return exit.Errorf(exit.Usage, "%s: exists with %d partitions, must have %d", c.Location, n, p.Partitions)
	}
	if err := c.uncompacted(ctx); err != nil {
		return err
	}
	return c.retry(ctx, "look at the topic's settings", func(ctx context.Context) error {
		entries, err := c.settings(ctx, slices.Sorted(maps.Keys(settings))...)
		for _, e := range entries {
			if want, ok := settings[e.ConfigName]; ok && e.ConfigValue != want {
				return exit.Errorf(exit.Usage, "%s: exists with %s=%s, must have %s", c.Location, e.ConfigName,
					e.ConfigValue, want)
			}
		}
		return err
	})
}
