package modeltest

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/event"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A Release is a release in the wire format.
type Release struct {
	Round uint32
	Head  *wire.Release
	Steps []int64 // the cells of all matrices, matrix after matrix
}

// Gaussian returns the head of a release. Its noise has the given scale, in steps. Its run has rounds rounds with
// Poisson sampling.
func Gaussian(rate, grid float64, scale uint64, rounds uint32) *wire.Release {
	return &wire.Release{
		Mechanism: event.Gaussian, Grant: "grant", Grid: grid, Clip: 1, Scale: scale,
		Scheme: &wire.Scheme{Method: wire.Scheme_POISSON, Rate: rate, Rounds: rounds, Secret: true},
	}
}

// None returns the head of a release without noise. Its run has rounds rounds with Poisson sampling.
func None(rate, grid float64, rounds uint32) *wire.Release {
	r := Gaussian(rate, grid, 0, rounds)
	r.Mechanism, r.Grant, r.Clip = event.None, "", 0
	return r
}

// Header returns the header that releases for a learner have.
func Header(l model.Learner, vocabulary []byte, words int) *wire.Header {
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_RELEASES, Side: wire.Side_PUBLIC, Run: "run", Model: l.Family().Name,
		Unit: wire.Unit_DOCUMENT, Vocabulary: vocabulary, VocabularySize: uint32(words),
	}
	for _, m := range statistics(l) {
		h.Matrices = append(h.Matrices, &wire.Matrix{
			Name: m.Name, Rows: m.Rows, Columns: m.Columns, Element: wire.Element_INT64, Symmetric: m.Symmetric,
		})
	}
	return h
}

func statistics(l model.Learner) []*wire.Matrix { return l.Family().Statistics(l.Size()) }

// cells is the number of cells in one release.
func cells(l model.Learner) (all int) {
	for _, m := range statistics(l) {
		all += m.Cells()
	}
	return all
}

// Stream returns a stream of releases. It panics if the stream breaks a rule of the wire format.
func Stream(h *wire.Header, releases ...Release) []byte {
	return write(h, func(w *stream.Writer) error {
		for _, r := range releases {
			head := &wire.Record{Round: r.Round, Body: &wire.Record_Release{Release: r.Head}}
			var matrices []stream.Rows
			for _, m := range h.Matrices {
				cells := m.Cells()
				matrices = append(matrices, stream.RowsOf(r.Steps[:cells]))
				r.Steps = r.Steps[cells:]
			}
			if len(r.Steps) > 0 {
				return errors.New("cells of no matrix")
			}
			if err := w.WriteSet(head, matrices...); err != nil {
				return err
			}
		}
		return nil
	})
}

func write(h *wire.Header, body func(*stream.Writer) error) []byte {
	c, err := stream.NewCompressor(stream.None)
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	w, err := stream.NewWriter(&b, h, c)
	if err == nil {
		err = body(w)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

func first(b []byte) *stream.Set {
	r, err := stream.NewReader(bytes.NewReader(b), "test")
	if err != nil {
		panic(err)
	}
	set, err := stream.ReadSet(r, nil)
	if err != nil {
		panic(err)
	}
	return set
}

// Update passes a release to a learner, encoded and decoded.
func Update(l model.Learner, r Release) error {
	release, err := model.NewRelease(first(Stream(Header(l, nil, 0), r)))
	if err != nil {
		return err
	}
	return l.Update(release)
}

// Set returns a snapshot, encoded and decoded like a checkpoint.
func Set(l model.Learner, s *model.Snapshot) *stream.Set {
	return set(l.Family().Name, l.Round(), s)
}

// Snapshot is Set without a learner: the snapshot belongs to a family, before the first round.
func Snapshot(family string, s *model.Snapshot) *stream.Set { return set(family, 0, s) }

func set(family string, round uint32, s *model.Snapshot) *stream.Set {
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_CHECKPOINT, Side: wire.Side_PUBLIC,
		Run: "run", Model: family, Matrices: s.Matrices,
	}
	return first(write(h, func(w *stream.Writer) error {
		p := &wire.Parameters{Scalars: s.Scalars}
		head := &wire.Record{Round: round, Body: &wire.Record_Parameters{Parameters: p}}
		return w.WriteSet(head, s.Cells...)
	}))
}

// Learner checks the promises of package model for a learner, on rounds of samples. fresh returns a new learner with
// the same settings each time.
func Learner(t *testing.T, fresh func() model.Learner) {
	LearnerOf(t, Gaussian(0.25, 0.125, 50, rounds), fresh)
}

// rounds is the number of rounds in Learner.
const rounds = 5

// OfAll returns the head of a release that all units answered. Otherwise it is like Gaussian.
func OfAll(grid float64, scale uint64, rounds uint32) *wire.Release {
	r := Gaussian(1, grid, scale, rounds)
	r.Scheme = &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: rounds, Secret: true}
	return r
}

