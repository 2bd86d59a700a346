package kafka

import (
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire/stream"
)

// Found summarizes the frame in a stage's next message. It skips messages of other programs. After its first call it
// also skips messages that close and end nothing by their headers, so it decodes a few frames of a long set. Read a log
// either by Frame or by Found, never by both.
func (l *Log) Found() (stream.Found, error) {
	for {
		l.release()
		m, err := l.message()
		if err != nil {
			return stream.Found{}, err
		}
		if err := m.check(); err != nil {
			return stream.Found{}, l.client.wrong(m, l.partition, err)
		}
		if m.label.Writer != "" && (!l.begun || m.label.Closes) {
			l.begun = true
			found, err := stream.Find(m.value)
			if err != nil {
				err = l.client.wrong(m, l.partition, err)
			}
			return found, err
		}
	}
}

// wrong is the error for a malformed message.
func (c *client) wrong(m *message, partition int, err error) error {
	return exit.Errorf(exit.Malformed, "%s[%d]: the message at offset %d: %w", c.Topic, partition, m.offset, err)
}

// marks says whether the message's frame has a wanted mark. The headers serve as a hint: if a stage's headers show no
// wanted mark, the frame is not decoded.
func (m *message) marks(wanted func(stream.Mark) bool) (stream.Mark, bool) {
	if m.err != nil || m.label.Writer != "" && !wanted(m.label.Mark) {
		return stream.Mark{}, false
	}
	found, err := stream.Find(m.value)
	return found.Mark, err == nil && wanted(found.Mark)
}
