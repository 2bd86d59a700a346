package kafka

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/wire/stream"
)

// A Tail is a partition's last message.
type Tail = topic.Tail

// Tails returns the last message of each partition of the location.
func Tails(ctx context.Context, l *Location) ([]Tail, error) {
	c, partitions, err := reach(ctx, l)
	if err != nil {
		return nil, err
	}
	defer c.leave()
	tails := make([]Tail, len(partitions))
	for i, partition := range partitions {
		if tails[i], err = c.tail(ctx, partition); err != nil {
			return nil, err
		}
	}
	return tails, nil
}

// tail returns a partition's last message with progress of the stream. If no message has any, it returns the last
// message.
func (c *client) tail(ctx context.Context, partition int) (Tail, error) {
	var tail Tail
	var refused error // the error of the last message that was examined
	_, end, err := c.last(ctx, partition, func(m *message) bool {
		if err := m.check(); err != nil {
			refused = c.wrong(m, partition, err)
			return true
		}
		found, err := stream.Find(m.value)
		says := err != nil || found.Mark != stream.Mark{} // the caller refuses a value that is no frame
		if says || tail.Frame == nil {
			tail = Tail{Frame: m.value, Offset: m.offset, Mark: found.Mark}
		}
		return says
	})
	switch {
	case err != nil || refused != nil:
		return tail, cmp.Or(err, refused)
	case tail.Frame == nil:
		return Tail{Offset: end}, nil
	}
	if tail.Ends && tail.Round == 0 {
		last, _, err := c.lastMark(ctx, partition, func(m stream.Mark) bool { return m.Closes && m.Round > 0 })
		if err != nil {
			return tail, err
		}
		tail.Round = last.Round
	}
	return tail, nil
}

// lastMark returns the last wanted mark in a partition, if there is one.
func (c *client) lastMark(ctx context.Context, partition int,
	wanted func(stream.Mark) bool) (mark stream.Mark, found bool, err error) {
	_, _, err = c.last(ctx, partition, func(m *message) bool {
		mark, found = m.marks(wanted)
		return found
	})
	return mark, found, err
}

// Search looks for a stage's wanted mark. It returns the last such mark in the first partition that has one,
// otherwise nil. It reads each partition from its end backwards.
func Search(ctx context.Context, l *Location, wanted func(stream.Mark) bool) (*stream.Mark, error) {
	c, partitions, err := reach(ctx, l)
	if err != nil {
		return nil, err
	}
	defer c.leave()
	for _, partition := range partitions {
		mark, found, err := c.lastMark(ctx, partition, wanted)
		if err != nil {
			return nil, err
		}
		if found {
			return &mark, nil
		}
	}
	return nil, nil
}

// Stands says whether the messages in the location's partition confirm a hint. They confirm it if the message before
// the hint's offset closes the hint's round. They also confirm it if another program wrote the message at the offset,
// since this message may hold frames that are not read yet. If retention has deleted the message before the offset,
// Stands accepts the hint: then no message is skipped, or opening the partition reports the missing messages.
func Stands(ctx context.Context, l *Location, h Hint) (bool, error) {
	c, partitions, err := reach(ctx, l)
	if err != nil {
		return false, err
	}
	defer c.leave()
	partition := partitions[0]
	first, end, err := c.bounds(ctx, partition)
	if err != nil || h.Offset > end {
		return false, err
	}
	if h.Offset <= first && first > 0 {
		return true, nil
	}
	stands := false
	err = c.scan(ctx, partition, max(0, h.Offset-1), min(end, h.Offset+1), func(m *message) {
		if m.offset == h.Offset-1 {
			_, closes := m.marks(func(m stream.Mark) bool { return m.Closes && m.Round == h.Round })
			stands = stands || closes
		}
		stands = stands || m.offset == h.Offset && m.err == nil && m.label.Writer == ""
	})
	return stands, err
}

// mostSteps bounds the messages that last holds in memory.
const mostSteps = 64

