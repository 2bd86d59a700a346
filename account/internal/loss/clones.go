package loss

import (
	"math"
	"slices"

	"privpipe/account/internal/search"
)

// MostShuffled bounds the number of reports, and MostLocalEpsilon bounds ε₀. Beyond it no report has a clone.
const (
	MostShuffled     = 1 << 30
	MostLocalEpsilon = 700
)

// Clones is the pair of distributions that bounds the loss of local reports, if a trusted shuffler puts them in random
// order (amplification by shuffling).
//
// Each of n authors sends one report, made by one randomizer that is ε₀-differentially private with δ = 0. The shuffler
// sends the reports on in uniformly random order, without names or times. Neighbours differ in one author's document
// (replace-one); n is public.
//
// Feldman, McMillan, Talwar, Hiding Among the Clones: A Simple and Nearly Optimal Analysis of Privacy Amplification by
// Shuffling (FOCS 2021), theorem 3.2: the shuffled reports lose no more than the pair
//
//	(A + Δ, C − A + 1 − Δ), (A + 1 − Δ, C − A + Δ),
//	C ~ Bin(n−1, e^−ε₀), A ~ Bin(C, ½), Δ ~ Bernoulli(e^ε₀/(e^ε₀ + 1)).
//
// Proof for one randomizer R without interaction. Let R₀ and R₁ be the distributions of the first author's report under
// the two documents, and e = exp(ε₀) > 1. Q₀ = (e·R₀ − R₁)/(e − 1) and Q₁ = (e·R₁ − R₀)/(e − 1) are distributions,
// because R₁ ≤ e·R₀ and R₀ ≤ e·R₁. They give R₀ = e/(e+1)·Q₀ + 1/(e+1)·Q₁, R₁ with both exchanged, and
// R₀ + R₁ = Q₀ + Q₁.
//
// The report of another author is R ≥ R₀/e and R ≥ R₁/e, so R ≥ (Q₀ + Q₁)/(2e). With probability 1/e it is a clone: it
// is drawn from Q₀ or from Q₁ by a fair coin. Else it is drawn from a rest of its own.
//
// Count the draws from Q₀ and the draws from Q₁, the first author's included. The shuffled reports can be drawn from
// these two numbers alone: the set of the C other authors with clones is uniform and the same for both documents. The
// two numbers are the pair above. Draws from them lose no more.
type Clones struct {
	epsilon0 float64
	numbers  []number
	rounding float64 // factor that makes up for rounding errors of sums of probabilities
}

// A number of clones stands for itself and for some larger numbers. probability is the sum of their probabilities.
type number struct{ clones, probability float64 }

// negligible is the most that sums of probabilities leave out. It is added to δ.
const negligible = 1e-30

// NewClones returns the pair of the given number of reports, each ε₀-differentially private. 0 < ε₀ ≤ MostLocalEpsilon,
// 1 ≤ reports ≤ MostShuffled.
//
// The pair stores fewer numbers of clones than there are: a stored number stands for all numbers up to the next stored
// one. This only adds to the loss: one more clone is one more fair coin, which anybody can throw.
func NewClones(epsilon0 float64, reports int) *Clones {
	others := float64(reports - 1)
	// Logarithms of binomial coefficients are right to 2^-49 of the largest factorial's logarithm. Recurrences make
	// fewer than 2^20 steps.
	c := &Clones{epsilon0: epsilon0, rounding: math.Exp(0x1p-48*logFactorial(others)) * (1 + 1e-8)}
	p, none := math.Exp(-epsilon0), -math.Expm1(-epsilon0)
	mode := math.Floor((others + 1) * p)
	mode = min(mode, others)
	top := math.Exp(logChoose(others, mode) - mode*epsilon0 + (others-mode)*math.Log(none))

	// Away from the mode probabilities fall faster and faster: all that are left out sum to at most 2^30 times the
	// last.
	const least = negligible / (1 << 32)
	probabilities := []float64{top}
	low := mode
	for x := top; low > 0 && x > least; low-- {
		x *= low / (others - low + 1) * none / p
		probabilities = append(probabilities, x)
	}
	slices.Reverse(probabilities)
	for x, k := top, mode; k < others && x > least; k++ {
		x *= (others - k) / (k + 1) * p / none
		probabilities = append(probabilities, x)
	}
	width := max(1, int(math.Sqrt(others*p*none)/16))
	for first := 0; first < len(probabilities); first += width {
		sum := 0.0
		for _, x := range probabilities[first:min(first+width, len(probabilities))] {
			sum += x
		}
		c.numbers = append(c.numbers, number{low + float64(first), sum})
	}
	return c
}

