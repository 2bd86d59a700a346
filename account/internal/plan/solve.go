package plan

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/pld"
	"privpipe/account/internal/search"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/rounded"
)

// A planning has a grant to complete, and the releases before it.
type planning struct {
	*Flags
	grant  *event.Grant
	before *accountant.Composition
}

// solve completes a grant with the solved quantity and the budget. The ledger and this plan together stay within the
// budget.
func (c *Flags) solve(grant *event.Grant) error {
	before, err := accountant.ComposeDataset(c.Ledger, &c.ledger, c.Dataset)
	if err != nil {
		return err
	}
	p := &planning{c, grant, before}
	beside, err := p.beside()
	if err != nil {
		return err
	}
	if c.More != 0 {
		if err := p.raise(); err != nil {
			return err
		}
	}
	budget := event.Budget{
		Epsilon: c.Epsilon, Delta: c.Delta, After: c.ledger.LastHash(), Accountant: c.accountant().Name, Beside: beside,
	}
	switch c.unknown() {
	case "noise":
		err = p.solveNoise()
	case "rounds":
		err = p.solveRounds()
	case "rate":
		err = p.solveRate()
	case "epsilon":
		budget.Epsilon, err = p.solveEpsilon()
	case "delta":
		budget.Delta, err = p.solveDelta()
	}
	grant.Budget = budget
	if head := c.ledger.Head(); err == nil && head != nil {
		if refusal := head.Takes(grant); refusal != nil {
			err = exit.Errorf(exit.Refused, "refused: %w", refusal)
		}
	}
	return err
}

// beside adds the future cost of the --beside grants to the earlier releases, and returns the hashes of the grants.
func (p *planning) beside() (hashes []string, err error) {
	for _, name := range p.Beside {
		g, err := ledgers.ReadGrant(name)
		if err != nil {
			return nil, err
		}
		for _, line := range p.ledger.Lines {
			if line.Grant != nil && line.Grant.ID == g.ID {
				return nil, exit.Errorf(exit.Usage,
					"%s: %s has this grant already: what it was used for comes off the budget, and "+
						"the rest of it may no longer be used", name, p.Ledger).
					WithHint("plan without --beside, and plan that grant again")
			}
		}
		if g.Budget.Epsilon == 0 {
			return nil, exit.Errorf(exit.Usage,
				"%s has no budget: nothing keeps it from releasing a batch or a round again", name).
				WithHint("plan it with --delta, or with --epsilon, and --ledger")
		}
		if g.Ledger != p.grant.Ledger {
			return nil, exit.Errorf(exit.Usage, "%s is for another ledger than %s", name, p.Ledger)
		}
		if g.Dataset != p.grant.Dataset {
			return nil, exit.Errorf(exit.Usage, "%s is for another data set than %q, with which it shares no unit",
				name, p.Dataset).
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
		if p.before, err = p.before.After(g); err != nil {
			return nil, exit.Errorf(exit.Usage, "%s: %w", name, err)
		}
	}
	return hashes, nil
}

// roundedUp leaves room for the privatizer, which rounds each sum up.
const roundedUp = 1 + 1e-9

// solveFiltered completes a grant for a ledger with a filter. Unless the noise is given, it sets the least noise that
// keeps the cost of all releases within their part of the limit. It also sets the cost of one release.
func (c *Flags) solveFiltered(grant *event.Grant) error {
	f := c.filter()
	cost := func(x float64) (float64, error) {
		c.set(grant, x)
		one, err := ledgers.Cost(f, grant)
		return one * float64(grant.Releases) * roundedUp / (c.Part * f.Limit), err
	}
	if c.unknown() == "noise" {
		low, high, err := c.extent(grant)
		if err != nil {
			return err
		}
		most, err := cost(high)
		if err != nil {
			return err
		}
		if most > 1 {
			return exit.Errorf(exit.Refused, "no noise of %s keeps all releases within the part %v of the filter",
				grant.Mechanism,
				c.Part)
		}
		least, err := search.Least(low, high, search.Within(1e-6), cost)
		if err != nil {
			return err
		}
		c.set(grant, least)
	}
	one, err := ledgers.Cost(f, grant)
	if err != nil {
		return err
	}
	grant.Cost = one
	spent, err := ledgers.FilterSpent(&c.ledger)
	if err != nil {
		return err
	}
	if after := (spent + one*float64(grant.Releases)) * roundedUp; after > f.Limit {
		return exit.Errorf(exit.Refused, "all releases of this grant would take the filter to %s, its limit is %s",
			rounded.Up(after), rounded.Up(f.Limit))
	}
	return nil
}

// spent returns the joint profile of the ledger and of the current grant's releases, by an accountant.
func (p *planning) spent(a *accountant.Accountant) (accountant.UpperProfile, error) {
	all, err := p.before.Plan(p.grant)
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "%s is of adjacency %s and unit %s: %w",
			p.Ledger, p.before.Adjacency, p.before.Unit, err)
	}
	return a.Upper(all)
}

