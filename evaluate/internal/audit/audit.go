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
	Terms      Terms    // for the cases neighbours and delivered-twice, and for the audit by one run
	Cases      []string // names of the cases to run; none: all
	Runs       int      // number of runs in the case neighbours, at least LeastRuns
	Rounds     int      // number of rounds in each other case, at least LeastRounds
	Canaries   int      // number of canaries in the audit by one run; 0: no such audit
	Workers    int      // number of concurrent runs
	Confidence float64
	Delta      float64
	Status     func(format string, args ...any)
}

const (
	// LeastRuns is the least number of runs. A third of them is enough to learn a good rule.
	LeastRuns = 100
	// LeastRounds is the least number of rounds. It gives each place in a case samples to learn from.
	LeastRounds = 1000
	// MostConfidence keeps the levels of the bounds representable as floating-point numbers near 1.
	MostConfidence = 1 - 1e-12
	// MostCanaries bounds the size of the audit by one run.
	MostCanaries = 1 << 20
)

// Audit runs all experiments. All bounds together hold with confidence a.Confidence. It returns an error if the binary
// does not behave like a privatizer at all, or if the system fails.
func (a *Auditor) Audit(ctx context.Context) ([]*Result, error) {
	folder, err := os.MkdirTemp(a.Folder, "privpipe-audit-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if folder, err = filepath.Abs(folder); err != nil { // the binary runs in another folder
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

// does reports whether a case is selected.
func (a *Auditor) does(name string) bool { return len(a.Cases) == 0 || slices.Contains(a.Cases, name) }

// alpha is each case's error probability: its share of the audit's error probability.
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
			cases++ // the one run gives two bounds
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

// neighbours runs the binary with the canary or without it, and measures how well the releases predict which. A coin
// decides for each run. Each run is a process of two rounds, with the canary in both or in neither.
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

// bound returns the bound on a loss beside the claimed loss: in the claim's measure, and as ε at δ.
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

// input returns the file name of the input with the canary or without it.
func input(with bool) string {
	if with {
		return "with.pp"
	}
	return "without.pp"
}

// A fault is a rule that the binary broke outright.
type fault struct{ error }

// each runs a task for each number below n, several concurrently, until one fails.
func (a *Auditor) each(ctx context.Context, name string, n int, task func(context.Context, int) error) error {
	return Each(ctx, a.Workers, n, func(i int) { a.Status("%s: run %d of %d", name, i, n) }, task)
}

// Each runs a task for each number below n until one fails. Up to workers tasks run concurrently. It calls status
// before every hundredth task.
func Each(ctx context.Context, workers, n int, status func(i int), task func(context.Context, int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
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
			status(i)
		}
		next <- i
	}
	close(next)
	group.Wait()
	return context.Cause(ctx)
}
