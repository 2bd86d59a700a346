package event

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// A Subject is everything that a release states about itself besides its numbers. A release takes the subject from a
// private stream. So the grant must name the subject beforehand: anything else that the stream states would be
// published without protection.
type Subject struct {
	Model string `json:"model,omitempty"` // empty if the stream names none
	// Vocabulary is the SHA-256 of the vocabulary (SPEC.md §2.2) in hexadecimal, empty if the stream names none.
	Vocabulary     string   `json:"vocabulary,omitempty"`
	VocabularySize int      `json:"vocabulary_size,omitempty"`
	Matrices       []Matrix `json:"matrices,omitempty"` // the contributions' matrices, in the order of the stream
}

// A Matrix is the name and the shape of one matrix of contributions.
type Matrix struct {
	Name      string `json:"name"`
	Rows      int    `json:"rows"`
	Columns   int    `json:"columns"`
	Symmetric bool   `json:"symmetric,omitempty"` // only the upper triangle exists: SPEC.md §2.1
}

// Limits for a subject, as in SPEC.md §6.
const (
	maxMatrices   = 64
	maxCells      = 1 << 31
	maxVocabulary = 1 << 24
)

// empty says whether s names nothing.
func (s Subject) empty() bool {
	return s.Model == "" && s.Vocabulary == "" && s.VocabularySize == 0 && len(s.Matrices) == 0
}

// Check reports the first rule that s breaks.
func (s Subject) Check() error {
	if s.Model != "" {
		if err := CheckName(s.Model); err != nil {
			return fmt.Errorf("model: %w", err)
		}
	}
	if s.Vocabulary != "" {
		if err := checkHex("vocabulary", s.Vocabulary, 32); err != nil {
			return err
		}
	}
	if s.VocabularySize < 0 || s.VocabularySize > maxVocabulary {
		return fmt.Errorf("vocabulary_size must be in [0, %d], is %d", maxVocabulary, s.VocabularySize)
	}
	if len(s.Matrices) > maxMatrices {
		return fmt.Errorf("at most %d matrices, there are %d", maxMatrices, len(s.Matrices))
	}
	for i, m := range s.Matrices {
		if err := m.check(); err != nil {
			return err
		}
		if slices.ContainsFunc(s.Matrices[:i], func(other Matrix) bool { return other.Name == m.Name }) {
			return fmt.Errorf("matrix %q occurs twice", m.Name)
		}
	}
	return nil
}

func (m Matrix) check() error {
	if err := CheckName(m.Name); err != nil {
		return fmt.Errorf("matrix: %w", err)
	}
	if m.Rows < 1 || m.Columns < 1 || m.Rows > maxCells/m.Columns {
		return fmt.Errorf("matrix %q must have 1 to %d cells, has %d × %d", m.Name, maxCells, m.Rows, m.Columns)
	}
	if m.Symmetric && m.Rows != m.Columns {
		return fmt.Errorf("matrix %q is symmetric and has %d × %d cells", m.Name, m.Rows, m.Columns)
	}
	return nil
}

// Fits refuses a stream unless its subject equals s, the subject of a grant, and names the difference.
func (s Subject) Fits(stream Subject) error {
	if stream.Model != s.Model {
		return fmt.Errorf("the grant is for %s, the stream is for another", named("model", s.Model))
	}
	if stream.Vocabulary != s.Vocabulary || stream.VocabularySize != s.VocabularySize {
		return fmt.Errorf("the grant is for another vocabulary than the stream: it names one of %d words; account "+
			"plan --vocab chooses it", s.VocabularySize)
	}
	if !slices.Equal(stream.Matrices, s.Matrices) {
		return fmt.Errorf("the grant is for other matrices than the stream has: it names %v", s.Matrices)
	}
	return nil
}

func named(what, name string) string {
	if name == "" {
		return "no " + what
	}
	return fmt.Sprintf("%s %q", what, name)
}

// String describes m for messages.
func (m Matrix) String() string {
	text := fmt.Sprintf("%s %d×%d", m.Name, m.Rows, m.Columns)
	if m.Symmetric {
		text += " symmetric"
	}
	return text
}

// checkSubject checks that a grant has the subject that its mechanism needs, and no other.
func (g *Grant) checkSubject() error {
	if g.Version == 1 && !g.Subject.empty() {
		return errors.New("a grant of version 1 has no model, vocabulary or matrices")
	}
	if err := g.Subject.Check(); err != nil {
		return err
	}
	switch g.Mechanism {
	case Select:
		if !g.Subject.empty() {
			return errors.New("model, vocabulary and matrices do not belong to select")
		}
	case RandomizedResponse, Objective:
		if g.Model != "" || len(g.Matrices) > 0 {
			return fmt.Errorf("model and matrices do not belong to %s", g.Mechanism)
		}
	default:
		for _, s := range g.Statistics {
			known := func(m Matrix) bool { return m.Name == s.Name }
			if len(g.Matrices) > 0 && !slices.ContainsFunc(g.Matrices, known) {
				return fmt.Errorf("statistic %q is bounded, and no matrix has that name", s.Name)
			}
		}
	}
	return nil
}

// Usable refuses a grant with a budget that names no ledger, and a grant without the subject that its releases need.
// Such a grant may be planned, as a calculation, but not used.
func (g *Grant) Usable() error {
	switch {
	case g.Version < OldestGrantVersion:
		return fmt.Errorf("it is of version %d, which names no model and no ledger: plan it again", g.Version)
	case g.Budget.Epsilon != 0 && g.Ledger == "" && g.Budget.After == Genesis:
		return errors.New("it has a budget and names no ledger: plan it with --ledger")
	case (g.Mechanism == RandomizedResponse || g.Mechanism == Objective) && g.VocabularySize == 0:
		return errors.New("it names no vocabulary: plan it with --vocab")
	case (g.Mechanism == Gaussian || g.Mechanism == Laplace) && len(g.Matrices) == 0:
		return errors.New("it names no matrices: plan it with --model, --matrix and --vocab")
	}
	return nil
}

// checkHex checks that v is size bytes in hexadecimal, with small letters.
func checkHex(what, v string, size int) error {
	if b, err := hex.DecodeString(v); err != nil || len(b) != size || hex.EncodeToString(b) != v {
		return fmt.Errorf("%s must be %d bytes in hexadecimal, with small letters", what, size)
	}
	return nil
}
