package accountant

import (
	"errors"
	"fmt"
	"math"

	"privpipe/account/internal/loss"
	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
)

// A Composition is the joint privacy loss of charges.
type Composition struct {
	Adjacency, Unit string // the same in all charges
	Releases        int
	None            bool // some release has no noise, so there is no guarantee

	alone loss.List // releases that sampling does not amplify, and the failures of all releases
	// batches are the rounds that sampling amplifies, by their coins. All releases from one batch count as one release,
	// even if they belong to different runs or grants. Repeated attempts at a round use one batch, too.
	batches map[batch][]loss.Mechanism
	rates   map[batch]float64 // sampling amplifies a batch's releases by this rate
	fixed   map[batch]bool    // the batch was drawn without replacement
	// disjoint are the rounds of each throw. Each unit is in one of these rounds, so only the worst round counts.
	disjoint map[throw]map[int][]loss.Mechanism
	thrown   map[string]throw // by the coins' name; twice has the names that several throws use
	twice    map[string]bool

	list *loss.List // computed on first use
}

// A batch names the units of one round, by the coins that chose them.
type batch struct {
	scheme event.Scheme // only Coins if the coins have a name; else all rounds with this scheme share coins
	round  int
}

func batchOf(c *event.Charge) batch {
	if c.Scheme.Coins != "" {
		return batch{event.Scheme{Coins: c.Scheme.Coins}, c.Round}
	}
	return batch{c.Scheme, c.Round}
}

// A throw names rounds that share no unit: the rounds in one epoch of an allocation, or all rounds of an event.Epoch.
type throw struct {
	dataset, run, grant string
	scheme              event.Scheme
	epoch               int // from 0
}

// throwOf returns the throw that a charge belongs to. Secret coins choose the same units in a run's rounds under any
// grant. So the grant is left out, and another grant may continue a run.
func throwOf(c *event.Charge) throw {
	t := throw{c.Dataset, c.Run, c.Grant, c.Scheme, c.Scheme.EpochOf(c.Round)}
	if c.Scheme.Method == event.Allocate && c.Scheme.Secret {
		t.grant = ""
	}
	return t
}

// byOwnCoin returns the number of rounds in a throw if each unit has a secret coin that puts it into one of them. No
// other release may depend on this coin. Otherwise byOwnCoin returns 0.
//
// If another run releases by the same coins, the two runs are not independent. If the coins reduced the loss of each,
// the losses would not add up. Under replace-one, and for noise other than Gaussian, no theorem here says by how much
// coins reduce the loss.
func (c *Composition) byOwnCoin(t throw) int {
	if t.scheme.Method != event.Allocate || !t.scheme.Secret || c.Adjacency == event.ReplaceOne ||
		c.twice[t.scheme.Coins] {
		return 0
	}
	for _, released := range c.disjoint[t] {
		if _, onlyGaussian := loss.JointSigma(released); !onlyGaussian {
			return 0
		}
	}
	return t.scheme.EpochRounds()
}

// A ChargeError says why a charge cannot be composed with the charges before it.
type ChargeError struct {
	Charge *event.Charge
	Err    error
}

func (e *ChargeError) Error() string {
	return fmt.Sprintf("charge of round %d of run %q: %v", e.Charge.Round, e.Charge.Run, e.Err)
}

func (e *ChargeError) Unwrap() error { return e.Err }

// Compose returns the composition of charges. It refuses charges that differ in neighbouring relation or unit, because
// it cannot compose them soundly. The error is a *ChargeError.
func Compose(charges []*event.Charge) (*Composition, error) {
	c := &Composition{
		batches: make(map[batch][]loss.Mechanism), rates: make(map[batch]float64), fixed: make(map[batch]bool),
		disjoint: make(map[throw]map[int][]loss.Mechanism), thrown: make(map[string]throw),
		twice: make(map[string]bool),
	}
	for _, charge := range charges {
		if err := c.add(charge); err != nil {
			return nil, &ChargeError{charge, err}
		}
	}
	return c, nil
}

func (c *Composition) add(charge *event.Charge) error {
	c.Releases++
	if charge.Mechanism == event.None {
		c.None = true
		return nil
	}
	if err := c.fits(charge.Adjacency, charge.Unit); err != nil {
		return err
	}
	c.Adjacency, c.Unit = charge.Adjacency, charge.Unit
	c.sample(charge)
	if charge.Draws > 0 {
		// The topics of the tokens are drawn before the release, which sees the draws. The draws count as a mechanism
		// of their own.
		c.alone.Add(loss.Release{Released: []loss.Mechanism{loss.Pure{Epsilon: charge.Draws}}, Count: 1})
	}
	if charge.Clipping == event.ClipUnbounded {
		c.None = true // a unit may move the sum by any amount, so the noise proves nothing
		return nil
	}
	m, err := noiseOf(charge)
	if err != nil {
		return err
	}
	switch {
	case charge.Mechanism == event.Select:
		// Units that take part by a coin would lose no more. Nobody needs that case.
		c.alone.AddFailure(StrayWord(charge))
		c.alone.Add(loss.Release{Released: []loss.Mechanism{m}, Count: 1})
	case charge.Mechanism == event.RandomizedResponse:
		// A document's bits are reported independently, and Sensitivity is the number of bits that can differ. Drawn
		// words count alike: each has the ε of one bit.
		c.alone.Add(loss.Release{Released: []loss.Mechanism{m}, Count: int(charge.Sensitivity)})
	case isDisjoint(charge):
		c.addToThrow(charge, m)
	case samplingRate(charge) < 1:
		b := batchOf(charge)
		c.batches[b] = append(c.batches[b], m)
	default: // also an allocation without a name, which may mix several throws
		c.alone.Add(loss.Release{Released: []loss.Mechanism{m}, Count: 1})
	}
	return nil
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
	if before, ok := c.thrown[charge.Scheme.Coins]; ok && before != t {
		c.twice[charge.Scheme.Coins] = true
	}
	c.thrown[charge.Scheme.Coins] = t
}

