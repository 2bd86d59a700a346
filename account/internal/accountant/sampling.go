package accountant

import (
	"math"

	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
)

// samplingRate returns the rate at which sampling amplifies a charge. It is 1 if sampling does not amplify, or if not
// all accountants have a theorem that says so. The rate is 1 for coins that are not secret. It is 1 for coins under
// replace-one if the charge does not state the norm of one unit (byExchangedCoin). It is 1 for sampling without
// replacement, except for Gaussian noise.
func samplingRate(c *event.Charge) float64 {
	sum := c.Mechanism == event.Gaussian || c.Mechanism == event.Laplace
	switch {
	case !c.Scheme.Secret || !sum:
	case c.Scheme.Method == event.Poisson && c.Adjacency != event.ReplaceOne:
		return c.Scheme.Rate // under replace-null, too: an empty unit adds nothing, whatever its coin
	case byExchangedCoin(c):
		return c.Scheme.Rate
	case c.Scheme.Method == event.Fixed && c.Adjacency != event.AddRemove && c.Mechanism == event.Gaussian:
		return min(1, math.Nextafter(c.Scheme.Rate, 1)) // rounded up: it is a quotient
	}
	return 1
}

// byExchangedCoin says whether a charge is Gaussian noise on a batch by secret coins, and package pld has the pair for
// an exchange. The proof compares two data sets: one slot has unit x in the first and y in the second. The coins of all
// other units must have the same joint distribution on both sides. They must be independent of the slot's coin, which
// falls with probability q on both sides. The slot's coin need not be the same coin on both sides:
//
//   - If the new unit keeps the name, it has the old unit's coin, which is a function of a secret key, the round and
//     the name.
//   - If it has another name, it has another coin. That coin is as if fresh: with an unknown key, the coins of
//     different names and rounds are as if independent (sample/internal/coin/claim.md, 1 and 4). So the releases have
//     the same distribution as if the new unit had taken over the old coin. This holds for all rounds together, because
//     for each name the coins of two rounds are as if independent.
//   - If the new unit has the name of another unit in the data set, the two are one unit, and the data sets differ in
//     size. They are no neighbours under replace-one. privatize counts such a name once.
//
// Coins from a seed are known, and hide nothing. Coins under one name choose the same batch in all runs, and the
// composition puts these releases into one batch. The data sets of one ledger have coins with different names. Settings
// that follow from earlier releases need a filter, as elsewhere.
func byExchangedCoin(c *event.Charge) bool {
	_, _, known := c.ExchangedNorm()
	return known && c.Scheme.Secret && c.Scheme.Method == event.Poisson && c.Adjacency == event.ReplaceOne &&
		c.Mechanism == event.Gaussian
}

// Amplified says whether sampling amplifies a charge of the composition.
func (c *Composition) Amplified(charge *event.Charge) bool {
	if charge.Mechanism == event.Gaussian && isDisjoint(charge) {
		return c.byOwnCoin(throwOf(charge)) > 1
	}
	return samplingRate(charge) < 1 && c.rates[batchOf(charge)] < 1
}

// sample notes the rate of a charge's batch. If charges contradict each other about the same coins, the batch is not
// amplified.
//
// A second release from a batch without replacement is not amplified either. Whether such coins put a unit into the
// batch depends on the other units. No charge shows that two releases use one corpus: neither its run shows it, nor its
// data set. For example, the corpora {x, a} and {x, b} have batches of one unit. At least one batch is x with
// probability 2/3, and the coins of one batch would say 1/2 (sample/internal/coin/claim.md, 5).
func (c *Composition) sample(charge *event.Charge) {
	b, rate := batchOf(charge), samplingRate(charge)
	fixed := charge.Scheme.Method == event.Fixed
	if before, ok := c.rates[b]; ok && (before != rate || fixed) {
		rate = 1
	}
	c.rates[b], c.fixed[b] = rate, fixed
	t := throwOf(charge)
	t.epoch = 0 // all epochs of one run share a name
	if before, ok := c.throws[charge.Scheme.Coins]; ok && before != t {
		c.reused[charge.Scheme.Coins] = true
	}
	c.throws[charge.Scheme.Coins] = t
}

// byOwnCoin returns the number of rounds in a throw if each unit has a secret coin that puts it into one of them. No
// other release may depend on this coin. Otherwise byOwnCoin returns 0.
//
// If another run releases by the same coins, the two runs are not independent. If the coins reduced the loss of each,
// the losses would not add up. Under replace-one, and for noise other than Gaussian, no theorem here says by how much
// coins reduce the loss.
func (c *Composition) byOwnCoin(t throw) int {
	if t.scheme.Method != event.Allocate || !t.scheme.Secret || c.Adjacency == event.ReplaceOne ||
		c.reused[t.scheme.Coins] {
		return 0
	}
	for _, released := range c.disjoint[t] {
		if _, onlyGaussian := loss.JointSigma(released); !onlyGaussian {
			return 0
		}
	}
	return t.scheme.EpochRounds()
}

// isDisjoint says whether a charge belongs to rounds that share no unit and are known to be from one throw. For an
// allocation without a name this is not known.
func isDisjoint(c *event.Charge) bool {
	return c.Scheme.Method == event.Epoch || c.Scheme.Method == event.Allocate && c.Scheme.Coins != ""
}
