package audit

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"os"
	"path/filepath"
	"sync"

	"privpipe/pipelines/event"
)

// An Auditor audits one binary.
type Auditor struct {
	Binary     string
	Folder     string // for temporary files
	Terms      Terms
	Runs       int // of each experiment, at least LeastRuns
	Canaries   int // of the audit by one run; 0: no such audit
	Workers    int // runs at a time
	Confidence float64
	Delta      float64
	Status     func(format string, args ...any)
}

const (
	// LeastRuns is the least number of runs of which a third can show a rule that guesses well.
	LeastRuns = 100
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
	for _, experiment := range []struct {
		name   string
		copies int
	}{{"neighbours", 1}, {"delivered twice", 2}} {
		r, err := a.neighbours(ctx, folder, experiment.name, experiment.copies)
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

// alpha is the share of the audit's error that each bound gets.
func (a *Auditor) alpha() float64 {
	bounds := 2
	if a.Canaries > 0 {
		bounds++
		if a.Terms.Mechanism == event.Gaussian {
			bounds++ // its one run is measured in two ways
		}
	}
	return (1 - a.Confidence) / float64(bounds)
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

// neighbours runs the binary with the canary and without, as coins say, and measures how well the releases tell it. The
// canary's record comes so many times: only a binary that counts it as often loses more than it claims. A binary may
// refuse such an input.
func (a *Auditor) neighbours(ctx context.Context, folder, name string, copies int) (*Result, error) {
	b, err := newBench(a.Binary, folder, a.Terms, 2, cells)
	if err != nil {
		return nil, err
	}
	with, without, err := a.Terms.pair(copies)
	if err != nil {
		return nil, err
	}
	if err := b.write(input(true), with); err != nil {
		return nil, err
	}
	if err := b.write(input(false), without); err != nil {
		return nil, err
	}
	result := &Result{Experiment: name, Runs: 1}
	first, err := b.run(ctx, "first", input(true))
	if err != nil {
		return nil, err
	}
	if copies > 1 && first.refusal != "" && len(first.releases) == 0 {
		result.Note = "refused, nothing was released"
		return result, nil
	}
	s := &series{bench: b, trials: make([]trial, a.Runs), seen: make(map[[sha256.Size]byte]int)}
	if s.charges, err = b.charges(first); err != nil {
		return nil, err
	}
	if err := a.repeat(ctx, s, name); err != nil {
		return nil, err
	}
	result.Runs += s.runs
	if result.Fault = s.verdict(); s.fault != "" {
		result.Note = "given up: the claim does not stand"
		return result, nil
	}
	c, rule, g := measure(s.trials, claimsOf(s.charges))
	result.Note = statistics[rule.statistic].name
	result.Bound = a.bound(c, c.lower(g, rule.way, a.alpha()), a.Delta)
	result.Bound.Measured, result.Bound.Wrong = g.with+g.without, g.missed+g.alarms
	return result, nil
}

// bound returns a loss in the measure of a claim beside the claim, both also as ε at δ.
func (a *Auditor) bound(c claim, loss, delta float64) *Bound {
	b := &Bound{
		Confidence: 1 - a.alpha(), Epsilon: c.epsilon(loss, delta), ClaimedEpsilon: c.epsilon(c.loss, delta), Delta: delta,
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

// repeat fills s with a.Runs runs, each with or without the canary by a fair coin, or ends at a fault.
func (a *Auditor) repeat(ctx context.Context, s *series, name string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	thrown := coins(a.Runs)
	next := make(chan int)
	var workers sync.WaitGroup
	for range a.Workers {
		workers.Go(func() {
			for i := range next {
				if err := s.try(ctx, i, thrown[i]); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range thrown {
		if ctx.Err() != nil || s.faulty() {
			break
		}
		if i%100 == 0 {
			a.Status("%s: run %d of %d", name, i, a.Runs)
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}