// epsilon returns ε with the current grant, by an accountant at the plan's δ.
func (p *planning) epsilon(a *accountant.Accountant) (float64, error) {
	spent, err := p.spent(a)
	if err != nil {
		return 0, err
	}
	return spent.Epsilon(p.Delta)
}

// mostSpent is the largest spent share of the budget at which a plan is still worthwhile. Beyond it the noise would
// drown any data.
const mostSpent = 0.99

// already returns ε at the plan's δ without the plan, by the plan's accountant.
func (p *planning) already() (float64, error) {
	before, err := p.accountant().Upper(p.before.List())
	if err != nil {
		return 0, err
	}
	return before.Epsilon(p.Delta)
}

// leastMore is the least share of --more that must be left for a plan.
const leastMore = 0.1

// raise sets the plan's ε to the spent ε plus --more. If --epsilon is given, too, it is the maximum.
func (p *planning) raise() error {
	already, err := p.already()
	switch {
	case err != nil:
		return err
	case math.IsInf(already, 1) && (p.Delta != 0 || p.before.None):
		return exit.Errorf(exit.Refused, "%s spent ε ∞, which no plan can add to", p.spenders())
	case math.IsInf(already, 1):
		return p.tooMuch(already)
	case p.Epsilon != 0 && p.Epsilon-already < leastMore*p.More:
		return exit.Errorf(exit.Refused,
			"%s spent ε %s of %v at δ %v: %s is left, which is less than a tenth of --more %v", p.spenders(),
			rounded.Up(already), p.Epsilon, p.Delta, rounded.Down(max(0, p.Epsilon-already)), p.More)
	}
	more := math.Nextafter(already+p.More, 0)
	if p.Epsilon == 0 || more < p.Epsilon {
		p.Epsilon = more
	}
	return nil
}

// solveNoise sets the least noise that keeps the budget.
func (p *planning) solveNoise() error {
	if already, err := p.already(); err != nil {
		return err
	} else if already > mostSpent*p.Epsilon && already < p.Epsilon && p.More == 0 {
		return exit.Errorf(exit.Refused, "%s spent ε %s of %v: what is left is not worth its noise", p.spenders(),
			rounded.Up(already), p.Epsilon).
			WithHint("a larger --epsilon is a decision to spend more")
	}
	low, high, err := p.extent(p.grant)
	if err != nil {
		return err
	}
	// ε is for the integer scale that the releases will be charged with, so nearby x share one ε.
	fine := p.accountant().Fine()
	if p.Delta == 0 { // a pure ε is exact
		fine = search.Within(1e-9)
	}
	return p.settle(low, high, fine, p.with)
}

// with sets the grant's noise to x.
func (p *planning) with(x float64) func(*accountant.Accountant) (float64, error) {
	p.set(p.grant, x)
	return p.epsilon
}

// solveRounds sets the largest number of rounds that keeps the budget.
func (p *planning) solveRounds() error {
	rounds := func(x float64) int { return int(math.Floor(1 / x * (1 + 1e-12))) }
	neighbours := func(low, high float64) bool { return rounds(low) <= rounds(high)+1 }
	return p.settle(1.0/min(event.MaxRounds, pld.MaxCount), 1, neighbours,
		func(x float64) func(*accountant.Accountant) (float64, error) {
			p.grant.Scheme.Rounds, p.grant.Releases = rounds(x), rounds(x)
			return p.epsilon
		})
}

