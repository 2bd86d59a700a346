// Package rounds reads the rounds of one or more streams of contributions or partial sums. It hands the
// contributions of a round to a collector.
package rounds

import (
	"cmp"
	"context"
	"encoding/hex"
	"io"
	"math"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
	"privpipe/privatize/internal/fixed"
	"privpipe/privatize/internal/release"
)

// Wanted wants contributions or sums. All partitions of one topic must begin within the limit of one another.
func Wanted(limit time.Duration) endpoint.Wanted {
	return endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_CONTRIBUTIONS, wire.Kind_SUMS}, Within: limit}
}

// Sources are the streams of contributions or partial sums that together hold the units of each round.
type Sources struct {
	Header   *wire.Header // the first stream's header
	Settings []byte       // SHA-256 of the settings of all contributions and sums, after Settle
	Fresh    bool         // the inputs are topics, and the output has no release of the run
	Unspent  bool         // the ledger has no charge of the run

	streams  []supplier
	headers  []*wire.Header // of each stream
	version  uint32         // the least wire version of all streams
	deadline *deadline      // of the current round
	last     uint32         // the last round taken

	adding  sync.Mutex // held while a unit or a partial sum is added: the streams are read at the same time
	reading sync.Mutex // held while a partial sum is read: one at a time, since it takes much memory
}

// A scratch is memory for one contribution. A stream's contributions are put together there one after the other.
type scratch struct {
	vector        fixed.Vector
	rows, columns []uint32
	values        []float32
}

// A supplier is an open stream. By Answered the caller states that all records read so far have been released, or
// summed up and passed on. Amid tells whether the stream was opened after its beginning, perhaps after all of its
// rounds.
type supplier interface {
	Next() (*wire.Record, error)
	Reuse()
	ReadBlocks(*wire.Record) (*stream.Set, error)
	Errorf(format string, args ...any) error
	Name() string
	Answered(round uint32)
	Amid() bool
	Complete() error
	Close() error
}

// Of returns sources that read only the given partition.
func Of(in *endpoint.Partition) *Sources {
	in.Reuse()
	return &Sources{
		deadline: newDeadline(0), Header: in.Header, version: in.Header.Version, streams: []supplier{in},
		headers: []*wire.Header{in.Header},
	}
}

// open is Open without a limit.
func open(ctx context.Context, output string, names []string, wanted endpoint.Wanted) (*Sources, error) {
	if err := endpoint.Distinct(ctx, output, names...); err != nil {
		return nil, err
	}
	if err := endpoint.Once(ctx, names); err != nil {
		return nil, err
	}
	s := &Sources{deadline: newDeadline(0), version: wire.Newest}
	if endpoint.IsTopic(output) { // the output topic shows which rounds were answered
		wanted.Answers = output
	}
	for _, name := range names {
		all, h, err := endpoint.OpenStreams(ctx, name, wanted)
		if err != nil {
			s.Close()
			return nil, err
		}
		for _, in := range all {
			in.Reuse() // add keeps no contribution
			s.streams, s.headers = append(s.streams, in), append(s.headers, h)
		}
		if s.Header == nil {
			s.Header = h
		}
		s.version = min(s.version, h.Version)
		if wire.OtherSettings(alike(h), alike(s.Header)) {
			s.Close()
			return nil, endpoint.MixedSettings(names[0], name)
		}
		if !proto.Equal(alike(h), alike(s.Header)) {
			s.Close()
			return nil, exit.Errorf(exit.Malformed, "%s and %s are of different runs, models, vocabularies or shapes",
				names[0], name)
		}
	}
	return s, nil
}

// Open opens the inputs, which must be of one run, model and shape. It must be done within the first round's time. For
// files and pipes that time also begins here, since a header may never come.
func Open(ctx context.Context, limit time.Duration, output string, names []string,
	wanted endpoint.Wanted) (in *Sources, err error) {
	opening := newDeadline(limit)
	if !slices.ContainsFunc(names, endpoint.IsTopic) {
		opening.begin(0)
	}
	err = opening.within(func() error {
		opened, err := open(ctx, output, names, wanted)
		if err != nil {
			return err
		}
		if err := opening.met(); err != nil {
			opened.Close()
			return err
		}
		in = opened
		return nil
	})
	return in, err
}

