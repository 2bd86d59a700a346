// Package compose turns the charges of a ledger into the loss of all of them together.
package compose

import (
	"errors"
	"fmt"
	"math"

	"privpipe/account/internal/loss"
	"privpipe/account/internal/mechanism"
	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
)

// A Composition is the loss of all charges of a ledger.
type Composition struct {
	Adjacency, Unit string // what all charges state
	Releases        int
	None            bool // a release without noise: no guarantee

	alone loss.List // releases of units that are known to take part, and the failures of all
	// batches are the rounds that sampling amplifies, by their coins: what is released of one batch counts as one release,
	// whatever run or grant it belongs to. Further attempts of a round are of one batch, too.
	batches map[batch][]mechanism.Mechanism
	rates   map[batch]float64 // by which sampling amplifies what is released of a batch
	fixed   map[batch]bool    // drawn without replacement
	// Rounds of one throw, each unit in one of them: only the worst counts.
	disjoint map[throw]map[int][]mechanism.Mechanism
	thrown   map[string]throw // by the name of the coins, and twice those that several throws name
	twice    map[string]bool

	list *loss.List // nil before it is first asked for
}

// batch names the units of a round by the coins that chose them.
type batch struct {
	scheme event.Scheme // of named coins only the name; coins without a name are those of all rounds of such a scheme
	round  int
}

func batchOf(c *event.Charge) batch {
	if c.Scheme.Coins != "" {
		return batch{event.Scheme{Coins: c.Scheme.Coins}, c.Round}
	}
	return batch{c.Scheme, c.Round}
}

// throw names rounds that share no unit: those of one epoch of an allocation, or all rounds of an event.Epoch.
type throw struct {
	dataset, run, grant string
	scheme              event.Scheme
	epoch               int // from 0
}

// throwOf returns the throw of a charge. Secret coins name the same units in the rounds of a run by whichever grant, so that another
// grant may go on with a run.
func throwOf(c *event.Charge) throw {
	t := throw{c.Dataset, c.Run, c.Grant, c.Scheme, c.Scheme.EpochOf(c.Round)}
	if c.Scheme.Method == event.Allocate && c.Scheme.Secret {
		t.grant = ""
	}
	return t
}

// byOwnCoin returns among how many rounds a throw put each unit, if it did so by a secret coin of its own, which nothing else that
// was released depends on; else 0. What another run releases by the same coins is not independent of this one, so its losses
// would not add up if the coins took something off each. Under replace-one, and of other noise than Gaussian, no theorem here says
// what they take off.
func (c *Composition) byOwnCoin(t throw) int {
	if t.scheme.Method != event.Allocate || !t.scheme.Secret || c.Adjacency == event.ReplaceOne || c.twice[t.scheme.Coins] {
		return 0
	}
	for _, released := range c.disjoint[t] {
		if _, onlyGaussian := mechanism.JointSigma(released); !onlyGaussian {
			return 0
		}
	}
	return t.scheme.EpochRounds()
}

// A ChargeError says why a charge cannot be composed with those before it.
type ChargeError struct {
	Charge *event.Charge
	Err    error
}

func (e *ChargeError) Error() string {
	return fmt.Sprintf("charge of round %d of run %q: %v", e.Charge.Round, e.Charge.Run, e.Err)
}

func (e *ChargeError) Unwrap() error { return e.Err }

// New returns the composition of charges. It refuses those that it cannot compose soundly, of different neighbouring
// relations or units, with a *ChargeError.
func New(charges []*event.Charge) (*Composition, error) {
	c := &Composition{
		batches: make(map[batch][]mechanism.Mechanism), rates: make(map[batch]float64), fixed: make(map[batch]bool),
		disjoint: make(map[throw]map[int][]mechanism.Mechanism), thrown: make(map[string]throw), twice: make(map[string]bool),
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
		// The draws of a token's topic come before the release, which sees them: two mechanisms, one after the other.
		c.alone.Add(loss.Release{Released: []mechanism.Mechanism{mechanism.Pure{Epsilon: charge.Draws}}, Count: 1})
	}
	if charge.Clipping == event.ClipUnbounded {
		c.None = true // noise on a sum that a unit may move by any amount
		return nil
	}
	m, err := noiseOf(charge)
	if err != nil {
		return err
	}
	switch {
	case charge.Mechanism == event.Select:
		// For units that take part by a coin it would be no worse. Nobody needs that case.
		c.alone.AddFailure(StrayWord(charge))
		c.alone.Add(loss.Release{Released: []mechanism.Mechanism{m}, Count: 1})
	case charge.Mechanism == event.RandomizedResponse:
		// The bits of a document are reported independently, and as many can differ. So are drawn words, which have the ε of a bit.
		c.alone.Add(loss.Release{Released: []mechanism.Mechanism{m}, Count: int(charge.Sensitivity)})
	case Disjoint(charge):
		c.addToThrow(charge, m)
	case Rate(charge) < 1:
		b := batchOf(charge)
		c.batches[b] = append(c.batches[b], m)
	default: // an allocation without a name, too, which may be of several throws
		c.alone.Add(loss.Release{Released: []mechanism.Mechanism{m}, Count: 1})
	}
	return nil
}

