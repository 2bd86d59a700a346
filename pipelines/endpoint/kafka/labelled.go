package kafka

import "privpipe/pipelines/endpoint/topic"

// A Labelled is a message by its headers.
type Labelled = topic.Labelled

// Labelled returns the next message of a program of ours. It passes over those of others. A log is read by Frame or by this.
func (l *Log) Labelled() (Labelled, error) {
	for {
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
