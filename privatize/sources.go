package main

import (
	"bytes"
	"cmp"
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

var contributions = endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_CONTRIBUTIONS, wire.Kind_SUMS}}

// within wants contributions or sums. The partitions of a topic must begin within the limit of each other.
func within(limit time.Duration) endpoint.Wanted {
	w := contributions
	w.Within = limit
	return w
}

// sources are the streams of contributions or partial sums that together hold the units of each round.
type sources struct {
	header   *wire.Header // of the first
	settings []byte       // SHA-256 of the settings of all contributions and sums, after settle
	streams  []supplier
	kinds    []wire.Kind
	version  uint32    // of the wire, the least of all streams
	deadline *deadline // of the current round
	fresh    bool      // the inputs are topics, and the output has no release of the run
	unspent  bool      // the ledger has no charge of the run
	last     uint32    // round that was taken last

	adding  sync.Mutex // held while a unit or a partial sum is added: those of several streams come at the same time
	reading sync.Mutex // held while a partial sum is read: one after the other, since it takes much memory
}

// A scratch is the memory in which the contributions of a stream are put together, one after the other.
type scratch struct {
	vector        fixed.Vector
	rows, columns []uint32
	values        []float32
}

// A supplier is an open stream. The caller of Answered states that all records read so far have been released, or summed up and
// passed on. Amid tells whether the stream was opened after its beginning, perhaps after all of its rounds.
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

// partitionSource is a partition of a topic as a source.
func partitionSource(in *endpoint.Partition) *sources {
	in.Reuse()
	return &sources{
		deadline: newDeadline(0), header: in.Header, version: in.Header.Version, streams: []supplier{in}, kinds: []wire.Kind{in.Header.Kind},
	}
}

// openSources opens the inputs, which must be of one run, model and shape.
func openSources(output string, names []string, wanted endpoint.Wanted) (*sources, error) {
	if err := endpoint.Distinct(output, names...); err != nil {
		return nil, err
	}
	if err := endpoint.Once(names); err != nil {
		return nil, err
	}
	s := &sources{deadline: newDeadline(0), version: wire.Version}
	if endpoint.IsTopic(output) { // the output topic keeps what was answered
		wanted.Answers = output
	}
	for _, name := range names {
		all, h, err := endpoint.OpenStreams(name, wanted)
		if err != nil {
			s.close()
			return nil, err
		}
		for _, in := range all {
			in.Reuse() // add keeps no contribution
			s.streams, s.kinds = append(s.streams, in), append(s.kinds, h.Kind)
		}
		if s.header == nil {
			s.header = h
		}
		s.version = min(s.version, h.Version)
		if wire.OtherSettings(alike(h), alike(s.header)) {
			s.close()
			return nil, endpoint.MixedSettings(names[0], name)
		}
		if !proto.Equal(alike(h), alike(s.header)) {
			s.close()
			return nil, exit.Errorf(exit.Malformed, "%s and %s are of different runs, models, vocabularies or shapes", names[0], name)
		}
	}
	return s, nil
}

// openWithin is openSources, and must be done within the time of the first round. For files and pipes that time also begins here,
// since a header may never come.
func openWithin(limit time.Duration, output string, names []string, wanted endpoint.Wanted) (in *sources, err error) {
	opening := newDeadline(limit)
	if !slices.ContainsFunc(names, endpoint.IsTopic) {
		opening.begin(0)
	}
	err = opening.within(func() error {
		opened, err := openSources(output, names, wanted)
		if err != nil {
			return err
		}
		if err := opening.met(); err != nil {
			opened.close()
			return err
		}
		in = opened
		return nil
	})
	return in, err
}

// alike is what the headers of all sources have in common.
func alike(h *wire.Header) *wire.Header {
	c := proto.CloneOf(h)
	c.Version, c.Kind = 0, wire.Kind_KIND_UNSPECIFIED
	for _, m := range c.Matrices {
		m.Element = wire.Element_ELEMENT_UNSPECIFIED
	}
	return c
}

// settle computes and returns the hash of all settings. The grant that bounds contributions is one of the settings. Settle refuses
// rounds that cannot state what a grant for unit word needs to know: their draws, and whether contributions depend on one another.
func (s *sources) settle(grant *event.Grant) (string, error) {
	if grant != nil && grant.Unit == event.Word && s.version < 2 {
		return "", exit.Errorf(exit.Refused, "refused: a grant for unit %s needs contributions of wire version 2, whose rounds state their draws", event.Word)
	}
	hash, err := settings(s.header, grant)
	if err == nil {
		s.settings, err = hex.DecodeString(hash)
	}
	return hash, err
}

func (s *sources) close() {
	for _, in := range s.streams {
		in.Close()
	}
}

// A rounder consumes the rounds of sources.
type rounder interface {
	// begin returns the collector of a round's contributions, or nil to drop them.
	begin(number uint32, open *wire.RoundOpen, scheme event.Scheme) (*release.Collector, error)
	// end is called after the last contribution of a round that was not dropped, with the totals that the sources announce.
	end(number uint32, units, records, digest uint64) error
	// released tells whether a round was released before, so that nobody needs its contributions.
	released(number uint32) bool
}

