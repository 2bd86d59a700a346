package endpoint

import (
	"context"
	"io"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Messages reads a partition's messages, each on its own. Close must be called.
type Messages struct {
	*stream.Messages
	io.Closer
}

// OpenMessages opens a public topic's partitions for a reader that skips malformed messages. It reads up to the
// ends of the partitions, and the name must say so (until=end). check refuses messages by the header of their stream.
func OpenMessages(ctx context.Context, name string, check func(*wire.Header) error) ([]*Messages, error) {
	l, err := inputTopic(ctx, name, Wanted{Side: wire.Side_PUBLIC})
	if err != nil {
		return nil, err
	}
	if !l.UntilEnd {
		return nil, exit.Errorf(exit.Usage,
			"%s: needs until=end: a malformed message may be the one that says where a stream ends", l)
	}
	logs, err := topic.Of(l).Open(context.Background(), l)
	if err != nil {
		return nil, err
	}
	all := make([]*Messages, len(logs))
	for i, log := range logs {
		m, err := stream.NewMessages(log, log.Name(), check)
		if err != nil {
			for _, log := range logs {
				log.Close()
			}
			return nil, err
		}
		all[i] = &Messages{m, log}
	}
	return all, nil
}
