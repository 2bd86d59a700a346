package loss

import (
	"fmt"
	"math"
	"testing"
)

// stick is the δ at ε of two distributions of the same outcomes.
func stick(p, q map[string]float64, epsilon float64) (delta float64) {
	for outcome, x := range p {
		delta += max(0, x-math.Exp(epsilon)*q[outcome])
	}
	return delta
}

// shuffled returns the distribution of the counts of outcomes of independent reports.
func shuffled(reports [][]float64) map[string]float64 {
	counts := make([]int, len(reports[0]))
	of := make(map[string]float64)
	var draw func(i int, p float64)
	draw = func(i int, p float64) {
		if i == len(reports) {
			of[fmt.Sprint(counts)] += p
			return
		}
		for outcome, x := range reports[i] {
			counts[outcome]++
			draw(i+1, p*x)
			counts[outcome]--
		}
	}
	draw(0, 1)
	return of
}

// firstAndOthers returns the first report and n − 1 others.
func firstAndOthers(first, other []float64, n int) [][]float64 {
	reports := [][]float64{first}
	for range n - 1 {
		reports = append(reports, other)
	}
	return reports
}

var shuffledEpsilons = []float64{0, 0.01, 0.1, 0.3, 0.7, 1, 1.5, 2.5}

// TestClones compares with all sequences of reports: from Q₀, from Q₁, or of their own.
func TestClones(t *testing.T) {
	for _, epsilon0 := range []float64{0.1, 1, 3} {
		e := math.Exp(epsilon0)
		clone := []float64{1 / (2 * e), 1 / (2 * e), 1 - 1/e}
		for n := 1; n <= 9; n++ {
			p := shuffled(firstAndOthers([]float64{e / (e + 1), 1 / (e + 1), 0}, clone, n))
			q := shuffled(firstAndOthers([]float64{1 / (e + 1), e / (e + 1), 0}, clone, n))
			for _, epsilon := range shuffledEpsilons {
				want := stick(p, q, epsilon)
				if epsilon >= epsilon0 {
					want = 0
				}
				if got := NewClones(epsilon0, n).Delta(epsilon); got < want-1e-15 || got > want*(1+1e-6)+1e-12 {
					t.Errorf("ε₀ = %v, n = %d: δ(%v) = %v, want %v", epsilon0, n, epsilon, got, want)
				}
			}
		}
	}
}

// TestClonesAreSound: no randomizer of ε₀ loses more, here randomized response over two and three buckets, among others
// of any one value.
func TestClonesAreSound(t *testing.T) {
	for _, epsilon0 := range []float64{0.5, 1, 3} {
		for buckets, most := range map[int]int{2: 9, 3: 6} {
			value := func(v int) []float64 {
				p := make([]float64, buckets)
				for i := range p {
					p[i] = 1 / (math.Exp(epsilon0) + float64(buckets-1))
				}
				p[v] *= math.Exp(epsilon0)
				return p
			}
			for n := 1; n <= most; n++ {
				for other := range buckets {
					p := shuffled(firstAndOthers(value(0), value(other), n))
					q := shuffled(firstAndOthers(value(1), value(other), n))
					for _, epsilon := range shuffledEpsilons {
						if bound, delta := NewClones(epsilon0, n).Delta(epsilon),
							max(stick(p, q, epsilon), stick(q, p, epsilon)); delta > bound+1e-14 {
							t.Errorf("ε₀ = %v, n = %d, %d buckets: δ(%v) = %v, bounded by %v", epsilon0, n, buckets,
								epsilon, delta, bound)
						}
					}
				}
			}
		}
	}
}

// TestPublished: the authors' program (github.com/apple/ml-shuffling-amplification) finds ε between 0.16753855 and
// 0.17279056 for 10⁵ reports of ε₀ = 4 at δ = 10⁻⁶, by the same pair.
func TestPublished(t *testing.T) {
	if got := NewClones(4, 100_000).Epsilon(1e-6); got < 0.1675385583 || got > 0.1727905558 {
		t.Errorf("ε = %v", got)
	}
	// Theorem 3.1 by hand: e⁴ = 54.598150, log(4·10⁶) = 15.201805, (e⁴−1)/(e⁴+1) = 0.964028; 8·√(0.0082999) + 0.0043679
	// = 0.733197.
	if got := ClosedShuffle(4, 100_000, 1e-6); math.Abs(got-math.Log(1+0.964028*0.733197)) > 1e-5 {
		t.Errorf("closed form %v", got)
	}
	// log(3000/(16·log(2·10⁶))) = log(3000/232.1385)
	if got := MostClosedShuffle(3000, 1e-6); math.Abs(got-math.Log(3000/232.1385)) > 1e-5 {
		t.Errorf("largest ε₀ %v", got)
	}
}

// TestMonotone: more reports, a larger δ and a smaller ε₀ never cost more, beyond what buckets add; no ε is above ε₀,
// or above the closed form where it holds.
func TestMonotone(t *testing.T) {
	const room = 1 + 1e-4
	for _, epsilon0 := range []float64{0.1, 1, 2, 5, 10, 100} {
		last := math.Inf(1)
		for _, n := range []int{1, 2, 10, 100, 1000, 10_000, 1_000_000, MostShuffled} {
			if n == MostShuffled && epsilon0 != 5 { // seconds
				continue
			}
			got := NewClones(epsilon0, n).Epsilon(1e-8)
			closed := ClosedShuffle(epsilon0, n, 1e-8)
			if got > last*room || got > epsilon0 || epsilon0 <= MostClosedShuffle(n, 1e-8) && got > closed {
				t.Errorf("ε₀ = %v, n = %d: ε %v, closed form %v, of fewer reports %v", epsilon0, n, got,
					closed, last)
			}
			last = got
		}
	}
	c := NewClones(1, 1000)
	for last, epsilon := 1.0, 0.0; epsilon < 1; epsilon += 0.01 {
		delta := c.Delta(epsilon)
		if delta > last {
			t.Errorf("δ(%v) = %v is above %v", epsilon, delta, last)
		}
		last = delta
	}
	if got, more := NewClones(2, 10_000).Epsilon(1e-6), NewClones(2.1, 10_000).Epsilon(1e-6); got > more {
		t.Errorf("ε %v of 2, %v of 2.1", got, more)
	}
}
