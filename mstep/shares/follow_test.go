package shares

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/model/modeltest"
)

// A shift makes releases of words by topic: topics of a start, and others that the text has.
type shift struct {
	*rand.Rand
	start, truth []float64 // K × V; rows have the sum 1
	topics       int
}

const shiftWords = 400

// newShift draws topics that differ from the start: each has half of its words from there, and half from another row.
func newShift(seed uint64, topics int) *shift {
	s := &shift{Rand: rand.New(rand.NewPCG(seed, 3)), topics: topics}
	row := func() []float64 {
		r := make([]float64, shiftWords)
		for v := range r {
			r[v] = math.Exp(2 * s.NormFloat64())
		}
		floats.Scale(1/floats.Sum(r), r)
		return r
	}
	for range topics {
		start, other := row(), row()
		s.start = append(s.start, start...)
		floats.Add(other, start)
		floats.Scale(0.5, other)
		s.truth = append(s.truth, other...)
	}
	return s
}

// follower returns a follower that begins with the start.
func (s *shift) follower(rate float64) *Follower {
	return &Follower{Topics: s.topics, Words: shiftWords, Start: s.start, Decay: 0.9, Rate: rate}
}

// window draws a release: each cell is a Poisson number of documents around its size, with noise.
func (s *shift) window(size, deviation float64) Window {
	w := Window{Deviation: deviation}
	for _, p := range s.truth {
		w.Sums = append(w.Sums, s.poisson(size*p)+deviation*s.NormFloat64())
	}
	return w
}

// poisson draws a Poisson number, by its definition as a count of exponential times.
func (s *shift) poisson(mean float64) (n float64) {
	for t := s.ExpFloat64(); t < mean; t += s.ExpFloat64() {
		n++
	}
	return n
}

// error is the mean distance of the topics from the truth (L1).
func (s *shift) error(cells []float64) (sum float64) {
	for k := range s.topics {
		row := append([]float64(nil), cells[k*shiftWords:(k+1)*shiftWords]...)
		floats.Scale(1/floats.Sum(row), row)
		sum += floats.Distance(row, s.truth[k*shiftWords:(k+1)*shiftWords], 1) / float64(s.topics)
	}
	return sum
}

// TestFollowNears: topics come nearer to the text with each window, and where noise hides all they stay where they
// began. The draws are seeded.
func TestFollowNears(t *testing.T) {
	s := newShift(5, 8)
	f := s.follower(0)
	before := s.error(s.start)
	for n, most := range []float64{0.8, 0.6, 0.5} { // of the distance at the start, after 1, 4 and 16 windows
		for range []int{1, 3, 12}[n] {
			f.Add(s.window(2000, 4))
		}
		if after := s.error(f.Cells()); after > most*before {
			t.Errorf("after %d windows the distance is %.3f of that of the start, must be at most %v", f.windows,
				after/before, most)
		}
	}
	for _, size := range []float64{20, 100, 300} { // noise hides most words, and not the most frequent ones
		hidden := s.follower(0)
		hidden.Add(s.window(size, 16))
		if after := s.error(hidden.Cells()); after > 1.08*before {
			t.Errorf("size %v: noise moves topics to %.3f of the distance at the start", size, after/before)
		}
	}
}

// TestRisenRate: where nothing changes, at most the stated share of windows has a word that rose, and a burst is found.
// The draws are seeded. By fresh draws the test would fail with a probability below 1e-4.
func TestRisenRate(t *testing.T) {
	const windows, rate = 400, 0.05
	for _, c := range []struct{ size, deviation, decay float64 }{
		{3000, 4, 0.9}, {300, 4, 0.9}, {3000, 30, 1}, {3000, 2, 0.9}, {3000, 4, 0.6}, {3000, 1, 0.9},
	} {
		s := newShift(7, 5)
		f := s.follower(rate)
		f.Decay = c.decay
		for range windows {
			f.Add(s.window(c.size, c.deviation))
		}
		// A window with two such words counts twice, which is no less strict.
		t.Logf("%+v: %d words rose in %d windows", c, len(f.Risen), windows)
		if most := windows*rate + 4*math.Sqrt(windows*rate*(1-rate)); float64(len(f.Risen)) > most {
			t.Errorf("%+v: %d words rose in %d windows, must be at most %v", c, len(f.Risen), windows, most)
		}
		if c.size < 1000 { // noise hides the sizes of topics, so no word is sought
			continue
		}
		burst := s.window(c.size, c.deviation)
		burst.Name = "burst"
		burst.Sums[2*shiftWords+17] += 20 + 12*c.deviation
		f.Add(burst)
		if r := append([]Risen{{}}, f.Risen...)[len(f.Risen)]; r.Window != "burst" || r.Topic != 2 || r.Word != 17 {
			t.Errorf("%+v: a burst is not found: %+v", c, r)
		}
	}
}

// TestDecay: the sum, and the variance of its noise, are those of the weights.
func TestDecay(t *testing.T) {
	f := &Follower{Topics: 1, Words: 1, Start: []float64{1}, Decay: 0.5}
	for _, y := range []float64{8, 4, 2} {
		f.Add(Window{Sums: []float64{y}, Deviation: 2})
	}
	if f.sum[0] != 6 || f.variance != 4*(1+0.25+0.0625) || f.weight != 1.75 || f.squares != 1.3125 {
		t.Errorf("sum %v, variance %v, weights %v and %v", f.sum, f.variance, f.weight, f.squares)
	}
	mean, sum := floats.Dot(prior.Ratios, prior.Weights), floats.Sum(prior.Weights)
	if math.Abs(mean-1) > 1e-3 || math.Abs(sum-1) > 1e-9 {
		t.Errorf("the mean ratio of the prior is %v, of weights with the sum %v", mean, sum)
	}
}

// TestFollowLeavesStart: the model of the start stays as it was read. Its topics are named by it later.
func TestFollowLeavesStart(t *testing.T) {
	cells := []float64{1, 3, 50, 2}
	start := &modelfile.Topics{Number: 2, Words: []string{"cat", "dog"}, Cells: slices.Clone(cells),
		Set: modeltest.Snapshot(lda.Family.Name, new(model.Snapshot))}
	f, err := new(FollowCommand).follow(t.Context(), start)
	if err != nil || f.Start[1] != 0.75 || !slices.Equal(start.Cells, cells) {
		t.Errorf("topics %v of the start %v, %v", f.Start, start.Cells, err)
	}
}
