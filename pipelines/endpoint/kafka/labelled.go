package kafka

import "privpipe/pipelines/wire/stream"

// A Labelled is a message by its headers: what it holds is not looked at.
type Labelled struct {
	Frame []byte
	First bool // of a writer, and so with the stream's header
	stream.Mark
}

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
			return Labelled{m.value, m.label.Number == 0, m.label.Mark}, nil
		}
	}
}
