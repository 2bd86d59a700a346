package main

import (
	"errors"
	"fmt"

	"privpipe/pipelines/event"
)

// checkGrants checks that each charge of a ledger is one that its grant, on a line before, gives and allows. The error
// names the line.
func checkGrants(name string, ledger *event.Ledger) error {
	book := granted{grants: make(map[string]*event.Grant), used: make(map[string]int), attempts: make(map[attempt]int)}
	for i, line := range ledger.Lines {
		var err error
		if line.Grant != nil {
			err = book.enter(line.Grant)
		} else {
			err = book.charge(line.Charge)
		}
		if err != nil {
			return &event.LedgerError{Name: name, Line: i + 1, Err: err}
		}
	}
	return nil
}

// granted is what a ledger has said so far.
type granted struct {
	grants   map[string]*event.Grant
	used     map[string]int
	attempts map[attempt]int
}

// An attempt names the releases of a round.
type attempt struct {
	run   string
	round int
}

func (b *granted) enter(g *event.Grant) error {
	if b.grants[g.ID] != nil {
		return fmt.Errorf("grant %s stands a second time", g.ID)
	}
	b.grants[g.ID] = g
	return nil
}

func (b *granted) charge(c *event.Charge) error {
	if err := event.CheckName(c.Run); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	round := attempt{c.Run, c.Round}
	b.attempts[round]++
	if n := b.attempts[round]; n != max(1, c.Attempt) {
		return fmt.Errorf("charge %d of round %d of run %s says it is number %d", n, c.Round, c.Run, max(1, c.Attempt))
	}
	if c.Mechanism == event.None && c.Grant == "" {
		return nil
	}
	g := b.grants[c.Grant]
	if g == nil {
		return fmt.Errorf("charge by grant %q, which no line before has", c.Grant)
	}
	b.used[c.Grant]++
	if b.used[c.Grant] > g.Releases {
		return fmt.Errorf("grant %s allows %d releases, this is one more", g.ID, g.Releases)
	}
	if !c.Scheme.Same(g.Scheme) || c.Round > g.Scheme.Rounds {
		return fmt.Errorf("round %d of %s, but grant %s is for %s", c.Round, c.Scheme, g.ID, g.Scheme)
	}
	want := g.Charge(c.Round, c.Scheme)
	want.Dataset, want.Run, want.Settings, want.Release, want.Attempt = c.Dataset, c.Run, c.Settings, c.Release, c.Attempt
	if g.Mechanism == event.RandomizedResponse && c.Sensitivity <= 2*uint64(g.MaxWords) {
		want.Sensitivity = c.Sensitivity // less for a small vocabulary
	}
	if *c != *want {
		return errors.New("the charge is not the one that its grant gives")
	}
	return nil
}
