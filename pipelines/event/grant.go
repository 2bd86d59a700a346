package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
)

// GrantVersion is the version of the grants that are planned now. Those of version 2, which have neither Proved nor Draws, nor unit
// Word, nor ClipUnbounded, are used, too. Grants of version 1, which name neither a model nor a ledger, are read in ledgers; none
// comes into use any more.
const (
	GrantVersion       = 3
	OldestGrantVersion = 2 // that may be used
)

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
	// Word: neighbours differ in one token, replaced by another word of the vocabulary at its place. Documents, their names
	// and lengths are public, and all of them take part in all rounds. Streams carry documents: see claim.md.
	Word = "word"
)

// A Grant is leave to release: what `account plan` worked out and `privatize` enforces by comparing.
type Grant struct {
	Version int        `json:"version"`
	ID      string     `json:"id"`
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires,omitempty"`
	// Ledger is the identity of the one ledger that the grant may be used with (Head.ID). Empty: any ledger, if no budget
	// was planned.
	Ledger string `json:"ledger,omitempty"`
	// Dataset is the name of the one data set that the grant may be used with, where the ledger's data sets share no unit
	// (Head.DisjointDatasets). The budget is then of what that one has released. Empty in grants for other ledgers.
	Dataset   string `json:"dataset,omitempty"`
	Mechanism string `json:"mechanism"`
	Adjacency string `json:"adjacency"`
	Unit      string `json:"unit"`

	Subject

	// How a unit's contribution is bounded: see ClipUnit and the others. Empty is ClipUnit, or ClipUnitL1 for Laplace.
	Clipping string  `json:"clipping,omitempty"`
	Clip     float64 `json:"clip,omitempty"` // the bound C
	// Proved is the sensitivity over the clip, in [1, 2], that a proof in the model's claim.md gives to sums on the grid, where
	// clipping is ClipProved and units are exchanged; 0: 2, or √2 with NonNegative. See claim.md.
	Proved float64 `json:"sensitivity,omitempty"`
	// NonNegative says that negative coordinates count as 0, so that exchanging a unit moves a sum by less.
	NonNegative bool `json:"non_negative,omitempty"`
	// Statistics are the bounds of some matrices by name; other matrices have the bound 1. Coordinates are divided by
	// the bound of their matrix, and all together are then clipped to C.
	Statistics []Statistic `json:"statistics,omitempty"`

	NoiseMultiplier float64 `json:"noise_multiplier,omitempty"` // the noise's scale over the clip: σ/C, for Laplace t/C
	Flip            float64 `json:"flip,omitempty"`             // RandomizedResponse: probability that a bit is reported wrong
	MaxWords        int     `json:"max_words,omitempty"`        // Select, RandomizedResponse: most words of a unit that count
	Threshold       float64 `json:"threshold,omitempty"`        // Select: what a word's noisy weight must reach

	// Claim is PaperClaim for a run that reproduces a paper: its charges state the paper's sensitivity beside the sound one.
	Claim string `json:"claim,omitempty"`
	// Draws is the pure loss, each round, of the draws by which one token gets its topic. Unit Word only.
	Draws float64 `json:"draws,omitempty"`

	Scheme   Scheme `json:"scheme"`
	Releases int    `json:"releases"` // at most so many
	Budget   Budget `json:"budget"`
	// Cost is what each release costs in the measure of the ledger's filter, rounded up; 0: the ledger has none.
	Cost float64 `json:"cost,omitempty"`
}

// A Statistic is a bound on a matrix of contributions.
type Statistic struct {
	Name  string  `json:"name"`
	Bound float64 `json:"bound"`
}

// PaperClaim is the claim of a recipe that reproduces a paper.
const PaperClaim = "paper"

// A Budget is what a grant was planned for: the numbers above follow from it and from what the ledger had spent.
type Budget struct {
	Epsilon    float64 `json:"epsilon,omitempty"` // of the whole ledger, or of Grant.Dataset; 0: the noise was given, not planned
	Delta      float64 `json:"delta,omitempty"`
	Accountant string  `json:"accountant,omitempty"`
	// After is the hash of the ledger's last line when the plan was made, Genesis for none. The plan knows of no charge
	// that follows, so only the grant's own may, and those of Beside; and those of other data sets, where they share no unit.
	After string `json:"after,omitempty"`
	// Beside are grants that were planned before and not used by then (Grant.Hash). The plan counts all their releases.
	Beside []string `json:"beside,omitempty"`
}

// check checks b; pure says that the mechanism has a pure ε, so that δ may be 0.
func (b Budget) check(pure bool) error {
	if b.Epsilon == 0 && b.Delta == 0 {
		if len(b.Beside) > 0 {
			return errors.New("it names other grants, but no epsilon")
		}
		return nil
	}
	for i, hash := range b.Beside {
		if err := checkHex("hash of a grant beside it", hash, sha256.Size); err != nil {
			return err
		}
		if slices.Contains(b.Beside[:i], hash) {
			return errors.New("a grant beside it stands twice")
		}
	}
	if err := CheckEpsilon(b.Epsilon); err != nil {
		return err
	}
	if b.Delta != 0 || !pure {
		if err := CheckDelta(b.Delta); err != nil {
			return err
		}
	}
	if len(b.After) != len(Genesis) {
		return errors.New("it does not say which line of the ledger it was planned after")
	}
	return nil
}

