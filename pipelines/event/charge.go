package event

import (
	"errors"
	"fmt"
)

// A Charge is one release, with all that is needed to recompute its privacy loss and nothing that depends on the data.
type Charge struct {
	Dataset   string `json:"dataset"`
	Run       string `json:"run"`
	Round     int    `json:"round"` // from 1
	Grant     string `json:"grant,omitempty"`
	Mechanism string `json:"mechanism"`
	Adjacency string `json:"adjacency"`
	Unit      string `json:"unit"`
	Clipping  string `json:"clipping,omitempty"` // as in the grant
	// Sensitivity is the sensitivity of the integer sum under the adjacency, in steps: in L1 for Laplace, otherwise in
	// L2. For RandomizedResponse it is the number of bits that can differ between the word sets of two documents. If
	// words are drawn, it is the number of words drawn for one report. It is 0 for None, and for ClipUnbounded, where
	// no bound exists.
	Sensitivity uint64 `json:"sensitivity"`
	// Scale is the noise scale, in the same steps: σ of the discrete Gaussian, t of the discrete Laplace. For
	// RandomizedResponse it is 2^32 times p: a bit is reported wrong with probability p, and a wrong word has p/(1−p)
	// times the weight of a right one. It is 2^32 for Objective, and 0 for None.
	Scale     uint64 `json:"scale"`
	Threshold uint64 `json:"threshold,omitempty"` // Select: the least noisy weight that a released word has, in steps
	MaxWords  int    `json:"max_words,omitempty"` // Select: the maximum number of words that count for one unit
	// Claimed is the sensitivity that a paper assumes, if a recipe reproduces the paper. For Objective it is the
	// claimed ε times Scale.
	Claimed uint64 `json:"claimed_sensitivity,omitempty"`
	// Draws is the pure loss of the draws that gave one token its topic in the round. It adds to the release's loss.
	Draws    float64 `json:"draws,omitempty"`
	Scheme   Scheme  `json:"scheme"`
	Settings string  `json:"settings"` // SHA-256 of the run's public settings, in hexadecimal
	Release  string  `json:"release"`  // SHA-256 of the stored release, in hexadecimal
	// Attempt counts the releases of this round in this run, from 2. A round may be released again with permission, for
	// one more charge.
	Attempt int `json:"attempt,omitempty"`
}

// Check reports the first rule that c breaks.
func (c *Charge) Check() error {
	if err := oneOf("mechanism", c.Mechanism, Mechanisms()...); err != nil {
		return err
	}
	if err := CheckRelation(c.Adjacency, c.Unit, c.Scheme); err != nil {
		return err
	}
	if err := CheckRounds(c.Round); err != nil {
		return fmt.Errorf("round: %w", err)
	}
	if c.Attempt < 0 || c.Attempt == 1 {
		return fmt.Errorf("attempt must be 0, or at least 2, is %d", c.Attempt)
	}
	if most := max(c.Sensitivity, c.Claimed, c.Scale, c.Threshold); most > maxSteps {
		return fmt.Errorf("sensitivity, claimed_sensitivity, scale and threshold must be at most 2^62, one is %d", most)
	}
	if err := c.checkMechanism(); err != nil {
		return err
	}
	return c.Scheme.Check()
}

// maxSteps bounds every number of steps in a charge. It is far above the scale of any noise that a privatizer draws,
// and 2·maxSteps still fits a uint64.
const maxSteps = 1 << 62

// checkMechanism checks that c has the members that its mechanism needs, and no others.
func (c *Charge) checkMechanism() error {
	if err := checkClipping(c.Mechanism, c.Clipping); err != nil {
		return err
	}
	if noise, bounded := c.Mechanism != None, c.Clipping != ClipUnbounded; noise != (c.Scale > 0) ||
		(noise && bounded) != (c.Sensitivity > 0) {
		return errors.New("a mechanism with noise needs a scale, and a sensitivity unless it is unbounded; mechanism " +
			"none has neither")
	}
	if c.Clipping == ClipUnbounded && c.Claimed == 0 {
		return fmt.Errorf("clipping %s needs a claimed_sensitivity", ClipUnbounded)
	}
	if c.Unit == Word && c.Mechanism != None && c.Clipping != ClipProved && c.Clipping != ClipUnbounded {
		return fmt.Errorf("unit %s needs clipping %s or %s", Word, ClipProved, ClipUnbounded)
	}
	if err := checkDraws(c.Unit, c.Draws); err != nil {
		return err
	}
	if c.Claimed > 0 && c.Mechanism != Gaussian && c.Mechanism != Laplace && c.Mechanism != Objective {
		return fmt.Errorf("claimed_sensitivity does not belong to %s", c.Mechanism)
	}
	if selects := c.Mechanism == Select; selects != (c.Threshold != 0) || selects != (c.MaxWords != 0) {
		return errors.New("threshold and max_words belong to select, and select needs both")
	}
	return c.checkSingle()
}

// NoCharge returns the charge for a release without privacy. The caller adds data set, run, settings and release.
func NoCharge(round int, unit string, scheme Scheme) *Charge {
	c := &Charge{Round: round, Mechanism: None, Adjacency: AddRemove, Unit: unit, Scheme: scheme}
	if scheme.Method == Fixed {
		c.Adjacency = ReplaceOne
	}
	return c
}

// NoiseMultiplier returns the noise scale divided by the sensitivity, for mechanisms that add noise to sums. It is 0
// for None.
func (c *Charge) NoiseMultiplier() float64 {
	if c.Sensitivity == 0 {
		return 0
	}
	return float64(c.Scale) / float64(c.Sensitivity)
}
