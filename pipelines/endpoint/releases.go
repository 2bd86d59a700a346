package endpoint

import (
	"context"
	"encoding/hex"
	"io"
	"slices"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A Released is a release in a stream.
type Released struct {
	Round uint32
	Head  *wire.Release // nil: the stream holds only a part of the release
	// Digest is the SHA-256 of the release's cells in hexadecimal, as its charge names it (SPEC.md §7.3). It is empty
	// if Head is nil.
	Digest string
}

// Releases returns the header and all releases in a stream. For a topic it returns the releases of every writer, also
// the duplicates that the topic's readers ignore. It begins at the first message that retention has left, unless the
// name says otherwise, and stops at the topic's present end. The error for a topic without messages is stream.ErrEmpty.
func Releases(ctx context.Context, name string) (*wire.Header, []Released, error) {
	wanted := Wanted{Kinds: []wire.Kind{wire.Kind_RELEASES}, Side: wire.Side_PUBLIC}
	r, h, err := openHistory(ctx, name, wanted)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	var all []Released
	for {
		set, err := stream.ReadSet(r.Reader, nil)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		digest := set.Digest()
		all = append(all, Released{set.Round, set.Release, hex.EncodeToString(digest[:])})
	}
	for _, round := range r.Begun() {
		all = append(all, Released{Round: round})
	}
	return h, all, nil
}

// KindOf returns the kind of the stream in a file.
func KindOf(ctx context.Context, name string) (wire.Kind, error) {
	in, err := Open(ctx, name)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	r, err := stream.NewReader(in, in.Name)
	if err != nil {
		return 0, err
	}
	h, err := r.Header()
	if err != nil {
		return 0, err
	}
	return h.Kind, nil
}

// Holds says whether an output is a topic that already holds messages. Other outputs begin empty.
func Holds(output string) (bool, error) {
	if !topic.Is(output) {
		return false, nil
	}
	l, err := writtenTopic(output)
	if err != nil {
		return false, err
	}
	tails, err := topic.Of(l).Tails(context.Background(), l)
	return slices.ContainsFunc(tails, func(t topic.Tail) bool { return t.Frame != nil }), err
}

// openHistory opens a stream. From a topic it returns the frames of every writer, including duplicates.
func openHistory(ctx context.Context, name string, wanted Wanted) (*StreamReader, *wire.Header, error) {
	if !topic.Is(name) {
		return OpenStream(ctx, name, wanted)
	}
	l, err := inputTopic(ctx, name, wanted)
	if err != nil {
		return nil, nil, err
	}
	l.UntilEnd = true
	if l.From == "" {
		l.From = topic.Oldest
	}
	logs, _, err := openLogs(ctx, l, wanted)
	if err != nil {
		return nil, nil, err
	}
	log, err := one(name, logs, drop)
	if err != nil {
		return nil, nil, err
	}
	r, err := stream.NewHistoryReader(log, log.Name())
	if err != nil {
		log.Close()
		return nil, nil, err
	}
	return openReader(&StreamReader{Reader: r, log: log}, wanted)
}
