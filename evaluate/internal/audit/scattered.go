package audit

import (
	"context"
	"slices"
)

// oneRunDelta divided by the number of canaries is the largest δ for the bound by guesses. The bound adds 2δ for each
// canary. It shows nothing if their sum is above its level.
const oneRunDelta = 1e-5

// oneRun audits a single release of many canaries, each in its own cell.
func (a *Auditor) oneRun(ctx context.Context, folder string) ([]*Result, error) {
	a.Status("one run of %d canaries", a.Canaries)
	terms := a.whole(one(a.Canaries))
	b, err := newBench(a.Binary, folder, terms, 1)
	if err != nil {
		return nil, err
	}
	included := coins(a.Canaries)
	content, err := terms.scattered(included)
	if err != nil {
		return nil, err
	}
	if err := b.write("scattered.pp", content); err != nil {
		return nil, err
	}
	o, err := b.run(ctx, "run", "scattered.pp")
	if err != nil {
		return nil, err
	}
	charges, err := b.charges(o, 1)
	if err != nil {
		return nil, err
	}
	c, options := claimOf(charges), guessExtremes(o.cells[0], included)
	result := &Result{Experiment: "one run", Runs: 1, Rounds: 1, Note: "guesses of the canaries"}
	if err := b.books(o, nil); err != nil {
		result.Fault = err.Error()
	}
	level := a.alpha() / guessShares
	result.Bound = a.bound(c, 0, min(a.Delta, oneRunDelta/float64(a.Canaries)), a.alpha())
	result.Bound.Mu, result.Bound.ClaimedMu = 0, 0 // this bound does not depend on the shape of the noise
	best, at := largest(options, func(o onerun) float64 { return o.lowerEpsilon(result.Bound.Delta, level) })
	result.Bound.Epsilon, result.Bound.Measured, result.Bound.Wrong = best, at.guessed, at.guessed-at.right
	results := []*Result{result}
	if c.gaussian {
		best, at := largest(options, func(o onerun) float64 { return o.lowerMu(level) })
		bound := a.bound(c, best, a.Delta, a.alpha())
		bound.Measured, bound.Wrong = at.guessed, at.guessed-at.right
		results = append(results,
			&Result{Experiment: "one run, as Gaussian", Runs: 1, Rounds: 1, Note: result.Note, Bound: bound})
	}
	return results, nil
}

// largest returns the option with the largest bound.
func largest(options []onerun, lower func(onerun) float64) (float64, onerun) {
	bounds := make([]float64, len(options))
	for i, o := range options {
		bounds[i] = lower(o)
	}
	best := slices.Max(bounds)
	return best, options[slices.Index(bounds, best)]
}
