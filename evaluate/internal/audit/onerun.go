package audit

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/combin"
)

// onerun is an audit by one run on many canaries. A fair coin for each canary put it in or left it out. The auditor
// guessed some coins, and some guesses are right.
type onerun struct{ canaries, guessed, right int }

// pValue bounds the probability of at least right right guesses if the mechanism is (ε, δ)-private. With m canaries and
// W ~ Binomial(guessed, e^ε/(1+e^ε)), the bound is P[W ≥ right] + 2mδ·max_i P[right − i ≤ W < right]/i. Steinke, Nasr
// and Jagielski 2023, Privacy Auditing with One (1) Training Run, theorem 5.2.
func (o onerun) pValue(epsilon, delta float64) float64 {
	if o.right == 0 {
		return 1
	}
	n, v := float64(o.guessed), float64(o.right)
	q := 1 / (1 + math.Exp(-epsilon))
	tail := mathext.RegIncBeta(v, n-v+1, q)
	if delta == 0 {
		return tail
	}
	worst, sum := 0.0, 0.0 // the maximum, and P[right − i ≤ W < right]
	logOdds := math.Log1p(-q) - math.Log(q)
	// The probability of W = right − i, from i = 1
	logProbability := combin.LogGeneralizedBinomial(n, v-1) + (v-1)*math.Log(q) + (n-v+1)*math.Log1p(-q)
	for i := 1.0; i <= v; i++ {
		sum += math.Exp(logProbability)
		worst = max(worst, sum/i)
		w := v - i
		logProbability += math.Log(w) - math.Log(n-w+1) + logOdds // of W = w − 1
	}
	return min(1, tail+2*float64(o.canaries)*delta*worst)
}

// epsilonStep is lowerEpsilon's step in its search for the first ε that is not refuted.
const epsilonStep = 0.05

// lowerEpsilon returns a lower confidence bound on ε, for a mechanism that is (ε, δ)-private with the given δ. The
// bound is the least ε that the guesses do not refute at level alpha: they refute every smaller ε. It searches in steps
// because the p-value need not be monotone in ε.
func (o onerun) lowerEpsilon(delta, alpha float64) float64 {
	kept := func(epsilon float64) bool { return o.pValue(epsilon, delta) > alpha }
	high := 0.0
	for !kept(high) {
		high += epsilonStep
	}
	return leastWhere(max(0, high-epsilonStep), high, kept)
}

// refutesMu reports whether the guesses refute a trade-off function G_μ at level alpha. Mahloujifar, Melis and
// Chaudhuri 2025, Auditing f-Differential Privacy in One Run, algorithm 3. The algorithm starts from a probability
// alpha for this number of right guesses. It follows how small the shares of right (r) and wrong (h) guesses in the
// other outcomes may be. They are bounded by the inverse of 1 − f, which is x ↦ Φ(Φ⁻¹(x) − μ) for G_μ. The claim is
// refuted if r and h add up to more guesses than were made.
func (o onerun) refutesMu(mu, alpha float64) bool {
	m, n := float64(o.canaries), float64(o.guessed)
	r, h := alpha*float64(o.right)/m, alpha*float64(o.guessed-o.right)/m
	for i := float64(o.right - 1); i >= 0; i-- {
		next := max(h, cumulative(quantile(r)-mu))
		if next == h {
			break // neither r nor h changes any more
		}
		r, h = min(1, r+i/(n-i)*(next-h)), next
	}
	return r+h > n/m
}

// lowerMu returns a lower confidence bound on μ, for a mechanism with trade-off function G_μ.
func (o onerun) lowerMu(alpha float64) float64 {
	return leastWhere(0, MaxMu, func(mu float64) bool { return !o.refutesMu(mu, alpha) })
}

// guessShares is the number of choices of how many canaries to guess: all, half of them, a quarter and so on. Guessed
// are always the canaries with the largest and the smallest cells. Each choice gets an equal share of alpha.
const guessShares = 8

// guessExtremes returns the guesses for each share: "in" for the canaries with the largest cells, "out" for the
// smallest.
func guessExtremes(released []int64, included []bool) []onerun {
	order := make([]int, len(released))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { // ties keep the input's order, which no coin decided
		return cmp.Compare(released[b], released[a])
	})
	var all []onerun
	for share := range guessShares {
		each := len(released) >> (share + 1)
		o := onerun{canaries: len(released), guessed: 2 * each}
		for i := range each {
			if included[order[i]] {
				o.right++
			}
			if !included[order[len(order)-1-i]] {
				o.right++
			}
		}
		if each > 0 {
			all = append(all, o)
		}
	}
	return all
}
