package plan

import (
	"slices"

	"privpipe/account/internal/accountant"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// A Problem is a grant that lacks one quantity, and the budget that this quantity has to keep.
type Problem struct {
	Grant   *event.Grant
	Unknown string // what to solve for: "noise", "rounds", "rate", "epsilon" or "delta"; "" if nothing

	Epsilon, Delta float64 // the budget of the ledger and this grant together
	More           float64 // the most that ε may rise by; 0 if only the budget limits it
	Share          float64 // of the limit of the ledger's filter, for all releases of the grant
	Threshold      float64 // of event.Select; 0 stands for the least that its share of δ pays for
	Accountant     *accountant.Accountant

	Ledger *event.Ledger // without lines if there is none
	Name   string        // of the ledger
	Beside []*Beside     // grants that may be used before this one
}

// A Beside is a grant for the same ledger that is not used yet. All its releases count as if they were charged.
type Beside struct {
	Name  string
	Grant *event.Grant
}

// A solver completes the grant of a problem. Its grant is a copy.
type solver struct {
	Problem
	before *accountant.Composition // the ledger, and the plans beside this one
}

// Solve returns the grant, completed with the unknown quantity and the budget.
func (p Problem) Solve() (*event.Grant, error) {
	grant := *p.Grant
	s := &solver{Problem: p}
	s.Grant = &grant
	if filterOf(p.Ledger) != nil {
		return &grant, s.solveFiltered()
	}
	if p.Unknown == "" {
		return &grant, nil
	}
	return &grant, s.solve()
}

// filterOf returns a ledger's filter, or nil if there is none.
func filterOf(ledger *event.Ledger) *event.Filter {
	if head := ledger.Head(); head != nil {
		return head.Filter
	}
	return nil
}

// solve finds the unknown quantity. The ledger, the plans beside this one, and its grant together stay within the
// budget.
func (s *solver) solve() (err error) {
	if s.before, err = accountant.ComposeDataset(s.Name, s.Ledger, s.Grant.Dataset); err != nil {
		return err
	}
	beside, err := s.countBeside()
	if err != nil {
		return err
	}
	if s.More != 0 {
		if err := s.raise(); err != nil {
			return err
		}
	}
	budget := event.Budget{
		Epsilon: s.Epsilon, Delta: s.Delta, After: s.Ledger.LastHash(), Accountant: s.Accountant.Name, Beside: beside,
	}
	switch s.Unknown {
	case "noise":
		err = s.solveNoise()
	case "rounds":
		err = s.solveRounds()
	case "rate":
		err = s.solveRate()
	case "epsilon":
		budget.Epsilon, err = s.solveEpsilon()
	case "delta":
		budget.Delta, err = s.solveDelta()
	}
	s.Grant.Budget = budget
	if head := s.Ledger.Head(); err == nil && head != nil {
		if refusal := head.Takes(s.Grant); refusal != nil {
			err = exit.Errorf(exit.Refused, "refused: %w", refusal)
		}
	}
	return err
}

// countBeside adds the future cost of the grants beside to the earlier releases, and returns their hashes.
func (s *solver) countBeside() (hashes []string, err error) {
	for _, beside := range s.Beside {
		name, g := beside.Name, beside.Grant
		for _, line := range s.Ledger.Lines {
			if line.Grant != nil && line.Grant.ID == g.ID {
				return nil, exit.Errorf(exit.Usage,
					"%s: %s has this grant already: what it was used for comes off the budget, and "+
						"the rest of it may no longer be used", name, s.Name).
					WithHint("plan without --beside, and plan that grant again")
			}
		}
		if g.Budget.Epsilon == 0 {
			return nil, exit.Errorf(exit.Usage,
				"%s has no budget: nothing keeps it from releasing a batch or a round again", name).
				WithHint("plan it with --delta, or with --epsilon, and --ledger")
		}
		if g.Ledger != s.Grant.Ledger {
			return nil, exit.Errorf(exit.Usage, "%s is for another ledger than %s", name, s.Name)
		}
		if g.Dataset != s.Grant.Dataset {
			return nil, exit.Errorf(exit.Usage, "%s is for another data set than %q, with which it shares no unit",
				name, s.Grant.Dataset).
				WithHint("plan without it: what it releases does not come off this budget")
		}
		hash, err := g.Hash()
		if err != nil {
			return nil, err
		}
		if slices.Contains(hashes, hash) {
			return nil, exit.Errorf(exit.Usage, "%s is given twice", name)
		}
		hashes = append(hashes, hash)
		if s.before, err = s.before.After(g); err != nil {
			return nil, exit.Errorf(exit.Usage, "%s: %w", name, err)
		}
	}
	return hashes, nil
}
