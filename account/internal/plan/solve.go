package plan

import (
	"math"
	"strconv"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/pld"
	"privpipe/account/internal/search"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/rounded"
)

// spent returns the joint profile of the ledger and of the current grant's releases, by an accountant.
func (s *solver) spent(a *accountant.Accountant) (accountant.UpperProfile, error) {
	all, err := s.before.Plan(s.Grant)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "%s is of adjacency %s and unit %s: %w",
			s.Name, s.before.Adjacency, s.before.Unit, err)
	}
	return a.Upper(all)
}

// epsilon returns ε with the current grant, by an accountant at the plan's δ.
func (s *solver) epsilon(a *accountant.Accountant) (float64, error) {
	spent, err := s.spent(a)
	if err != nil {
		return 0, err
	}
	return spent.Epsilon(s.Delta)
}

// mostWorthwhile is the largest spent share of the budget at which a plan is still worthwhile. Beyond it the noise
// would drown any data.
const mostWorthwhile = 0.99

// spentBefore returns ε at the plan's δ without the plan, by the plan's accountant.
func (s *solver) spentBefore() (float64, error) {
	before, err := s.Accountant.Upper(s.before.List())
	if err != nil {
		return 0, err
	}
	return before.Epsilon(s.Delta)
}

// leastOfMore is the least share of --more that must be left for a plan.
const leastOfMore = 0.1

// raise sets the plan's ε to the spent ε plus --more. If --epsilon is given, too, it is the maximum.
func (s *solver) raise() error {
	already, err := s.spentBefore()
	switch {
	case err != nil:
		return err
	case math.IsInf(already, 1) && (s.Delta != 0 || s.before.None):
		return exit.Errorf(exit.Refused, "%s spent ε ∞, which no plan can add to", s.spenders())
	case math.IsInf(already, 1):
		return s.overBudget(already)
	case s.Epsilon != 0 && s.Epsilon-already < leastOfMore*s.More:
		return exit.Errorf(exit.Refused,
			"%s spent ε %s of %v at δ %v: %s is left, which is less than a tenth of --more %v", s.spenders(),
			rounded.Up(already), s.Epsilon, s.Delta, rounded.Down(max(0, s.Epsilon-already)), s.More)
	}
	more := math.Nextafter(already+s.More, 0)
	if s.Epsilon == 0 || more < s.Epsilon {
		s.Epsilon = more
	}
	return nil
}

// solveNoise sets the least noise that keeps the budget.
func (s *solver) solveNoise() error {
	if already, err := s.spentBefore(); err != nil {
		return err
	} else if already > mostWorthwhile*s.Epsilon && already < s.Epsilon && s.More == 0 {
		return exit.Errorf(exit.Refused, "%s spent ε %s of %v: what is left is not worth its noise", s.spenders(),
			rounded.Up(already), s.Epsilon).
			WithHint("a larger --epsilon is a decision to spend more")
	}
	low, high, err := s.extent()
	if err != nil {
		return err
	}
	// ε is for the integer scale that the releases will be charged with, so nearby x share one ε.
	fine := s.Accountant.Fine()
	if s.Delta == 0 { // a pure ε is exact
		fine = search.Within(1e-9)
	}
	return s.setLeast(low, high, fine, s.set)
}

// solveRounds sets the largest number of rounds that keeps the budget.
func (s *solver) solveRounds() error {
	rounds := func(x float64) int { return int(math.Floor(1 / x * (1 + 1e-12))) }
	neighbours := func(low, high float64) bool { return rounds(low) <= rounds(high)+1 }
	return s.setLeast(1.0/min(event.MaxRounds, pld.MaxCount), 1, neighbours, func(x float64) {
		s.Grant.Scheme.Rounds, s.Grant.Releases = rounds(x), rounds(x)
	})
}

// solveRate sets the largest rate of Poisson sampling that keeps the budget, rounded down to six digits.
func (s *solver) solveRate() error {
	return s.setLeast(1, 1/leastRate, search.Within(1e-6), func(x float64) { s.Grant.Scheme.Rate = sixDigits(1 / x) })
}

// sixDigits rounds down to six digits, so that a flag of sample can repeat the rate.
func sixDigits(x float64) float64 {
	text := strconv.FormatFloat(x, 'e', 5, 64)
	rounded, _ := strconv.ParseFloat(text, 64)
	if rounded > x {
		rounded, _ = strconv.ParseFloat(strconv.FormatFloat(x*(1-5e-6), 'e', 5, 64), 64)
	}
	return rounded
}

// leastRate is 1 over a number of units that nobody has.
const leastRate = 1e-9

// solveEpsilon returns the ledger's ε after all releases by the current grant.
func (s *solver) solveEpsilon() (float64, error) {
	s.setThreshold()
	epsilon, err := s.epsilon(s.Accountant)
	if err == nil && math.IsInf(epsilon, 1) {
		err = s.overBudget(epsilon)
	}
	return epsilon, err
}

// solveDelta returns the δ where the ledger's ε equals the given one, after all releases by the current grant.
func (s *solver) solveDelta() (float64, error) {
	spent, err := s.spent(s.Accountant)
	if err != nil {
		return 0, err
	}
	delta, err := spent.Delta(s.Epsilon)
	if err == nil && delta >= 1 {
		err = exit.Errorf(exit.Refused, "nothing is proved at ε %v: δ is 1", s.Epsilon)
	}
	return delta, err
}
