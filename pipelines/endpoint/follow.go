package endpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"privpipe/pipelines/endpoint/topic"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
)

// A Follower watches a topic of releases or parameters, and knows the last complete round of the run there.
type Follower struct {
	log   topic.Log
	run   string // "": any
	round uint32 // the last complete round in the topic
	ended bool
	waits *run
}

// Follow opens a public topic with one partition, at the oldest message that retention has left. If NewTopics is set,
// Follow creates a missing topic.
func Follow(ctx context.Context, name, run string) (*Follower, error) {
	l, err := inputTopic(ctx, name, Wanted{Side: wire.Side_PUBLIC})
	if err != nil {
		return nil, err
	}
	if l.Group != "" || l.From != "" || l.UntilEnd {
		return nil, exit.Errorf(exit.Usage, "%s: group, from and until do not belong to a topic that is followed", l)
	}
	l.From = topic.Oldest
	if err := create(ctx, l, 1); err != nil {
		return nil, err
	}
	logs, err := topic.Of(l).Open(ctx, l)
	if err != nil {
		return nil, err
	}
	log, err := one(name, logs, drop)
	if err != nil {
		return nil, err
	}
	return &Follower{log: log, run: run, waits: scopeOf(ctx).run}, nil
}

// Reached says whether this round or a later one is known to be complete in the topic. Wait then returns at once.
func (f *Follower) Reached(round uint32) bool { return f.round >= round }

// Wait waits until this round or a later one is complete in the topic. Rounds may be missing, and may be repeated.
func (f *Follower) Wait(round uint32) error {
	defer f.waits.await(fmt.Sprintf("the release of round %d in %s", round, f.log.Name()), broker)()
	for !f.Reached(round) {
		if f.ended {
			return exit.Errorf(exit.Malformed, "%s: the stream has ended at round %d, and round %d is not there",
				f.log.Name(), f.round, round).
				WithHint("each run needs topics of its own, which topics.sh makes")
		}
		m, err := f.log.Found()
		if err == nil {
			err = f.check(m.Header)
		}
		if own := (*exit.Error)(nil); err != nil && !errors.As(err, &own) && f.log.Context().Err() == nil {
			err = exit.Errorf(exit.Malformed, "%s: %w", f.log.Name(), err)
		}
		if err != nil {
			return err
		}
		if m.Closes && !m.Ends {
			f.round = max(f.round, m.Round)
		}
		f.ended = f.ended || m.Ends
	}
	return nil
}

// check refuses a stream unless it holds releases or parameters of the run.
func (f *Follower) check(h *wire.Header) error {
	if !slices.Contains([]wire.Kind{wire.Kind_RELEASES, wire.Kind_PARAMETERS}, h.Kind) {
		return exit.Errorf(exit.Malformed, "%s: a stream of %s, must be of RELEASES or PARAMETERS", f.log.Name(),
			h.Kind)
	}
	if err := checkNamed(f.log, h); err != nil {
		return err
	}
	if f.run != "" && h.Run != f.run {
		return exit.Errorf(exit.Malformed, "%s: of run %q, not of run %q", f.log.Name(), h.Run, f.run)
	}
	return nil
}

// Close closes the topic.
func (f *Follower) Close() error { return f.log.Close() }
