package job

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// Kept are the flags for a model that keeps a state for each document from round to round: the document's last
// contribution.
type Kept struct {
	State string `output:"" placeholder:"FILE" group:"State" help:"Keep the last contribution of each document in FILE, so that a killed run can resume; in memory by default. FILE is as private as the documents."`
	// The state of another run to begin with. No charge of this run counts what the other run drew, so it goes with
	// coupled rounds only.
	InitialState string `kong:"-"`

	kept bool
}

// Documents marks a model that keeps a state for each document.
func (k Kept) Documents() Kept {
	k.kept = true
	return k
}

// check refuses an input with partitions that other workers may take over.
func (k Kept) check(input string) error {
	if !k.kept || !endpoint.IsShared(input) {
		return nil
	}
	return exit.Errorf(exit.Usage, "%s: partitions of a topic change hands, and this model keeps a state", input).
		WithHint("start a worker with a --state file of its own for each partition: ?partition=0, ?partition=1 …")
}

// A state has the last contribution of each document. Its file is a stream of STATE. It is no stream of CONTRIBUTIONS:
// it holds documents from all rounds under the last round's scheme, so nobody may release it as that round.
// The file is replaced atomically before the end of a round is sent. So if the next stage has a complete round, the
// file has it too.
type state struct {
	name       string
	header     *wire.Header // the file's header
	statistics int          // number of matrices that are sent; the others are hidden
	needed     int          // number of matrices that another run's state must have
	round      uint32       // the last round in the state; 0: the state is another run's, or empty
	last       map[document]*wire.Contribution
	next       []*wire.Record // contributions of the current round
}

// A document is identified by the names in its contribution.
type document struct{ unit, record string }

// openState returns the state for the trainer's documents. It is nil if the model keeps none.
func (t *trainer) openState() (*state, error) {
	if !t.work.kept {
		return nil, nil
	}
	s := &state{
		name: t.work.State, header: proto.CloneOf(t.header), statistics: len(t.header.Matrices),
		needed: len(t.header.Matrices),
		last:   make(map[document]*wire.Contribution),
	}
	s.header.Kind = wire.Kind_STATE
	if hider, ok := t.step.(model.Hider); ok {
		hidden, needed := hider.Hidden(t.size)
		s.header.Matrices, s.needed = append(s.header.Matrices, hidden...), s.needed+needed
	}
	if s.name != "" {
		h, err := s.read(t, s.name, t.MaxCells)
		if err == nil && (h.Run != s.header.Run || string(h.Settings) != string(s.header.Settings) ||
			len(h.Matrices) != len(s.header.Matrices) || !s.fits(h)) {
			err = exit.Errorf(exit.Malformed, "%s: the state of another run, or made under other settings", s.name).
				WithHint("begin each run with a new --state file")
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
	}
	if t.work.InitialState != "" {
		// No charge in this run counts another run's draws. So only a model without any proved guarantee may begin with
		// them.
		if _, coupled := t.step.(model.Whole); !coupled {
			return nil, exit.Errorf(exit.Refused,
				"--initial-state: no charge of this run would count what the other run drew from the documents")
		}
		h, err := s.read(t, t.work.InitialState, t.MaxCells)
		if err == nil && !s.fits(h) {
			err = exit.Errorf(exit.Malformed,
				"%s: the state of another model, of another statistic, or over another vocabulary", t.work.InitialState)
		}
		s.round = 0
		return s, err
	}
	return s, nil
}

// fits reports whether a header is a state header for the same model over the same vocabulary. The header may lack
// hidden matrices that are not needed.
func (s *state) fits(h *wire.Header) bool {
	return h.Model == s.header.Model && h.Unit == s.header.Unit &&
		string(h.Vocabulary) == string(s.header.Vocabulary) &&
		len(h.Matrices) >= s.needed && len(h.Matrices) <= len(s.header.Matrices) &&
		slices.EqualFunc(h.Matrices, s.header.Matrices[:len(h.Matrices)],
			func(a, b *wire.Matrix) bool { return proto.Equal(a, b) })
}

// read reads a file, and returns its header.
func (s *state) read(ctx context.Context, name string, maxCells uint64) (*wire.Header, error) {
	in, h, err := endpoint.OpenStream(ctx, name,
		endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_STATE, wire.Kind_CONTRIBUTIONS}, MaxCells: maxCells})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if h.Kind != wire.Kind_STATE {
		return nil, exit.Errorf(exit.Malformed, "%s: a stream of %s, must be of %s: earlier programs wrote states so",
			name, h.Kind, wire.Kind_STATE).
			WithHint("begin a new run with a new --state file")
	}
	for {
		record, err := in.Next()
		if err == io.EOF {
			return h, nil
		}
		if err != nil {
			return nil, err
		}
		s.round = max(s.round, record.Round)
		s.take(record)
	}
}

