package row

import (
	"fmt"
	"strings"
	"unicode"
)

// Positive is the flag of E-steps that read classes.
type Positive struct {
	Positive string `default:"1" placeholder:"CLASS" group:"Row" help:"Take CLASS as the positive class, y = 1 (default 1), and all other labels as y = 0."`
}

// Check returns an error if the class cannot name a column of predictions.
func (p Positive) Check() error {
	if p.Positive == "" || strings.ContainsFunc(p.Positive, unicode.IsSpace) {
		return fmt.Errorf("--positive must be one word, is %q", p.Positive)
	}
	return nil
}

// Labels returns what labels mean.
func (p Positive) Labels() Labels { return Labels{Positive: p.Positive} }

// Columns returns the names of the columns of predictions: the positive class.
func (p Positive) Columns() []string { return []string{p.Positive} }
