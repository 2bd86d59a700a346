package event

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// maxDataset bounds a data set's name, in bytes, as the wire bounds names.
const maxDataset = 1024

func checkDataset(name string) error {
	if len(name) > maxDataset || !utf8.ValidString(name) {
		return fmt.Errorf("name of the data set must be UTF-8 of at most %d bytes", maxDataset)
	}
	return nil
}

// Allow reports the first rule that a charge would break as the ledger's next line, at that line's time. The rules come
// from the charge's grant, from the ledger's head and from the plan behind a budget. Further rules keep the ledger
// readable and composable.
//
// The grant has a line. Otherwise it is entering, and the caller will append it before the charge. The privatizer calls
// Allow before it draws noise, and again before it writes the line. So every charge in its ledgers obeys the rules.
// account verify calls Allow for each line, and no grant is entering.
//
// Where a charge must agree with all earlier charges, Allow compares it with the first, because the others agree with
// the first by the same rule. Allow's errors hold nothing private.
func (t *Tally) Allow(c *Charge, at time.Time) error {
	if err := CheckName(c.Run); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if err := checkDataset(c.Dataset); err != nil {
		return err
	}
	if c.Mechanism != None || c.Grant != "" {
		u := *t.use(c.Grant)
		if u.grant == nil && t.entering != nil && t.entering.ID == c.Grant {
			u.grant = t.entering
		}
		if u.grant == nil {
			return fmt.Errorf("charge by grant %q, which no earlier line has", c.Grant)
		}
		if err := t.granted(&u, c, at); err != nil {
			return err
		}
	} else if t.head != nil && t.head.Budget != nil {
		return errors.New("the ledger has a budget, which exact sums would exceed")
	}
	// A line that breaks its own rules would make the ledger unreadable for good.
	if err := c.Check(); err != nil {
		return err
	}
	if err := t.counted(c); err != nil {
		return err
	}
	return t.composable(c)
}

// granted compares a charge with its grant, and with the grant's earlier charges.
func (t *Tally) granted(u *use, c *Charge, at time.Time) error {
	g := u.grant
	if g.Expired(at) {
		return errors.New("the grant has expired")
	}
	if err := t.takes(g); err != nil {
		return err
	}
	if g.Dataset != "" && c.Dataset != g.Dataset {
		return fmt.Errorf("the grant is for data set %q, the release is from %q (--dataset)", g.Dataset, c.Dataset)
	}
	if !c.Scheme.Same(g.Scheme) {
		// The stream's scheme comes from a private stream, so the error does not repeat it.
		return fmt.Errorf("the round was not sampled by %s, which the grant is for", g.Scheme)
	}
	if err := t.planned(u, c); err != nil {
		return err
	}
	if t.head != nil && t.head.Filter != nil {
		if err := t.filtered(u, c); err != nil {
			return err
		}
	}
	if c.Round > g.Scheme.Rounds {
		return fmt.Errorf("round %d is beyond the %d rounds of the grant's scheme", c.Round, g.Scheme.Rounds)
	}
	if !g.gives(c) {
		return errors.New("the charge is not the one that its grant prescribes")
	}
	if c.Scheme.Method == Allocate && c.Scheme.Coins == "" {
		return errors.New("the allocation has no name: rounds of two allocations could not be told apart")
	}
	if c.Scheme.Disjoint() && u.first != nil {
		// The grant relies on this: one throw puts every unit in one round. Under another name of the run or the data
		// set, a unit could be in a second round.
		if u.first.Run != c.Run || u.first.Dataset != c.Dataset {
			return fmt.Errorf("this grant is for disjoint rounds, and run %s of data set %q has begun them",
				u.first.Run, u.first.Dataset)
		}
		if u.first.Scheme.Coins != c.Scheme.Coins {
			return errors.New("the units were assigned to rounds a second time: a unit could be in two rounds of " +
				"this grant")
		}
	}
	if g.Draws != 0 {
		if err := t.drawn(c); err != nil {
			return err
		}
	}
	if u.releases >= g.Releases {
		return fmt.Errorf("all %d releases of the grant are used", g.Releases)
	}
	return nil
}

