package audit

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// An Auditor audits one binary.
type Auditor struct {
	Binary     string
	Folder     string   // for temporary files
	Terms      Terms    // of the neighbours, of what is delivered twice, and of the canaries of one run
	Cases      []string // names of the cases to do; none: all
	Runs       int      // of neighbours, at least LeastRuns
	Rounds     int      // of each other case, at least LeastRounds
	Canaries   int      // of the audit by one run; 0: no such audit
	Workers    int      // runs at a time
	Confidence float64
	Delta      float64
	Status     func(format string, args ...any)
}

const (
	// LeastRuns is the least number of runs of which a third can show a rule that guesses well.
	LeastRuns = 100
	// LeastRounds is the least number of rounds that leaves some to learn from at each place of a case.
	LeastRounds = 1000
	// MostConfidence keeps the levels of the bounds within what floating-point numbers near 1 can state.
	MostConfidence = 1 - 1e-12
	// MostCanaries bounds the size of the run that holds them all.
	MostCanaries = 1 << 20
)

// Audit does all experiments. All bounds hold together with a.Confidence. An error is one of the binary that does not
// behave like a privatizer at all, or of the system.
func (a *Auditor) Audit(ctx context.Context) ([]*Result, error) {
	folder, err := os.MkdirTemp(a.Folder, "privpipe-audit-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if folder, err = filepath.Abs(folder); err != nil { // the binary runs in a folder of its own
		return nil, err
	}
	var results []*Result
	if a.does(Neighbours) {
		r, err := a.neighbours(ctx, folder)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	for _, k := range kinds(a.Terms) {
		if !a.does(k.name) {
			continue
		}
		r, err := a.rounds(ctx, folder, k)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	if a.Canaries > 0 {
		r, err := a.oneRun(ctx, folder)
		if err != nil {
			return nil, err
		}
		results = append(results, r...)
	}
	return results, nil
}

// does says whether a case is to be done.
func (a *Auditor) does(name string) bool { return len(a.Cases) == 0 || slices.Contains(a.Cases, name) }

// alpha is the share of the audit's error that each case gets.
func (a *Auditor) alpha() float64 {
	cases := 0
	for _, name := range Cases() {
		if a.does(name) {
			cases++
		}
	}
	if a.Canaries > 0 {
		cases++
		if a.Terms.Mechanism == event.Gaussian {
			cases++ // its one run is measured in two ways
		}
	}
	return (1 - a.Confidence) / float64(cases)
}

// coins throws n fair coins that no binary can foresee.
func coins(n int) []bool {
	b := make([]byte, n)
	rand.Read(b) // never fails
	thrown := make([]bool, n)
	for i := range thrown {
		thrown[i] = b[i]&1 == 1
	}
	return thrown
}

// whole returns the caller's terms for a layout.
func (a *Auditor) whole(l layout) Terms {
	t := a.Terms
	t.clip, t.layout = clip, l
	return t
}

// neighbours runs the binary with the canary and without, as coins say, and measures how well the releases tell it. Each run
// is a process of its own, and the canary is in both of its rounds.
func (a *Auditor) neighbours(ctx context.Context, folder string) (*Result, error) {
	terms := a.whole(one(cells))
	b, err := newBench(a.Binary, folder, terms, 2)
	if err != nil {
		return nil, err
	}
	with, without, err := terms.pair()
	if err != nil {
		return nil, err
	}
	if err := b.write(input(true), with); err != nil {
		return nil, err
	}
	if err := b.write(input(false), without); err != nil {
		return nil, err
	}
	result := &Result{Experiment: Neighbours, Runs: 1}
	first, err := b.run(ctx, "first", input(true))
	if err != nil {
		return nil, err
	}
	s := &series{bench: b, trials: make([]trial, a.Runs), seen: make(map[[sha256.Size]byte]int)}
	if s.charges, err = b.charges(first, 2); err != nil {
		return nil, err
	}
	thrown := coins(a.Runs)
	err = a.each(ctx, Neighbours, a.Runs, func(ctx context.Context, i int) error { return s.try(ctx, i, thrown[i]) })
	result.Runs += s.runs
	result.Rounds = 2 * result.Runs
	if f := (fault{}); errors.As(err, &f) {
		result.give(f)
		return result, nil
	}
	if err != nil {
		return nil, err
	}
	result.Fault = s.verdict()
	c, rule, g := measure(s.trials, claimsOf(s.charges))
	result.Note = statistics[rule.statistic].name
	result.Bound = a.bound(c, c.lower(g, rule.way, a.alpha()), a.Delta, a.alpha())
	result.Bound.Measured, result.Bound.Wrong = g.with+g.without, g.missed+g.alarms
	return result, nil
}

// bound returns a loss in the measure of a claim beside the claim, both also as ε at δ.
func (a *Auditor) bound(c claim, loss, delta, alpha float64) *Bound {
	b := &Bound{
		Confidence: 1 - alpha, Epsilon: c.epsilon(loss, delta), ClaimedEpsilon: c.epsilon(c.loss, delta), Delta: delta,
	}
	if c.gaussian {
		b.Mu, b.ClaimedMu = loss, c.loss
	} else {
		b.Delta = 0
	}
	return b
}

// input is the name of the file of an input.
func input(with bool) string {
	if with {
		return "with.pp"
	}
	return "without.pp"
}

// A fault is a rule that the binary broke outright.
type fault struct{ error }

// each does a task for each of n numbers, some at a time, until one fails.
func (a *Auditor) each(ctx context.Context, name string, n int, task func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var workers sync.WaitGroup
	for range a.Workers {
		workers.Go(func() {
			defer exit.Guard()
			for i := range next {
				if err := task(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		if i%100 == 0 {
			a.Status("%s: run %d of %d", name, i, n)
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}