// solveRate sets the largest rate of Poisson sampling that keeps the budget, rounded down to six digits.
func (p *planning) solveRate() error {
	return p.settle(1, 1/leastRate, search.Within(1e-6), func(x float64) func(*accountant.Accountant) (float64, error) {
		p.grant.Scheme.Rate = sixDigits(1 / x)
		return p.epsilon
	})
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
func (p *planning) solveEpsilon() (float64, error) {
	p.setThreshold(p.grant)
	epsilon, err := p.epsilon(p.accountant())
	if err == nil && math.IsInf(epsilon, 1) {
		err = p.tooMuch(epsilon)
	}
	return epsilon, err
}

// solveDelta returns the δ where the ledger's ε equals the given one, after all releases by the current grant.
func (p *planning) solveDelta() (float64, error) {
	spent, err := p.spent(p.accountant())
	if err != nil {
		return 0, err
	}
	delta, err := spent.Delta(p.Epsilon)
	if err == nil && delta >= 1 {
		err = exit.Errorf(exit.Refused, "nothing is proved at ε %v: δ is 1", p.Epsilon)
	}
	return delta, err
}

// settle sets the least x in [low, high] that keeps ε within the budget. If high does not keep the budget, it returns
// an error.
func (p *planning) settle(low, high float64, done func(low, high float64) bool,
	set func(float64) func(*accountant.Accountant) (float64, error),
) error {
	epsilon, err := set(high)(p.accountant())
	if err != nil {
		return err
	}
	if epsilon > p.Epsilon {
		return p.tooMuch(epsilon)
	}
	x, err := p.least(low, high, done, set)
	if err == nil {
		set(x)
	}
	return err
}

// least returns the least x, as search.Least does. high must be within the budget. It asks Rényi curves first, which
// are fast. They reach the budget at a slightly larger x than pld.
func (p *planning) least(low, high float64, done func(low, high float64) bool,
	set func(float64) func(*accountant.Accountant) (float64, error),
) (float64, error) {
	by := func(a *accountant.Accountant) func(float64) (float64, error) {
		return func(x float64) (float64, error) {
			epsilon, err := set(x)(a)
			return epsilon / p.Epsilon, err
		}
	}
	chosen, curves := by(p.accountant()), by(accountant.Named("renyi"))
	start := high
	if ratio, err := curves(high); err == nil && ratio <= 1 {
		if start, err = search.Least(low, high, search.Within(1e-3), curves); err != nil {
			return 0, err
		}
	}
	if p.accountant().Name == "renyi" {
		return search.Least(low, start, done, chosen)
	}
	// Then pld searches by steps from there. So pld does not evaluate values of x that are far off.
	for step := 1.1; ; step *= step {
		ratio, err := chosen(start)
		if err != nil {
			return 0, err
		}
		if ratio > 1 {
			start = min(high, start*step)
			continue
		}
		if start == low {
			return low, nil
		}
		next := max(low, start/step)
		if ratio, err = chosen(next); err != nil {
			return 0, err
		}
		if ratio > 1 {
			return search.Least(next, start, done, chosen)
		}
		start = next
	}
}

// spenders names who has spent the budget, for messages.
func (p *planning) spenders() string {
	who := "the ledger"
	if p.Dataset != "" {
		who = fmt.Sprintf("data set %q", p.Dataset)
	}
	if len(p.Beside) > 0 {
		return who + " and what is planned beside have"
	}
	return who + " has"
}

// whatNow says what the user can do if nothing is left.
func (p *planning) whatNow(already float64) string {
	switch {
	case math.IsInf(already, 1):
		return "no ε bounds what was released: take other data, with a ledger of their own"
	case len(p.Beside) > 0:
		return fmt.Sprintf("plan what is beside with more noise, or give an --epsilon above %s, if those who set the "+
			"budget agree", rounded.Up(already))
	}
	return fmt.Sprintf("what was released stays released. Give an --epsilon above %s, if those who set the budget "+
		"agree, or take other data, with a ledger "+
		"of their own", rounded.Up(already))
}

// tooMuch returns the error that says why ε is above the budget even with the most noise, the least rate or one round.
// The current grant has this setting.
func (p *planning) tooMuch(epsilon float64) error {
	already, err := p.already()
	if err != nil {
		return err
	}
	unknown := p.unknown()
	switch {
	case p.Delta == 0 && math.IsInf(already, 1) && !p.before.None:
		return exit.Errorf(exit.Usage, "--delta is needed: not all mechanisms of %s are pure", p.Ledger)
	case unknown == "epsilon":
		return exit.Errorf(exit.Refused, "nothing is proved at δ %v: ε is ∞", p.Delta)
	case already >= p.Epsilon:
		return exit.Errorf(exit.Refused, "nothing is left of ε %v: %s spent ε %s", p.Epsilon, p.spenders(),
			rounded.Up(already)).
			WithHint("%s", p.whatNow(already))
	case unknown == "rounds":
		return exit.Errorf(exit.Refused, "one round takes ε to %s at δ %v, above %v", rounded.Up(epsilon), p.Delta,
			p.Epsilon).
			WithHint("more noise, a lower rate or a larger --epsilon leaves room for a round")
	case unknown == "rate":
		return exit.Errorf(exit.Refused, "the least rate, %v, takes ε to %s at δ %v, above %v", leastRate,
			rounded.Up(epsilon), p.Delta,
			p.Epsilon).WithHint("more noise, fewer rounds or a larger --epsilon leaves room for a sample")
	case p.Threshold != 0:
		return exit.Errorf(exit.Usage,
			"--threshold %v is too low: more noise than %.4g lifts words of one unit over it, "+
				"and with that much ε is %s", p.Threshold, p.grant.NoiseMultiplier, rounded.Up(epsilon))
	}
	return exit.Errorf(exit.Refused, "the largest noise of %s does not reach ε %v at δ %v: with it ε is %s, "+
		"and %s without this plan", p.grant.Mechanism, p.Epsilon, p.Delta, rounded.Up(epsilon), rounded.Up(already))
}
