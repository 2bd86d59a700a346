package kafka

import (
	"bytes"
	"context"
	"errors"
	"io"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/metrics"
)

// Text reads a topic as text. It returns the messages of all partitions in the order of their arrival. Read adds a
// newline to a message that does not end with one.
type Text struct {
	logs   []*Log
	values chan value
	open   int    // number of partitions that have not ended
	rest   []byte // the unread part of the last message
	err    error
}

type value struct {
	*topic.Text
	err error
}

// OpenText opens a text topic. Other programs write such topics, so a compacted topic is accepted.
func OpenText(ctx context.Context, l *Location) (*Text, error) {
	metrics.Conceal(l.Topic) // metrics must not show the name, which other programs chose
	c, partitions, err := find(ctx, l)
	if err != nil {
		return nil, err
	}
	defer c.leave()
	logs, err := c.logs(ctx, partitions)
	if err != nil {
		return nil, err
	}
	t := &Text{logs: logs, values: make(chan value), open: len(logs)}
	for _, log := range logs {
		go t.follow(log)
	}
	return t, nil
}

func (t *Text) follow(log *Log) {
	defer exit.Guard()
	for {
		m, err := log.message()
		v := value{err: err}
		if err == nil {
			v.Text = &topic.Text{Partition: log.Name(), Offset: m.offset, Key: m.key, Content: m.value}
			for _, h := range m.headers {
				v.Headers = append(v.Headers, topic.Header{Name: h.Key, Value: h.Value})
			}
		}
		select {
		case t.values <- v:
		case <-log.context.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// Read implements io.Reader. It waits for one message, and returns all messages that have come.
func (t *Text) Read(b []byte) (n int, err error) {
	for n < len(b) && t.err == nil {
		if len(t.rest) == 0 {
			text, err := t.Message(n == 0)
			if text == nil || err != nil {
				break
			}
			if t.rest = text.Content; !bytes.HasSuffix(t.rest, []byte("\n")) {
				t.rest = append(t.rest, '\n')
			}
		}
		copied := copy(b[n:], t.rest)
		n, t.rest = n+copied, t.rest[copied:]
	}
	if n > 0 {
		return n, nil
	}
	return 0, t.err
}

// Message returns the next message. If no message has come yet, it returns nil without wait. It returns io.EOF after
// the last message of all partitions.
func (t *Text) Message(wait bool) (*topic.Text, error) {
	for t.err == nil && t.open > 0 {
		var v value
		select {
		case v = <-t.values:
		default:
			if !wait {
				return nil, nil
			}
			select {
			case v = <-t.values:
			case <-t.logs[0].context.Done():
				v.err = context.Cause(t.logs[0].context)
			}
		}
		switch {
		case errors.Is(v.err, io.EOF):
			t.open--
		case v.err != nil:
			t.err = v.err
		default:
			return v.Text, nil
		}
	}
	if t.err == nil {
		t.err = io.EOF
	}
	return nil, t.err
}

// Close ends the reading.
func (t *Text) Close() error {
	for _, log := range t.logs {
		log.Close()
	}
	return nil
}
