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

// GrantVersion is the version of new grants. A grant of version 2 may still be used. It has no Proved, no Draws, no
// ReportWords, no Scheme.Epochs, no unit Word, no ReplaceNull, no ClipUnbounded and no Objective. A grant of version 1
// names neither a model nor a ledger. Such grants are read in old ledgers, and may not be used again.
const (
	GrantVersion       = 3
	OldestGrantVersion = 2 // the oldest version that may be used
)

// The neighbouring relations. Two data sets are neighbours under AddRemove if one has one unit more than the other, and
// under ReplaceOne if one unit is exchanged for another unit. Under ReplaceNull one unit is exchanged for an empty
// unit, which contributes nothing. This is zero-out in Kairouz et al., Practical and Private (Deep) Learning without
// Sampling or Shuffling (ICML 2021), definition 1.1. The number of units is public, as under ReplaceOne. A sum moves by
// one unit's contribution, as under AddRemove, except in batches of a fixed size.
const (
	AddRemove   = "add-remove"
	ReplaceOne  = "replace-one"
	ReplaceNull = "replace-null"
)

// The privacy units.
const (
	Document = "document"
	User     = "user"
	// Word: neighbours differ in one token, which is replaced by another word from the vocabulary at the same place.
	// The number of documents and their lengths are public, and all documents are in all rounds. Streams carry
	// documents: see claim.md.
	Word = "word"
)

// A Grant is permission to release. `account plan` computes its numbers, and `privatize` enforces them by comparison.
type Grant struct {
	Version int        `json:"version"`
	ID      string     `json:"id"`
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires,omitempty"`
	// Ledger is the identity (Head.ID) of the one ledger that the grant may be used with. If it is empty, the grant may
	// be used with any ledger, but only without a budget.
	Ledger string `json:"ledger,omitempty"`
	// Dataset is the name of the one data set that the grant may be used with, if the ledger's data sets share no unit
	// (Head.DisjointDatasets). The budget then covers that data set. Dataset is empty in grants for other ledgers.
	Dataset   string `json:"dataset,omitempty"`
	Mechanism string `json:"mechanism"`
	Adjacency string `json:"adjacency"`
	Unit      string `json:"unit"`

	Subject

	// Clipping says how contributions are bounded: see ClipUnit and the others. Empty means ClipUnit, or ClipUnitL1 for
	// Laplace.
	Clipping string  `json:"clipping,omitempty"`
	Clip     float64 `json:"clip,omitempty"` // the bound C
	// Proved is the sensitivity of sums on the grid divided by the clip, in [1, 2], by a proof in the model's claim.md.
	// It needs ClipProved and ReplaceOne. 0 stands for 2, or √2 with NonNegative. See claim.md.
	Proved float64 `json:"sensitivity,omitempty"`
	// NonNegative says that negative coordinates are set to 0. The exchange of one unit then changes a sum by less.
	NonNegative bool `json:"non_negative,omitempty"`
	// Statistics are the bounds of some matrices by name. Other matrices have the bound 1. Coordinates are divided by
	// their matrix's bound. Then the vector of all matrices is clipped to C.
	Statistics []Statistic `json:"statistics,omitempty"`

	// noise scale divided by the clip: σ/C, or t/C for Laplace
	NoiseMultiplier float64 `json:"noise_multiplier,omitempty"`
	// RandomizedResponse: probability that a bit is reported wrong; see ReportWords
	Flip float64 `json:"flip,omitempty"`
	// Select, RandomizedResponse: the maximum number of words that count for one unit
	MaxWords int `json:"max_words,omitempty"`
	// ReportWords is for RandomizedResponse: the number of words drawn for one report. 0: a report has a bit for each
	// word.
	ReportWords int     `json:"report_words,omitempty"`
	Threshold   float64 `json:"threshold,omitempty"` // Select: the least noisy weight that a released word has

	// Regularisation and ClaimedEpsilon are for Objective: Λ in (1/n)·Σ loss + ½·Λ·|w|², and the pure ε that the paper
	// claims for its perturbation.
	Regularisation float64 `json:"regularisation,omitempty"`
	ClaimedEpsilon float64 `json:"claimed_epsilon,omitempty"`

	// Claim is PaperClaim for a run that reproduces a paper. Its charges state the paper's sensitivity in addition to
	// the sound one.
	Claim string `json:"claim,omitempty"`
	// Draws is the pure loss ε, in each round, of the draws that give one token its topic. Unit Word only.
	Draws float64 `json:"draws,omitempty"`

	Scheme   Scheme `json:"scheme"`
	Releases int    `json:"releases"` // the maximum number of releases
	Budget   Budget `json:"budget"`
	// Cost is the cost of each release in the measure of the ledger's filter, rounded up. It is 0 if the ledger has no
	// filter.
	Cost float64 `json:"cost,omitempty"`
}

// A Statistic bounds one matrix of the contributions.
type Statistic struct {
	Name  string  `json:"name"`
	Bound float64 `json:"bound"`
}

// PaperClaim is the claim that a recipe has if it reproduces a paper.
const PaperClaim = "paper"

