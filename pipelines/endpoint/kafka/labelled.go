package kafka

import "privpipe/pipelines/endpoint/topic"

// A Labelled is the headers of a message.
type Labelled = topic.Labelled

// Labelled returns the next message of a stage, and skips messages of other programs. Its frame is valid until the next
// call. Read a log by Frame or by Labelled, not by both.
func (l *Log) Labelled() (Labelled, error) {
	for {
		l.release()
		m, err := l.message()
		if err == nil {
			err = m.err
		}
		if err != nil {
			return Labelled{}, err
		}
		if m.label.Writer != "" {
			return Labelled{Frame: m.value, First: m.label.Number == 0, Mark: m.label.Mark}, nil
		}
	}
}
