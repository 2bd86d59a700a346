package kafka

import (
	"context"
	"fmt"

	"github.com/segmentio/kafka-go"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/metrics"
)

// A Journal is a topic with one partition. Programs append entries and read all entries; all programs see the entries
// in the same order. A Journal is not safe for concurrent use.
type Journal struct {
	client *client
	log    *Log
}

// OpenJournal opens the journal at a location. The topic must keep its messages for ever: Read needs the first entry.
func OpenJournal(ctx context.Context, l *Location) (*Journal, error) {
	c, err := newClient(l)
	if err != nil {
		return nil, err
	}
	defer c.leave()
	n, err := c.partitions(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.uncompacted(ctx); err != nil {
		return nil, err
	}
	if n != 1 {
		return nil, exit.Errorf(exit.Usage, "%s: has %d partitions, and a journal has one: its order is what counts", l,
			n)
	}
	// An appended entry counts at once and for ever. It must neither wait for another program's transaction nor be
	// aborted with it.
	log := &Log{client: c, isolation: kafka.ReadUncommitted}
	log.context, log.stop = context.WithCancelCause(ctx)
	c.users.Add(1)
	return &Journal{client: c, log: log}, nil
}

// Append appends an entry, and waits until all replicas have it. A retry may store the entry twice. After an error the
// entry may or may not be stored.
func (j *Journal) Append(entry []byte) error {
	defer metrics.AwaitWrite(j.client.Topic, 0, j.client.awaits(appending))()
	return j.client.retry(j.log.context, appending, func(ctx context.Context) error {
		r, err := j.client.kafka.Produce(ctx, &kafka.ProduceRequest{
			Topic: j.client.Topic, RequiredAcks: kafka.RequireAll,
			Records: kafka.NewRecordReader(kafka.Record{Value: kafka.NewBytes(entry)}),
		})
		if err != nil {
			return err
		}
		return r.Error
	})
}

// Read returns the entries that were appended before the call, and perhaps later ones. It leaves out the first, as many
// as the number says.
func (j *Journal) Read(first int) (entries [][]byte, err error) {
	next := int64(first)
	oldest, end, err := j.client.bounds(j.log.context, 0)
	if err != nil {
		return nil, err
	}
	if oldest != 0 || end < next {
		return nil, exit.Errorf(exit.Malformed, "%s: its first entries are gone", j.client.Location).
			WithHint("a journal needs retention.ms=-1 and cleanup.policy=delete, as topics.sh sets them")
	}
	defer metrics.AwaitAnswer(j.client.Topic, j.client.awaits(reading))()
	for next < end {
		c, err := j.log.fetchOnce(next)
		if err != nil {
			return nil, err
		}
		if int64(len(c.messages)) != c.next-next {
			return nil, exit.Errorf(exit.Malformed, "%s: entries from offset %d on are gone", j.client.Location, next)
		}
		for _, m := range c.messages {
			entries = append(entries, m.value)
		}
		next = c.next
	}
	return entries, nil
}

// Name is the name of the topic, for messages.
func (j *Journal) Name() string { return fmt.Sprint(j.client.Location) }

// Close closes the journal.
func (j *Journal) Close() error {
	defer j.client.leave()
	return j.log.Close()
}
