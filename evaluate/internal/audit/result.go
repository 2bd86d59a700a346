package audit

import (
	"fmt"
	"strings"
)

// A Result is what one experiment found.
type Result struct {
	Experiment string `json:"experiment"`
	Runs       int    `json:"runs"`            // of the binary
	Rounds     int    `json:"rounds"`          // that it released
	Note       string `json:"note"`            // what was told apart, or why nothing was
	Bound      *Bound `json:"bound,omitempty"` // nil: the experiment released nothing to measure
	Fault      string `json:"fault,omitempty"` // a rule that was broken outright, in words
}

// give gives an experiment up that found a fault: its claim does not stand, so there is nothing to measure.
func (r *Result) give(f fault) { r.Fault, r.Note = f.Error(), "given up: the claim does not stand" }

// A Bound is a lower confidence bound on a privacy loss beside the claimed one.
type Bound struct {
	Confidence float64 `json:"confidence"` // of this bound alone; that of all together is the audit's
	Measured   int     `json:"measured"`   // runs, or guesses, that the bound is computed from
	Wrong      int     `json:"wrong"`      // of them

	Epsilon        float64 `json:"epsilon_at_least"`
	ClaimedEpsilon float64 `json:"epsilon_claimed"`
	Delta          float64 `json:"delta"`
	// Mu and ClaimedMu are the same in Gaussian differential privacy, where the claim is one.
	Mu        float64 `json:"mu_at_least,omitempty"`
	ClaimedMu float64 `json:"mu_claimed,omitempty"`
}

// Exceeded says that the loss is larger than claimed.
func (b *Bound) Exceeded() bool { return b.Epsilon > b.ClaimedEpsilon || b.Mu > b.ClaimedMu }

// Broken says what is wrong, in words; nothing for a result that keeps to the claim.
func (r *Result) Broken() string {
	var wrong []string
	if r.Fault != "" {
		wrong = append(wrong, r.Fault)
	}
	if r.Bound != nil && r.Bound.Exceeded() {
		wrong = append(wrong, fmt.Sprintf("ε is at least %.3g, claimed is %.3g (δ %g), seen in %s",
			r.Bound.Epsilon, r.Bound.ClaimedEpsilon, r.Bound.Delta, r.Note))
	}
	if wrong == nil {
		return ""
	}
	return r.Experiment + ": " + strings.Join(wrong, "; ")
}
