package job

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// Kept are the flags of a model whose documents have a state from round to round: their last contributions.
type Kept struct {
	State string `placeholder:"FILE" group:"State" help:"Where the last contribution of each document is kept, so that a run that was killed goes on. By default it is kept in memory. It is as secret as the documents."`

	kept bool
}

// Documents says that the model's documents have a state.
func (k Kept) Documents() Kept {
	k.kept = true
	return k
}

// A state is the last contribution of each document. Its file is a stream of CONTRIBUTIONS of one round, the last. It is
// replaced whole before the end of a round leaves, so a round that others may have seen whole is in it.
type state struct {
	name   string
	header *wire.Header
	round  uint32 // the last that is in it
	last   map[document]*wire.Contribution
	next   []*wire.Record // of the round under way
}

// A document is told from others by the names in its contribution.
type document struct{ unit, record string }

// openState returns the state of the trainer's documents, nil where they have none.
func (t *trainer) openState() (*state, error) {
	if !t.work.kept {
		return nil, nil
	}
	if t.work.State != "" && endpoint.IsTopic(t.Input) {
		return nil, exit.Errorf(exit.Usage, "--state does not go with a topic, whose partitions change hands")
	}
	s := &state{name: t.work.State, header: t.header, last: make(map[document]*wire.Contribution)}
	if s.name == "" {
		return s, nil
	}
	in, h, err := endpoint.OpenStream(s.name, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_CONTRIBUTIONS}, MaxCells: t.MaxCells})
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if h.Run != t.header.Run || string(h.Settings) != string(t.header.Settings) || string(h.Vocabulary) != string(t.header.Vocabulary) {
		return nil, exit.Errorf(exit.Malformed, "%s: the state of another run, or made under other settings", s.name).
			WithHint("each run begins with a --state of its own")
	}
	for {
		record, err := in.Next()
		if err == io.EOF {
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		s.round = max(s.round, record.Round)
		s.take(record)
	}
}

// take adds a record of contributions to what is known.
func (s *state) take(record *wire.Record) {
	c := record.GetContribution()
	if c == nil {
		return
	}
	of := document{c.Unit, c.Record}
	if before := s.last[of]; before != nil && before.More {
		before.Parts, before.More = append(before.Parts, c.Parts...), c.More
		return
	}
	s.last[of] = &wire.Contribution{Unit: c.Unit, Record: c.Record, Parts: slices.Clip(c.Parts), More: c.More}
}

// check refuses a round that the state does not fit: wanted says that the round is not released yet.
func (s *state) check(round uint32, wanted bool) error {
	switch {
	case s == nil, s.round == round, s.round < round && wanted, s.round > round && !wanted:
		return nil
	case s.round > round:
		return exit.Errorf(exit.Malformed, "%s: the state is of round %d, and round %d is still to be answered", s.name, s.round, round).
			WithHint("the state belongs to a run that has come further: look for its releases and parameters")
	}
	return exit.Errorf(exit.Missing, "round %d is released already, and the state of its documents is lost", round).
		WithHint("go on with the --state that the run was begun with, or begin a new run")
}

// contribute has a worker answer a document. A round that the state has is answered from it: it may have been killed on the
// way out.
func (s *state) contribute(w model.Worker, round uint32, d *wire.Document, c *wire.Contribution, coins *model.Coins) ([]*wire.Part, error) {
	if s == nil {
		return w.Contribute(d, coins)
	}
	last := s.last[document{c.Unit, c.Record}]
	if last == nil {
		return w.Contribute(d, coins)
	}
	if s.round == round {
		return last.Parts, nil
	}
	stateful, ok := w.(model.Stateful)
	if !ok {
		return w.Contribute(d, coins)
	}
	return stateful.ContributeAfter(d, last.Parts, coins)
}

// keep notes the answers of the round under way.
func (s *state) keep(records []*wire.Record) {
	if s != nil {
		s.next = append(s.next, records...)
	}
}

// save makes the answers of a round the last ones.
func (s *state) save(open *wire.Record) error {
	if s == nil {
		return nil
	}
	for _, record := range s.next {
		s.take(record)
	}
	s.next, s.round = nil, open.Round
	if s.name == "" {
		return nil
	}
	out, err := endpoint.CreateStream(s.name, s.header, "fast")
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := out.Write(open); err != nil {
		return err
	}
	end := new(wire.RoundClose)
	units := make(map[string]bool)
	for _, of := range slices.SortedFunc(maps.Keys(s.last), compareDocuments) {
		c := s.last[of]
		for _, record := range appendContribution(nil, open.Round, &wire.Contribution{Unit: c.Unit, Record: c.Record}, c.Parts) {
			if err := out.Write(record); err != nil {
				return err
			}
		}
		end.Records++
		if !units[c.Unit] {
			units[c.Unit] = true
			end.Units++
			end.UnitDigest += wire.UnitDigest(c.Unit)
		}
	}
	if err := out.Write(&wire.Record{Round: open.Round, Body: &wire.Record_RoundClose{RoundClose: end}}); err != nil {
		return err
	}
	return out.Commit()
}

func compareDocuments(a, b document) int {
	return cmp.Or(cmp.Compare(a.unit, b.unit), cmp.Compare(a.record, b.record))
}