// takes refuses a grant that may not be used with this ledger.
func (t *Tally) takes(g *Grant) error {
	if g.Version == 1 {
		if t.head != nil {
			return errors.New("the grant is of version 1, which names no ledger: plan it again")
		}
		return nil
	}
	if err := g.Usable(); err != nil {
		return fmt.Errorf("the grant cannot be used: %w", err)
	}
	if t.head == nil {
		if g.Ledger != "" {
			return errors.New("the grant is for another ledger")
		}
		return nil // a budget names a line of this ledger: see planned
	}
	switch {
	case g.Ledger != "" && g.Ledger != t.head.ID:
		return errors.New("the grant is for another ledger")
	case g.Ledger == "" && g.Budget.Epsilon != 0:
		return errors.New("the grant has a budget and names no ledger: plan it with --ledger")
	}
	return t.head.Takes(g)
}

// Takes refuses a grant if its releases could exceed the ledger's budget. A comparison of the two budgets is enough:
// the grant's budget covers the whole ledger up to the grant's last release. A ledger with a filter needs no
// comparison, because the filter adds up costs. If data sets share no unit, the grant's budget covers one data set,
// which the grant must name.
func (h *Head) Takes(g *Grant) error {
	switch {
	case !h.DisjointDatasets && g.Dataset != "":
		return errors.New("the grant names a data set, but data sets of the ledger may share units")
	case h.DisjointDatasets && g.Dataset == "":
		return errors.New("the ledger's data sets share no unit, and the grant names none of them: plan it with " +
			"--dataset")
	case h.DisjointDatasets && g.Adjacency == ReplaceOne:
		// An exchange may remove a unit from one data set and add a unit to another. Both data sets would then have a
		// loss.
		return fmt.Errorf("the ledger's data sets share no unit: that is only for neighbours %s and %s", AddRemove,
			ReplaceNull)
	}
	if h.Budget == nil || h.Filter != nil {
		return nil
	}
	if g.Budget.Epsilon == 0 {
		return errors.New("the ledger has a budget, and the grant was planned without one")
	}
	if g.Budget.Epsilon > h.Budget.Epsilon || g.Budget.Delta > h.Budget.Delta {
		return fmt.Errorf("the grant takes the ledger to ε %v at δ %v, the ledger's own budget is ε %v at δ %v",
			g.Budget.Epsilon, g.Budget.Delta, h.Budget.Epsilon, h.Budget.Delta)
	}
	return nil
}

// gives says whether c is the charge for its round under g. Data set, run, settings, release and attempt are not
// compared.
func (g *Grant) gives(c *Charge) bool {
	want := g.Charge(c.Round, c.Scheme)
	want.Dataset, want.Run, want.Settings, want.Release, want.Attempt = c.Dataset, c.Run, c.Settings, c.Release,
		c.Attempt
	if g.Version == 1 && g.Mechanism == RandomizedResponse && c.Sensitivity <= 2*uint64(g.MaxWords) {
		// a grant of version 1 names no vocabulary, and a small one makes the sensitivity smaller
		want.Sensitivity = c.Sensitivity
	}
	return *c == *want
}

