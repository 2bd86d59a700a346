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
	// perRun is the number of rounds in a run of the binary. It is so large that starting the process takes little of
	// the time.
	perRun = 250
	// learning is the share of the runs that teaches the audit the best place of the canary, statistic and threshold.
	// The bound is measured on the other runs, so that the choice costs no confidence.
	learning = 0.4
)

// rounds audits one kind. A coin for each round decides whether the round has the canary. A sound privatizer's rounds
// are independent: the noise is fresh, and a release depends only on its own round.
func (a *Auditor) rounds(ctx context.Context, folder string, k kind) (*Result, error) {
	b, err := newBench(a.Binary, folder, k.terms, perRun)
	if err != nil {
		return nil, err
	}
	r := &roundsOf{Auditor: a, bench: b, kind: k, result: &Result{Experiment: k.name},
		seen: make(map[[sha256.Size]byte]bool)}
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

// roundsOf is the state of auditing one kind.
type roundsOf struct {
	*Auditor
	bench  *bench
	kind   kind
	result *Result

	mutex  sync.Mutex
	charge *event.Charge // of the first round; all rounds have equal charges
	clip   float64       // in steps, as the first release states
	seen   map[[sha256.Size]byte]bool
}

// measure audits a kind if the binary releases its rounds.
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

// A finding is the best attack on rounds: the place of the canary, and the rule that guesses the canary there.
type finding struct {
	place    int
	readings []reading
	rule     rule
}

// learn returns a sound privatizer's model for each place, and the best attack. It fits the learnt model to half of the
// samples at a place, and chooses the statistic on the other half.
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

// leastScale is the least scale that lets the moments of discrete and continuous noise agree closely enough.
const leastScale = 1000

// check returns an error if the noise in one kind of cell is too small, or if the sums at a place are wrong.
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

// level is the error probability of each bound and each check in the kind: one bound, the noise in two kinds of cells,
// and the sums at each place.
func (r *roundsOf) level() float64 { return r.alpha() / float64(3+len(r.kind.places)) }

// collect runs the binary a given number of times. The canary takes the given places in turn, round after round.
// collect returns the samples for each place in the kind.
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

// run runs the binary on rounds. Each round is at a place, with the canary or without it.
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

// examine checks the ledger and the charges after a run.
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
		// Under noise of such a scale, two releases have the same 23 cells by chance with a probability below 2^-200.
		digest := sha256.Sum256(stream.AppendCells(nil, o.cells[i]))
		if r.seen[digest] && c.Scale >= leastScale {
			return fault{errors.New("two rounds released the same numbers: the noise is not fresh")}
		}
		r.seen[digest] = true
	}
	return nil
}

// errDiffer is the fault if charges do not depend only on public data.
var errDiffer = errors.New("charges differ from round to round or from run to run: they depend on the input")
