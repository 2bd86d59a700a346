package modeltest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Halves are both halves of one model, and their promises.
type Halves struct {
	Step    func() model.EStep // without parameters
	Learner func() model.Learner

	// L2 norm that no contribution exceeds: the clip C that a grant should have. Required; it is never derived
	Norm     float64
	Distance float64 // L2 norm that no difference of two contributions exceeds; 0: the bound in SPEC.md §7.3
	// share of Norm, in (0, 1], that some contribution must reach: a bound above all norms wastes budget
	Attained    float64
	NonNegative bool // no cell in a contribution is negative
}

// The number of documents in a round trip, and the number of rounds.
const (
	tripDocuments = 60
	tripRounds    = 3
)

// RoundTrip takes both halves through rounds over the wire format. After each round it replaces and removes documents,
// and searches for the contribution with the largest norm. Neighbouring sums must be within the privatizer's
// sensitivity.
func RoundTrip(t *testing.T, h Halves) {
	l := h.Learner()
	words := l.Size().Words
	random := rand.New(rand.NewPCG(uint64(words), 7))
	documents := make([]*wire.Document, tripDocuments)
	for i := range documents {
		documents[i] = randomDocument(random, words)
	}
	documents[0] = new(wire.Document) // an empty one
	for round := 1; round <= tripRounds; round++ {
		trip := h.begin(t, l)
		trip.neighbours(t, documents)
		trip.search(t, random, words)
		trip.release(t, l, uint32(round), documents)
	}
	s, err := l.Model()
	if err != nil {
		t.Fatal(err)
	}
	h.read(t, l, Set(l, s), documents)
}

// A trip is one round in a round trip.
type trip struct {
	Halves
	family   *model.Family
	words    int
	matrices []*wire.Matrix
	step     model.EStep
}

// begin passes a learner's parameters to a new E-step, over the wire format.
func (h Halves) begin(t *testing.T, l model.Learner) *trip {
	t.Helper()
	step := h.Step()
	data := &wire.Header{VocabularySize: uint32(l.Size().Words), Values: l.Family().Values}
	var header *wire.Header
	snapshot := l.Parameters()
	if snapshot != nil {
		header = &wire.Header{Model: l.Family().Name, VocabularySize: data.VocabularySize, Matrices: snapshot.Matrices}
	}
	size, err := l.Family().Fit(data, header)
	if err == nil && snapshot != nil {
		err = step.SetParameters(Set(l, snapshot), size)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(l.Family().Statistics(size), statistics(l),
		func(a, b *wire.Matrix) bool { return proto.Equal(a, b) }) {
		t.Fatalf("the E-step contributes to %v, and the learner learns from %v", l.Family().Statistics(size),
			statistics(l))
	}
	return &trip{h, l.Family(), l.Size().Words, statistics(l), step}
}

// contribution returns the cells of a document's contribution by a new worker, matrix after matrix.
func (r *trip) contribution(t *testing.T, d *wire.Document) []float64 {
	t.Helper()
	return r.contributionBy(t, r.step.NewWorker(), d)
}

func (r *trip) contributionBy(t *testing.T, w model.Worker, d *wire.Document) []float64 {
	t.Helper()
	d = valued(r.family, d)
	parts, err := w.Contribute(d, coins(d))
	if err == nil {
		err = checkParts(r.words, r.matrices, parts)
	}
	if err != nil {
		t.Fatalf("%v: %v", d, err)
	}
	cells := Dense(r.matrices, parts)
	if (r.NonNegative || r.family.NonNegative) && slices.Min(cells) < 0 {
		t.Fatalf("a cell of a contribution is negative: %v", d)
	}
	return cells
}

// Dense returns the cells of parts that keep the rules of the wire format, matrix after matrix, row by row. A symmetric
// matrix has the cells on and above the diagonal.
func Dense(matrices []*wire.Matrix, parts []*wire.Part) []float64 {
	var cells []float64
	first := make([]int, len(matrices)) // for each matrix
	for i, m := range matrices {
		first[i] = len(cells)
		cells = append(cells, make([]float64, m.Cells())...)
	}
	for _, p := range parts {
		m := matrices[p.Matrix]
		rows, columns := ids(p.RowGaps, m.Rows), ids(p.ColumnGaps, m.Columns)
		number := func(i int) float64 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(p.Values[4*i:])))
		}
		for r, row := range rows {
			for c, column := range columns {
				if m.Symmetric && column < row {
					continue
				}
				value := 0.0
				if p.Factored {
					value = number(r) * number(len(rows)+c)
				} else {
					value = number(r*len(columns) + c)
				}
				at := int(row)*int(m.Columns) + int(column)
				if m.Symmetric {
					at -= int(row) * (int(row) + 1) / 2
				}
				cells[first[p.Matrix]+at] += value
			}
		}
	}
	return cells
}

func ids(gaps []uint32, all uint32) []uint32 {
	if len(gaps) > 0 {
		return wire.AppendIDs(nil, gaps)
	}
	every := make([]uint32, all)
	for i := range every {
		every[i] = uint32(i)
	}
	return every
}