// rounds takes round after round until all inputs end. All inputs must end after the same round.
func (s *sources) rounds(r rounder) error {
	for {
		open, err := s.open(r)
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

// open returns the first record of the next round, which is the same in all sources, or io.EOF at the end of all. Partitions of
// a topic may begin with different rounds, after retention or by the offsets of a group. Some begin after the last round,
// and so are at their end at once. A round that only some partitions still have is skipped if it was released.
func (s *sources) open(r rounder) (*wire.Record, error) {
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
		for heads[i] != nil && heads[i].Round < latest && r.released(heads[i].Round) {
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
	// Within one stream the reader checks the order of rounds. This check is for concatenated streams: a release that cannot be
	// sent must not be charged.
	if latest <= s.last {
		return nil, s.streams[0].Errorf("round %d follows round %d of the stream before: rounds must ascend", latest, s.last)
	}
	s.last = latest
	return heads[0], s.deadline.running()
}

// noRound refuses a stream without a round, unless the run has released its rounds before.
func (s *sources) noRound() error {
	switch in := s.streams[0]; {
	case s.fresh && !in.Amid():
		return in.Errorf("the stream ends without a round, and no round was released before: another program wrote the end record")
	case s.fresh && s.unspent: // a group noted releases, or retention deleted rounds that were never released
		return in.Errorf("the topic has no round left to read, and neither the output nor the ledger has a release of the run")
	case s.unspent && !in.Amid():
		return exit.Errorf(exit.Malformed, "%s: no round, and the ledger has no release of the run", in.Name())
	}
	return nil
}

// noRoundLeft is the number of the next round of a stream that has no rounds left.
const noRoundLeft = math.MaxUint32

// heads returns the next record of each source, or nil at its end.
func (s *sources) heads() ([]*wire.Record, error) {
	return atOnce(s, func(_ int, in supplier) (*wire.Record, error) { return next(in) })
}

// atOnce asks all sources at the same time, and returns their answers in the order of the sources. It returns the first error as soon as that comes.
func atOnce[T any](s *sources, ask func(i int, in supplier) (T, error)) ([]T, error) {
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

// next returns the next record of a source, or nil at its end.
func next(in supplier) (*wire.Record, error) {
	record, err := in.Next()
	if err == io.EOF {
		return nil, nil
	}
	return record, err
}

// skip skips the rest of a round.
func skip(in supplier) error {
	for {
		record, err := in.Next()
		if err != nil || record.GetRoundClose() != nil {
			return err
		}
	}
}

func (s *sources) round(r rounder, open *wire.Record) error {
	scheme, err := open.GetRoundOpen().Scheme.Event()
	if err != nil {
		return err
	}
	collector, err := r.begin(open.Round, open.GetRoundOpen(), scheme)
	if err != nil {
		return err
	}
	ends, err := atOnce(s, func(i int, in supplier) (*wire.RoundClose, error) {
		if s.kinds[i] == wire.Kind_SUMS {
			return s.part(in, collector)
		}
		return s.units(in, collector)
	})
	if err != nil {
		return err
	}
	var total wire.RoundClose
	for _, end := range ends {
		total.Units += end.Units
		total.Records += end.Records
		total.UnitDigest += end.UnitDigest
	}
	s.deadline.waits()
	if err := s.deadline.met(); err != nil || collector == nil {
		return err
	}
	return r.end(open.Round, total.Units, total.Records, total.UnitDigest)
}

// units takes the contributions of a round from a stream. They come from several streams at the same time, since the sum does not depend
// on the order of units: a Collector drops or refuses what comes again, whatever came first, and sums exactly.
func (s *sources) units(in supplier, to *release.Collector) (*wire.RoundClose, error) {
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
			if err := s.add(in, &with, to, record.GetContribution()); err != nil {
				return nil, err
			}
		}
	}
}

// add takes one record of a contribution. The last record passes the whole contribution on.
func (s *sources) add(in supplier, with *scratch, to *release.Collector, c *wire.Contribution) error {
	for _, p := range c.Parts {
		with.rows = wire.AppendIDs(with.rows[:0], p.RowGaps)
		with.columns = wire.AppendIDs(with.columns[:0], p.ColumnGaps)
		with.values = wire.AppendFloats(with.values[:0], p.Values)
		if err := to.Quantise(&with.vector, int(p.Matrix), with.rows, with.columns, with.values, p.Factored); err != nil {
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

// part takes the partial sum of a round from a stream. In a topic the first record counts when the whole sum has come.
func (s *sources) part(in supplier, to *release.Collector) (*wire.RoundClose, error) {
	record, err := in.Next()
	s.reading.Lock()
	defer s.reading.Unlock()
	var keys []byte
	for ; err == nil && record.GetMembers() != nil; record, err = in.Next() {
		keys = append(keys, record.GetMembers().Keys...)
	}
	if err != nil {
		return nil, err
	}
	set, err := in.ReadBlocks(record)
	if err != nil {
		return nil, err
	}
	end, err := in.Next()
	if err != nil {
		return nil, err
	}
	if to == nil {
		return end.GetRoundClose(), nil
	}
	if !bytes.Equal(set.Sum.Settings, s.settings) || !to.Takes(set.Sum.Grid, set.Sum.Clip, set.Sum.Bounds) {
		return nil, exit.Errorf(exit.Refused, "refused: %s holds sums that were bounded under another grant or other settings", in.Name())
	}
	var cells []int64
	for _, m := range s.header.Matrices {
		more, err := stream.Cells[int64](set, m.Name)
		if err != nil {
			return nil, in.Errorf("%w", err)
		}
		cells = append(cells, more...)
	}
	s.adding.Lock()
	defer s.adding.Unlock()
	closed := end.GetRoundClose()
	return closed, to.AddPart(keys, closed.Records, closed.UnitDigest, cells)
}