// Epsilon returns the least ε in [0, ε₀] that it finds with Delta at most δ. It is rounded up.
func (c *Clones) Epsilon(delta float64) float64 {
	if c.Delta(0) <= delta {
		return 0
	}
	return search.Bisect(c.epsilon0*1e-9, c.epsilon0, func(epsilon float64) bool { return c.Delta(epsilon) <= delta })
}

// Delta returns the δ of the pair at ε ≥ 0, rounded up: the integral of (P − e^ε·Q)⁺. The pair with P and Q exchanged
// has the same δ.
func (c *Clones) Delta(epsilon float64) float64 {
	if epsilon >= c.epsilon0 {
		return 0
	}
	delta := 0.0
	for _, n := range c.numbers {
		delta += n.probability * c.given(n.clones, epsilon)
	}
	return min(1, delta*c.rounding+negligible)
}

// given returns the δ of the pair at ε if the number of clones is known to be k. Let b be Bin(k, ½) and
// q = e^ε₀/(e^ε₀ + 1). Under P, a of all k + 1 draws are from Q₀ with probability q·b(a−1) + (1−q)·b(a). Under Q the
// probability is (1−q)·b(a−1) + q·b(a). The ratio P/Q rises with a, since b(a−1)/b(a) = a/(k+1−a) does. The ratio
// exceeds e^ε once a is more than the share (e^(ε+ε₀) − 1)/((e^ε₀ − 1)(e^ε + 1)) of k + 1. The share is above ½.
func (c *Clones) given(k, epsilon float64) float64 {
	q := 1 / (1 + math.Exp(-c.epsilon0))
	up := -q * math.Expm1(epsilon-c.epsilon0)                        // q − e^ε·(1−q)
	down := -q * math.Exp(epsilon) * math.Expm1(-epsilon-c.epsilon0) // e^ε·q − (1−q)
	share := math.Expm1(-epsilon-c.epsilon0) / (math.Expm1(-c.epsilon0) * (1 + math.Exp(-epsilon)))
	a := min(max(1, math.Floor(share*(k+1))-1), k+1) // one less, for rounding
	sum := 0.0
	for b := math.Exp(logChoose(k, a-1) - k*math.Ln2); ; a++ {
		next := b * (k - a + 1) / a
		sum += max(0, up*b-down*next)
		if a > k {
			return sum
		}
		// The rest is at most P[Bin(k, ½) ≥ a]. Its summands fall at least as fast as a geometric sequence.
		if ratio := (k - a) / (a + 1); ratio < 1 && next/(1-ratio) <= 1e-12*sum+negligible/8 {
			return sum + next/(1-ratio)
		}
		b = next
	}
}

func logFactorial(n float64) float64 {
	l, _ := math.Lgamma(n + 1)
	return l
}

func logChoose(n, k float64) float64 { return logFactorial(n) - logFactorial(k) - logFactorial(n-k) }

// MostClosedShuffle is the largest ε₀ that ClosedShuffle accepts: log(n/(16·log(2/δ))). It is negative for few reports.
func MostClosedShuffle(reports int, delta float64) float64 {
	return math.Log(float64(reports) / (16 * math.Log(2/delta)))
}

// ClosedShuffle returns the ε at δ of theorem 3.1 of Feldman, McMillan and Talwar (2021), for ε₀ up to
// MostClosedShuffle:
//
//	log(1 + (e^ε₀ − 1)/(e^ε₀ + 1)·(8·√(e^ε₀·log(4/δ)/n) + 8·e^ε₀/n)).
func ClosedShuffle(epsilon0 float64, reports int, delta float64) float64 {
	share := math.Exp(epsilon0) / float64(reports)
	return math.Log1p(math.Tanh(epsilon0/2)*(8*math.Sqrt(share*math.Log(4/delta))+8*share)) * (1 + 1e-14)
}