// LearnerOf is Learner on releases with the given head.
func LearnerOf(t *testing.T, head *wire.Release, fresh func() model.Learner) {
	l := fresh()
	releases := make([]Release, rounds)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range releases {
		steps := make([]int64, cells(l))
		for c := range steps {
			steps[c] = int64(100*r.ExpFloat64() + 50*r.NormFloat64())
		}
		releases[i] = Release{uint32(i + 1), head, steps}
	}
	var parameters []*kept // before each round and after the last
	for i := range releases {
		parameters = append(parameters, keep(l.Parameters()))
		update(t, l, releases[i])
		if l.Round() != uint32(i+1) {
			t.Fatalf("Round is %d after round %d", l.Round(), i+1)
		}
	}
	parameters = append(parameters, keep(l.Parameters()))
	want := learned(t, l)

	t.Run("resumes", func(t *testing.T) {
		for cut := 1; cut <= rounds; cut++ {
			l := fresh()
			for _, r := range releases[:cut] {
				update(t, l, r)
			}
			killed := l
			l = fresh()
			if err := l.Restore(Set(killed, killed.State())); err != nil {
				t.Fatalf("Restore refused what State returned after round %d: %v", cut, err)
			}
			for i := cut; i < rounds; i++ {
				same(t, "parameters", keep(l.Parameters()), parameters[i])
				update(t, l, releases[i])
			}
			same(t, "model", learned(t, l), want)
		}
	})
	t.Run("asking changes nothing", func(t *testing.T) {
		same(t, "model", learned(t, l), want)
		l.State()
		same(t, "parameters", keep(l.Parameters()), parameters[rounds])
	})
	t.Run("refuses an incomplete checkpoint", func(t *testing.T) {
		state := l.State()
		for i := range state.Scalars {
			less := *state
			less.Scalars = slices.Delete(slices.Clone(state.Scalars), i, i+1)
			if fresh().Restore(Set(l, &less)) == nil {
				t.Errorf("restored a checkpoint without %s", state.Scalars[i].Name)
			}
		}
		for i := range state.Matrices {
			less := *state
			less.Matrices = slices.Delete(slices.Clone(state.Matrices), i, i+1)
			less.Cells = slices.Delete(slices.Clone(state.Cells), i, i+1)
			if fresh().Restore(Set(l, &less)) == nil {
				t.Errorf("restored a checkpoint without matrix %s", state.Matrices[i].Name)
			}
		}
	})
}

// Extreme checks that every release within the rules of the wire format gives a model within these rules. At rate 1 all
// units answer.
func Extreme(t *testing.T, l model.Learner, grid, rate float64, scale uint64, rounds uint32, a, b int64) {
	if !(grid > 0 && grid <= math.MaxFloat64) || event.CheckRate(rate) != nil || rounds == 0 || rounds > 1<<31 {
		t.Skip()
	}
	steps := make([]int64, cells(l))
	for i := range steps {
		steps[i] = []int64{a, b, 0}[i%3]
	}
	head := Gaussian(rate, grid, scale, rounds)
	if scale == 0 {
		head = None(rate, grid, rounds)
	}
	if rate == 1 {
		head.Scheme.Method = wire.Scheme_ALL
	}
	if err := Update(l, Release{1, head, steps}); err != nil {
		t.Skip(err)
	}
	s, err := l.Model()
	if err != nil {
		t.Fatal(err)
	}
	Set(l, s)
	Set(l, l.State())
	if p := l.Parameters(); p != nil {
		Set(l, p)
	}
}

func update(t *testing.T, l model.Learner, r Release) {
	t.Helper()
	if err := Update(l, r); err != nil {
		t.Fatal(err)
	}
}

func learned(t *testing.T, l model.Learner) *kept {
	t.Helper()
	s, err := l.Model()
	if err != nil {
		t.Fatal(err)
	}
	return keep(s)
}

// kept is a snapshot and the cells that it had at the time.
type kept struct {
	*model.Snapshot
	cells [][]byte
}

func keep(s *model.Snapshot) *kept {
	if s == nil {
		return nil
	}
	k := &kept{Snapshot: s}
	for _, rows := range s.Cells {
		k.cells = append(k.cells, rows.AppendTo(nil, 0, rows.Len()))
	}
	return k
}

// same compares bit for bit.
func same(t *testing.T, what string, got, want *kept) {
	t.Helper()
	if got == nil || want == nil {
		if got != want {
			t.Errorf("%s are missing before or after the learner resumed, and not both times", what)
		}
		return
	}
	equal := slices.EqualFunc(got.Scalars, want.Scalars, func(a, b *wire.Scalar) bool { return proto.Equal(a, b) }) &&
		slices.EqualFunc(got.Matrices, want.Matrices, func(a, b *wire.Matrix) bool { return proto.Equal(a, b) }) &&
		slices.EqualFunc(got.cells, want.cells, bytes.Equal)
	if !equal {
		t.Errorf("%s differs from the same of the run that was not killed", what)
	}
}
