package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
)

// A use is what is left to release by a grant, or where there is no grant, since nothing is protected, by a run.
type use struct {
	grant, run string // run is that of the last charge
	most       int    // releases
	releases   int    // so far
	batch      uint64 // documents of a release, 0 where that is private
}

// useOf returns the use of a grant that nothing is charged by.
func useOf(g *event.Grant) *use {
	return &use{grant: g.ID, most: g.Releases, batch: documentsOf(g.Unit, g.Scheme)}
}

// documentsOf returns how many documents a batch has, 0 where that is private: two documents of a user count as one unit.
func documentsOf(unit string, scheme event.Scheme) uint64 {
	if unit != event.Document {
		return 0
	}
	return scheme.Size // of all schemes the fixed one alone has one
}

// lastUse returns the use of a ledger's last charge, or of the last of a run; nil where there is none.
func lastUse(ledger *event.Ledger, run string) *use {
	for _, c := range slices.Backward(ledger.Charges()) {
		if run != "" && c.Run != run {
			continue
		}
		for _, line := range ledger.Lines {
			if line.Grant != nil && line.Grant.ID == c.Grant {
				return useOf(line.Grant)
			}
		}
		return &use{run: c.Run, most: c.Scheme.Rounds, batch: documentsOf(c.Unit, c.Scheme)}
	}
	return nil
}

// count counts the releases among charges.
func (u *use) count(charges []*event.Charge) {
	u.releases = 0
	for _, c := range charges {
		if c.Grant == u.grant && (u.grant != "" || c.Run == u.run) {
			u.releases++
			u.run = c.Run
		}
	}
}

// spent says what a ledger has spent of its budget: an upper bound, by the accountant, or by the ledger's filter; and at which
// δ. Both are empty where there is no δ to state ε at.
func (w *watching) spent(ledger *event.Ledger) (spent, at string, err error) {
	p, err := w.spending(ledger)(ledger.Charges())
	if err != nil {
		return "", "", err
	}
	b := totalBudget(ledger)
	if b == nil {
		delta, err := (&query{Ledger: w.Ledger}).delta(ledger)
		if err != nil {
			return "", "", nil // nothing says at which
		}
		epsilon, err := p.Epsilon(delta)
		return "ε " + roundUp(epsilon), fmt.Sprintf("δ %v", delta), err
	}
	of, limit, err := b.spent(ledger, p)
	if b.filter != nil {
		return fmt.Sprintf("%s %s of %s", b.filter.Measure, number(of), number(limit)), fmt.Sprintf("for ε %v at δ %v", b.Epsilon, b.Delta), err
	}
	return fmt.Sprintf("ε %s of %.4g", roundUp(of), limit), fmt.Sprintf("δ %v", b.Delta), err
}

// note returns what takes a ledger and notes what it has spent for the line of a terminal. It works beside the line: what is
// noted may be of a moment ago.
func (w *watching) note(r *filter.Run) func(*event.Ledger) error {
	type state struct {
		ledger *event.Ledger
		run    string // empty: it has no name
	}
	latest := make(chan state, 1)
	go func() {
		defer exit.Guard()
		for {
			select {
			case <-r.Done():
				return
			case now := <-latest:
				began := time.Now()
				spent, details, err := w.spent(now.ledger)
				if err != nil {
					spent, details = "no ε", err.Error()
				}
				if now.run != "" {
					details = strings.TrimPrefix(details+", run "+quoted(now.run), ", ")
				}
				w.meter.Say(spent, details)
				time.Sleep(max(spentEvery, leisure*time.Since(began)))
			}
		}
	}()
	return func(ledger *event.Ledger) error {
		if w.use == nil || w.use.releases == 0 {
			return nil
		}
		now := state{ledger: ledger}
		if w.use.run != w.use.grant { // the run of a grant has the grant's name, unless it has one of its own
			now.run = w.use.run
		}
		select {
		case <-latest:
		default:
		}
		latest <- now
		return nil
	}
}

// print returns what takes a ledger and prints a line whenever another tenth of the releases is used.
func (w *watching) print(out io.Writer) func(*event.Ledger) error {
	printed := -1
	return func(ledger *event.Ledger) error {
		if w.use == nil || 10*w.use.releases/w.use.most == printed {
			return nil
		}
		printed = 10 * w.use.releases / w.use.most
		spent, at, err := w.spent(ledger)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("release %d of %d", w.use.releases, w.use.most)
		if w.use.run != "" {
			line = "run " + quoted(w.use.run) + ": " + line
		}
		if spent != "" {
			line += ", " + spent + ", " + at
		}
		_, err = fmt.Fprintln(out, line)
		return err
	}
}
