package accountant

import (
	"math"

	"privpipe/pipelines/event"
)

// Group returns charges that bound the loss of k units together: they cost one unit at least what the given charges
// cost the group. Data sets are neighbours if they differ in these k units. ok is false where this file has no proof.
//
//   - Without sampling, the sum moves by at most k·C, or k times the sensitivity. So the noise counts with k times the
//     sensitivity.
//   - By coins of --poisson, under add-remove or replace-null, at least one of the k units takes part with probability
//     q′ = 1−(1−q)^k. Given which of them do, the sum moves by at most k·C. The group costs no more than one unit with
//     coin q′ and bound k·C. Proof: for each set of units that take part there is a random map with two properties. It
//     takes the noise to itself, and it takes the noise moved by k·C to the noise moved by less (Blackwell: the larger
//     shift dominates the smaller one, package renyi on dominance). Draw a set by its probability, given that it is not
//     empty, and apply its map. This takes the one mixture to the other.
//   - By other coins, or where units are exchanged, the release is a mixture over the same coins on both sides. It
//     costs at most what its worst part does: as if all units took part.
//   - In disjoint rounds of Gaussian noise under the same relations, let k_r units be in round r. All rounds together
//     are one Gaussian with μ² = Σ(k_r·μ_r)² ≤ (k·max μ_r)²: all k units in the worst round.
//   - For a word that only the group has, there is no proof for units with unequal numbers of words.
//   - A report of randomized response is from one unit, so k units have k times as many bits.
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
