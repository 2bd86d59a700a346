package reconstruct

import (
	"errors"
	"fmt"
	"io"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// mostWarnings bounds the warnings about messages, because anybody who writes to the topic can cause them.
const mostWarnings = 10

// messages takes the reports from a topic, and leaves malformed messages out.
func (m *mender) messages(name string, g *event.Grant, all *reports) error {
	partitions, err := endpoint.OpenMessages(m.run, name, func(h *wire.Header) error {
		switch {
		case h.Kind != wire.Kind_DOCUMENTS:
			return fmt.Errorf("a stream of %s, must be of %s", h.Kind, wire.Kind_DOCUMENTS)
		case h.Side != wire.Side_PUBLIC:
			return errors.New("a private stream, but this stage stands outside the privacy wall")
		}
		return fits(h, g)
	})
	if err != nil {
		return err
	}
	defer func() {
		for _, in := range partitions {
			in.Close()
		}
	}()
	skipped := 0
	for _, in := range partitions {
		for {
			records, err := in.Next()
			if err == io.EOF {
				break
			}
			if err == nil {
				if err = all.takeAll(records); err != nil {
					err = in.Errorf("%w", err)
				}
			}
			if err == nil {
				continue
			}
			if !errors.As(err, new(*stream.FormatError)) {
				return err // the topic failed, not a message
			}
			if skipped++; skipped <= mostWarnings {
				m.run.Log.Warn(fmt.Sprintf("left out: %v", err))
			}
		}
	}
	switch skipped {
	case 0:
	case 1:
		m.run.Log.Warn(fmt.Sprintf("%s: left out 1 malformed message", name))
	default:
		m.run.Log.Warn(fmt.Sprintf("%s: left out %d malformed messages", name, skipped))
	}
	return nil
}
