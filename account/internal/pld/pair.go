package pld

import (
	"fmt"
	"math"

	"privpipe/account/internal/renyi"
)

// A Pair is a dominating pair of distributions (P, Q) of one release: P is the release with the unit, Q without it. The
// opposite pair, (Q, P), comes with it.
type Pair struct {
	density   *mixture // nil: none
	atoms     []atom
	symmetric bool    // (Q, P) has the same losses
	mirrored  bool    // density's losses above 0, and the same in the other order below 0
	infinite  float64 // probability, under P and under Q alike, of results that the other one cannot have
	spacing   float64 // atoms' losses, or at least the greatest, are its multiples; 0: none
	both      bool    // the loss is a sum of two independent ones: of (P, Q) and of (Q, P)
	rounded   float64 // relative rounding of the parameters towards more loss, beyond roundedBefore
	error     float64 // relative error of the atoms' probabilities, at most
	offset    float64 // error of their losses, at most
	id        string
	// A pair that takes long has only these fields and id. exact works it out. rough works out a pair near it in far
	// less time: a guess that bounds nothing.
	exact, rough func() *Pair
}

// worked returns the pair with all its fields.
func (p *Pair) worked() *Pair {
	if p.exact == nil {
		return p
	}
	return p.exact()
}

// roundedBefore is the relative rounding of noise or a sensitivity towards more loss that a caller may have done
// before. Lower bounds are for the parameters before this rounding.
const roundedBefore = 64 * unit

// Rounded returns p for a caller that rounded noise over sensitivity down by the given share. Lower bounds are for the
// noise before the rounding. The returned pair counts as another kind than p.
func (p *Pair) Rounded(share float64) *Pair {
	if share <= 0 {
		return p
	}
	rounded := *p.worked()
	rounded.rounded += share
	rounded.id = fmt.Sprint(p.id, " rounded by ", share)
	return &rounded
}

// An atom is a point of positive probability. Its probability under Q is e^−loss times its probability under P.
type atom struct{ loss, logP float64 }

func checkRate(rate float64) error {
	if !(rate >= 1e-12 && rate <= 1) {
		return fmt.Errorf("rate %v: not in [1e-12, 1]", rate)
	}
	return nil
}

// Laplace returns the pair of Laplace noise of the given scale over the L1 sensitivity, with the coin of Gaussian. The
// loss without a coin is 1/scale or its opposite where the noise is beyond both values, and linear in between. scale in
// [1e-3, 1e8], rate in [1e-12, 1].
func Laplace(rate, scale float64) (*Pair, error) {
	if err := checkRate(rate); err != nil {
		return nil, err
	}
	if !(scale >= 1e-3 && scale <= 1e8) {
		return nil, fmt.Errorf("scale %v: not in [0.001, 1e8]", scale)
	}
	m := 1 / scale
	// z is the loss without the coin. Under Q its density is e^(−(m+z)/2)/4 within (−m, m).
	x := &mixture{rate: rate, logRate: math.Log(rate), slope: 1, constant: -math.Log(4) - m/2, linear: 0.5, reach: m}
	half := -math.Ln2
	return &Pair{
		density: x,
		atoms: []atom{
			{x.lossAt(m), half + renyi.LogAdd(math.Log1p(-rate)-m, math.Log(rate))},
			{x.lossAt(-m), half + renyi.LogAdd(math.Log1p(-rate), math.Log(rate)-m)},
		},
		symmetric: rate == 1,
		spacing:   x.lossAt(m),
		id:        fmt.Sprint("laplace ", rate, " ", scale),
	}, nil
}

// Response returns the pair of randomized response over the given number k of buckets, under a change of the value.
// With p = noise, it reports the true bucket with probability 1−p, and else any bucket, all with the same probability.
// So the true one has a probability a = 1−p+p/k and each other one b = p/k. Compare any two values. The report is the
// first value with probability a under P and b under Q, and the second one with b under P and a under Q. It is one of
// the others with (k−2)·b under both. So the loss is log(a/b) with probability a, −log(a/b) with b, and else 0. noise
// in (0, 1), buckets from 2 to 2^31−1, log(a/b) at most 700.
func Response(noise float64, buckets int) (*Pair, error) {
	k := float64(buckets)
	loss := ResponseLoss(noise, buckets)
	if !(noise > 0 && noise < 1 && buckets >= 2 && buckets <= math.MaxInt32 && loss <= 700) {
		return nil, fmt.Errorf("randomized response: noise %v and %d buckets not in (0, 1) and [2, 2^31), or a loss "+
			"above 700", noise, buckets)
	}
	other := math.Log(noise) - math.Log(k)
	p := &Pair{
		atoms:     []atom{{loss, math.Log1p(-noise * (k - 1) / k)}, {-loss, other}},
		symmetric: true,
		spacing:   loss,
		id:        fmt.Sprint("response ", noise, " ", buckets),
	}
	if buckets > 2 {
		p.atoms = append(p.atoms, atom{0, other + math.Log(k-2)})
	}
	return p, nil
}

// ResponseLoss returns the greatest loss log(a/b) of Response, a pure ε, rounded up: a = p·((1−p)/p + 1/k) and
// b = p/k.
func ResponseLoss(noise float64, buckets int) float64 {
	return math.Log1p(float64(buckets)*(1-noise)/noise) * (1 + 1e-15)
}

// Pure returns the worst pair of ε-differential privacy: randomized response (Kairouz, Oh and Viswanath, The
// Composition Theorem for Differential Privacy, 2015). epsilon in (0, 700].
func Pure(epsilon float64) (*Pair, error) {
	if !(epsilon > 0 && epsilon <= 700) {
		return nil, fmt.Errorf("ε %v: not in (0, 700]", epsilon)
	}
	return pure(epsilon), nil
}

// Approximate returns the worst pair of (ε, δ)-differential privacy: Pure, except that with probability δ the release
// tells all (Kairouz, Oh and Viswanath 2015). epsilon in [0, 700], delta in [0, 1).
func Approximate(epsilon, delta float64) (*Pair, error) {
	if !(epsilon >= 0 && epsilon <= 700 && delta >= 0 && delta < 1) {
		return nil, fmt.Errorf("(ε, δ) (%v, %v): not in [0, 700] and [0, 1)", epsilon, delta)
	}
	p := pure(epsilon)
	for i := range p.atoms {
		p.atoms[i].logP += math.Log1p(-delta)
	}
	p.infinite, p.id = delta, fmt.Sprint("approximate ", epsilon, " ", delta)
	return p, nil
}

// pure rounds a positive epsilon below 1e-30 up to 1e-30.
func pure(epsilon float64) *Pair {
	if epsilon > 0 {
		epsilon = math.Max(epsilon, 1e-30)
	}
	wrong := -epsilon - math.Log1p(math.Exp(-epsilon)) // log 1/(1+e^ε)
	return &Pair{
		atoms:     []atom{{epsilon, wrong + epsilon}, {-epsilon, wrong}},
		symmetric: true,
		spacing:   epsilon,
		id:        fmt.Sprint("pure ", epsilon),
	}
}
