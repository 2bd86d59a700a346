package job

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/endpoint"
	_ "privpipe/pipelines/endpoint/kafka"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// echo contributes its document's first word in the first round, and then its last contribution plus one.
type echo struct{}

func (e echo) Contribute(d *wire.Document, _ *model.Coins) ([]*wire.Part, error) {
	if len(d.WordGaps) == 0 {
		return nil, errors.New("asked for a document without words")
	}
	return model.AppendParts(nil, 0, []uint32{0}, []uint32{d.WordGaps[0]}, []float32{1}), nil
}

func (e echo) ContributeAfter(_ *wire.Document, last []*wire.Part, _ *model.Coins) ([]*wire.Part, error) {
	next := proto.CloneOf(last[0])
	next.ColumnGaps[0]++
	return []*wire.Part{next}, nil
}

// keeper returns a trainer whose state is in a file.
func keeper(file string, settings byte) *trainer {
	hash := make([]byte, 32)
	hash[0] = settings
	return &trainer{
		Context: context.Background(),
		Job:     &Job{},
		work:    Work{Kept: Kept{State: file, kept: true}},
		header: &wire.Header{
			Version: wire.Version, Kind: wire.Kind_CONTRIBUTIONS, Side: wire.Side_PRIVATE, Run: "run", Model: "echo",
			Unit: wire.Unit_USER, VocabularySize: 1 << 19, Settings: hash, Vocabulary: make([]byte, 32),
			Matrices: []*wire.Matrix{{Name: "m", Rows: 1, Columns: 1 << 19, Element: wire.Element_FLOAT32}},
		},
	}
}

func opened(t *testing.T, file string) *state {
	t.Helper()
	s, err := keeper(file, 1).openState()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// answered has a state answer documents in a round, and returns the column of each answer.
func answered(t *testing.T, s *state, round uint32, documents ...*wire.Document) (columns []uint32) {
	t.Helper()
	if err := s.check(round, true); err != nil {
		t.Fatal(err)
	}
	for _, d := range documents {
		c := &wire.Contribution{Unit: wire.UnitName(wire.Unit_USER, d), Record: d.Id}
		parts, err := s.contribute(echo{}, round, d, c, new(model.Coins))
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, parts[0].ColumnGaps[0])
		s.keep(appendContribution(nil, round, c, parts))
	}
	scheme := &wire.Scheme{Method: wire.Scheme_POISSON, Rate: 0.5, Rounds: 9, Secret: true,
		Coins: strings.Repeat("0", 32)}
	open := &wire.Record{Round: round, Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}}
	if err := s.save(t.Context(), open); err != nil {
		t.Fatal(err)
	}
	return columns
}

func equal(t *testing.T, what string, got []uint32, want ...uint32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

// TestState: each document goes on from its own last contribution, which it may have made many rounds ago, and a round
// that was answered is answered again from the state, whatever its file was read by.
func TestState(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.pp")
	a := &wire.Document{Id: "1", User: "u", WordGaps: []uint32{100}, Counts: []uint32{1}}
	b := &wire.Document{Id: "2", User: "u", WordGaps: []uint32{200}, Counts: []uint32{1}}
	c := &wire.Document{Id: "1", WordGaps: []uint32{300}, Counts: []uint32{1}}
	equal(t, "round 1", answered(t, opened(t, file), 1, a, b), 100, 200)
	equal(t, "round 2", answered(t, opened(t, file), 2, c, b), 300, 201)
	equal(t, "round 2 again", answered(t, opened(t, file), 2, c, b), 300, 201)
	s := opened(t, file)
	equal(t, "round 5", answered(t, s, 5, a, b, c), 101, 202, 301)
	equal(t, "round 6 of the same process", answered(t, s, 6, a), 102)
	equal(t, "round 7", answered(t, opened(t, file), 7, a, b, c), 103, 203, 302)
}

// TestStateIsNoRound: only a reader that wants a state takes its file, so no stage releases it as the round that it
// names.
func TestStateIsNoRound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.pp")
	answered(t, opened(t, file), 1, &wire.Document{Id: "1", User: "u", WordGaps: []uint32{1}, Counts: []uint32{1}})
	for kind := range wire.Kind_name {
		in, _, err := endpoint.OpenStream(t.Context(), file, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind(kind)}})
		if err == nil {
			in.Close()
		}
		if (err == nil) != (wire.Kind(kind) == wire.Kind_STATE) {
			t.Errorf("a reader of %v: %v", wire.Kind(kind), err)
		}
	}
}

// TestKeyNeedsANamedRun: a kept key would give two runs without a name the same coins. A new one does not.
func TestKeyNeedsANamedRun(t *testing.T) {
	for _, c := range []struct {
		secret, run string
		refused     bool
	}{{"key", "", true}, {"key", "run", false}, {"", "", false}} {
		tr := &trainer{Context: t.Context(), Job: &Job{},
			work: Work{Keyed: Keyed{Secret: c.secret, drawn: true}, Family: new(model.Family)},
			in:   &endpoint.Partition{Header: &wire.Header{Run: c.run}}}
		err := tr.train() // the next check is that there is a vocabulary
		if (exit.Code(err) == exit.Usage) != c.refused || c.refused == strings.Contains(err.Error(), "no vocabulary") {
			t.Errorf("key %q, run %q: %v", c.secret, c.run, err)
		}
	}
}