// alike returns the part of a header that must be equal in all sources.
func alike(h *wire.Header) *wire.Header {
	c := proto.CloneOf(h)
	c.Version, c.Kind = 0, wire.Kind_KIND_UNSPECIFIED
	for _, m := range c.Matrices {
		m.Element = wire.Element_ELEMENT_UNSPECIFIED
	}
	return c
}

// Settle computes and returns the hash of all settings. The grant that bounds contributions is one of the settings. A
// grant for unit word needs to know a round's draws and whether contributions depend on one another. Settle refuses
// rounds that cannot state this.
func (s *Sources) Settle(grant *event.Grant) (string, error) {
	if grant != nil && grant.Unit == event.Word && s.version < 2 {
		return "", exit.Errorf(exit.Refused,
			"refused: a grant for unit %s needs contributions of wire version 2, whose rounds state their draws",
			event.Word)
	}
	hash, err := HashOf(s.Header, grant)
	if err == nil {
		s.Settings, err = hex.DecodeString(hash)
	}
	return hash, err
}

// Close closes the streams.
func (s *Sources) Close() {
	for _, in := range s.streams {
		in.Close()
	}
}

// A Taker takes the rounds of sources.
type Taker interface {
	// Begin returns the collector for a round's contributions, or nil to drop them.
	Begin(number uint32, open *wire.RoundOpen, scheme event.Scheme) (*release.Collector, error)
	// End is called after a round's last contribution, with the totals that the sources announce. It is not called for
	// a dropped round.
	End(number uint32, announced release.Announced) error
	// Released tells whether a round was released before. Nobody needs its contributions then.
	Released(number uint32) bool
}

// Name returns the name of the first stream.
func (s *Sources) Name() string { return s.streams[0].Name() }

// Take hands round after round to r until all inputs end. Each round must be whole within the limit, 0 for none.
func (s *Sources) Take(limit time.Duration, r Taker) error {
	s.deadline = newDeadline(limit)
	return s.deadline.within(func() error { return s.all(r) })
}

