package gibbs

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// conditional is the exact distribution of the topic of a token of word v, given how many other tokens have each topic. It shares no
// code with the sampler.
func conditional(w *weights, v uint32, others []int) []float64 {
	p := make([]float64, w.k)
	sum := 0.0
	for k := range p {
		p[k] = float64(w.cells[int(v)*w.k+k]) * (float64(others[k]) + w.alpha)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// A state is the topics of some tokens.
type state []int

// states are all states of n tokens.
func states(k, n int) []state {
	all := []state{{}}
	for range n {
		var longer []state
		for _, z := range all {
			for topic := range k {
				longer = append(longer, append(slices.Clone(z), topic))
			}
		}
		all = longer
	}
	return all
}

// others counts the topics of all tokens but one.
func (z state) others(k, token int) []int {
	n := make([]int, k)
	for i, topic := range z {
		if i != token {
			n[topic]++
		}
	}
	return n
}

// orders are all permutations of n tokens.
func orders(n int) [][]int {
	if n == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for _, shorter := range orders(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(shorter), at, n-1))
		}
	}
	return all
}

// swept returns the exact distribution of the states, in the order of states, after a sweep from a state that visits tokens of given words
// in some order.
func swept(w *weights, words []uint32, from state, order []int) []float64 {
	all := states(w.k, len(words))
	p := make([]float64, len(all))
	for i, to := range all {
		z := slices.Clone(from)
		p[i] = 1
		for _, token := range order {
			p[i] *= conditional(w, words[token], z.others(w.k, token))[to[token]]
			z[token] = to[token]
		}
	}
	return p
}

// randomly is swept for an order of visits that is drawn uniformly.
func randomly(w *weights, words []uint32, from state) []float64 {
	var mean []float64
	all := orders(len(words))
	for _, order := range all {
		p := swept(w, words, from, order)
		mean = append(mean, make([]float64, len(p)-len(mean))...)
		for i := range p {
			mean[i] += p[i] / float64(len(all))
		}
	}
	return mean
}

// TestChain: the topics after the start and two sweeps have the distribution of the enumerated kernels. A right sampler fails once in a
// million times, over all cases.
func TestChain(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 chains")
	}
	const k, draws = 2, 100_000
	words, counts, tokens := []uint32{1, 2, 4}, []uint32{2, 1, 1}, []uint32{1, 1, 2, 4}
	random := rand.New(rand.NewPCG(3, 4))
	released := make([]float32, k*5)
	for i := range released {
		released[i] = float32(random.Float64() * random.Float64())
	}
	for _, loss := range []float64{0, 1} {
		w := newWeights(k, 5, 0.25, released, loss)
		all := states(k, len(tokens))
		p := slices.Repeat([]float64{1 / float64(len(all))}, len(all))
		for range 2 {
			next := make([]float64, len(all))
			for i, from := range all {
				for j, q := range randomly(w, tokens, from) {
					next[j] += p[i] * q
				}
			}
			p = next
		}
		seen := make([]float64, len(all))
		s := newSampler(w)
		for range draws {
			s.begin(words, counts)
			s.start(random)
			s.sweep(random, nil)
			s.sweep(random, nil)
			at := 0
			for _, topic := range s.topics {
				at = at*k + int(topic)
			}
			seen[at]++
		}
		square := 0.0
		for i, q := range p {
			d := seen[i] - q*draws
			square += d * d / (q * draws)
		}
		if limit := (distuv.ChiSquared{K: float64(len(all) - 1)}).Quantile(1 - 5e-7); square > limit {
			t.Errorf("draws %v: χ² is %v, above %v", loss, square, limit)
		}
	}
}

// TestLossOfASweep: by enumeration of all topics after a sweep, the exchange of a word loses at most the draws. An order of visits by words
// would lose more, since the other tokens then see the token's topic before the sweep or after it.
func TestLossOfASweep(t *testing.T) {
	if testing.Short() {
		t.Skip("enumerates 10,000 sweeps")
	}
	const k, v, draws = 2, 3, 0.5
	random := rand.New(rand.NewPCG(13, 14))
	loss := func(p, q []float64) (most float64) {
		for i := range p {
			most = max(most, math.Abs(math.Log(p[i]/q[i])))
		}
		return most
	}
	byWords := func(words []uint32) []int {
		order := []int{0, 1, 2}
		slices.SortStableFunc(order, func(a, b int) int { return int(words[a]) - int(words[b]) })
		return order
	}
	most, sorted := 0.0, 0.0
	for range 100 {
		w := newWeights(k, v, 0.01+0.2*random.Float64(), randomWeights(random, k, v), draws)
		words := []uint32{random.Uint32N(v), random.Uint32N(v), random.Uint32N(v)}
		for other := range uint32(v) {
			exchanged := slices.Clone(words)
			exchanged[1] = other
			for _, from := range states(k, len(words)) {
				most = max(most, loss(randomly(w, words, from), randomly(w, exchanged, from)))
				sorted = max(sorted, loss(swept(w, words, from, byWords(words)), swept(w, exchanged, from, byWords(exchanged))))
			}
		}
	}
	if most > draws*(1+1e-9) || most < 0.8*draws {
		t.Errorf("the largest loss is %v, must be at most %v, and near it", most, draws)
	}
	if sorted < 2*draws {
		t.Errorf("an order by words loses %v: this test would not find it", sorted)
	}
}