// TestLargeState: a contribution of several records comes back whole.
func TestLargeState(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.pp")
	tr := keeper(file, 1)
	tr.header.Matrices[0].Rows, tr.header.Matrices[0].Columns = 3, 1<<17
	columns := make([]uint32, 1<<17)
	for i := range columns {
		columns[i] = uint32(i)
	}
	parts := model.AppendParts(nil, 0, []uint32{0, 1, 2}, columns, make([]float32, 3<<17))
	s, err := tr.openState()
	if err != nil {
		t.Fatal(err)
	}
	s.keep(appendContribution(nil, 1, &wire.Contribution{Unit: "document/d", Record: "d"}, parts))
	if len(s.next) < 2 {
		t.Fatal("the contribution fits one record")
	}
	answered(t, s, 1)
	if s, err = tr.openState(); err != nil {
		t.Fatal(err)
	}
	got := s.last[document{"document/d", "d"}]
	if got == nil || len(got.Parts) != len(parts) {
		t.Fatalf("%d parts came back of %d", len(got.GetParts()), len(parts))
	}
	for i, p := range got.Parts {
		if !proto.Equal(p, parts[i]) {
			t.Errorf("part %d is another", i)
		}
	}
}

// TestStateRefuses what does not fit: rounds that the state lacks or is ahead of, and files of others.
func TestStateRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.pp")
	answered(t, opened(t, file), 3, &wire.Document{Id: "1", User: "u", WordGaps: []uint32{1}, Counts: []uint32{1}})
	for _, c := range []struct {
		round  uint32
		wanted bool
		rule   string // "": none
	}{
		{2, false, ""}, {3, false, ""}, {3, true, ""}, {4, true, ""}, {9, true, ""},
		{2, true, "the state is of round 3, and round 2 is still to be answered"},
		{4, false, "round 4 is released already, and the state of its documents is lost"},
	} {
		err := opened(t, file).check(c.round, c.wanted)
		if (err == nil) != (c.rule == "") || err != nil && !strings.Contains(err.Error(), c.rule) {
			t.Errorf("round %d, wanted %v: got %v, want an error about %q", c.round, c.wanted, err, c.rule)
		}
	}
	if _, err := keeper(file, 2).openState(); err == nil || !strings.Contains(err.Error(), "other settings") {
		t.Errorf("the state of other settings: %v", err)
	}
	former := filepath.Join(t.TempDir(), "former.pp")
	s := opened(t, former)
	s.header.Kind = wire.Kind_CONTRIBUTIONS
	answered(t, s, 3)
	if _, err := keeper(former, 1).openState(); exit.Code(err) != exit.Malformed ||
		!strings.Contains(err.Error(), "a stream of CONTRIBUTIONS, must be of STATE") {
		t.Errorf("a state of an earlier program: %v", err)
	}
	for input, refused := range map[string]bool{"rounds.pp": false, "kafka://localhost:1/r.private": true,
		"kafka://localhost:1/r.private?group=g": true, "kafka://localhost:1/r.private?partition=1": false} {
		if err := (Kept{}).Documents().check(input); (err != nil) != refused {
			t.Errorf("a state and %s: %v", input, err)
		}
	}
}

// TestHidden: parts of hidden matrices are kept in the state, also over a file, and never sent.
func TestHidden(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.pp")
	tr := keeper(file, 1)
	tr.header.Matrices = tr.header.Matrices[:1:1]
	tr.step = hider{}
	s, err := tr.openState()
	if err != nil {
		t.Fatal(err)
	}
	tr.state = s
	parts := model.AppendParts(nil, 0, []uint32{0}, []uint32{1, 2}, []float32{1, 2})
	parts = model.AppendParts(parts, 1, []uint32{0}, []uint32{0}, []float32{3})
	parts = model.AppendParts(parts, 2, []uint32{0}, []uint32{0}, []float32{4})
	compressor, _ := stream.NewCompressor(stream.None)
	framer, err := stream.NewFramer(tr.header, compressor)
	if err != nil {
		t.Fatal(err)
	}
	a := answering{t: tr, round: 1, to: framer.Batcher()}
	for _, c := range []struct {
		id    string
		parts []*wire.Part
		sent  int // of its parts
	}{
		{"d", parts, 1},
		{"e", parts[1:], 0}, // nothing but what is hidden
	} {
		if err := a.add(&wire.Contribution{Unit: "document/" + c.id, Record: c.id}, c.parts); err != nil {
			t.Fatal(err)
		}
		if len(a.sent) != 1 || len(a.sent[0].GetContribution().Parts) != c.sent {
			t.Errorf("sent: %v", a.sent)
		}
	}
	s.keep(a.kept)
	answered(t, s, 1)
	if s, err = tr.openState(); err != nil {
		t.Fatal(err)
	}
	for of, want := range map[document][]*wire.Part{{"document/d", "d"}: parts, {"document/e", "e"}: parts[1:]} {
		if got := s.last[of].GetParts(); !slices.EqualFunc(got, want,
			func(a, b *wire.Part) bool { return proto.Equal(a, b) }) {
			t.Errorf("%v came back as %v, want %v", of, got, want)
		}
	}
}

// A hider hides two numbers.
type hider struct{ model.EStep }

func (hider) Hidden(model.Size) ([]*wire.Matrix, int) {
	return []*wire.Matrix{{Name: "a", Rows: 1, Columns: 1, Element: wire.Element_FLOAT32},
		{Name: "b", Rows: 1, Columns: 1, Element: wire.Element_FLOAT32}}, 1
}
