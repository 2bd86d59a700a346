package endpoint

import (
	"context"
	"io"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Plan returns the sampling scheme of the rounds in a topic. It reads the scheme from the first round that retention
// has left. Without a round it returns nil.
func Plan(name string) (*wire.Scheme, error) {
	l, err := writtenTopic(name)
	if err != nil {
		return nil, err
	}
	l.Partition, l.From, l.UntilEnd = max(l.Partition, 0), topic.Oldest, true
	log, err := topic.Of(l).OpenAt(context.Background(), l, l.Partition, -1)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	r, err := stream.NewHistoryReader(log, log.Name())
	if err != nil {
		return nil, err
	}
	h, err := r.Header()
	if err == nil {
		err = checkNamed(log, h)
	}
	for err == nil {
		var record *wire.Record
		if record, err = r.Next(); record.GetRoundOpen() != nil {
			return record.GetRoundOpen().Scheme, nil
		}
	}
	if err == io.EOF {
		err = nil
	}
	return nil, err
}