// all takes round after round until all inputs end. All inputs must end after the same round.
func (s *Sources) all(r Taker) error {
	for {
		open, err := s.next(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.round(r, open); err != nil {
			return err
		}
		for _, in := range s.streams {
			in.Answered(open.Round)
		}
	}
}

// next returns the first record of the next round, which must be equal in all sources, or io.EOF at the end of all. The
// partitions of one topic may begin with different rounds, because of retention or because of a group's offsets. Some
// begin after the last round, so they are at their end at once. A round that only some partitions still have is skipped
// if it was released.
func (s *Sources) next(r Taker) (*wire.Record, error) {
	s.deadline.begin(s.last)
	heads, err := s.heads()
	if err != nil {
		return nil, err
	}
	latest := uint32(0)
	for i, head := range heads {
		if head == nil && s.last == 0 && s.streams[i].Amid() {
			latest = noRoundLeft
		}
		latest = max(latest, head.GetRound())
	}
	for i, in := range s.streams {
		for heads[i] != nil && heads[i].Round < latest && r.Released(heads[i].Round) {
			if err := skip(in); err != nil {
				return nil, err
			}
			var err error
			if heads[i], err = next(in); err != nil {
				return nil, err
			}
		}
		if heads[i] == nil {
			if err := in.Complete(); err != nil {
				return nil, err
			}
		}
		if !proto.Equal(heads[i], heads[0]) {
			return nil, in.Errorf("its rounds are not those of %s", s.streams[0].Name())
		}
	}
	if heads[0] == nil && s.last == 0 {
		if err := s.noRound(); err != nil {
			return nil, err
		}
	}
	if heads[0] == nil {
		return nil, cmp.Or(s.deadline.met(), io.EOF)
	}
	// Within one stream the reader checks the order of rounds. This check is for concatenated streams: a release that
	// cannot be sent must not be charged.
	if latest <= s.last {
		return nil, s.streams[0].Errorf("round %d follows round %d of the stream before: rounds must ascend", latest,
			s.last)
	}
	s.last = latest
	return heads[0], s.deadline.running()
}

// noRound refuses a stream without a round, unless the run has released its rounds before.
func (s *Sources) noRound() error {
	switch in := s.streams[0]; {
	case s.Fresh && !in.Amid():
		return in.Errorf("the stream ends without a round, and no round was released before: another program wrote " +
			"the end record")
	case s.Fresh && s.Unspent: // either a group noted releases, or retention deleted rounds that were never released
		return in.Errorf("the topic has no round left to read, and neither the output nor the ledger has a release " +
			"of the run")
	case s.Unspent && !in.Amid():
		return exit.Errorf(exit.Malformed, "%s: no round, and the ledger has no release of the run", in.Name())
	}
	return nil
}

// noRoundLeft stands for the next round's number if a stream has no rounds left.
const noRoundLeft = math.MaxUint32

// heads returns the next record of each source, or nil at its end.
func (s *Sources) heads() ([]*wire.Record, error) {
	return atOnce(s, func(_ int, in supplier) (*wire.Record, error) { return next(in) })
}

// atOnce asks all sources at the same time, and returns their answers in the order of the sources. It returns the first
// error as soon as one comes.
func atOnce[T any](s *Sources, ask func(i int, in supplier) (T, error)) ([]T, error) {
	answers, errs := make([]T, len(s.streams)), make([]error, len(s.streams))
	arrived := make(chan int, len(s.streams))
	waiting := make([]string, len(s.streams))
	for i, in := range s.streams {
		waiting[i] = in.Name()
	}
	s.deadline.waits(waiting...)
	for i, in := range s.streams {
		go func() {
			defer exit.Guard()
			answers[i], errs[i] = ask(i, in)
			arrived <- i
		}()
	}
	for range s.streams {
		i := <-arrived
		if errs[i] != nil {
			return nil, errs[i]
		}
		waiting[i] = ""
		s.deadline.waits(waiting...)
	}
	return answers, nil
}

// next returns the next record from a source, or nil at its end.
func next(in supplier) (*wire.Record, error) {
	record, err := in.Next()
	if err == io.EOF {
		return nil, nil
	}
	return record, err
}

// skip skips the rest of the current round.
func skip(in supplier) error {
	for {
		record, err := in.Next()
		if err != nil || record.GetRoundClose() != nil {
			return err
		}
	}
}

func (s *Sources) round(r Taker, open *wire.Record) error {
	scheme, err := open.GetRoundOpen().Scheme.Event()
	if err != nil {
		return err
	}
	collector, err := r.Begin(open.Round, open.GetRoundOpen(), scheme)
	if err != nil {
		return err
	}
	ends, err := atOnce(s, func(i int, in supplier) (*wire.RoundClose, error) {
		if s.headers[i].Kind == wire.Kind_SUMS {
			return s.part(in, collector)
		}
		return s.units(in, s.headers[i].Matrices, collector)
	})
	if err != nil {
		return err
	}
	var total release.Announced
	for _, end := range ends {
		total.Units += end.Units
		total.Records += end.Records
		total.Digest += end.UnitDigest
	}
	s.deadline.waits()
	if err := s.deadline.met(); err != nil || collector == nil {
		return err
	}
	return r.End(open.Round, total)
}

// units takes one round's contributions from a stream. Several streams are read at the same time, since the sum does
// not depend on the order of units. A Collector drops or refuses a unit that comes again, whichever came first, and it
// sums exactly.
func (s *Sources) units(in supplier, of []*wire.Matrix, to *release.Collector) (*wire.RoundClose, error) {
	var with scratch
	for {
		record, err := in.Next()
		if err != nil {
			return nil, err
		}
		if end := record.GetRoundClose(); end != nil {
			return end, nil
		}
		if to != nil {
			if err := s.add(in, of, &with, to, record.GetContribution()); err != nil {
				return nil, err
			}
		}
	}
}

// add takes one record of the contribution. The last record passes the whole contribution on.
func (s *Sources) add(in supplier, of []*wire.Matrix, with *scratch, to *release.Collector,
	c *wire.Contribution) error {
	for _, p := range c.Parts {
		with.rows = wire.AppendIDs(with.rows[:0], p.RowGaps)
		with.columns = wire.AppendIDs(with.columns[:0], p.ColumnGaps)
		with.values = wire.AppendNumbers(with.values[:0], of[p.Matrix], p)
		if err := to.Quantise(&with.vector, int(p.Matrix), with.rows, with.columns, with.values,
			p.Factored); err != nil {
			return in.Errorf("%w", err)
		}
	}
	if c.More {
		return nil
	}
	s.adding.Lock()
	err := to.Add(c.Unit, c.Record, wire.UnitDigest(c.Unit), &with.vector)
	s.adding.Unlock()
	with.vector.Reset()
	return err
}
