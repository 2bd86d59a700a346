package audit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire/stream"
)

const (
	// perRun is how many rounds a run of the binary has: so many that its start costs little beside them.
	perRun = 250
	// learning is the share of the runs in which to find the place of the canary, the statistic and the threshold that tell
	// most. Their bound is measured on the others, so that the choice costs no confidence.
	learning = 0.4
)

// rounds audits a kind: of each round a coin says whether it holds the canary. The rounds of a sound privatizer are
// independent of each other, as its noise is fresh and a release is of its own round alone.
func (a *Auditor) rounds(ctx context.Context, folder string, k kind) (*Result, error) {
	b, err := newBench(a.Binary, folder, k.terms, perRun)
	if err != nil {
		return nil, err
	}
	r := &roundsOf{Auditor: a, bench: b, kind: k, result: &Result{Experiment: k.name}, seen: make(map[[sha256.Size]byte]bool)}
	if k.refusable {
		o, err := r.run(ctx, "probe", []int{0}, []bool{true})
		if err != nil {
			return nil, err
		}
		if o.refusal != "" && len(o.releases) == 0 {
			r.result.Note = "refused, nothing was released"
			return r.result, nil
		}
	}
	err = r.measure(ctx)
	if f := (fault{}); errors.As(err, &f) {
		r.result.give(f)
		return r.result, nil
	}
	return r.result, err
}

// roundsOf is the audit of a kind under way.
type roundsOf struct {
	*Auditor
	bench  *bench
	kind   kind
	result *Result

	mutex  sync.Mutex
	charge *event.Charge // of the first round: all are alike
	clip   float64       // in steps, as the first release says
	seen   map[[sha256.Size]byte]bool
}

// measure audits a kind whose rounds are released.
func (r *roundsOf) measure(ctx context.Context) error {
	places := make([]int, len(r.kind.places))
	for i := range places {
		places[i] = i
	}
	runs := (r.Rounds + perRun - 1) / perRun
	learnt := max(1, int(learning*float64(runs)))
	samples, err := r.collect(ctx, places, learnt)
	if err != nil {
		return err
	}
	models, best := r.learn(samples)
	measured, err := r.collect(ctx, []int{best.place}, runs-learnt)
	if err != nil {
		return err
	}
	g := best.rule.guess(trials(measured[best.place], best.readings))
	samples[best.place] = append(samples[best.place], measured[best.place]...)
	if err := r.check(models, samples); err != nil {
		r.result.Fault = err.Error()
	}
	c := claimOf([]*event.Charge{r.charge})
	r.result.Note = best.readings[best.rule.statistic].name + ", canary " + r.kind.places[best.place].name
	r.result.Bound = r.bound(c, c.lower(g, best.rule.way, r.level()), r.Delta, r.level())
	r.result.Bound.Measured, r.result.Bound.Wrong = g.with+g.without, g.missed+g.alarms
	return nil
}

// A finding is what tells most about rounds: where the canary lies, and the rule to guess it by.
type finding struct {
	place    int
	readings []reading
	rule     rule
}

// learn returns the models of a sound privatizer, and what tells most. Half of the samples of a place show what the privatizer
// is like, the others which statistic tells it.
func (r *roundsOf) learn(samples [][]sample) (models []*model, best finding) {
	c, most := claimOf([]*event.Charge{r.charge}), -1.0
	for place, all := range samples {
		models = append(models, r.kind.terms.claimed(r.kind.places[place], r.clip, float64(r.charge.Scale)))
		half := len(all) / 2
		f := finding{place: place, readings: readings(models[place], learnt(r.kind.terms.Mechanism, all[:half]))}
		claims := make([]claim, len(f.readings))
		for i := range claims {
			claims[i] = c
		}
		var share float64
		if f.rule, share = choose(trials(all[half:], f.readings), claims, learningLevel); share > most {
			best, most = f, share
		}
	}
	return models, best
}

// leastScale is from where on discrete noise has the moments of continuous noise.
const leastScale = 1000

