package audit

import (
	"cmp"
	"math"
	"slices"

	"privpipe/pipelines/event"
)

// A statistic is a function of one run's releases. From its value the audit guesses whether the run had the canary.
type statistic struct {
	name   string
	rounds []int // the rounds that it uses, from 0; only their charges are claimed for it
	of     func(releases [][]int64) float64
}

// spread is the number of cells that hold the canary in the second round.
const spread = 16

// cells is the number of cells in the inputs: the canary's cell in the first round, and its cells in the second.
const cells = 1 + spread

func single(release []int64) float64 { return float64(release[0]) }

// together has as much noise as single if the cells' noise is independent.
func together(release []int64) float64 {
	sum := 0.0
	for _, v := range release[1:] {
		sum += float64(v)
	}
	return sum / math.Sqrt(spread)
}

func least(release []int64) float64 {
	least := math.Inf(1)
	for _, v := range release[1:] {
		least = min(least, math.Abs(float64(v)))
	}
	return least
}

// statistics are compared on part of the runs. The best is measured on the others. For noise as claimed, the first is
// the best for two rounds of Gaussian noise, and the second for Laplace noise. Each of the others shows one fault of
// the noise: for example, noise that is equal in two cells and cancels out.
var statistics = []statistic{
	{"both canaries", []int{0, 1}, func(r [][]int64) float64 { return single(r[0]) + together(r[1]) }},
	{"the canary in a cell of its own", []int{0}, func(r [][]int64) float64 { return single(r[0]) }},
	{"the canary across cells", []int{1}, func(r [][]int64) float64 { return together(r[1]) }},
	{"a cell of round 1 minus the same cell of round 2", []int{0, 1},
		func(r [][]int64) float64 { return single(r[0]) - single(r[1]) }},
	{"a cell of round 1 plus the same cell of round 2", []int{0, 1},
		func(r [][]int64) float64 { return single(r[0]) + single(r[1]) }},
	{"cells of round 2 minus the same cells of round 1", []int{0, 1}, func(r [][]int64) float64 {
		return together(r[1]) - together(r[0])
	}},
	{"cells of round 2 plus the same cells of round 1", []int{0, 1}, func(r [][]int64) float64 {
		return together(r[1]) + together(r[0])
	}},
	{"a cell minus other cells of its round", []int{0}, func(r [][]int64) float64 {
		return single(r[0]) - together(r[0])/math.Sqrt(spread)
	}},
	{"cells that no other unit touches", []int{1}, func(r [][]int64) float64 { return least(r[1]) }},
}

// A trial is one run of the binary: whether it had the canary, and the statistics of its releases.
type trial struct {
	with   bool
	values []float64
}

// A rule guesses that a run had the canary if a statistic, times a sign, is at least a threshold.
type rule struct {
	statistic int
	sign      float64
	threshold float64
	way       int // byErrors or byRates
}

func (r rule) guess(trials []trial) guesses {
	var g guesses
	for _, t := range trials {
		above := r.sign*t.values[r.statistic] >= r.threshold
		switch {
		case t.with:
			g.with++
			if !above {
				g.missed++
			}
		default:
			g.without++
			if above {
				g.alarms++
			}
		}
	}
	return g
}

// choose returns the best rule: its bound on trials has the largest ratio to the claim. most is this ratio. It tries
// all statistics, signs, ways, and thresholds halfway between two values. claims has the claim for each statistic.
func choose(trials []trial, claims []claim, alpha float64) (best rule, most float64) {
	best.sign = 1
	for s := range claims {
		for _, sign := range []float64{1, -1} {
			r := rule{statistic: s, sign: sign}
			sorted := slices.Clone(trials)
			slices.SortFunc(sorted, func(a, b trial) int {
				return cmp.Compare(sign*a.values[s], sign*b.values[s])
			})
			r.threshold = math.Inf(-1)
			g := r.guess(trials) // at first all trials are guessed to have the canary
			for i := range sorted[:max(0, len(sorted)-1)] {
				if sorted[i].with {
					g.missed++
				} else {
					g.alarms--
				}
				below, above := sign*sorted[i].values[s], sign*sorted[i+1].values[s]
				if below == above {
					continue
				}
				r.threshold = below + (above-below)/2
				for r.way = range ways {
					if claims[s].seen(g, r.way) <= most*claims[s].loss {
						continue // saves time: no bound is above seen
					}
					if share := claims[s].lower(g, r.way, alpha) / claims[s].loss; share > most {
						best, most = r, share
					}
				}
			}
		}
	}
	return best, most
}

// claimsOf returns the claim for each statistic, from the charges of its rounds.
func claimsOf(rounds []*event.Charge) []claim {
	claims := make([]claim, len(statistics))
	for i, s := range statistics {
		var charges []*event.Charge
		for _, round := range s.rounds {
			charges = append(charges, rounds[round])
		}
		claims[i] = claimOf(charges)
	}
	return claims
}

// learningLevel is the level of the bounds that choose a rule. It is so strict that a lucky rule is not chosen.
const learningLevel = 1e-4

// measure chooses a rule on a third of the trials. It returns the rule, its claim, and its guesses on the other trials.
// Since these did not choose the rule, the choice costs no confidence.
func measure(trials []trial, claims []claim) (claim, rule, guesses) {
	third := len(trials) / 3
	r, _ := choose(trials[:third], claims, learningLevel)
	return claims[r.statistic], r, r.guess(trials[third:])
}
