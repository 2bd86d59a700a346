package audit

import (
	"fmt"
	"strings"
)

// A Result is the result of one experiment.
type Result struct {
	Experiment string `json:"experiment"`
	Runs       int    `json:"runs"`            // number of runs of the binary
	Rounds     int    `json:"rounds"`          // number of rounds that it released
	Note       string `json:"note"`            // the statistic of the bound, or the reason why there is none
	Bound      *Bound `json:"bound,omitempty"` // nil: the experiment released nothing to measure
	Fault      string `json:"fault,omitempty"` // the rule that was broken outright
}

// give stops an experiment that found a fault. The claim is false already, so there is nothing to measure.
func (r *Result) give(f fault) { r.Fault, r.Note = f.Error(), "given up: the claim does not stand" }

// A Bound is a lower confidence bound on a privacy loss, with the claimed loss.
type Bound struct {
	Confidence float64 `json:"confidence"` // of this bound alone; Auditor.Confidence holds for all bounds together
	Measured   int     `json:"measured"`   // number of runs, or guesses, behind the bound
	Wrong      int     `json:"wrong"`      // number of wrong guesses among them

	Epsilon        float64 `json:"epsilon_at_least"`
	ClaimedEpsilon float64 `json:"epsilon_claimed"`
	Delta          float64 `json:"delta"`
	// Mu and ClaimedMu are the bound and the claim in Gaussian differential privacy, if the claim is Gaussian.
	Mu        float64 `json:"mu_at_least,omitempty"`
	ClaimedMu float64 `json:"mu_claimed,omitempty"`
}

// Exceeded reports whether the loss is larger than claimed.
func (b *Bound) Exceeded() bool { return b.Epsilon > b.ClaimedEpsilon || b.Mu > b.ClaimedMu }

// Broken describes how the result contradicts the claim. It is empty if the result does not.
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
