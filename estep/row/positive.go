package row

import (
	"fmt"
	"strings"
	"unicode"
)

// Positive is the flag of E-steps that read classes.
type Positive struct {
	Positive *string `placeholder:"CLASS" group:"Row" help:"Take CLASS as the positive class, y = 1 (default 1), and all other labels as y = 0."`
}

// Check returns an error if the class cannot name a column of predictions.
func (p Positive) Check() error {
	if class := p.class(); class == "" || strings.ContainsFunc(class, unicode.IsSpace) {
		return fmt.Errorf("--positive must be one word, is %q", class)
	}
	return nil
}

func (p Positive) class() string {
	if p.Positive == nil {
		return "1"
	}
	return *p.Positive
}

// Labels returns what labels mean.
func (p Positive) Labels() Labels { return Labels{Positive: p.class()} }

// Columns returns the names of the columns of predictions: the positive class.
func (p Positive) Columns() []string { return []string{p.class()} }
