package pld

import (
	"fmt"
	"math"
)

// The range of rounds and noise multipliers in one allocation.
const (
	MostAllocated                    = 1_000_000
	LeastAllocated, LargestAllocated = 0.1, 1e6
)

// biased is above MostAllocated/2^64: a 64-bit coin prefers one of MostAllocated rounds to another by at most this
// part. Let P put at most 1+η times, and at least 1−η times, the mean's share on each round. Then H_a(P‖Q) is at most
// 1+η times the mean's at a/(1+η), and H_a(Q‖P) is at most the mean's at a·(1−η): ε moves by η and δ by its part η.
const biased = 0x1p-43

// GaussianAllocation returns a pair that dominates the given number of rounds of Gaussian noise. A secret coin puts
// each unit in one round, and all rounds are released: P is the mean over t of N(e_t, σ²I), Q = N(0, σ²I) (Feldman and
// Shenfeld, Privacy Amplification by Random Allocation, 2025; the package has a proof). rounds from 2 to MostAllocated,
// multiplier from LeastAllocated to LargestAllocated.
func GaussianAllocation(rounds int, multiplier float64) (*Pair, error) {
	return allocation(rounds, multiplier, spread, "allocation above ")
}

// GaussianAllocationBelow returns a pair that loses at most as much as GaussianAllocation's rounds do. Its ε is less by
// some ten-thousandths.
func GaussianAllocationBelow(rounds int, multiplier float64) (*Pair, error) {
	return allocation(rounds, multiplier, contracted, "allocation below ")
}

func allocation(rounds int, multiplier float64, by side, name string) (*Pair, error) {
	if rounds < 2 || rounds > MostAllocated || !(multiplier >= LeastAllocated && multiplier <= LargestAllocated) {
		return nil, fmt.Errorf("allocation to %d rounds with a noise multiplier of %v: not in [2, %d] and [%v, %v]",
			rounds, multiplier, MostAllocated, LeastAllocated, float64(LargestAllocated))
	}
	id := fmt.Sprint(name, rounds, " ", multiplier)
	return recent.pair(id, func(apart float64) *Pair {
		return meanRatio(rounds, gaussianRatio(1, 1/multiplier, by, apart), by).pair(id)
	}), nil
}

// meanRatio is the mean of count independent ratios like one.
func meanRatio(count int, one *ratio, by side) *ratio {
	return repeated(count, one, func(done, more int, all, next *ratio) *ratio {
		return combine(meanOf(done, more), all, next, by).trimmed(by)
	})
}

// repeated combines count ratios like one, by doubling. combined(done, more, all, next) combines all, which stands for
// done ratios, with next, which stands for more ratios.
func repeated(count int, one *ratio, combined func(done, more int, all, next *ratio) *ratio) *ratio {
	var all *ratio
	next, done := one, 0
	for bit := 1; ; bit *= 2 {
		if count&bit != 0 {
			if all == nil {
				all = next
			} else {
				all = combined(done, bit, all, next)
			}
			done += bit
		}
		if bit > count/2 {
			return all
		}
		next = combined(bit, bit, next, next)
	}
}

// pair returns the ratio's pair.
func (r *ratio) pair(id string) *Pair {
	p := &Pair{id: id, infinite: r.infinite, error: r.error + biased, offset: r.steps*unit + biased}
	for i, value := range r.value {
		if value == -r.base { // P has no probability here, Q has
			p.infinite = max(p.infinite, r.mass[i])
			continue
		}
		loss := r.loss(value)
		p.atoms = append(p.atoms, atom{loss, loss + math.Log(r.mass[i])})
	}
	return p
}