// last returns the last wanted message in a partition, nil if there is none, and the offset after the partition's last
// message. It reads from the end backwards, in growing steps.
func (c *client) last(ctx context.Context, partition int,
	wanted func(*message) bool) (found *message, end int64, err error) {
	first, end, err := c.bounds(ctx, partition)
	if err != nil {
		return nil, 0, err
	}
	for to, step := end, int64(1); to > first && found == nil; step = min(4*step, mostSteps) {
		from := max(first, to-step)
		var messages []*message
		err := c.scan(ctx, partition, from, to, func(m *message) { messages = append(messages, m) })
		if err != nil {
			return nil, 0, err
		}
		for _, m := range slices.Backward(messages) {
			if wanted(m) {
				found = m
				break
			}
		}
		to = from
	}
	return found, end, nil
}

// scan visits a partition's messages with offsets in [from, to).
func (c *client) scan(ctx context.Context, partition int, from, to int64, visit func(*message)) error {
	l := &Log{client: c, partition: partition, isolation: kafka.ReadCommitted}
	l.context, l.stop = context.WithCancelCause(ctx)
	defer l.Close()
	defer metrics.AwaitAnswer(c.Topic, c.awaits(reading))()
	began := time.Now()
	for next := from; next < to; {
		c, err := l.fetchOnce(next)
		if err == nil && c.next == next {
			err = l.decided(began, next)
		}
		if err != nil {
			return err
		}
		next = c.next
		for i := range c.messages {
			if c.messages[i].offset < to {
				visit(&c.messages[i])
			}
		}
	}
	return nil
}

// Find returns an error if a topic is missing. The topic may hold streams or text.
func Find(ctx context.Context, l *Location) error {
	c, _, err := find(ctx, l)
	if err != nil {
		return err
	}
	defer c.leave()
	return c.stamped(ctx)
}

// Partitions returns a topic's number of partitions. It refuses a topic that cannot hold streams.
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

// decided returns an error if the broker has held back a message for longer than Patience. Then the message's
// transaction, or an older one, is still open and may be aborted.
func (l *Log) decided(since time.Time, offset int64) error {
	if time.Since(since) < l.client.Patience {
		return nil
	}
	return exit.Errorf(exit.Unavailable,
		"%s: the message at offset %d comes after the beginning of a transaction that is still open",
		l.Name(), offset).WithHint("another program writes it; kafka-transactions.sh finds and aborts transactions " +
		"that hang")
}

// newest returns the offset of the first message in the newest set of matrices, which may be incomplete. Without a set
// it returns the first offset. It scans the last messages, and then more of them until it finds a beginning. Many may
// be needed: a set may be long, and duplicates or a slower program's messages may come after it.
func (c *client) newest(ctx context.Context, partition int, first, end int64) (int64, error) {
	for n := int64(16); ; n *= 4 {
		from := max(first, end-n)
		begin, err := c.newestFrom(ctx, partition, from, end)
		if begin >= 0 || err != nil {
			return begin, err
		}
		if from == first {
			return first, nil
		}
	}
}

// newestFrom does the same as newest for offsets in [from, end). It returns a negative offset if the newest set does
// not begin there.
func (c *client) newestFrom(ctx context.Context, partition int, from, end int64) (int64, error) {
	begin, round := int64(-1), int64(-1)
	err := c.scan(ctx, partition, from, end, func(m *message) {
		at := int64(m.label.Round)
		if m.err != nil || m.label.Writer == "" || at < round || at == round && (begin >= 0 || m.label.Since > 0) {
			return // the headers are a hint, so that few frames must be decoded
		}
		found, err := stream.Find(m.value)
		if at = int64(found.Round); err != nil || found.Mark == (stream.Mark{}) || found.Ends || at < round {
			return
		}
		if at > round {
			begin, round = -1, at
		}
		if begin < 0 && found.Begins {
			begin = m.offset
		}
	})
	return begin, err
}