// planned refuses charges that the budget's plan did not count: charges under other grants, and a second release of a
// sampled batch or of a disjoint round. Two releases of one batch lose more than two releases of separate batches. Two
// runs of one allocation lose more than the plan of the second counts, also where they release different rounds: their
// coins take nothing off either. The same holds for two mechanisms. Another grant may go on with a run: all its rounds
// together lose no more than two allocations.
func (t *Tally) planned(u *use, c *Charge) error {
	budget := u.grant.Budget
	if budget.Epsilon == 0 {
		return nil // the noise was given, not planned from a budget
	}
	known := t.upTo[budget.After]
	if known == nil {
		return errors.New("the grant was planned for another ledger")
	}
	// The line that After names comes before the grant's own line, so all charges under the grant follow it.
	// Budget.check refuses duplicate hashes.
	planned := u.releases
	for _, hash := range budget.Beside {
		beside := t.hashes[hash]
		if beside == nil || beside.releases == 0 {
			continue
		}
		if beside.grant.Dataset != u.grant.Dataset {
			return errors.New("a grant that this one was planned beside is for another data set")
		}
		if beside.before < known.charges {
			return errors.New("a grant that this one was planned beside had been used by then: plan again")
		}
		if beside.grant.Budget.Epsilon == 0 {
			// Without a budget that grant may release a batch or a round again, and the plan does not count the second
			// release.
			return errors.New("a grant that this one was planned beside has no budget of its own")
		}
		planned += beside.releases
	}
	if t.after(known, u.grant.Dataset) > planned {
		return errors.New("the ledger has charges that the grant was planned without: plan again, with --ledger, and " +
			"train again")
	}
	if c.Attempt > 0 {
		return errors.New("a grant with a budget allows one release of a round")
	}
	if first := t.thrown[c.Scheme.Coins]; first != nil && c.Scheme.Method == Allocate &&
		(first.Run != c.Run || first.Dataset != c.Dataset || first.Mechanism != c.Mechanism) {
		return errors.New("another run, data set or mechanism released rounds of this allocation: sample again with " +
			"new coins")
	}
	return t.newBatch(u.grant, c)
}

// newBatch refuses a charge for a sampled batch that was charged before. It refuses secret coins without a name, too:
// nobody could tell whether another round used the same coins.
func (t *Tally) newBatch(g *Grant, c *Charge) error {
	if !sampled(c) {
		return nil
	}
	if c.Scheme.Secret && c.Scheme.Coins == "" && g.Version > 1 {
		return errors.New("the coins of the round have no name: two rounds of the same coins could not be told apart")
	}
	if t.batches[coinsOf(c)].has(c.Round) {
		return fmt.Errorf("round %d of these coins was released before: sample again with new coins", c.Round)
	}
	return nil
}

// counted refuses a charge unless its attempt is the next one for its round. A repeat must have the settings of the
// attempt before.
func (t *Tally) counted(c *Charge) error {
	next := t.Charges(c.Run, c.Round) + 1
	if next > 1 {
		if err := t.CheckRepeat(c); err != nil {
			return err
		}
	}
	if n := max(1, c.Attempt); n != next {
		return fmt.Errorf("charge %d of round %d of run %s says it is number %d", next, c.Round, c.Run, n)
	}
	return nil
}

// composable refuses a charge that no accountant could compose with the earlier charges.
func (t *Tally) composable(c *Charge) error {
	before := t.noised
	if c.Mechanism != None && before != nil && (before.Adjacency != c.Adjacency || before.Unit != c.Unit) {
		return fmt.Errorf("the ledger is for neighbours %s and unit %s, this run for %s and %s: it needs a ledger of "+
			"its own",
			before.Adjacency, before.Unit, c.Adjacency, c.Unit)
	}
	// A throw of coins has one scheme. If one name has two schemes, at least one of them is false.
	if other, thrown := t.throws[c.Scheme.Coins]; thrown && !other.Same(c.Scheme) {
		return errors.New("coins of this name were charged under another sampling scheme")
	}
	// If each data set has a unit with the same name, these units would get the same coin. Releases from one data set
	// would then reveal coins of the other.
	if first := t.thrown[c.Scheme.Coins]; first != nil && t.head != nil && t.head.DisjointDatasets &&
		first.Dataset != c.Dataset {
		return fmt.Errorf("these coins were charged for data set %q: sample each data set with coins, or a state, of "+
			"its own", first.Dataset)
	}
	return nil
}
