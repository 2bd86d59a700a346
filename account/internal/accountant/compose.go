package accountant

import (
	"errors"
	"fmt"

	"privpipe/account/internal/loss"
	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
)

// A Composition is the joint privacy loss of charges.
type Composition struct {
	Adjacency, Unit string // the same in all charges
	Releases        int
	None            bool // some release has no noise, so there is no guarantee

	unamplified loss.List // releases that sampling does not amplify, and the failures of all releases
	// batches are the rounds that sampling amplifies, by their coins. All releases from one batch count as one release,
	// even if they belong to different runs or grants. Repeated attempts at a round use one batch, too.
	batches map[batch][]loss.Mechanism
	rates   map[batch]float64 // sampling amplifies a batch's releases by this rate
	fixed   map[batch]bool    // the batch was drawn without replacement
	// disjoint are the rounds of each throw. Each unit is in one of these rounds, so only the worst round counts.
	disjoint map[throw]map[int][]loss.Mechanism
	throws   map[string]throw // by the coins' name; reused has the names that several throws use
	reused   map[string]bool

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
		disjoint: make(map[throw]map[int][]loss.Mechanism), throws: make(map[string]throw),
		reused: make(map[string]bool),
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
		c.unamplified.Add(loss.Release{Released: []loss.Mechanism{loss.Pure{Epsilon: charge.Draws}}, Count: 1})
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
		c.unamplified.AddFailure(StrayWord(charge))
		c.unamplified.Add(loss.Release{Released: []loss.Mechanism{m}, Count: 1})
	case charge.Mechanism == event.RandomizedResponse:
		// A document's bits are reported independently, and Sensitivity is the number of bits that can differ. Drawn
		// words count alike: each has the ε of one bit.
		c.unamplified.Add(loss.Release{Released: []loss.Mechanism{m}, Count: int(charge.Sensitivity)})
	case isDisjoint(charge):
		c.addToThrow(charge, m)
	case samplingRate(charge) < 1:
		b := batchOf(charge)
		c.batches[b] = append(c.batches[b], m)
	default: // also an allocation without a name, which may mix several throws
		c.unamplified.Add(loss.Release{Released: []loss.Mechanism{m}, Count: 1})
	}
	return nil
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

// StrayWord is the probability δ' that a charge of event.Select releases a word that only one unit has. Such a release
// counts as a failure. Otherwise the release has only words that other units have, too. The noise on the unit's own
// words is independent of the noise on the others. So given that none of its own words is released, the result is
// distributed exactly as if these words did not exist. Then the loss is the loss of the Gaussian on the others' words.
// There the unit moves weights by an L2 norm of at most the bound, which is the sensitivity.
func StrayWord(c *event.Charge) float64 {
	return renyi.StrayWord(c.Sensitivity, c.Scale, c.Threshold, c.MaxWords)
}
