package book

import "privpipe/pipelines/event"

// Allow refuses a charge that a grant does not allow, that no accountant could compose with the ledger's, or that could not
// be read again. A nil grant allows all that can be composed.
func (b *Book) Allow(g *event.Grant, c *event.Charge) error {
	if g != nil {
		if err := b.granted(g, c); err != nil {
			return err
		}
	}
	// Checked before anything is drawn: a line that breaks a rule would make the ledger unreadable for good.
	if err := c.Check(); err != nil {
		return Refuse("%v", err)
	}
	return b.composable(c)
}

// granted compares a charge with the grant, and with what it was used for before.
func (b *Book) granted(g *event.Grant, c *event.Charge) error {
	if g.Expired(b.Now()) {
		return Refuse("the grant has expired")
	}
	if !c.Scheme.Same(g.Scheme) {
		return Refuse("the round was sampled by %s, the grant is for %s", c.Scheme, g.Scheme)
	}
	if err := b.planned(g, c); err != nil {
		return err
	}
	if c.Round > g.Scheme.Rounds {
		return Refuse("round %d is beyond the %d rounds of the grant's scheme", c.Round, g.Scheme.Rounds)
	}
	if c.Scheme.Method == event.Allocate && c.Scheme.Coins == "" {
		return Refuse("the allocation has no name: rounds of two of them could not be told apart")
	}
	releases := 0
	for _, before := range b.ledger.Charges() {
		if before.Grant != g.ID {
			continue
		}
		releases++
		if !c.Scheme.Disjoint() {
			continue
		}
		// The grant counts on every unit being in one round of one throw. Under another name of the run or of the data
		// set a unit could be in a round a second time.
		if before.Run != c.Run || before.Dataset != c.Dataset {
			return Refuse("this grant is for disjoint rounds, and run %s of data set %s has begun them", before.Run, before.Dataset)
		}
		if before.Scheme.Coins != c.Scheme.Coins {
			return Refuse("the units were thrown anew: a unit could be in two rounds of this grant")
		}
	}
	if releases >= g.Releases {
		return Refuse("all %d releases of the grant are used", g.Releases)
	}
	return nil
}

// planned refuses what the plan behind a budget does not know of: charges of other grants, and a second release of a
// batch that was sampled or of a round that is disjoint from others, which loses more than one of a batch of its own.
func (b *Book) planned(g *event.Grant, c *event.Charge) error {
	if g.Budget.Epsilon == 0 {
		return nil // the noise was given, no budget stands behind it
	}
	lines, found := b.ledger.After(g.Budget.After)
	if !found {
		return Refuse("the grant was planned for another ledger")
	}
	for _, line := range lines {
		if line.Charge != nil && line.Charge.Grant != g.ID {
			return Refuse("the ledger has charges that the grant was planned without: plan again, with --ledger, and train anew")
		}
	}
	if c.Attempt > 0 {
		return Refuse("a budget is planned for one release of a round")
	}
	sampled := c.Scheme.Method == event.Poisson || c.Scheme.Method == event.Fixed
	for _, before := range b.ledger.Charges() {
		if sampled && before.Scheme == c.Scheme && before.Round == c.Round {
			return Refuse("round %d of these coins was released before: sample anew", c.Round)
		}
	}
	return nil
}

// composable refuses a charge that no accountant could compose with those of the ledger.
func (b *Book) composable(c *event.Charge) error {
	if c.Mechanism == event.None {
		return nil
	}
	for _, before := range b.ledger.Charges() {
		if before.Mechanism != event.None && (before.Adjacency != c.Adjacency || before.Unit != c.Unit) {
			return Refuse("the ledger is for neighbours %s and unit %s, this run for %s and %s: it needs a ledger of its own",
				before.Adjacency, before.Unit, c.Adjacency, c.Unit)
		}
	}
	return nil
}
