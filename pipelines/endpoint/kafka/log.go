package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/segmentio/kafka-go"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/metrics"
	"privpipe/pipelines/wire/stream"
)

// A Log reads one partition, message by message. It implements stream.Source. Only Stop, Close and Drained are safe for
// concurrent use.
type Log struct {
	client    *client
	partition int
	isolation kafka.IsolationLevel
	context   context.Context
	stop      context.CancelCauseFunc

	chunks  chan chunk  // the fetched chunks
	free    chan []byte // the memory of answers that have been read completely
	using   []byte      // the memory of the pending messages and of the messages that were returned last
	err     error       // the error that ended the chunks; every later read returns it
	pending []message
	after   int64 // the offset after the pending messages
	next    int64 // the offset after the message that was read last
	resume  int64 // the result of Next
	end     int64 // the topic's end when the log was opened
	frames  []stream.Frame
	foreign int  // a lower bound of the number of frames from other programs so far
	begun   bool // Found has returned a frame

	wait *metrics.Wait
	read metrics.Counter
	lag  metrics.Gauge
	head int64 // the offset after the partition's last message, by the last fetch

	drained atomic.Int64 // when the last fetch without messages was sent, in nanoseconds since 1970
}

// A message is a fetched message.
type message struct {
	offset  int64
	time    time.Time
	stamped bool // true: the broker set the time; false: the writer did
	key     []byte
	value   []byte
	headers []kafka.Header
	label   label
	err     error // the error of the label
}

// check refuses a message without a frame, and a message with headers that no stage writes.
func (m *message) check() error {
	if m.err == nil && len(m.value) == 0 {
		return errors.New("the message is empty, must hold a frame")
	}
	return m.err
}

// A chunk is the answer to one fetch.
type chunk struct {
	messages []message
	next     int64  // the offset after the messages, and after offsets without a message
	head     int64  // the offset after the partition's last message
	memory   []byte // holds the values of the messages
	asked    time.Time
	err      error
}

// maxFetch bounds one fetch's answer, in bytes: larger answers were slower (design page kafka.md, section 4).
const maxFetch = 4 << 20

// maxWait is how long the broker waits for a message before it answers a fetch.
const maxWait = 500 * time.Millisecond

// Open opens the partitions of the location, each at the position that the location's From names.
func Open(ctx context.Context, l *Location) ([]*Log, error) {
	c, partitions, err := reach(ctx, l)
	if err != nil {
		return nil, err
	}
	defer c.leave()
	return c.logs(ctx, partitions)
}

// logs opens partitions at the position that From names.
func (c *client) logs(ctx context.Context, partitions []int) (logs []*Log, err error) {
	logs = make([]*Log, len(partitions))
	for i, partition := range partitions {
		if logs[i], err = c.log(ctx, partition, -1); err != nil {
			for _, open := range logs[:i] {
				open.Close()
			}
			return nil, err
		}
	}
	return logs, nil
}

// OpenAt opens a partition at an offset. A negative offset means the position that From names.
func OpenAt(ctx context.Context, l *Location, partition int, offset int64) (*Log, error) {
	c, err := newClient(l)
	if err != nil {
		return nil, err
	}
	defer c.leave()
	if _, err := c.partitions(ctx); err != nil { // its error says best why there is no answer
		return nil, err
	}
	if err := c.uncompacted(ctx); err != nil {
		return nil, err
	}
	return c.log(ctx, partition, offset)
}

// log opens a partition at an offset. A negative offset means the position that From names.
func (c *client) log(ctx context.Context, partition int, offset int64) (*Log, error) {
	l := &Log{
		client: c, partition: partition, isolation: kafka.ReadCommitted, chunks: make(chan chunk, 1),
		free: make(chan []byte, 1),
		wait: metrics.NewWait(c.Topic, partition), read: metrics.MessagesRead(c.Topic, partition),
		lag: metrics.Lag(c.Topic, partition),
	}
	if err := c.stamped(ctx); err != nil {
		return nil, err
	}
	if c.Whole && !c.UntilEnd {
		l.wait.Expect(fmt.Sprintf("messages of %s, until the end of its stream; with until=end it ends where the "+
			"topic ended", l.Name()))
	}
	first, end, err := c.bounds(ctx, partition)
	if err != nil {
		return nil, err
	}
	if l.end = end; offset < 0 {
		if offset, err = c.begin(ctx, partition, first, end); err != nil {
			return nil, err
		}
	}
	if offset < first || offset > end {
		return nil, l.gone(offset)
	}
	l.next, l.resume = offset, offset
	l.lag.Set(float64(end - offset))
	if offset > 0 {
		l.foreign = 1 // the first frame may stand before this offset, so the rest is no whole stream
	}
	l.context, l.stop = context.WithCancelCause(ctx)
	c.users.Add(1)
	go l.fetch(offset)
	return l, nil
}

