package kafka

import (
	"context"
	"errors"
	"io"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/metrics"
)

// Text reads the messages of all partitions of a topic as text, in the order in which they come. Text adds a newline to a message that
// does not end with one. It is an io.ReadCloser.
type Text struct {
	logs   []*Log
	values chan value
	open   int    // number of partitions that have not ended
	rest   []byte // the unread part of the last message
	err    error
}

type value struct {
	text []byte
	err  error
}

// OpenText opens a topic of text. Other programs write such topics, so a compacted topic is accepted.
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
			v.text = append(m.value, '\n')
			if n := len(m.value); n > 0 && m.value[n-1] == '\n' {
				v.text = m.value
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
		if len(t.rest) == 0 && !t.receive(n == 0) {
			break
		}
		copied := copy(b[n:], t.rest)
		n, t.rest = n+copied, t.rest[copied:]
	}
	if n > 0 {
		return n, nil
	}
	return 0, t.err
}

// receive takes the next message. Without wait it returns false if there is none yet.
func (t *Text) receive(wait bool) bool {
	if t.open == 0 {
		t.err = io.EOF
		return false
	}
	var v value
	if wait {
		select {
		case v = <-t.values:
		case <-t.logs[0].context.Done():
			v.err = context.Cause(t.logs[0].context)
		}
	} else {
		select {
		case v = <-t.values:
		default:
			return false
		}
	}
	switch {
	case errors.Is(v.err, io.EOF):
		t.open--
	case v.err != nil:
		t.err = v.err
	}
	t.rest = v.text
	return true
}

// Close ends the reading.
func (t *Text) Close() error {
	for _, log := range t.logs {
		log.Close()
	}
	return nil
}
