// Package compose turns the charges of a ledger into the loss of all of them together.
package compose

import (
	"errors"
	"fmt"

	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
)

// A Composition is the loss of all charges of a ledger.
type Composition struct {
	Adjacency, Unit string // what all charges state
	Releases        int
	None            bool // a release without noise: no guarantee

	loss  renyi.Loss    // of releases that fail; without the curve
	alone map[noise]int // releases of units that are known to take part: how many of each kind
	// batches are the rounds that sampling amplifies, by their coins: what is released of one batch counts as one release,
	// whatever run or grant it belongs to. Further attempts of a round are of one batch, too.
	batches map[batch][]noise
	// Rounds of one throw, each unit in one of them: only the worst counts.
	disjoint map[throw]map[int][]noise

	kinds map[string]kind // nil before they are first asked for
}

// batch names the units of a round by the coins that chose them; coins without a name are those of all such rounds.
type batch struct {
	scheme event.Scheme
	round  int
}

// throw names rounds that share no unit.
type throw struct {
	dataset, run, grant string
	scheme              event.Scheme
}

// New returns the composition of charges. It refuses those that it cannot compose soundly: of different neighbouring
// relations or units.
func New(charges []*event.Charge) (*Composition, error) {
	c := &Composition{
		alone: make(map[noise]int), batches: make(map[batch][]noise), disjoint: make(map[throw]map[int][]noise),
	}
	for _, charge := range charges {
		if err := c.add(charge); err != nil {
			return nil, fmt.Errorf("charge of round %d of run %s: %w", charge.Round, charge.Run, err)
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
	n := noiseOf(charge)
	s := charge.Scheme
	switch {
	case charge.Mechanism == event.Select:
		// Of units that take part by a coin it would be no worse; nobody needs that.
		c.loss.Add(StrayWord(charge))
		c.alone[n]++
	case charge.Mechanism == event.RandomizedResponse:
		c.alone[n]++
	case s.Method == event.Epoch || s.Method == event.Allocate && s.Coins != "":
		c.addToThrow(charge, n)
	case Rate(charge) < 1:
		b := batch{s, charge.Round}
		c.batches[b] = append(c.batches[b], n)
	default: // an allocation without a name, too, which may be of several throws
		c.alone[n]++
	}
	return nil
}

// addToThrow counts a charge of a round of a throw.
//
// Under add-remove the unit is in one round, whatever the throw. Under replace-one the new unit may be in another round
// than the old one, as a hash of its name is another: then two rounds lose a unit or gain one, each by the unit's own
// norm. That is what the clip bounds: half of the sensitivity, or less than 0.71 of it in L2 without negative
// coordinates, so that the loss of each is at most half of that by an exchange (a Gaussian's grows with the square,
// a Laplace's is convex and 0 at 0), and the worst round alone is still a bound. A batch brought within its bound as a
// whole has no such bound for a unit: both rounds lose in full.
func (c *Composition) addToThrow(charge *event.Charge, n noise) {
	t := throw{charge.Dataset, charge.Run, charge.Grant, charge.Scheme}
	if c.disjoint[t] == nil {
		c.disjoint[t] = make(map[int][]noise)
	}
	round := append(c.disjoint[t][charge.Round], n)
	if charge.Scheme.Method == event.Epoch && charge.Adjacency == event.ReplaceOne && charge.Clipping == event.ClipBatch {
		round = append(round, n)
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

// Rate is the rate by which sampling amplifies a charge, 1 where it does not or where this accountant has no theorem for
// it: coins that are not secret, sampling without replacement, and the exchange of a unit.
func Rate(c *event.Charge) float64 {
	sum := c.Mechanism == event.Gaussian || c.Mechanism == event.Laplace
	if sum && c.Scheme.Method == event.Poisson && c.Scheme.Secret && c.Adjacency == event.AddRemove {
		return c.Scheme.Rate
	}
	return 1
}

// StrayWord is the probability δ' that a charge of event.Select releases a word that one unit alone has. If it does not, the
// release is that of the words of all other units, so that renyi.Loss counts it as a failure: the noise on the unit's own
// words is independent of that on the others, so given that none of its own is released the result is distributed exactly
// as if they did not exist, with a loss of the Gaussian on the others' words, where the unit moves weights by an L2 norm
// of at most the bound, which is the sensitivity.
func StrayWord(c *event.Charge) float64 {
	return renyi.StrayWord(c.Sensitivity, c.Scale, c.Threshold, c.MaxWords)
}
