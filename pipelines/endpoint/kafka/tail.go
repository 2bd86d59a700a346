package kafka

import (
	"context"
	"time"

	"github.com/segmentio/kafka-go"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire/stream"
)

// A Tail is the last message of a partition.
type Tail struct {
	Frame  []byte // nil: the partition is empty
	Offset int64
	stream.Mark
}

// Tails returns the last message of each partition that the location means.
func Tails(ctx context.Context, l *Location) ([]Tail, error) {
	c, partitions, err := reach(ctx, l)
	if err != nil {
		return nil, err
	}
	defer c.leave()
	tails := make([]Tail, len(partitions))
	for i, partition := range partitions {
		first, behind, err := c.bounds(ctx, partition)
		if err != nil {
			return nil, err
		}
		if first == behind {
			continue
		}
		m, err := c.one(ctx, partition, behind-1)
		if err != nil {
			return nil, err
		}
		tails[i] = Tail{m.value, m.offset, m.label.Mark}
	}
	return tails, nil
}

// Find says whether a topic is there, of streams or of text.
func Find(ctx context.Context, l *Location) error {
	c, _, err := find(ctx, l)
	if err == nil {
		c.leave()
	}
	return err
}

// Partitions returns how many partitions a topic has that holds streams.
func Partitions(ctx context.Context, l *Location) (int, error) {
	c, err := newClient(l)
	if err != nil {
		return 0, err
	}
	defer c.leave()
	n, err := c.partitions(ctx)
	if err != nil {
		return 0, err
	}
	return n, c.uncompacted(ctx)
}

// one reads the message at an offset.
func (c *client) one(ctx context.Context, partition int, offset int64) (*message, error) {
	l := &Log{client: c, partition: partition, isolation: kafka.ReadCommitted}
	l.context, l.stop = context.WithCancelCause(ctx)
	defer l.Close()
	for began := time.Now(); ; {
		c, err := l.fetchOnce(offset)
		if err != nil {
			return nil, err
		}
		if len(c.messages) > 0 {
			m := &c.messages[0]
			if err := m.check(); err != nil {
				return nil, exit.Errorf(exit.Malformed, "%s: the message at offset %d: %w", l.Name(), m.offset, err)
			}
			return m, nil
		}
		if c.next > offset {
			return nil, l.gone(offset)
		}
		if err := l.decided(began, offset); err != nil {
			return nil, err
		}
	}
}

// decided gives up on a message that is there and that the broker has held back since a time: it may be aborted yet.
func (l *Log) decided(since time.Time, offset int64) error {
	if time.Since(since) < l.client.Patience {
		return nil
	}
	return exit.Errorf(exit.Unavailable, "%s: the message at offset %d is behind the beginning of a transaction that is still open",
		l.Name(), offset).WithHint("another program writes it; kafka-transactions.sh finds and aborts transactions that hang")
}

// newest is the offset at which the newest set of matrices begins, which may be under way; the first where there is none. It
// looks at the last messages, and at more of them where they hold no beginning: a set may be long, and behind it may stand
// what was sent twice, or by a program that is behind.
func (c *client) newest(ctx context.Context, partition int, first, behind int64) (int64, error) {
	for n := int64(16); ; n *= 4 {
		from := max(first, behind-n)
		begin, err := c.newestFrom(ctx, partition, from, behind)
		if begin >= 0 || err != nil {
			return begin, err
		}
		if from == first {
			return first, nil
		}
	}
}

// newestFrom is newest among the messages from an offset on, negative where it does not begin there.
func (c *client) newestFrom(ctx context.Context, partition int, from, behind int64) (int64, error) {
	l := &Log{client: c, partition: partition, isolation: kafka.ReadCommitted}
	l.context, l.stop = context.WithCancelCause(ctx)
	defer l.Close()
	begin, round := int64(-1), int64(-1)
	began := time.Now()
	for next := from; next < behind; {
		c, err := l.fetchOnce(next)
		if err == nil && c.next == next {
			err = l.decided(began, next)
		}
		if err != nil {
			return 0, err
		}
		next = c.next
		for _, m := range c.messages {
			switch at := int64(m.label.Round); {
			case m.err != nil || m.label.Writer == "" || m.label.Ends:
			case at > round:
				begin, round = -1, at
				if m.label.Since == 0 {
					begin = m.offset
				}
			case at == round && begin < 0 && m.label.Since == 0:
				begin = m.offset
			}
		}
	}
	return begin, nil
}