// begin returns the offset that From names in a partition.
func (c *client) begin(ctx context.Context, partition int, first, end int64) (int64, error) {
	switch c.From {
	case topic.Start, "":
		return 0, nil
	case topic.Oldest:
		return first, nil
	case topic.Newest:
		return c.newest(ctx, partition, first, end)
	case topic.End:
		return end, nil
	}
	if offset, err := strconv.ParseInt(c.From, 10, 64); err == nil {
		return offset, nil
	}
	when, err := time.Parse(time.RFC3339, c.From)
	if err != nil {
		return 0, exit.Errorf(exit.Internal, "%s: from=%s: %w", c.Location, c.From, err)
	}
	offset, err := c.at(ctx, partition, when)
	if err == nil && offset < 0 {
		offset = end // every message is older
	}
	return offset, err
}

// Name is the name of the partition, for messages.
func (l *Log) Name() string { return fmt.Sprintf("%s[%d]", l.client.Topic, l.partition) }

// Location is the location of the topic.
func (l *Log) Location() *Location { return l.client.Location }

// Partition is the number of the partition.
func (l *Log) Partition() int { return l.partition }

// Next is the offset where a restarted reader resumes. After a stage's message this is the following offset. After
// another program's message this is the message's own offset, since the message may hold more frames.
func (l *Log) Next() int64 { return l.resume }

// gone is the error for an offset that the partition does not have.
func (l *Log) gone(offset int64) error {
	left := "from=oldest"
	if l.client.Group != "" { // a group's committed offset has precedence over from
		left = "from=oldest with a new group"
	}
	return exit.Errorf(exit.Malformed, "%s: the messages from offset %d on are gone, or not there yet", l.Name(),
		offset).
		WithHint("retention deleted them before they were read, or the topic was recreated; %s reads the messages "+
			"that are left", left)
}

