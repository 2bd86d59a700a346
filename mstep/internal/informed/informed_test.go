package informed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"privpipe/pipelines/model/publictext"
)

// made returns a public text of some topics, and private topics that are mixtures of them, off by a feature, as sizes
// per cell. The seed is fixed.
func made(words int) (text *publictext.Text, base []float64, truth []float64) {
	r := rand.New(rand.NewPCG(11, 12))
	text = &publictext.Text{First: 3}
	total := 0.0
	for range words {
		f := math.Exp(r.NormFloat64())
		base = append(base, f)
		total += f
	}
	for v := range base {
		base[v] /= total
	}
	text.Frequencies = base
	for range 8 {
		lifts := make([]float32, words)
		for v := range lifts {
			lifts[v] = float32(r.NormFloat64())
		}
		text.Topics = append(text.Topics, lifts)
	}
	feature := make([]float32, words)
	for v := range feature {
		feature[v] = float32(r.NormFloat64())
	}
	text.Features = [][]float32{feature}
	for k := range 3 {
		for v, f := range base {
			lift := 0.7*math.Exp(float64(text.Topics[k][v])) + 0.3*math.Exp(float64(text.Topics[k+4][v]))
			truth = append(truth, 3000*f*lift*math.Exp(0.2*float64(feature[v]))*math.Exp(0.2*r.NormFloat64()))
		}
	}
	return text, base, truth
}

// TestEstimate: with public text, the squared error of topics under noise, over their size, is less than half of what
// shrinking around the frequencies would leave, and the prior alone is not the answer: large cells follow the data.
// Scales change neither.
func TestEstimate(t *testing.T) {
	const tau = 10.0
	text, base, truth := made(600)
	r := rand.New(rand.NewPCG(13, 14))
	for _, scales := range [][]float64{nil, geometric(base)} {
		noisy := make([]float64, len(truth))
		for i, x := range truth {
			scale := 1.0
			if scales != nil {
				scale = scales[i%600]
			}
			noisy[i] = x/scale + tau*r.NormFloat64()
		}
		blind := New(3, base, &publictext.Text{Topics: [][]float32{make([]float32, 600)},
			Features: [][]float32{make([]float32, 600)}, First: 1}, scales)
		informed := New(3, base, text, scales)
		blind.Follow(noisy, tau)
		informed.Follow(noisy, tau)
		without := squares(blind.Last(base, noisy, tau).Estimate(noisy, tau), truth)
		with := squares(informed.Last(base, noisy, tau).Estimate(noisy, tau), truth)
		if with > 0.5*without {
			t.Errorf("squared error %.0f with public text, %.0f without", with, without)
		}
		weights := slices.Clone(informed.blend.Weights)
		informed.Last(base, noisy, tau)
		if !slices.Equal(weights, informed.blend.Weights) {
			t.Error("the last estimate changes the rows")
		}
	}
}

// TestTrace: the traced estimate is the estimate, what was expected is in its unit, on all cells together of the size
// of the truth, and own shares are higher where there is less noise. Scales change neither.
func TestTrace(t *testing.T) {
	text, base, truth := made(600)
	for _, scales := range [][]float64{nil, geometric(base)} {
		before := 1.01
		for _, tau := range []float64{0.1, 10, 1000} {
			r := rand.New(rand.NewPCG(15, 16))
			noisy := make([]float64, len(truth))
			for i, x := range truth {
				if scales != nil {
					x /= scales[i%600]
				}
				noisy[i] = x + tau*r.NormFloat64()
			}
			rows := New(3, base, text, scales)
			rows.Follow(noisy, tau)
			last := rows.Last(base, noisy, tau)
			traced := last.Trace(noisy, tau)
			if !slices.Equal(traced.Cells, last.Estimate(noisy, tau)) {
				t.Errorf("noise %v: the traced estimate is another one", tau)
			}
			size, expected, own := 0.0, 0.0, 0.0
			for i, x := range truth {
				size, expected, own = size+x, expected+traced.Expected[i], own+traced.Own[i]/float64(len(truth))
			}
			if tau <= 10 && math.Abs(expected/size-1) > 0.2 {
				t.Errorf("noise %v: %v was expected of a truth of %v", tau, expected, size)
			}
			if own >= before {
				t.Errorf("noise %v: a mean own share of %v, with less noise %v", tau, own, before)
			}
			before = own
		}
	}
}

func geometric(base []float64) []float64 {
	scales := make([]float64, len(base))
	for v, f := range base {
		scales[v] = math.Pow(float64(len(base))*f, 0.25)
	}
	return scales
}

func squares(got, want []float64) (sum float64) {
	for i, x := range got {
		sum += (x - want[i]) * (x - want[i]) / want[i]
	}
	return sum
}

// TestStart: the first topics come from the first public model, with a tenth from the frequencies. The topics after
// them begin again with a deviation of a tenth, by the seed.
func TestStart(t *testing.T) {
	text, base, _ := made(50)
	first := New(5, base, text, nil).Start(5, text.First, 1)
	if other := New(5, base, text, nil).Start(5, text.First, 2); !slices.Equal(first[:150], other[:150]) ||
		slices.Equal(first[150:], other[150:]) {
		t.Error("the seed must change the topics after the public ones, and no others")
	}
	square, total := 0.0, 0.0
	for i, x := range first[150:250] {
		square += (x/first[i] - 1) * (x/first[i] - 1) / 100
	}
	if square < 0.004 || square > 0.02 {
		t.Errorf("topics that begin again deviate by a mean square of %v, want 0.01", square)
	}
	for v := range 50 {
		total += first[v]
		if first[v] < 0.1*50*base[v]*(1-1e-6) {
			t.Errorf("word %d has %v, less than a tenth of its frequency", v, first[v])
		}
	}
	if math.Abs(total-50) > 1e-3 {
		t.Errorf("the counts of a topic are %v, want 50", total)
	}
}

// FuzzExtreme: whatever the statistic and the noise, each cell of an estimate is positive and finite.
func FuzzExtreme(f *testing.F) {
	text, base, _ := made(40)
	f.Add(int64(1), 1.0, 1.0)
	f.Add(int64(2), 1e-30, 1e20)
	f.Add(int64(3), 1e12, 1e-9)
	f.Add(int64(4), -1e15, 1.0)
	f.Fuzz(func(t *testing.T, seed int64, size, tau float64) {
		if !(tau > 1e-12 && tau < 1e15 && math.Abs(size) < 1e18) {
			t.Skip()
		}
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		statistic := make([]float64, 3*len(base))
		for i := range statistic {
			statistic[i] = size*base[i%len(base)] + tau*r.NormFloat64()
		}
		rows := New(3, base, text, nil)
		for range 3 {
			rows.Follow(statistic, tau)
		}
		for i, x := range rows.Last(base, statistic, tau).Estimate(statistic, tau) {
			if !(x >= 0 && x <= math.MaxFloat32) {
				t.Fatalf("cell %d is %v", i, x)
			}
		}
	})
}