// sample notes the rate of a charge's batch. Charges that say different things of the same coins leave nothing to rely on: their
// batch is not amplified. A second release of a batch without replacement is not amplified either. Whether such coins put a unit into
// the batch depends on the other units. No charge shows that two releases have one corpus: neither its run does, nor
// its data set. Two corpora of the units {x, a} and {x, b} have batches of one unit. At least one batch is x with
// probability 2/3, and the coins of one batch would say 1/2 (sample/internal/coin/claim.md, 5).
func (c *Composition) sample(charge *event.Charge) {
	b, rate := batchOf(charge), Rate(charge)
	fixed := charge.Scheme.Method == event.Fixed
	if before, ok := c.rates[b]; ok && (before != rate || fixed) {
		rate = 1
	}
	c.rates[b], c.fixed[b] = rate, fixed
	t := throwOf(charge)
	t.epoch = 0 // one name is that of all epochs of a run
	if before, ok := c.thrown[charge.Scheme.Coins]; ok && before != t {
		c.twice[charge.Scheme.Coins] = true
	}
	c.thrown[charge.Scheme.Coins] = t
}

// Amplified says whether sampling amplifies what a charge of the composition costs.
func (c *Composition) Amplified(charge *event.Charge) bool {
	if charge.Mechanism == event.Gaussian && Disjoint(charge) {
		return c.byOwnCoin(throwOf(charge)) > 1
	}
	return Rate(charge) < 1 && c.rates[batchOf(charge)] < 1
}

// Disjoint says that a charge is of rounds that share no unit and are known to be of one throw: of an allocation without a
// name it is not known.
func Disjoint(c *event.Charge) bool {
	return c.Scheme.Method == event.Epoch || c.Scheme.Method == event.Allocate && c.Scheme.Coins != ""
}

// addToThrow counts a charge of a round of a throw.
//
// Under add-remove and replace-null the unit is in one round, whatever the throw, and is not missed in another one. What a secret coin
// takes off is in byOwnCoin.
//
// The epochs of an allocation are throws of their own: a unit's coins of different epochs are independent (sample/internal/coin/claim.md,
// statement 3). So each epoch is a mechanism with randomness of its own, and their pairs and curves compose. An epoch may depend on the
// releases of those before, and rounds of two epochs may come in turns (Vadhan and Zhang 2023: see pld.GaussianAllocation).
//
// Under replace-one and a secret throw the new unit takes the slot of the old one. Each unit's round is a coin of its own,
// independent of the others' and uniform whoever the unit is. So the release without and with the exchange are mixtures over
// the same throws, with the same weights, of releases in which the new unit is where the old one was; given the throw one
// round differs, and a Rényi divergence of mixtures is at most the largest of theirs: see worst.
//
// Under replace-one and a function of only the unit, as a hash of its name or when it arrived, the new unit may be in
// another round than the old one. Then one round loses a unit and another gains one, each by that unit's own norm. Where
// the clip bounds that norm it is half of the sensitivity, or less than 0.71 of it in L2 without negative coordinates. So
// each of the two loses at most half of what it would by an exchange (a Gaussian's loss grows with the square of the shift,
// a Laplace's is convex in it and 0 at 0), and the worst round by itself is still a bound. A batch brought within its bound as
// a whole has no such bound for a unit: both rounds lose in full, at most twice the worst.
func (c *Composition) addToThrow(charge *event.Charge, m mechanism.Mechanism) {
	t := throwOf(charge)
	if c.disjoint[t] == nil {
		c.disjoint[t] = make(map[int][]mechanism.Mechanism)
	}
	round := append(c.disjoint[t][charge.Round], m)
	public := charge.Scheme.Method == event.Epoch || !charge.Scheme.Secret
	if public && charge.Adjacency == event.ReplaceOne && charge.Clipping == event.ClipBatch {
		round = append(round, m)
	}
	c.disjoint[t][charge.Round] = round
}

