package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// GrantVersion is the version of the grant file that this package reads and writes.
const GrantVersion = 1

// The neighbouring relations: two data sets are neighbours if they differ in one unit more or less, or in one unit
// exchanged for another.
const (
	AddRemove  = "add-remove"
	ReplaceOne = "replace-one"
)

// The privacy units.
const (
	Document = "document"
	User     = "user"
)

// The mechanisms.
const (
	Gaussian = "gaussian" // discrete Gaussian noise on exact integer sums of clipped contributions
	None     = "none"     // no privacy
)

// A Grant is leave to release: what `account plan` worked out and `privatize` enforces by comparing.
type Grant struct {
	Version         int        `json:"version"`
	ID              string     `json:"id"`
	Created         time.Time  `json:"created"`
	Expires         *time.Time `json:"expires,omitempty"`
	Mechanism       string     `json:"mechanism"`
	Adjacency       string     `json:"adjacency"`
	Unit            string     `json:"unit"`
	Clip            float64    `json:"clip"`             // L2 bound C of a unit's contribution to a round
	NoiseMultiplier float64    `json:"noise_multiplier"` // σ/C, the noise's scale over the clip
	Scheme          Scheme     `json:"scheme"`
	Releases        int        `json:"releases"` // at most so many
	Budget          Budget     `json:"budget"`
}

// A Budget is what a grant was planned for: the numbers above follow from it and from what the ledger had spent.
type Budget struct {
	Epsilon    float64 `json:"epsilon,omitempty"` // of the whole ledger; 0: the noise was given, not planned
	Delta      float64 `json:"delta,omitempty"`
	Accountant string  `json:"accountant,omitempty"`
	// After is the hash of the ledger's last line when the plan was made, Genesis for none. The plan knows of no charge
	// behind it, so none but the grant's own may stand there.
	After string `json:"after,omitempty"`
}

func (b Budget) check() error {
	if b.Epsilon == 0 && b.Delta == 0 {
		return nil
	}
	if err := CheckEpsilon(b.Epsilon); err != nil {
		return err
	}
	if err := CheckDelta(b.Delta); err != nil {
		return err
	}
	if len(b.After) != len(Genesis) {
		return errors.New("it does not say which line of the ledger it was planned after")
	}
	return nil
}

// Check reports the first rule that g breaks.
func (g *Grant) Check() error {
	if g.Version != GrantVersion {
		return fmt.Errorf("version %d of a grant, must be %d", g.Version, GrantVersion)
	}
	if g.ID == "" {
		return errors.New("grant has no id")
	}
	if err := oneOf("mechanism", g.Mechanism, Gaussian); err != nil {
		return err
	}
	if err := CheckRelation(g.Adjacency, g.Unit, g.Scheme); err != nil {
		return err
	}
	if err := CheckClip(g.Clip); err != nil {
		return err
	}
	if err := CheckNoiseMultiplier(g.NoiseMultiplier); err != nil {
		return err
	}
	if err := CheckRounds(g.Releases); err != nil {
		return fmt.Errorf("releases: %w", err)
	}
	if err := g.Budget.check(); err != nil {
		return fmt.Errorf("budget: %w", err)
	}
	return g.Scheme.Check()
}

// CheckRelation checks that adjacency and unit are known and fit the sampling scheme.
func CheckRelation(adjacency, unit string, scheme Scheme) error {
	if err := oneOf("adjacency", adjacency, AddRemove, ReplaceOne); err != nil {
		return err
	}
	if err := oneOf("unit", unit, Document, User); err != nil {
		return err
	}
	if scheme.Method == Fixed && adjacency != ReplaceOne {
		// Under add-remove the population is private, and a round's size over it tells it.
		return fmt.Errorf("fixed-size sampling needs adjacency %q, which makes the population public", ReplaceOne)
	}
	return nil
}

// Expired says whether g may no longer be used at the given time.
func (g *Grant) Expired(at time.Time) bool { return g.Expires != nil && !at.Before(*g.Expires) }

// SensitivityFactor is the L2 sensitivity of a sum of contributions over their bound C: C for a unit more or less,
// 2·C for an exchange of contributions of any sign (triangle inequality; attained by u = −v).
func SensitivityFactor(adjacency string) uint64 {
	if adjacency == ReplaceOne {
		return 2
	}
	return 1
}

// ParseGrant parses the JSON of a grant and checks it. It refuses fields that it does not know.
func ParseGrant(b []byte) (*Grant, error) {
	g := new(Grant)
	if err := strict(b, g); err != nil {
		return nil, fmt.Errorf("not a grant: %w", err)
	}
	if err := g.Check(); err != nil {
		return nil, err
	}
	return g, nil
}

// strict decodes exactly one JSON value with known fields only.
func strict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one JSON value")
	}
	return nil
}
