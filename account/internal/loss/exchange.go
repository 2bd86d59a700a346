package loss

import (
	"fmt"
	"math"

	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
)

// An Exchange is Gaussian noise on the releases from one batch, if a unit is exchanged for another that takes part by
// the same coin. Package pld proves that two contributions of the largest norm C are the worst. They are opposite, 2·C
// apart, or orthogonal, √2·C apart, if no coordinate is negative. A bound of √2·C on the distance between sums is not
// enough.
type Exchange struct {
	rate       float64
	multiplier float64 // joint noise over C, rounded down
	orthogonal bool
	mixed      bool // the worst case is orthogonal for some parts, opposite for others
}

// ExchangeByCoin returns the exchange for a batch with Gaussian noise only. nonNegative says that no contribution has a
// negative coordinate.
//
// Several releases from one batch are one release: all sums over their noise. The two contributions have a part for
// each release. If the worst case is orthogonal for all parts, it is orthogonal for the whole. Otherwise opposite
// contributions count: their inner product is the least possible, and the divergence falls with the inner product
// (package pld).
func ExchangeByCoin(rate float64, batch []Mechanism, nonNegative bool) (e Exchange, err error) {
	e = Exchange{rate: rate, orthogonal: true}
	var overNorm []Mechanism
	for _, m := range batch {
		norm, orthogonal, err := m.(Gaussian).worstExchange(nonNegative)
		if err != nil {
			return e, err
		}
		e.mixed = e.mixed || len(overNorm) > 0 && orthogonal != e.orthogonal
		e.orthogonal = e.orthogonal && orthogonal
		overNorm = append(overNorm, Gaussian{Noise: m.(Gaussian).Noise, Sensitivity: norm})
	}
	e.multiplier, _ = JointSigma(overNorm)
	return e, nil
}

// worstExchange returns the largest norm of a contribution to m, and whether the two worst contributions are
// orthogonal. Otherwise they are opposite.
func (m Gaussian) worstExchange(nonNegative bool) (norm float64, orthogonal bool, err error) {
	norm = m.Norm
	if norm == 0 {
		norm = 1
	}
	switch {
	case m.NonNegative, nonNegative && m.Sensitivity == math.Sqrt2*norm:
		return norm, true, nil
	case m.Sensitivity == 2*norm:
		return norm, false, nil
	}
	return 0, false, fmt.Errorf("sums of neighbours are up to %v of a unit's norm apart: a theorem is known for 2, "+
		"and for √2 where no coordinate is negative", m.Sensitivity/norm)
}

// Opposite returns m as noise on contributions of the same norm with an opposite worst case. It loses no less under an
// exchange by a coin. Accountants that know no other exchange can express it.
func (m Gaussian) Opposite(nonNegative bool) (Gaussian, error) {
	norm, _, err := m.worstExchange(nonNegative)
	return Gaussian{Noise: m.Noise, Sensitivity: 2 * norm, Norm: norm}, err
}

// Attained says whether two contributions have the pair. If parts without negative coordinates count as opposite, none
// have it.
func (e Exchange) Attained() bool { return !e.mixed }

// Pair returns the dominating pair that package pld proves.
func (e Exchange) Pair() (*pld.Pair, error) {
	if e.orthogonal {
		return pld.GaussianReplaceOrthogonal(e.rate, e.multiplier)
	}
	return pld.GaussianReplace(e.rate, e.multiplier)
}

// Curve bounds the Rényi divergence of the dominating pair, and so the divergence of the exchange. No H_a of the
// exchange is larger, so its ratio P/Q is smaller in convex order (package renyi, on dominance).
func (e Exchange) Curve() renyi.Curve {
	of := renyi.PoissonOpposite
	if e.orthogonal {
		of = renyi.PoissonOrthogonal
	}
	return func(alpha float64) float64 { return of(e.rate, e.multiplier, alpha) }
}

// exchanged describes Norm and NonNegative, which change the loss.
func (m Gaussian) exchanged() string {
	switch {
	case m.Norm == 0:
		return ""
	case m.NonNegative:
		return fmt.Sprintf(" of norm %v, none negative", m.Norm)
	}
	return fmt.Sprintf(" of norm %v", m.Norm)
}
