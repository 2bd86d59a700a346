package gibbs

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// conditional returns the exact topic distribution for a token of word v, given how many other tokens have each topic.
// It shares no code with the sampler.
func conditional(w *weights, v uint32, others []int) []float64 {
	p := make([]float64, w.k)
	sum := 0.0
	for k := range p {
		p[k] = float64(w.row(v)[k]) * (float64(others[k]) + w.alpha)
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

// swept returns the exact distribution of the states, in the order of states, after a sweep from a state that visits
// tokens of given words in some order, and draws each again with probability rate.
func swept(w *weights, words []uint32, from state, order []int, rate float64) []float64 {
	all := states(w.k, len(words))
	p := make([]float64, len(all))
	for i, to := range all {
		z := slices.Clone(from)
		p[i] = 1
		for _, token := range order {
			q := rate * conditional(w, words[token], z.others(w.k, token))[to[token]]
			if z[token] == to[token] {
				q += 1 - rate
			}
			p[i] *= q
			z[token] = to[token]
		}
	}
	return p
}

// randomly is swept for an order of visits that is drawn uniformly.
func randomly(w *weights, words []uint32, from state, rate float64) []float64 {
	var mean []float64
	all := orders(len(words))
	for _, order := range all {
		p := swept(w, words, from, order, rate)
		mean = append(mean, make([]float64, len(p)-len(mean))...)
		for i := range p {
			mean[i] += p[i] / float64(len(all))
		}
	}
	return mean
}

// TestChain: the topics after the start and two sweeps have the distribution of the enumerated kernels. A right sampler
// fails once in a million times, over all cases.
func TestChain(t *testing.T) {
	const k, draws = 2, 100_000
	words, counts, tokens := []uint32{1, 2, 4}, []uint32{2, 1, 1}, []uint32{1, 1, 2, 4}
	random := rand.New(rand.NewPCG(3, 4))
	released := make([]float32, k*5)
	for i := range released {
		released[i] = float32(random.Float64() * random.Float64())
	}
	for _, c := range []struct{ loss, rate float64 }{{0, 1}, {1, 1}, {0, 0.3}} {
		loss, rate := c.loss, c.rate
		w := newWeights(k, 5, 0.25, released, loss)
		all := states(k, len(tokens))
		p := slices.Repeat([]float64{1 / float64(len(all))}, len(all))
		for range 2 {
			next := make([]float64, len(all))
			for i, from := range all {
				for j, q := range randomly(w, tokens, from, rate) {
					next[j] += p[i] * q
				}
			}
			p = next
		}
		seen := make([]float64, len(all))
		s := newSampler(w)
		s.rates = newRates(Subsampling{Rate: rate}, k, 5, released)
		for range draws {
			s.begin(words, counts)
			s.start(random)
			s.sweep(random, false)
			s.sweep(random, false)
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
		if limit := (distuv.ChiSquared{K: float64(len(all) - 1)}).Quantile(1 - 3e-7); square > limit {
			t.Errorf("draws %v: χ² is %v, above %v", loss, square, limit)
		}
	}
}

// TestLossOfASweep enumerates all topics after a sweep. The exchange of one word loses at most the draws. A sweep that
// visits tokens in the order of words would lose more: the other tokens then see the token's topic before the sweep or
// after it.
func TestLossOfASweep(t *testing.T) {
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
				most = max(most, loss(randomly(w, words, from, 1), randomly(w, exchanged, from, 1)))
				sorted = max(sorted,
					loss(swept(w, words, from, byWords(words), 1), swept(w, exchanged, from, byWords(exchanged), 1)))
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

// TestShares: the shares of some sweeps are the conditional probabilities of their draws, also where sweeps before them
// left a topic without tokens, and columns are few.
func TestShares(t *testing.T) {
	const v = 30
	random := rand.New(rand.NewPCG(5, 6))
	for _, k := range []int{1, 7, 8, 40} {
		w := newWeights(k, v, 0.3, randomWeights(random, k, v), 0)
		s := newSampler(w)
		for range 50 {
			words, counts := []uint32{0, 3, 29}, []uint32{1, 1 + random.Uint32N(9), 2}
			s.begin(words, counts)
			s.start(random)
			for range random.IntN(4) {
				s.sweep(random, false)
			}
			want := make([]float64, len(words)*k)
			for range 3 {
				z := make(state, len(s.topics))
				for token, topic := range s.topics {
					z[token] = int(topic)
				}
				s.sweep(random, true)
				for _, token := range s.order {
					for topic, p := range conditional(w, words[s.word[token]], z.others(k, int(token))) {
						want[int(s.word[token])*k+topic] += p
					}
					z[token] = int(s.topics[token])
				}
			}
			shares := make([]float32, len(words)*k)
			s.addShares(shares)
			for i := range want {
				if math.Abs(want[i]-float64(shares[i])) > 1e-5*max(1, want[i]) {
					t.Fatalf("K = %d: share %d is %v, want %v", k, i, shares[i], want[i])
				}
			}
		}
	}
}

// TestDrawsAreBounded: whatever weights are released, a topic's exact probabilities under two words differ by a factor
// of at most e^draws. A hostile release uses most of this factor.
func TestDrawsAreBounded(t *testing.T) {
	const k, v = 3, 4
	random := rand.New(rand.NewPCG(7, 8))
	probability := func(s *sampler, word uint32, topic int) *big.Rat {
		total, own := new(big.Int), new(big.Int)
		masses := s.masses()
		for j, x := range s.w.row(word)[:s.w.k] {
			term := new(big.Int).Mul(new(big.Int).SetUint64(uint64(x)), masses[j])
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
			step := math.Ldexp(1, s.shift)
			s.counts[0] = 1 << 24
			sum := new(big.Int)
			for topic, m := range s.masses() {
				sum.Add(sum, m.Mul(m, big.NewInt(int64(s.w.row(0)[topic]))))
			}
			if !sum.IsInt64() || s.shift < 0 || s.prior < 1 {
				t.Errorf("K = %d, α = %v: the sum is %v, the step 2^%d", k, alpha, sum, s.shift)
			}
			s.counts[0]--
			s.block = append(s.block[:0], 0, 0) // the token to be drawn, and another
			if got := s.weigh(0, 0); got != sum.Uint64() {
				t.Errorf("K = %d, α = %v: it weighs %v, not %v", k, alpha, got, sum)
			}
			if got := float64(s.prior) / step; k <= 2 && alpha >= 1 && math.Abs(got/alpha-1) > 1e-3 {
				t.Errorf("K = %d: α is %v, want %v", k, got, alpha)
			}
		}
	}
}

// masses are n_k + α of all topics.
func (s *sampler) masses() []*big.Int {
	masses := make([]*big.Int, s.w.k)
	for topic := range masses {
		n := uint64(0)
		if s.has[topic] {
			n = uint64(s.counts[s.column[topic]])
		}
		masses[topic] = new(big.Int).SetUint64(n<<s.shift + s.prior)
	}
	return masses
}

// FuzzPlaces: a topic has as many places of the sum as the plain product of its weight and mass, whatever sweeps came
// before. So draws have exactly the probabilities of the plain form.
func FuzzPlaces(f *testing.F) {
	for _, k := range []uint8{1, 2, 3, 8, 9, 33} {
		f.Add(uint64(k), k, uint8(3*k), uint8(k%4))
	}
	f.Fuzz(func(t *testing.T, seed uint64, topics, tokens, sweeps uint8) {
		random := rand.New(rand.NewPCG(seed, 1))
		k, n := 1+int(topics)%40, 1+int(tokens)%24
		w := newWeights(k, 2, 1, make([]float32, 2*k), 0)
		clear(w.sums)
		for word := range uint32(2) {
			for topic := range k {
				x := 1 + random.Uint32N(5)*random.Uint32N(2)
				w.row(word)[topic] = x
				w.sums[word] += uint64(x)
			}
		}
		s := newSampler(w)
		s.begin([]uint32{0, 1}, []uint32{uint32(n), 1 + uint32(n)/3})
		s.shift, s.prior = random.IntN(3), 1+random.Uint64N(3) // so that all places can be tried
		s.start(random)
		for range sweeps % 5 {
			s.sweep(random, false)
		}
		block := s.order[:min(len(s.order), blockSize)]
		s.take(block)
		for i, token := range block {
			want, got := make([]uint64, k), make([]uint64, k)
			sum := uint64(0)
			for topic := range k {
				want[topic] = s.prior
			}
			for other, topic := range s.topics {
				if other != int(token) {
					want[topic] += 1 << s.shift
				}
			}
			for topic := range k {
				want[topic] *= uint64(w.row(s.words[s.word[token]])[topic])
				sum += want[topic]
			}
			if total := s.weigh(token, i); total != sum {
				t.Fatalf("the sum is %d, want %d", total, sum)
			}
			for place := range sum {
				s.weigh(token, i)
				got[s.topic[s.pick(token, i, place)]]++
			}
			if !slices.Equal(got, want) {
				t.Fatalf("token %d of the block: places %v, want %v", i, got, want)
			}
			topic := random.Uint32N(uint32(k))
			s.topics[token], s.block[i] = topic, s.of(topic)
		}
	})
}

// TestSweepsShareDraws: the bound on the draws of a round is divided among its sweeps.
func TestSweepsShareDraws(t *testing.T) {
	released := []float32{1, 0, 0, 1}
	m := modelOf(Options{Sweeps: 4, Statistic: Counts, Draws: 8}, 2, 2, 1, released)
	if want := newWeights(2, 2, 1, released, 2); !slices.Equal(m.weights.cells, want.cells) {
		t.Errorf("the weights are %v, want %v", m.weights.cells, want.cells)
	}
}
