package pld

import (
	"errors"
	"fmt"
	"math"
)

// checkMultiplier admits multipliers that float64 handles with room to spare: see FuzzEpsilon. For two units, the
// multiplier over one unit's norm is twice the multiplier over their distance.
func checkMultiplier(multiplier float64) error {
	if !(multiplier >= 0.02 && multiplier <= 2e8) {
		return fmt.Errorf("noise multiplier %v: not in [0.02, 2e8]", multiplier)
	}
	return nil
}

// Gaussian returns the pair of Gaussian noise of the given multiplier (its standard deviation over the L2 sensitivity).
// Each unit takes part by a coin of probability rate (1: all units do). Neighbours differ by the addition or removal of
// a unit: P = (1−q)·N(0, σ²) + q·N(1, σ²), Q = N(0, σ²) (Zhu, Dong and Wang 2022, proposition 30; Mironov, Talwar and
// Zhang 2019). multiplier in [0.02, 2e8], rate in [1e-12, 1].
func Gaussian(rate, multiplier float64) (*Pair, error) {
	if err := errors.Join(checkRate(rate), checkMultiplier(multiplier)); err != nil {
		return nil, err
	}
	return &Pair{
		density:   gaussianMixture(rate, 1/multiplier),
		symmetric: rate == 1,
		id:        fmt.Sprint("gaussian ", rate, " ", multiplier),
	}, nil
}

// gaussianMixture is Gaussian in units of σ: z from N(0, 1) under Q, N(m, 1) with the unit.
func gaussianMixture(rate, m float64) *mixture {
	return &mixture{
		rate: rate, logRate: math.Log(rate), slope: m, shift: m * m / 2,
		constant: -math.Log(2*math.Pi) / 2, curved: 1, reach: math.Inf(1),
	}
}

// GaussianReplaceOrthogonal is Gaussian for the replacement of a unit by any other, with the same coin, if no
// coordinate of their contributions is negative. At worst the contributions are orthogonal, of the largest norm.
// multiplier is in this norm. The loss is the sum of a removal's loss and of an addition's. The package has the proof.
func GaussianReplaceOrthogonal(rate, multiplier float64) (*Pair, error) {
	p, err := Gaussian(rate, multiplier)
	if err != nil {
		return nil, err
	}
	if rate == 1 {
		return Gaussian(1, multiplier/math.Sqrt2)
	}
	p.both, p.symmetric, p.id = true, true, "orthogonal "+p.id
	return p, nil
}

// GaussianReplace is Gaussian for the replacement of a unit by any other, with the same coin. At worst the other unit
// is opposite: P = (1−q)·N(0, σ²) + q·N(1, σ²), Q = (1−q)·N(0, σ²) + q·N(−1, σ²). multiplier is in one unit's norm. The
// package has the proof.
func GaussianReplace(rate, multiplier float64) (*Pair, error) {
	p, err := Gaussian(rate, multiplier)
	if err != nil {
		return nil, err
	}
	if rate == 1 {
		return Gaussian(1, multiplier/2)
	}
	p.density.opposed, p.symmetric, p.id = true, true, "opposed "+p.id
	return p, nil
}

// GaussianWithoutReplacement is Gaussian noise on a batch with a fixed share of the units, drawn without replacement,
// under the replacement of one unit. multiplier is in the distance of two units. For ε ≥ 0 the profile is δ(ε) of (P,
// Q). Below 0 it is δ(ε) of (N(1, σ²), Q′) with Q′ = (1−q)·N(1, σ²) + q·N(0, σ²) (Balle, Barthe and Gaboardi, Privacy
// Amplification by Subsampling: Tight Analyses via Couplings and Divergences, NeurIPS 2018, theorems 2 and 9, and
// H_a(P‖Q) = 1 − a + a·H_{1/a}(Q‖P)). So losses above 0 are the losses of P, and losses below 0 are the same in the
// other order. The slopes differ at 0 by (1−q)·(2Φ(1/(2σ)) − 1), the probability of 0.
func GaussianWithoutReplacement(rate, multiplier float64) (*Pair, error) {
	p, err := Gaussian(rate, multiplier)
	if err != nil || rate == 1 {
		return p, err
	}
	p.atoms = []atom{{0, math.Log1p(-rate) + math.Log(math.Erf(1/(2*math.Sqrt2*multiplier)))}}
	p.mirrored, p.symmetric, p.id = true, true, "without replacement "+p.id
	return p, nil
}