// Amplified says whether sampling amplifies a charge of the composition.
func (c *Composition) Amplified(charge *event.Charge) bool {
	if charge.Mechanism == event.Gaussian && isDisjoint(charge) {
		return c.byOwnCoin(throwOf(charge)) > 1
	}
	return samplingRate(charge) < 1 && c.rates[batchOf(charge)] < 1
}

// isDisjoint says whether a charge belongs to rounds that share no unit and are known to be from one throw. For an
// allocation without a name this is not known.
func isDisjoint(c *event.Charge) bool {
	return c.Scheme.Method == event.Epoch || c.Scheme.Method == event.Allocate && c.Scheme.Coins != ""
}

// addToThrow counts a charge for one round of its throw.
//
// Under add-remove and replace-null a unit is in one round, whatever the throw. No other round misses it. byOwnCoin
// says if a secret coin reduces the loss.
//
// Each epoch of an allocation is a throw: a unit's coins in different epochs are independent
// (sample/internal/coin/claim.md, statement 3). So each epoch is a mechanism with its own randomness, and the pairs and
// curves of epochs compose. An epoch may depend on the releases of earlier epochs, and rounds of two epochs may come in
// turns (Vadhan and Zhang 2023: see pld.GaussianAllocation).
//
// Under replace-one and a secret throw the new unit takes the slot of the old one. Each unit's round is a coin of its
// own. The coin is independent of the other units' coins, and uniform whoever the unit is. So the releases without and
// with the exchange are mixtures over the same throws with the same weights, where the new unit takes the old unit's
// place. Given the throw, one round differs. A Rényi divergence between mixtures is at most the largest between their
// parts: see worst.
//
// Under replace-one a round may also follow from the unit alone, such as from a hash of its name or from its time of
// arrival. Then the new unit may be in another round than the old one. One round loses a unit and another round gains
// one, each by that unit's own norm. If the clip bounds that norm, the norm is half of the sensitivity, or less than
// 0.71 of it in L2 without negative coordinates. So each of the two rounds loses at most half of the loss by an
// exchange. This holds because a Gaussian's loss grows with the square of the shift, and a Laplace's loss is convex in
// the shift and 0 at 0. The worst round by itself is still a bound. A batch that is clipped as a whole has no such
// bound for one unit. Then both rounds lose in full, at most twice the worst.
func (c *Composition) addToThrow(charge *event.Charge, m loss.Mechanism) {
	t := throwOf(charge)
	if c.disjoint[t] == nil {
		c.disjoint[t] = make(map[int][]loss.Mechanism)
	}
	round := append(c.disjoint[t][charge.Round], m)
	public := charge.Scheme.Method == event.Epoch || !charge.Scheme.Secret
	if public && charge.Adjacency == event.ReplaceOne && charge.Clipping == event.ClipBatch {
		round = append(round, m)
	}
	c.disjoint[t][charge.Round] = round
}

// fits refuses a neighbouring relation or a unit that differs from the other charges.
func (c *Composition) fits(adjacency, unit string) error {
	if c.Adjacency != "" && (adjacency != c.Adjacency || unit != c.Unit) {
		return errors.New("a ledger of several neighbouring relations or privacy units cannot be composed")
	}
	return nil
}

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

// StrayWord is the probability δ' that a charge of event.Select releases a word that only one unit has. Such a release
// counts as a failure. Otherwise the release has only words that other units have, too. The noise on the unit's own
// words is independent of the noise on the others. So given that none of its own words is released, the result is
// distributed exactly as if these words did not exist. Then the loss is the loss of the Gaussian on the others' words.
// There the unit moves weights by an L2 norm of at most the bound, which is the sensitivity.
func StrayWord(c *event.Charge) float64 {
	return renyi.StrayWord(c.Sensitivity, c.Scale, c.Threshold, c.MaxWords)
}

// AsClaimed returns the charges with the sensitivities that papers use instead of the sound ones, and whether any
// sensitivity differs. Their composition is no bound. It is not a paper's result either, because it accounts for
// sampling as the sound composition does.
func AsClaimed(charges []*event.Charge) (claimed []*event.Charge, found bool) {
	for _, c := range charges {
		if HasClaim(c) {
			found = true
			changed := *c
			changed.Sensitivity = c.Claimed
			if c.Clipping == event.ClipUnbounded {
				changed.Clipping = ""
			}
			c = &changed
		}
		claimed = append(claimed, c)
	}
	return claimed, found
}

// HasClaim says whether a charge also states a paper's sensitivity, and it differs from the sound one.
func HasClaim(c *event.Charge) bool { return c.Claimed > 0 && c.Claimed != c.Sensitivity }
