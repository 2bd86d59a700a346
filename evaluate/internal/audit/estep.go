package audit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
)

// An EStepAuditor audits a binary's draws. The binary must take the arguments of estep gibbs --keep and of estep
// collapsed.
type EStepAuditor struct {
	Binary     string
	Folder     string   // for temporary files
	Cases      []string // names of the cases to run; none: all
	Documents  int      // number of documents in each case, at least LeastDocuments
	Draws      float64  // requested bound on the pure loss by one token's draws, in [LeastDraws, MostDraws]
	Workers    int      // number of concurrent runs
	Confidence float64
	Status     func(format string, args ...any)
}

const (
	// LeastDocuments is the least number of documents in a case. A third of them is enough to learn a good rule.
	LeastDocuments = 1000
	// LeastDraws leaves room for the coins in the case adaptive, which lose 0.41.
	LeastDraws = 0.5
	// MostDraws is the largest loss that 20,000 documents can refute.
	MostDraws = 5
	// perChain is the number of documents in a chain. It is so large that starting the binary takes little of the time.
	perChain = 2000
)

// Audit runs all cases. All bounds together hold with confidence a.Confidence. It returns an error if the binary does
// not behave like an E-step at all, or if the system fails.
func (a *EStepAuditor) Audit(ctx context.Context) ([]*Result, error) {
	folder, err := os.MkdirTemp(a.Folder, "privpipe-audit-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if folder, err = filepath.Abs(folder); err != nil { // the binary runs in another folder
		return nil, err
	}
	cases := slices.DeleteFunc(chainCases(),
		func(c chainCase) bool { return len(a.Cases) > 0 && !slices.Contains(a.Cases, c.name) })
	var results []*Result
	for _, c := range cases {
		b := &bench{binary: a.Binary}
		if b.folder, err = os.MkdirTemp(folder, c.name+"-"); err != nil {
			return nil, err
		}
		e := &chainAudit{
			EStepAuditor: a, bench: b, chainCase: c, level: (1 - a.Confidence) / float64(len(cases)),
			result: &Result{Experiment: c.name},
		}
		if err := e.audit(ctx); err != nil {
			return nil, err
		}
		results = append(results, e.result)
	}
	return results, nil
}

// chainAudit is the audit of one case.
type chainAudit struct {
	*EStepAuditor
	*bench
	chainCase
	level  float64 // error probability: the case's share of the audit's
	result *Result
}

// audit checks the case's chain by the rules, and then measures its loss.
func (a *chainAudit) audit(ctx context.Context) error {
	a.Status("%s", a.name)
	independent, err := a.check(ctx)
	switch {
	case err == nil && !independent:
		a.result.Note = "the rounds are marked as coupled: no loss is claimed"
	case err == nil:
		err = a.measure(ctx)
	}
	if f := (fault{}); errors.As(err, &f) {
		a.result.give(f)
		return nil
	}
	return err
}
