package plan

import (
	"errors"
	"fmt"
	"time"

	"privpipe/account/internal/accountant"
	"privpipe/pipelines/event"
	"privpipe/pipelines/scheme"
)

// Validate is kong's hook. With a ledger, the check needs the ledger's content and is done after reading it.
func (c *Flags) Validate() error {
	if c.Ledger != "" {
		return nil
	}
	return c.check()
}

// check checks the flags. Call readBefore first.
func (c *Flags) check() error {
	if err := errors.Join(c.checkBudget(), c.checkScheme()); err != nil {
		return err
	}
	switch disjoint := accountant.DisjointDatasets(&c.ledger); {
	case disjoint && c.Dataset == "":
		return errors.New("the data sets of the ledger share no unit: --dataset must say which one the grant is for")
	case !disjoint && c.Dataset != "":
		return errors.New("--dataset is for a ledger whose data sets share no unit: account ledger new " +
			"--disjoint-datasets")
	}
	if c.Clipping == event.ClipUnbounded && c.unknown() != "" {
		return errors.New("--clipping unbounded protects nobody, whatever the budget: give --noise-multiplier, and " +
			"neither --epsilon nor --delta")
	}
	g := c.grant()
	if g.Expired(g.Created) {
		return fmt.Errorf("--expires must be in the future, is %s", c.Expires.Format(time.RFC3339))
	}
	if c.ID != "" {
		if err := event.CheckName(c.ID); err != nil {
			return err
		}
	}
	c.assume(g)
	return g.Check()
}

// assume sets the quantity to solve for to a value that is valid in any case, so that the grant can be checked.
func (c *Flags) assume(g *event.Grant) {
	unknown := c.unknown()
	switch {
	case unknown == "noise" && g.Mechanism == event.RandomizedResponse:
		g.Flip = 0.5
	case unknown == "noise":
		g.NoiseMultiplier = 1
	}
	if g.Mechanism == event.Select && c.Threshold == 0 && c.Delta != 0 {
		g.Threshold = 1 // a placeholder: the real one follows from the noise and δ
	}
}

// checkBudget checks that the quantity to solve for is not given, and that the others are.
func (c *Flags) checkBudget() error {
	unknown := c.unknown()
	noise := c.NoiseMultiplier != nil || c.Flip != nil
	pure := event.Pure(c.Mechanism) && c.Delta == 0
	if noise && (c.Flip != nil) != (c.Mechanism == event.RandomizedResponse) {
		return errors.New("--flip is the noise of randomized-response, --noise-multiplier that of the others")
	}
	if c.filter() != nil {
		return c.checkFiltered(noise)
	}
	switch {
	case c.Part != 0:
		return errors.New("--part belongs to a ledger with a filter: account ledger new --filter")
	case len(c.Beside) > 0 && (c.Ledger == "" || unknown == ""):
		return errors.New("--beside belongs to a budget of a --ledger")
	case c.More != 0 && c.Ledger == "":
		return errors.New("--more adds to what a ledger has spent: give --ledger")
	case c.More != 0 && (unknown == "epsilon" || unknown == "delta"):
		return errors.New("--more is what ε may rise by: leave the noise out, or say with --solve rounds or --solve " +
			"rate what follows from it")
	case unknown == "":
		if c.Mechanism == event.Select && c.Threshold == 0 {
			return errors.New("--noise-multiplier of select needs a --threshold, or a --delta that pays for one")
		}
		return nil
	case (unknown == "noise") == noise:
		return fmt.Errorf("to solve for %s --noise-multiplier or --flip must%s be given", unknown,
			map[bool]string{true: " not"}[noise])
	case unknown == "epsilon" && c.Epsilon != 0, unknown == "delta" && c.Delta != 0:
		if c.Solve == "" {
			return errors.New("--epsilon, --delta and noise are all given: --solve rounds and --solve rate say what " +
				"is not")
		}
		return fmt.Errorf("to solve for %s it must not be given", unknown)
	case unknown == "rounds" && (c.Rounds != nil || c.once() || c.Allocate || c.Epoch):
		return errors.New("--solve rounds excludes --rounds, disjoint rounds (their number costs nothing) and " +
			"mechanisms that release once")
	case unknown == "rate" && (c.Given() > 0 || c.once() || c.Seeded):
		return errors.New("--solve rate excludes a scheme: it gives the rate of secret Poisson sampling")
	}
	var err error
	if unknown != "epsilon" && c.Epsilon == 0 && c.More == 0 {
		return errors.New("--epsilon is needed: no ledger with a budget of its own says what to plan for")
	}
	if c.Epsilon != 0 {
		err = event.CheckEpsilon(c.Epsilon)
	}
	if c.More != 0 {
		if wrong := event.CheckEpsilon(c.More); wrong != nil {
			err = errors.Join(err, fmt.Errorf("--more: %w", wrong))
		}
	}
	if unknown != "delta" && !pure {
		if c.Delta == 0 {
			return errors.Join(err,
				errors.New("a --delta above 0 is needed: at most a tenth of one over the number of units"))
		}
		err = errors.Join(err, event.CheckDelta(c.Delta))
	}
	return err
}

// checkFiltered checks the flags for a ledger with a filter. noise says that the noise is given.
func (c *Flags) checkFiltered(noise bool) error {
	switch {
	case c.Epsilon != 0 || c.Delta != 0 || c.More != 0 || c.Solve != "" || len(c.Beside) > 0:
		return errors.New("the ledger has a filter, which keeps its budget: give --part, --noise-multiplier or " +
			"--flip, and no --epsilon, --delta, " +
			"--more, --solve or --beside")
	case c.Draws != 0:
		return fmt.Errorf("the filter %s does not count --draws", c.filter().Measure)
	case noise && c.Part != 0:
		return errors.New("--part and the noise are both given")
	case c.Mechanism == event.Select:
		return fmt.Errorf("select has a δ of its own, which the filter %s cannot count", c.filter().Measure)
	case !noise && !(c.Part > 0 && c.Part <= 1):
		return fmt.Errorf("the ledger has a filter: give --noise-multiplier or --flip, or --part above 0 and at most "+
			"1, is %v", c.Part)
	}
	return nil
}

func (c *Flags) checkScheme() error {
	if c.Given() == 0 && !c.once() && c.unknown() != "rate" {
		return scheme.ErrNone
	}
	if err := errors.Join(c.Fixed.CheckPopulation(), c.CheckEpochs(c.rounds())); err != nil {
		return err
	}
	switch disjoint := c.scheme().Disjoint(); {
	case c.runs() < 1 || c.runs() > event.MaxRounds/max(1, c.AllRounds(c.rounds())):
		return fmt.Errorf("--runs must be at least 1, and all rounds of all runs at most %d", event.MaxRounds)
	case c.runs() > 1 && (disjoint || c.Solve == "rounds"):
		return errors.New("--runs is for rounds of which each draws its units anew, and not for --solve rounds")
	}
	return c.scheme().Check()
}
