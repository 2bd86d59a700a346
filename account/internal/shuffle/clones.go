package shuffle

import (
	"math"
	"slices"

	"privpipe/account/internal/search"
)

// MostReports bounds the number of reports, and MostEpsilon their ε₀: beyond it no report has a clone.
const (
	MostReports = 1 << 30
	MostEpsilon = 700
)

// Clones is the pair of distributions of theorem 3.2.
type Clones struct {
	epsilon0 float64
	numbers  []number
	rounding float64 // by which sums of probabilities may be too small: a factor
}

// A number of clones, which stands for this many and some more, and the probability of these numbers.
type number struct{ clones, probability float64 }

// negligible is what is left out of sums of probabilities, at most, and added to δ.
const negligible = 1e-30

// New returns the pair of so many reports, each ε₀-differentially private, 0 < ε₀ ≤ MostEpsilon, 1 ≤ reports ≤ MostReports.
//
// It has fewer numbers of clones than there are: a number stands for those up to the next. That only adds to the loss: one more clone is a
// fair coin more, which anybody can throw.
func New(epsilon0 float64, reports int) *Clones {
	others := float64(reports - 1)
	// Logarithms of binomial coefficients are right to 2^-49 of the largest factorial's, and recurrences make fewer than 2^20 steps.
	c := &Clones{epsilon0: epsilon0, rounding: math.Exp(0x1p-48*logFactorial(others)) * (1 + 1e-8)}
	p, none := math.Exp(-epsilon0), -math.Expm1(-epsilon0)
	mode := math.Floor((others + 1) * p)
	mode = min(mode, others)
	top := math.Exp(logChoose(others, mode) - mode*epsilon0 + (others-mode)*math.Log(none))

	// Away from the mode probabilities fall faster and faster: those left out are at most 2^30 times the last.
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

// Epsilon returns the least ε that it finds for which Delta is at most δ, in [0, ε₀]. It is rounded up.
func (c *Clones) Epsilon(delta float64) float64 {
	if c.Delta(0) <= delta {
		return 0
	}
	return search.Bisect(c.epsilon0*1e-9, c.epsilon0, func(epsilon float64) bool { return c.Delta(epsilon) <= delta })
}

// Delta returns the δ of the pair at ε ≥ 0, rounded up: the integral of (P − e^ε·Q)⁺. The pair with P and Q exchanged has the same.
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

// given returns the δ of the pair at ε where so many clones are known to be there. Then P has a of all k + 1 from Q₀ with probability
// q·b(a−1) + (1−q)·b(a), and Q has it with (1−q)·b(a−1) + q·b(a), where b is Bin(k, ½) and q = e^ε₀/(e^ε₀ + 1). The ratio P/Q rises with a,
// since b(a−1)/b(a) = a/(k+1−a) does. It exceeds e^ε from a share of (e^(ε+ε₀) − 1)/((e^ε₀ − 1)(e^ε + 1)) of k + 1 on, which is above ½.
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
		// What is left is at most P[Bin(k, ½) ≥ a], whose summands fall at least as fast as a geometric sequence.
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
