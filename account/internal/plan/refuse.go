package plan

import (
	"fmt"
	"math"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/rounded"
)

// spenders names who has spent the budget, for messages.
func (s *solver) spenders() string {
	who := "the ledger"
	if s.Grant.Dataset != "" {
		who = fmt.Sprintf("data set %q", s.Grant.Dataset)
	}
	if len(s.Beside) > 0 {
		return who + " and what is planned beside have"
	}
	return who + " has"
}

// whatNow says what the user can do if nothing is left.
func (s *solver) whatNow(already float64) string {
	switch {
	case math.IsInf(already, 1):
		return "no ε bounds what was released: take other data, with a ledger of their own"
	case len(s.Beside) > 0:
		return fmt.Sprintf("plan what is beside with more noise, or give an --epsilon above %s, if those who set the "+
			"budget agree", rounded.Up(already))
	}
	return fmt.Sprintf("what was released stays released. Give an --epsilon above %s, if those who set the budget "+
		"agree, or take other data, with a ledger of their own", rounded.Up(already))
}

// overBudget returns the error that says why ε is above the budget even with the most noise, the least rate or one
// round. The current grant has this setting.
func (s *solver) overBudget(epsilon float64) error {
	already, err := s.spentBefore()
	if err != nil {
		return err
	}
	switch {
	case s.Delta == 0 && math.IsInf(already, 1) && !s.before.None:
		return exit.Errorf(exit.Usage, "--delta is needed: not all mechanisms of %s are pure", s.Name)
	case s.Unknown == "epsilon":
		return exit.Errorf(exit.Refused, "nothing is proved at δ %v: ε is ∞", s.Delta)
	case already >= s.Epsilon:
		return exit.Errorf(exit.Refused, "nothing is left of ε %v: %s spent ε %s", s.Epsilon, s.spenders(),
			rounded.Up(already)).WithHint("%s", s.whatNow(already))
	case s.Unknown == "rounds":
		return exit.Errorf(exit.Refused, "one round takes ε to %s at δ %v, above %v", rounded.Up(epsilon), s.Delta,
			s.Epsilon).
			WithHint("more noise, a lower rate or a larger --epsilon leaves room for a round")
	case s.Unknown == "rate":
		return exit.Errorf(exit.Refused, "the least rate, %v, takes ε to %s at δ %v, above %v", leastRate,
			rounded.Up(epsilon), s.Delta, s.Epsilon).
			WithHint("more noise, fewer rounds or a larger --epsilon leaves room for a sample")
	case s.Threshold != 0:
		return exit.Errorf(exit.Usage,
			"--threshold %v is too low: more noise than %.4g lifts words of one unit over it, "+
				"and with that much ε is %s", s.Threshold, s.Grant.NoiseMultiplier, rounded.Up(epsilon))
	}
	return exit.Errorf(exit.Refused, "the largest noise of %s does not reach ε %v at δ %v: with it ε is %s, "+
		"and %s without this plan", s.Grant.Mechanism, s.Epsilon, s.Delta, rounded.Up(epsilon), rounded.Up(already))
}