// Check reports the first rule that g breaks.
func (g *Grant) Check() error {
	if g.Version < 1 || g.Version > GrantVersion {
		return fmt.Errorf("version %d of a grant, must be 1 to %d", g.Version, GrantVersion)
	}
	if g.ID == "" {
		return errors.New("grant has no id")
	}
	if g.Version == 1 && (g.Ledger != "" || g.Cost != 0 || len(g.Budget.Beside) > 0) {
		return errors.New("ledger, cost and beside do not belong to a grant of version 1")
	}
	if g.Version < 3 && (g.Unit == Word || g.Clipping == ClipUnbounded || g.Proved != 0 || g.Draws != 0) {
		return fmt.Errorf("unit word, clipping unbounded, sensitivity and draws do not belong to a grant of version %d", g.Version)
	}
	if g.Dataset != "" && g.Ledger == "" {
		return errors.New("a data set is one of a ledger's, and the grant names no ledger")
	}
	if err := checkDataset(g.Dataset); err != nil {
		return err
	}
	if strings.TrimSpace(g.Dataset) != g.Dataset || strings.ContainsFunc(g.Dataset, unicode.IsControl) {
		// One data set by two names would have two budgets, so names that look alike are refused.
		return errors.New("name of the data set must have no control character, and no space at its ends")
	}
	if g.Version > 1 {
		if err := CheckName(g.ID); err != nil {
			return fmt.Errorf("id: %w", err)
		}
	}
	if g.Ledger != "" {
		if err := checkHex("ledger", g.Ledger, headIDBytes); err != nil {
			return err
		}
	}
	if g.Cost != 0 {
		if err := positive("cost", g.Cost); err != nil {
			return err
		}
	}
	if err := oneOf("mechanism", g.Mechanism, Gaussian, Laplace, Select, RandomizedResponse); err != nil {
		return err
	}
	if err := CheckRelation(g.Adjacency, g.Unit, g.Scheme); err != nil {
		return err
	}
	if err := errors.Join(g.checkMechanism(), g.checkSubject()); err != nil {
		return err
	}
	if err := CheckRounds(g.Releases); err != nil {
		return fmt.Errorf("releases: %w", err)
	}
	if err := g.Budget.check(Pure(g.Mechanism)); err != nil {
		return fmt.Errorf("budget: %w", err)
	}
	return g.Scheme.Check()
}

// CheckRelation checks that adjacency and unit are known and fit the sampling scheme.
func CheckRelation(adjacency, unit string, scheme Scheme) error {
	if err := oneOf("adjacency", adjacency, AddRemove, ReplaceOne); err != nil {
		return err
	}
	if err := oneOf("unit", unit, Document, User, Word); err != nil {
		return err
	}
	if unit == Word && (adjacency != ReplaceOne || scheme.Method != All) {
		// Which documents take part is public, so nothing is left that sampling could hide.
		return fmt.Errorf("unit %s needs adjacency %q and all units in each round", Word, ReplaceOne)
	}
	if scheme.Method == Fixed && adjacency != ReplaceOne {
		// Under add-remove the population is private, and a round's size over it tells it.
		return fmt.Errorf("fixed-size sampling needs adjacency %q, which makes the population public", ReplaceOne)
	}
	return nil
}

// Hash is the SHA-256 of g's JSON as a ledger holds it, in hexadecimal.
func (g *Grant) Hash() (string, error) {
	b, err := json.Marshal(g)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// Expired says whether g may no longer be used at the given time.
func (g *Grant) Expired(at time.Time) bool { return g.Expires != nil && !at.Before(*g.Expires) }

// ParseGrant parses the JSON of a grant and checks it. It refuses fields that it does not know.
func ParseGrant(b []byte) (*Grant, error) {
	g := new(Grant)
	err := plain(b)
	if err == nil {
		err = strict(b, g)
	}
	if err != nil {
		return nil, fmt.Errorf("not a grant: %w", err)
	}
	if err := g.Check(); err != nil {
		return nil, err
	}
	return g, nil
}

// plain refuses JSON in which a member stands twice, or is not in small letters: programs differ in what they make of it.
func plain(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	var open []map[string]bool // the members so far of each object under way, nil for a list
	key := false               // the next token is the name of a member
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		name, text := token.(string)
		switch {
		case token == json.Delim('{'):
			open = append(open, make(map[string]bool))
		case token == json.Delim('['):
			open = append(open, nil)
		case token == json.Delim('}'), token == json.Delim(']'):
			open = open[:len(open)-1]
		case key && text:
			members := open[len(open)-1]
			if members[name] || strings.ToLower(name) != name {
				return fmt.Errorf("member %q stands twice, or is not in small letters", name)
			}
			members[name], key = true, false
			continue
		}
		key = len(open) > 0 && open[len(open)-1] != nil
	}
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
