package lda

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// noisy is a statistic of Dirichlet-like topics, made by a fixed seed, and a copy with noise.
func noisy(k, v int, tau float64) (truth, sum []float64) {
	r := rand.New(rand.NewPCG(5, 6))
	frequency := make([]float64, v)
	for w := range frequency {
		frequency[w] = 1 / float64(w+3)
	}
	for i := range k * v {
		s := 0.0
		if r.IntN(8) == 0 {
			s = 3000 * frequency[i%v] * r.ExpFloat64()
		}
		truth, sum = append(truth, s), append(sum, s+tau*r.NormFloat64())
	}
	return truth, sum
}

// distance is the L1 distance of the topics that two λ stand for, on average.
func distance(a, b []float64, k, v int) float64 {
	total := 0.0
	for topic := range k {
		sumA, sumB := 0.0, 0.0
		for w := range v {
			sumA += a[topic*v+w]
			sumB += b[topic*v+w]
		}
		for w := range v {
			total += math.Abs(a[topic*v+w]/sumA-b[topic*v+w]/sumB) / float64(k)
		}
	}
	return total
}

// TestShrinkRecoversTopics: where noise hides most cells, topics are nearer to the truth than with negative cells at 0.
func TestShrinkRecoversTopics(t *testing.T) {
	const k, v, tau = 8, 1000, 15
	truth, sum := noisy(k, v, tau)
	o := Options{Topics: k, Words: v, Eta: 0.1}
	floor := o.estimate(make([]float64, len(sum)), sum, nil, tau)
	o.Estimate.Shrink = true
	shrink := o.estimate(make([]float64, len(sum)), sum, nil, tau)
	if got, want := distance(shrink.lambda, truth, k, v), distance(floor.lambda, truth, k, v); got > 0.75*want {
		t.Errorf("distance %v, without shrinking %v", got, want)
	}
}

// TestShrinkKeepsMarginal: all topics together have the sum of the noisy statistic and the frequencies of the marginal.
func TestShrinkKeepsMarginal(t *testing.T) {
	const k, v, tau = 4, 60, 20
	_, sum := noisy(k, v, tau)
	o := Options{Topics: k, Words: v, Eta: 0.1, Estimate: Estimate{Shrink: true}}
	marginal := make([]float64, v)
	total := 0.0
	for _, s := range o.topicSizes(sum) {
		total += s
	}
	for w := range v {
		marginal[w] = float64(w+1) / (v * (v + 1) / 2)
	}
	lambda := o.estimate(make([]float64, len(sum)), sum, marginal, tau).lambda
	for w, f := range marginal {
		column := 0.0
		for topic := range k {
			column += lambda[topic*v+w]
		}
		near(t, "word's share", column, total*f, 1e-5)
	}
}

// TestTopicSizes: a topic that noise has emptied keeps 5 % of the mean size.
func TestTopicSizes(t *testing.T) {
	o := Options{Topics: 2, Words: 2}
	got := o.topicSizes([]float64{30, 10, -7, 3})
	near(t, "size", got[0], 40, 1e-12)
	near(t, "size of an emptied topic", got[1], 0.05*20, 1e-12)
}

// TestWeights by hand: ψ(1) = −γ, ψ(2) = 1 − γ, ψ(3) = 3/2 − γ, ψ(4) = 11/6 − γ (DLMF 5.4.12 and 5.5.2). λ of the first
// topic is 1 and 2, of the second 3 and 1. They are the same in whatever parts they are written.
func TestWeights(t *testing.T) {
	o := Options{Topics: 2, Words: 2, Eta: 1}
	for beta, want := range map[bool][]float64{
		false: {1. / 3, 2. / 3, 3. / 4, 1. / 4},
		true:  {math.Exp(-3. / 2), math.Exp(-1. / 2), math.Exp(-1. / 3), math.Exp(-11. / 6)},
	} {
		o.Estimate.ExpectedLog = beta
		weights := o.estimate(make([]float64, 4), []float64{-4, 1, 2, 0}, nil, 0).weights()
		if weights.Len() != 4 {
			t.Fatalf("%d weights, want 4", weights.Len())
		}
		for from := range 4 {
			for to := from; to <= 4; to++ {
				b := weights.AppendTo([]byte{7}, from, to)
				if len(b) != 1+4*(to-from) || b[0] != 7 {
					t.Fatalf("weights %d to %d are %d bytes after those before", from, to, len(b)-1)
				}
				for i := range to - from {
					near(t, "weight", float64(math.Float32frombits(binary.LittleEndian.Uint32(b[1+4*i:]))),
						want[from+i], 1e-6)
				}
			}
		}
	}
}