// A Budget is the (ε, δ) that a grant was planned for. `account plan` derives the noise from the budget and from the
// ledger.
type Budget struct {
	// for the whole ledger, or for Grant.Dataset; 0 if the noise was given, not planned
	Epsilon    float64 `json:"epsilon,omitempty"`
	Delta      float64 `json:"delta,omitempty"`
	Accountant string  `json:"accountant,omitempty"`
	// After is the hash of the ledger's last line when the plan was made, or Genesis. The plan does not count later
	// charges. So the only later charges allowed are those under the grant, under Beside, and for other data sets that
	// share no unit.
	After string `json:"after,omitempty"`
	// Beside has the hashes (Grant.Hash) of earlier grants that were still unused. The plan counts all their releases.
	Beside []string `json:"beside,omitempty"`
}

// check checks b. pure says that the mechanism has a pure ε, so δ may be 0.
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
			return errors.New("a grant beside it occurs twice")
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
	// Objective is unbounded
	if g.Version < 3 && (g.Unit == Word || g.Adjacency == ReplaceNull || g.Clipping == ClipUnbounded || g.Proved != 0 ||
		g.Draws != 0 ||
		g.ReportWords != 0 || g.Scheme.Epochs != 0) {
		return fmt.Errorf("unit word, %s, clipping unbounded, sensitivity, draws, report_words and epochs do not "+
			"belong to a grant of version %d", ReplaceNull, g.Version)
	}
	if g.Dataset != "" && g.Ledger == "" {
		return errors.New("a data set is one of a ledger's, and the grant names no ledger")
	}
	if err := checkDataset(g.Dataset); err != nil {
		return err
	}
	if strings.TrimSpace(g.Dataset) != g.Dataset || strings.ContainsFunc(g.Dataset, unicode.IsControl) {
		// One data set under two names would have two budgets, so characters that do not show in print are refused.
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
	if err := oneOf("mechanism", g.Mechanism, granted()...); err != nil {
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
	if err := oneOf("adjacency", adjacency, AddRemove, ReplaceOne, ReplaceNull); err != nil {
		return err
	}
	if err := oneOf("unit", unit, Document, User, Word); err != nil {
		return err
	}
	if unit == Word && (adjacency != ReplaceOne || scheme.Method != All) {
		// The documents of each round are public, so sampling hides nothing.
		return fmt.Errorf("unit %s needs adjacency %q and all units in each round", Word, ReplaceOne)
	}
	if scheme.Method == Fixed && adjacency == AddRemove {
		// Under add-remove the population is private, and the size and the rate of a round would reveal it.
		return fmt.Errorf("fixed-size sampling needs adjacency %q or %q, which make the population public", ReplaceOne,
			ReplaceNull)
	}
	return nil
}

// Hash returns the SHA-256 of g's JSON as a ledger holds it, in hexadecimal.
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

// ParseGrant parses and checks a grant in JSON. It refuses unknown fields, and fields with an empty value.
func ParseGrant(b []byte) (*Grant, error) {
	g := new(Grant)
	if err := Decode(b, g); err != nil {
		return nil, fmt.Errorf("not a grant: %w", err)
	}
	written, err := json.Marshal(g)
	if err != nil {
		return nil, err
	}
	var given, meant any
	if err := errors.Join(json.Unmarshal(b, &given), json.Unmarshal(written, &meant)); err != nil {
		return nil, err
	}
	if err := nothing(given, meant); err != nil {
		return nil, err
	}
	if err := g.Check(); err != nil {
		return nil, err
	}
	return g, nil
}

// nothing refuses members that a grant gives with no meaning: a member that is 0 or "" reads like an absent member. A
// budget of 0 would then be no budget.
func nothing(given, meant any) error {
	switch given := given.(type) {
	case map[string]any:
		meant, _ := meant.(map[string]any)
		for name, value := range given {
			other, there := meant[name]
			if !there && value != false {
				return fmt.Errorf("member %q is nothing: leave it out, or give it a value", name)
			}
			if err := nothing(value, other); err != nil {
				return err
			}
		}
	case []any:
		meant, _ := meant.([]any)
		for i := range min(len(given), len(meant)) {
			if err := nothing(given[i], meant[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Decode decodes exactly one JSON value. It refuses unknown members, and JSON that plain refuses.
func Decode(b []byte, v any) error {
	if err := plain(b); err != nil {
		return err
	}
	return strict(b, v)
}

// plain refuses JSON if a member occurs twice, or if any member's name has characters that no member here has: parsers
// differ on such JSON. encoding/json takes "ID" for id, and "releaſes", with a long s, for releases.
func plain(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	var open []map[string]bool // for each open object its members so far, nil for a list
	key := false               // the next token is a member's name
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
			if members[name] || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
				return fmt.Errorf("member %q occurs twice, or is not of small letters a to z, digits and _", name)
			}
			members[name], key = true, false
			continue
		}
		key = len(open) > 0 && open[len(open)-1] != nil
	}
}

// strict decodes exactly one JSON value, and refuses unknown fields.
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
