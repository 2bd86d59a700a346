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

// A Released is a release that a stream holds.
type Released struct {
	Round uint32
	Head  *wire.Release // nil: a part of the release is there alone
	// Digest is the SHA-256 of its cells in hexadecimal, as its charge names it (SPEC.md §7.3); empty where Head is nil.
	Digest string
}

// Releases returns the header and all releases that a stream holds. Of a topic that are those of every writer, from the first
// message that retention has left, unless the name says otherwise, to where the topic ends now: also those that readers of
// the topic pass over, because another writer wrote the round before. The error for a topic without messages is
// stream.ErrEmpty.
func Releases(name string) (*wire.Header, []Released, error) {
	wanted := Wanted{Kinds: []wire.Kind{wire.Kind_RELEASES}, Side: wire.Side_PUBLIC}
	r, h, err := openHistory(name, wanted)
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

// Holds says whether an output holds anything already, which a topic alone does: others begin anew.
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

// openHistory opens a stream, and a topic with all that its writers wrote.
func openHistory(name string, wanted Wanted) (*StreamReader, *wire.Header, error) {
	if !topic.Is(name) {
		return OpenStream(name, wanted)
	}
	l, err := inputTopic(name, wanted)
	if err != nil {
		return nil, nil, err
	}
	l.UntilEnd = true
	if l.From == "" {
		l.From = topic.Oldest
	}
	logs, _, err := openLogs(l, wanted)
	if err != nil {
		return nil, nil, err
	}
	log, err := one(name, logs)
	if err != nil {
		for _, log := range logs {
			log.Close()
		}
		return nil, nil, err
	}
	r, err := stream.NewHistoryReader(log, log.Name())
	if err != nil {
		log.Close()
		return nil, nil, err
	}
	return openReader(&StreamReader{Reader: r, log: log}, wanted)
}