// check reports noise that is too little, in each kind of cell, and places whose sums are wrong.
func (r *roundsOf) check(models []*model, samples [][]sample) error {
	if r.charge.Scale >= leastScale {
		l := r.kind.terms.layout
		off := l.offDiagonal()
		others := l.where(func(c cell) bool { return !c.offDiagonal })
		for _, cells := range []struct {
			what  string
			cells []int
		}{{"cells that stand for one", others}, {"cells off the diagonal of a symmetric matrix", off}} {
			if err := checkNoise(models, samples, cells.cells, cells.what, r.level()); err != nil {
				return err
			}
		}
	}
	for i, p := range r.kind.places {
		if err := checkSums(models[i], samples[i], p.within, r.level()); err != nil {
			return fmt.Errorf("canary %s: %w", p.name, err)
		}
	}
	return nil
}

// level is the share of the audit's error that each bound and each check of the kind gets: of one bound, of the noise in two
// kinds of cells, and of the sums of each place.
func (r *roundsOf) level() float64 { return r.alpha() / float64(3+len(r.kind.places)) }

// collect runs the binary so many times, round after round with the canary at each of some places, and returns the samples of
// each place of the kind.
func (r *roundsOf) collect(ctx context.Context, places []int, runs int) ([][]sample, error) {
	outcomes, thrown, turns := make([]*outcome, runs), coins(runs*perRun), make([]int, perRun)
	for i := range turns {
		turns[i] = places[i%len(places)]
	}
	home := fmt.Sprintf("places-%d", len(places))
	err := r.each(ctx, r.kind.name, runs, func(ctx context.Context, i int) error {
		o, err := r.run(ctx, fmt.Sprintf("%s-%d", home, i), turns, thrown[i*perRun:][:perRun])
		if err != nil {
			return err
		}
		outcomes[i] = o
		return r.examine(o)
	})
	if err != nil {
		return nil, err
	}
	samples := make([][]sample, len(r.kind.places))
	for i, o := range outcomes {
		for round, place := range turns {
			samples[place] = append(samples[place], sample{thrown[i*perRun+round], o.cells[round]})
		}
	}
	return samples, nil
}

// run runs the binary on rounds, each with the canary at a place, or without it.
func (r *roundsOf) run(ctx context.Context, home string, places []int, with []bool) (*outcome, error) {
	defer r.bench.remove(home)
	if err := r.bench.make(home); err != nil {
		return nil, err
	}
	var names []string
	for i := range r.kind.inputs() {
		rounds := make([][]contribution, len(places))
		for round, place := range places {
			p := r.kind.places[place]
			side := p.without
			if with[round] {
				side = p.with
			}
			if i < len(side) {
				rounds[round] = side[i]
			}
		}
		content, err := r.kind.terms.encode(rounds, perRun)
		if err != nil {
			return nil, err
		}
		name := filepath.Join(home, fmt.Sprintf("input-%d.pp", i))
		if err := r.bench.write(name, content); err != nil {
			return nil, err
		}
		if r.kind.combined {
			if name, err = r.bench.combine(ctx, home, name); err != nil {
				return nil, err
			}
		}
		names = append(names, name)
	}
	r.mutex.Lock()
	r.result.Runs++
	r.mutex.Unlock()
	return r.bench.run(ctx, home, names...)
}

// examine checks the books of a run.
func (r *roundsOf) examine(o *outcome) error {
	charges, err := r.bench.charges(o, perRun)
	if err != nil {
		return err
	}
	if err := r.bench.books(o, nil); err != nil {
		return fault{err}
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.charge == nil {
		r.charge, r.clip = charges[0], float64(o.releases[0].Release.Clip)
	}
	r.result.Rounds += len(charges)
	for i, c := range charges {
		if c.Sensitivity != r.charge.Sensitivity || c.Scale != r.charge.Scale {
			return fault{errDiffer}
		}
		// Two releases under noise of such a scale have the same 23 cells by chance with a probability below 2^-200.
		digest := sha256.Sum256(stream.AppendCells(nil, o.cells[i]))
		if r.seen[digest] && c.Scale >= leastScale {
			return fault{errors.New("two rounds released the same numbers: the noise is not fresh")}
		}
		r.seen[digest] = true
	}
	return nil
}

// errDiffer says that charges are not what is public alone.
var errDiffer = errors.New("charges differ from round to round or from run to run: they depend on the input")