// TestShares: the shares of a sweep are the conditional probabilities of its draws.
func TestShares(t *testing.T) {
	const k, v = 7, 30
	random := rand.New(rand.NewPCG(5, 6))
	w := newWeights(k, v, 0.3, randomWeights(random, k, v), 0)
	s := newSampler(w)
	words, counts := []uint32{0, 3, 29}, []uint32{1, 4, 2}
	s.begin(words, counts)
	s.start(random)
	for range 20 {
		z := make(state, len(s.topics))
		for token, topic := range s.topics {
			z[token] = int(topic)
		}
		shares := make([]float32, len(words)*k)
		s.sweep(random, shares)
		want := make([]float64, len(words)*k)
		for _, token := range s.order {
			for topic, p := range conditional(w, words[s.word[token]], z.others(k, int(token))) {
				want[int(s.word[token])*k+topic] += p
			}
			z[token] = int(s.topics[token])
		}
		for i := range want {
			if math.Abs(want[i]-float64(shares[i])) > 1e-5 {
				t.Fatalf("share %d is %v, want %v", i, shares[i], want[i])
			}
		}
	}
}

// TestDrawsAreBounded: whatever weights are released, the exact probabilities of a topic under two words differ by a factor of at most
// e^draws; and a hostile release uses most of it.
func TestDrawsAreBounded(t *testing.T) {
	const k, v = 3, 4
	random := rand.New(rand.NewPCG(7, 8))
	probability := func(s *sampler, word uint32, topic int) *big.Rat {
		total, own := new(big.Int), new(big.Int)
		for j, x := range s.w.row(word) {
			term := new(big.Int).Mul(new(big.Int).SetUint64(uint64(x)), new(big.Int).SetUint64(s.mass[j]))
			total.Add(total, term)
			if j == topic {
				own = term
			}
		}
		return new(big.Rat).SetFrac(own, total)
	}
	for _, draws := range []float64{1e-6, 0.1, 1, 10, 40, 0} {
		most, draws, asked := 0.0, draws, draws
		if asked == 0 { // no bound is asked for: that of the numbers holds
			draws = (&Model{options: Options{Sweeps: 1}}).Draws()
		}
		for range 2000 {
			released := make([]float32, k*v)
			for i := range released {
				released[i] = float32(math.Exp(80*random.Float64() - 40)) // factors up to e^80
				if random.IntN(6) == 0 {
					released[i] = 0
				}
			}
			s := newSampler(newWeights(k, v, 0.01+random.Float64(), released, asked))
			s.begin([]uint32{0, 1}, []uint32{1 + random.Uint32N(5), 1 + random.Uint32N(5)})
			s.start(random)
			for topic := range k {
				for a := range uint32(v) {
					for b := range uint32(v) {
						ratio, _ := new(big.Rat).Quo(probability(s, a, topic), probability(s, b, topic)).Float64()
						if loss := math.Log(ratio); loss > draws*(1+1e-12) {
							t.Fatalf("draws %v: the loss is %v", draws, loss)
						} else {
							most = max(most, loss)
						}
					}
				}
			}
		}
		if draws >= 0.1 && draws <= 10 && most < 0.9*draws {
			t.Errorf("draws %v: the largest loss is %v, so this test would miss a wrong bound", draws, most)
		}
	}
}

// TestLargest: the largest document, number of topics and α overflow nothing.
func TestLargest(t *testing.T) {
	for _, k := range []int{1, 2, 1 << 16} {
		for _, alpha := range []float64{1e-9, 1, float64(mostAlpha) / float64(k)} {
			released := slices.Repeat([]float32{1}, k)
			s := newSampler(newWeights(k, 1, alpha, released, 0))
			s.begin([]uint32{0}, []uint32{1})
			s.begin([]uint32{0}, []uint32{1 << 24})
			sum := new(big.Int)
			for topic, m := range s.mass {
				if topic == 0 {
					m += 1 << 24 * s.step
				}
				sum.Add(sum, new(big.Int).Mul(big.NewInt(int64(s.w.row(0)[topic])), new(big.Int).SetUint64(m)))
			}
			if !sum.IsUint64() || s.step < 1 || s.mass[0] < 1 {
				t.Errorf("K = %d, α = %v: the sum is %v, the step %d", k, alpha, sum, s.step)
			}
			if got := float64(s.mass[0]) / float64(s.step); k <= 2 && alpha >= 1 && math.Abs(got/alpha-1) > 1e-3 {
				t.Errorf("K = %d: α is %v, want %v", k, got, alpha)
			}
		}
	}
}

// TestDrawIsExact: topics whose weights differ by one step have the very probabilities 3/6, 1/6 and 2/6. A right sampler fails once in a
// million times.
func TestDrawIsExact(t *testing.T) {
	const draws = 60_000
	s := &sampler{mass: []uint64{3, 1, 1}, ends: make([]uint64, 3)}
	random := rand.New(rand.NewPCG(11, 12))
	seen := make([]float64, 3)
	for range draws {
		seen[s.draw([]uint32{1, 1, 2}, random)]++
	}
	square := 0.0
	for topic, p := range []float64{3. / 6, 1. / 6, 2. / 6} {
		d := seen[topic] - p*draws
		square += d * d / (p * draws)
	}
	if limit := (distuv.ChiSquared{K: 2}).Quantile(1 - 1e-6); square > limit {
		t.Errorf("χ² is %v, above %v: %v", square, limit, seen)
	}
}

// TestSweepsShareDraws: the bound on the draws of a round is divided among its sweeps.
func TestSweepsShareDraws(t *testing.T) {
	released := []float32{1, 0, 0, 1}
	m := modelOf(Options{Sweeps: 4, Statistic: Counts, Draws: 8}, 2, 2, 1, released)
	if want := newWeights(2, 2, 1, released, 2); !slices.Equal(m.weights.cells, want.cells) {
		t.Errorf("the weights are %v, want %v", m.weights.cells, want.cells)
	}
}