// fetch fetches until the log is closed.
func (l *Log) fetch(offset int64) {
	defer close(l.chunks)
	defer l.client.leave()
	defer exit.Guard()
	for watched := time.Now(); ; {
		c, err := l.fetchOnce(offset)
		idle := err == nil && c.next == offset
		if idle {
			l.reuse(c.memory)
			c.memory = nil
		}
		if err == nil && time.Since(watched) > watching {
			watched, err = time.Now(), l.client.unchanged(l.context)
		}
		if idle && err == nil {
			select {
			case l.chunks <- c: // tells the reader that there are no more messages
			default: // the reader is late; after it has caught up a later fetch tells it
			}
			continue
		}
		offset, c.err = c.next, err
		select {
		case l.chunks <- c:
		case <-l.context.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// fetchOnce returns the messages from an offset on, or no messages if none come within maxWait.
func (l *Log) fetchOnce(offset int64) (c chunk, err error) {
	err = l.client.retry(l.context, reading, func(ctx context.Context) error {
		var memory []byte
		select {
		case memory = <-l.free: // for this attempt alone: after an error the library may still write to it
		default:
		}
		asked := time.Now()
		request := newFetch(l.client.Topic, l.partition, offset, l.isolation, memory)
		if topic := l.client.identity.Load(); topic != nil && topic.fetches {
			request.id = topic.id
		}
		answer, err := l.client.transport.RoundTrip(ctx, l.client.kafka.Addr, request)
		if err != nil {
			return err
		}
		switch answer := answer.(type) {
		case fetchResponse:
			c, err = answer.chunk(offset)
			c.memory = answer
		case fetchByIDResponse:
			c, err = answer.chunk(offset)
			c.memory = answer
		}
		c.asked = asked
		if errors.Is(err, kafka.UnknownTopicID) || errors.Is(err, kafka.InconsistentTopicID) {
			return cmp.Or(l.client.identify(ctx), err) // the topic is gone, made again, or new to this broker
		}
		if errors.Is(err, kafka.OffsetOutOfRange) {
			return l.gone(offset)
		}
		if own := (*exit.Error)(nil); errors.As(err, &own) {
			return exit.Errorf(exit.Code(err), "%s, from offset %d on: %w", l.Name(), offset, err)
		}
		return err
	})
	return c, err
}

// message returns the next message. With UntilEnd it returns io.EOF at the end that the partition had when the log was
// opened.
func (l *Log) message() (*message, error) {
	if len(l.pending) == 0 {
		l.wait.Begin()
		defer l.wait.End()
	}
	for {
		if l.client.UntilEnd && l.next >= l.end {
			return nil, io.EOF
		}
		if len(l.pending) > 0 {
			break
		}
		select {
		case c, ok := <-l.chunks:
			if ok {
				l.err = c.err
			} else if l.err == nil {
				l.err = context.Cause(l.context)
			}
			if l.err != nil {
				return nil, l.err
			}
			l.pending, l.after, l.head, l.using = c.messages, c.next, c.head, c.memory
			if len(c.messages) == 0 {
				if l.next == c.next && c.next >= c.head {
					l.drained.Store(c.asked.UnixNano())
				}
				l.next = l.after
				l.lag.Set(float64(max(0, l.head-l.next)))
			}
			if len(c.messages) > 0 {
				metrics.Progress()
			}
			l.read.Add(float64(len(c.messages)))
		case <-l.context.Done():
			return nil, context.Cause(l.context)
		}
	}
	m := &l.pending[0]
	l.pending = l.pending[1:]
	if l.client.BrokerTime && !m.stamped {
		return nil, writersTime(l.Name(),
			fmt.Sprintf("the message at offset %d has %s=CreateTime", m.offset, timestampType))
	}
	if l.next = m.offset + 1; len(l.pending) == 0 {
		l.next = l.after
	}
	l.lag.Set(float64(l.head - l.next))
	return m, nil
}

// release makes the memory of the returned messages free for later fetches, unless it also holds pending messages.
func (l *Log) release() {
	if len(l.pending) == 0 {
		l.reuse(l.using)
		l.using = nil
	}
}

// reuse keeps memory for a later fetch, or drops it.
func (l *Log) reuse(memory []byte) {
	select {
	case l.free <- memory:
	default:
	}
}

// Drained returns a time. Frame has returned every message that the partition had at this time. It is the time when the
// last fetch without messages was sent; before the first such fetch it is 1970. While the broker is away the time does
// not advance. Drained may be called while Frame waits.
func (l *Log) Drained() time.Time { return time.Unix(0, l.drained.Load()) }

// Context ends with the log.
func (l *Log) Context() context.Context { return l.context }

// Unit implements stream.Source.
func (l *Log) Unit() string { return "offset" }

// Frame implements stream.Source.
func (l *Log) Frame() (stream.Frame, error) {
	if len(l.frames) == 0 {
		l.release()
		m, err := l.message()
		if err != nil {
			return stream.Frame{Offset: l.next}, err
		}
		if l.frames, err = l.unpack(m); err != nil {
			return stream.Frame{Offset: m.offset}, err
		}
	}
	f := l.frames[0]
	l.frames = l.frames[1:]
	return f, nil
}

// unpack returns a message's frames. A stage's message holds one frame; another program's message may hold a whole
// file.
func (l *Log) unpack(m *message) ([]stream.Frame, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if l.resume = m.offset; m.label.Writer != "" {
		l.resume++
		f := stream.Frame{Data: m.value, Writer: m.label.Writer, Number: m.label.Number, Offset: m.offset, Time: m.time}
		return []stream.Frame{f}, nil
	}
	parts, err := stream.SplitFrames(m.value)
	if err != nil {
		return nil, err
	}
	frames := make([]stream.Frame, len(parts))
	for i, data := range parts {
		frames[i] = stream.Frame{Data: data, Number: l.foreign, Offset: m.offset, Time: m.time}
		l.foreign++
	}
	return frames, nil
}

// Stop makes Frame return the cause, even while Frame waits.
func (l *Log) Stop(cause error) { l.stop(cause) }

// Close closes the log.
func (l *Log) Close() error {
	l.stop(context.Canceled)
	return nil
}
