package loss

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"privpipe/pipelines/event"
)

// CurveTheorems names the theorems behind a bound by Rényi curves.
func (l *List) CurveTheorems() string {
	return l.theorems("Rényi composition (Mironov 2017, prop. 1)",
		"conversion (Canonne, Kamath, Steinke 2020, prop. 12)",
		func(k *Kind) []Theorem { return k.Curves }, false)
}

// dots is the last theorem behind a bound by privacy loss distributions.
const dots = "connecting the dots (Doroshenko et al. 2022)"

// DistributionTheorems names the theorems behind a bound by privacy loss distributions.
func (l *List) DistributionTheorems() string {
	return l.theorems("composition of dominating pairs (Zhu, Dong, Wang 2022, thm. 10)", dots,
		func(k *Kind) []Theorem { return k.Pairs }, true)
}

// RestsOn adds the Rényi curve's order to the theorems if the curve proved less than the distributions did.
func RestsOn(theorems string, order float64) string {
	if strings.HasSuffix(theorems, dots) && order > 0 && !math.IsInf(order, 1) {
		theorems += fmt.Sprintf("; less by the Rényi divergence of order %.4g", order)
	}
	return theorems
}

// theorems names all theorems in use: for the composition, for the mechanisms, and for the last step. Only pairs
// account for secret coins in disjoint rounds.
func (l *List) theorems(first, last string, by func(*Kind) []Theorem, pairs bool) string {
	if l.NoNoise {
		return "nothing: a release without noise has no bound"
	}
	var uses []Use
	amplified, disjoint, allocated := false, false, false
	for _, r := range l.Releases() {
		byCoin := pairs && r.Thrown > 1 && r.allocates()
		disjoint, allocated = disjoint || r.Disjoint && !byCoin, allocated || byCoin
		for _, released := range append([][]Mechanism{r.Released}, r.Instead...) {
			for _, m := range released {
				uses = append(uses,
					Use{Mechanism: m, Sampling: r.Sampling, ReplaceOne: l.Adjacency == event.ReplaceOne})
				amplified = amplified || m.Traits().Guarantee != nil && r.Sampling != All
			}
		}
	}
	names := slices.Concat([]string{first}, theoremNames(uses, by))
	if amplified {
		names = append(names, "amplification (Balle, Barthe, Gaboardi 2018, thm. 8 and 9)")
	}
	if l.Failure > 0 {
		names = append(names, "threshold of select (Canonne, Kamath, Steinke 2020, prop. 25)")
	}
	if allocated {
		names = append(names, "random allocation (Feldman, Shenfeld 2025; package pld)")
	}
	if disjoint {
		names = append(names, "parallel composition")
	}
	return strings.Join(append(names, last), "; ")
}
