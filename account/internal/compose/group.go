package compose

import (
	"math"

	"privpipe/pipelines/event"
)

// Group returns charges that cost one unit at least what the given ones cost a group of k units together: data sets are neighbours where they
// differ in these k units. ok is false where this file has no proof.
//
//   - The sum moves by at most k·C, or k times the sensitivity, so noise without sampling is as of that sensitivity.
//   - By coins of --poisson, under add-remove or replace-null, at least one of the k takes part with probability q′ = 1−(1−q)^k. Given which
//     do, the sum moves by at most k·C. That the group costs no more than one unit of coin q′ and bound k·C: for each set of them that take
//     part there is a random map that takes the noise to itself, and the noise moved by k·C to that moved by less (Blackwell: the larger shift
//     dominates the smaller one, package renyi on dominance). The map of a set that is drawn by its probability, given that it is not empty,
//     takes the one mixture to the other.
//   - By other coins, or where units are exchanged, the release is a mixture over the same coins on both sides, and costs at most what its worst
//     part does: as if all took part.
//   - In disjoint rounds of Gaussian noise under the same relations, let k_r units be in round r. All rounds together are one Gaussian with
//     μ² = Σ(k_r·μ_r)² ≤ (k·max μ_r)²: all k in the worst round.
//   - A word that only the group has: no proof for units with unequal numbers of words.
//   - Reports of randomized response are of a unit each: k times as many bits.
func Group(charges []*event.Charge, k int) (grouped []*event.Charge, ok bool) {
	for _, c := range charges {
		exchanged := c.Adjacency == event.ReplaceOne
		if c.Mechanism == event.Select || c.Scheme.Disjoint() && (exchanged || c.Mechanism != event.Gaussian) {
			return nil, false
		}
		g := *c
		if g.Sensitivity > math.MaxInt64/uint64(k) { // as in a forged ledger
			return nil, false
		}
		g.Sensitivity *= uint64(k)
		switch {
		case c.Scheme.Method == event.Poisson && !exchanged:
			g.Scheme.Rate = min(1, -math.Expm1(float64(k)*math.Log1p(-c.Scheme.Rate))*(1+1e-15))
		default:
			g.Scheme.Secret = false
		}
		grouped = append(grouped, &g)
	}
	return grouped, true
}