// neighbours checks the sums of neighbouring data sets: without one document under add-remove, and with another
// document in its place under replace-one. The other documents' contributions are the same, so the sums differ only by
// that document's contributions.
func (r *trip) neighbours(t *testing.T, documents []*wire.Document) {
	t.Helper()
	all := make([][]float64, len(documents))
	worker := r.step.NewWorker()
	for i, d := range documents {
		all[i] = r.contribution(t, d)
		if !slices.Equal(r.contributionBy(t, worker, d), all[i]) {
			t.Errorf("document %d contributes something else after others", i)
		}
	}
	for i, c := range all {
		if norm := distance(c, nil); norm > r.Norm*(1+1e-6) {
			t.Errorf("add-remove: a sum moves by %v with document %d, may by %v", norm, i, r.Norm)
		}
		if norm, most := distance(c, all[(i+1)%len(all)]), r.Exchanged(); norm > most*(1+1e-6) {
			t.Errorf("replace-one: a sum moves by %v where another document takes the place of %d, may by %v", norm, i,
				most)
		}
	}
}

// Exchanged bounds how far a sum moves under replace-one: by Distance if it is set, or else as SPEC.md §7.3 says.
func (h Halves) Exchanged() float64 {
	switch {
	case h.Distance > 0:
		return h.Distance
	case h.NonNegative:
		return math.Sqrt2 * h.Norm
	}
	return 2 * h.Norm
}

// distance returns the L2 norm of a − b; nil is 0.
func distance(a, b []float64) float64 {
	square := 0.0
	for i, x := range a {
		if b != nil {
			x -= b[i]
		}
		square += x * x
	}
	return math.Sqrt(square)
}

// search looks for a document with a large norm, and for another document far from it, by random changes. It keeps a
// change that increases the norm or the distance.
func (r *trip) search(t *testing.T, random *rand.Rand, words int) {
	t.Helper()
	climb := func(value func(*wire.Document) float64) (best *wire.Document, most float64) {
		for range 4 {
			d := randomDocument(random, words)
			for range 60 {
				changed := randomDocument(random, words)
				if random.IntN(2) == 0 {
					changed = altered(random, d)
				}
				if value(changed) >= value(d) {
					d = changed
				}
			}
			if v := value(d); best == nil || v > most {
				best, most = d, v
			}
		}
		return best, most
	}
	far, norm := climb(func(d *wire.Document) float64 { return distance(r.contribution(t, d), nil) })
	if norm > r.Norm*(1+1e-6) {
		t.Errorf("a contribution has norm %v, promised is %v: %v", norm, r.Norm, far)
	}
	if norm < r.Attained*r.Norm {
		t.Errorf("the largest norm found is %v, and %v of the bound %v should be attained", norm, r.Attained, r.Norm)
	}
	cells := r.contribution(t, far)
	if other, norm := climb(func(d *wire.Document) float64 {
		return distance(r.contribution(t, d),
			cells)
	}); norm > r.Exchanged()*(1+1e-6) {
		t.Errorf("two contributions are %v apart, may be %v: %v and %v", norm, r.Exchanged(), far, other)
	}
}

// randomDocument returns a document with some of the words, some of them often.
func randomDocument(random *rand.Rand, words int) *wire.Document {
	d := new(wire.Document)
	keep := random.Float64()
	last := -1
	for w := range words {
		if random.Float64() > keep {
			continue
		}
		d.WordGaps = append(d.WordGaps, uint32(w-max(last, 0)))
		d.Counts = append(d.Counts, uint32(1+random.ExpFloat64()*random.ExpFloat64()*3))
		last = w
	}
	return d
}

// altered returns d with another count for one word.
func altered(random *rand.Rand, d *wire.Document) *wire.Document {
	d = proto.CloneOf(d)
	if len(d.Counts) > 0 {
		i := random.IntN(len(d.Counts))
		d.Counts[i] = max(1, uint32(float64(d.Counts[i])*math.Exp(random.NormFloat64())))
	}
	return d
}

// release passes the sum of all contributions, without noise, to the learner over the wire format.
func (r *trip) release(t *testing.T, l model.Learner, round uint32, documents []*wire.Document) {
	t.Helper()
	const grid = 1.0 / (1 << 20)
	var steps []int64
	for _, d := range documents {
		for i, x := range r.contribution(t, d) {
			if len(steps) <= i {
				steps = append(steps, 0)
			}
			steps[i] += int64(x / grid)
		}
	}
	if err := Update(l, Release{round, None(1, grid, tripRounds), steps}); err != nil {
		t.Fatal(err)
	}
	if l.Round() != round {
		t.Errorf("the learner is at round %d after the release of round %d", l.Round(), round)
	}
}

// read checks that all readers accept the model file: the E-step for scores and for inference, and evaluate.
func (h Halves) read(t *testing.T, l model.Learner, set *stream.Set, documents []*wire.Document) {
	t.Helper()
	size := l.Size()
	if topics := l.Family().Topics; topics != nil {
		cells, err := topics(set, size)
		if err != nil || len(cells) != size.Components*size.Words || slices.Min(cells) <= 0 {
			t.Errorf("%d topics of %d words are of %d cells, %v", size.Components, size.Words, len(cells), err)
		}
	}
	step := h.Step()
	if err := step.SetParameters(set, size); err != nil {
		t.Fatal(err)
	}
	worker := step.NewWorker()
	for _, d := range documents {
		d = valued(l.Family(), d)
		if scorer, ok := worker.(model.Scorer); ok {
			if s, err := scorer.Score(d); err != nil || s.Bound > 0 {
				t.Errorf("score %v, %v", s, err)
			}
		}
		if inferrer, ok := worker.(model.Inferrer); ok {
			if shares, err := inferrer.Infer(d); err != nil || len(shares) != size.Components {
				t.Errorf("%d shares, %v", len(shares), err)
			}
		}
	}
}
