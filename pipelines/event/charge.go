package event

import (
	"errors"
	"fmt"
)

// A Charge is one release, with all that is needed to recompute its privacy loss and nothing about the data.
type Charge struct {
	Dataset     string `json:"dataset"`
	Run         string `json:"run"`
	Round       int    `json:"round"` // from 1
	Grant       string `json:"grant,omitempty"`
	Mechanism   string `json:"mechanism"`
	Adjacency   string `json:"adjacency"`
	Unit        string `json:"unit"`
	Sensitivity uint64 `json:"sensitivity"` // L2, of the integer sum under the adjacency, in steps
	Scale       uint64 `json:"scale"`       // σ of the discrete Gaussian, in the same steps; 0 for None
	Scheme      Scheme `json:"scheme"`
	Settings    string `json:"settings"` // SHA-256 of the public settings of the run, in hexadecimal
	Release     string `json:"release"`  // SHA-256 of the released records, in hexadecimal
}

// Check reports the first rule that c breaks.
func (c *Charge) Check() error {
	if err := oneOf("mechanism", c.Mechanism, Gaussian, None); err != nil {
		return err
	}
	if err := CheckRelation(c.Adjacency, c.Unit, c.Scheme); err != nil {
		return err
	}
	if err := CheckRounds(c.Round); err != nil {
		return fmt.Errorf("round: %w", err)
	}
	if private := c.Mechanism != None; private != (c.Scale > 0) || private != (c.Sensitivity > 0) {
		return errors.New("a mechanism with noise needs a scale and a sensitivity; none has neither")
	}
	return c.Scheme.Check()
}

// NoiseMultiplier is the noise's scale over the sensitivity; 0 for None.
func (c *Charge) NoiseMultiplier() float64 {
	if c.Sensitivity == 0 {
		return 0
	}
	return float64(c.Scale) / float64(c.Sensitivity)
}