// sent returns the parts that are sent. The other parts are hidden, and come last.
func (s *state) sent(parts []*wire.Part) []*wire.Part {
	if s == nil {
		return parts
	}
	for i, p := range parts {
		if int(p.Matrix) >= s.statistics {
			return parts[:i]
		}
	}
	return parts
}

// take adds a record of contributions to the state.
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

// check refuses a round that does not fit the state. wanted means that the round is not released yet.
func (s *state) check(round uint32, wanted bool) error {
	switch {
	case s == nil, s.round == round, s.round < round && wanted, s.round > round && !wanted:
		return nil
	case s.round > round:
		return exit.Errorf(exit.Malformed, "%s: the state is of round %d, and round %d is still to be answered", s.name,
			s.round, round).
			WithHint("the state was written by a later round: resume with the releases and parameters of that round")
	}
	return exit.Errorf(exit.Missing, "round %d is released already, and the state of its documents is lost", round).
		WithHint("resume with the --state file of this run, or begin a new run")
}

// sampled refuses private rounds with a fixed size. Exchanging one unit changes which other units such a round holds,
// and so the states that these units have in later rounds (estep/gibbs/claim.md, 1). Nothing is proved about coupled
// rounds, whatever their sampling.
func (s *state) sampled(open *wire.RoundOpen, coupled bool) error {
	if s == nil || coupled || s.header.Side == wire.Side_PUBLIC || open.Scheme.Method != wire.Scheme_FIXED {
		return nil
	}
	return exit.Errorf(exit.Refused,
		"rounds of a fixed size, and topics that documents keep: which documents have been in a round then "+
			"depends on other units, and so would contributions").
		WithHint("sample with --poisson, --allocate or --all, or draw topics from the start in each round")
}

// contribute answers one document by a worker. If the state has the document's contribution in this round, contribute
// returns it again. The previous process may have been killed before the whole round was sent.
func (s *state) contribute(w model.Worker, round uint32, d *wire.Document, c *wire.Contribution,
	coins *model.Coins) ([]*wire.Part, error) {
	last := s.lastOf(c)
	stateful, ok := w.(model.Stateful)
	switch {
	case last != nil && s.has(round):
		return last, nil
	case last == nil || !ok:
		return w.Contribute(d, coins)
	}
	return stateful.ContributeAfter(d, last, coins)
}

// lastOf returns the parts of the document's last contribution, found by the names in the next one; nil if there is
// none.
func (s *state) lastOf(c *wire.Contribution) []*wire.Part {
	if s == nil || s.last[document{c.Unit, c.Record}] == nil {
		return nil
	}
	return s.last[document{c.Unit, c.Record}].Parts
}

// has reports whether the state already has the contributions in this round.
func (s *state) has(round uint32) bool { return s != nil && s.round == round }

// keep collects the answers of the current round.
func (s *state) keep(records []*wire.Record) {
	if s != nil {
		s.next = append(s.next, records...)
	}
}

// save adds the answers of the current round to the state and writes the file.
func (s *state) save(ctx context.Context, open *wire.Record) error {
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
	out, err := endpoint.CreateStream(ctx, s.name, s.header, "fast")
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
		for _, record := range appendContribution(nil, open.Round, &wire.Contribution{Unit: c.Unit, Record: c.Record},
			c.Parts) {
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