// fits refuses a neighbouring relation and unit that are not those of all charges.
func (c *Composition) fits(adjacency, unit string) error {
	if c.Adjacency != "" && (adjacency != c.Adjacency || unit != c.Unit) {
		return errors.New("a ledger of several neighbouring relations or privacy units cannot be composed")
	}
	return nil
}

// Rate is the rate by which sampling amplifies a charge, 1 where it does not or where no theorem says so for all accountants:
// coins that are not secret, coins and the exchange of a unit where the charge does not tell the norm of one (byExchangedCoin), and
// sampling without replacement except for Gaussian noise.
func Rate(c *event.Charge) float64 {
	sum := c.Mechanism == event.Gaussian || c.Mechanism == event.Laplace
	switch {
	case !c.Scheme.Secret || !sum:
	case c.Scheme.Method == event.Poisson && c.Adjacency != event.ReplaceOne:
		return c.Scheme.Rate // an empty unit adds nothing whatever its coin, as if it were not there
	case byExchangedCoin(c):
		return c.Scheme.Rate
	case c.Scheme.Method == event.Fixed && c.Adjacency != event.AddRemove && c.Mechanism == event.Gaussian:
		return min(1, math.Nextafter(c.Scheme.Rate, 1)) // the quotient of two numbers
	}
	return 1
}

// byExchangedCoin says that a charge is of Gaussian noise on a batch by secret coins, and that package pld has the pair of an exchange
// there. Its proof is of two data sets in which the unit of one slot is x or y, and asks that the coins of all other units have one
// joint distribution on both sides, independent of the slot's coin, which falls with probability q on both sides. It does not ask
// that the coin is the same one:
//
//   - If the new unit keeps the name, it has the coin of the old one, which is a function of a secret key, the round and the name.
//   - If it has another name, it has another coin. That coin is as if fresh: with an unknown key, the coins of different names and
//     rounds are as if independent (sample/internal/coin/claim.md, 1 and 4). So the releases have the same distribution as if it had
//     taken over the old coin. In all rounds together, too: the coins of two rounds are as if independent for each name.
//   - If the new unit has the name of another unit of the data set, the two are one unit, and the data sets differ in size. These are
//     no neighbours under replace-one; privatize counts such a name once.
//
// Coins from a seed are known, and hide nothing. Coins under one name choose one batch in all runs, where they meet in batches. The
// coins of a ledger's data sets have different names. Settings that follow from earlier releases need a filter, as elsewhere.
func byExchangedCoin(c *event.Charge) bool {
	_, _, known := c.ExchangedNorm()
	return known && c.Scheme.Secret && c.Scheme.Method == event.Poisson && c.Adjacency == event.ReplaceOne && c.Mechanism == event.Gaussian
}

// StrayWord is the probability δ' that a charge of event.Select releases a word that only one unit has. If it does not, the
// release is that of the words of all other units, so that it counts as a failure: the noise on the unit's own
// words is independent of that on the others, so given that none of its own is released the result is distributed exactly
// as if they did not exist, with a loss of the Gaussian on the others' words, where the unit moves weights by an L2 norm
// of at most the bound, which is the sensitivity.
func StrayWord(c *event.Charge) float64 {
	return renyi.StrayWord(c.Sensitivity, c.Scale, c.Threshold, c.MaxWords)
}

// Claimed returns the charges with the sensitivities that papers take in place of the sound ones, and whether any of them
// differs. Their composition is no bound, nor what a paper reports: it accounts for sampling as for the sound ones.
func Claimed(charges []*event.Charge) (claimed []*event.Charge, found bool) {
	for _, c := range charges {
		if Claims(c) {
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

// Claims says that a charge has the sensitivity of a paper beside the sound one, and that it is another.
func Claims(c *event.Charge) bool { return c.Claimed > 0 && c.Claimed != c.Sensitivity }
