package lda

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/testkit"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func update(t *testing.T, l *Learner, r modeltest.Release) {
	t.Helper()
	if err := modeltest.Update(l, r); err != nil {
		t.Fatal(err)
	}
}

// cells returns a matrix of a snapshot as it comes over the wire.
func cells[T stream.Values](t *testing.T, l *Learner, s *model.Snapshot, name string) []T {
	t.Helper()
	c, err := stream.Cells[T](modeltest.Set(l, s), name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// without is the head of a release without noise, of all documents.
func without(grid float64, rounds uint32) *wire.Release {
	return &wire.Release{
		Mechanism: event.None, Grid: grid,
		Scheme: &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: rounds, Secret: true},
	}
}

// TestAgainstAuthorsCode compares λ after one update with the authors' code.
func TestAgainstAuthorsCode(t *testing.T) {
	g := testkit.ReadOnlineLDA()
	l := NewFrom(Options{
		Topics: g.K, Words: g.V, Alpha: g.Alpha, Eta: g.Eta, Tau0: g.Tau0, Kappa: g.Kappa, AverageFrom: 1,
	}, g.Lambda0())
	const grid = 1. / (1 << 40)
	head := without(grid, 1)
	documents := uint64(len(g.WordIDs))
	head.Scheme = &wire.Scheme{
		Method: wire.Scheme_FIXED, Size: documents, Population: uint64(g.D), Rate: float64(documents) / g.D,
		Rounds: 1, Secret: true,
	}
	var steps []int64
	for _, row := range g.Statistics {
		for _, s := range row {
			steps = append(steps, int64(math.Round(s/grid)))
		}
	}
	update(t, l, modeltest.Release{Round: 1, Head: head, Steps: steps})
	s, err := l.Model()
	if err != nil {
		t.Fatal(err)
	}
	lambda := cells[float64](t, l, s, "lambda")
	for k, row := range g.Lambda1 {
		for v, want := range row {
			near(t, "λ", lambda[k*g.V+v], want, 1e-9)
		}
	}
}

func TestLearner(t *testing.T) {
	base := Options{Topics: 3, Words: 20, Alpha: .3, Eta: .2, Kappa: .5, AverageFrom: .3, Seed: 7}
	base.Estimate.Shrink = true
	floor := base
	floor.Estimate, floor.ZeroNegatives, floor.AverageFrom = Estimate{ExpectedLog: true}, true, 1
	marginal := base
	marginal.Marginal = &Marginal{Frequencies: slices.Repeat([]float64{1. / 20}, 20)}
	for name, o := range map[string]Options{"shrink": base, "floor": floor, "marginal": marginal} {
		t.Run(name, func(t *testing.T) {
			modeltest.Learner(t, func() model.Learner { return New(o) })
		})
	}
	mode := base
	mode.Estimate, mode.Eta = Estimate{Point: true}, 1.5
	t.Run("map", func(t *testing.T) {
		modeltest.Learner(t, func() model.Learner { return New(mode) })
	})
	increments := floor
	increments.ZeroNegatives, increments.Accumulate, increments.Estimate.Ceiling = false, true, 3
	online := floor
	online.ZeroNegatives, online.Online = false, Online{Lambda: 0.25, Learn: true}
	t.Run("online", func(t *testing.T) { modeltest.Learner(t, func() model.Learner { return New(online) }) })
	t.Run("accumulate", func(t *testing.T) {
		modeltest.LearnerOf(t, modeltest.OfAll(0.125, 50, 5), func() model.Learner { return New(increments) })
	})
}

// TestStart: the first topics differ, also under a large prior.
func TestStart(t *testing.T) {
	for _, o := range []Options{
		{Topics: 2, Words: 30, Alpha: 1, Eta: 0.5}, {Topics: 2, Words: 30, Alpha: 1, Eta: 5},
		{Topics: 2, Words: 30, Alpha: 1, Eta: 5, Estimate: Estimate{Point: true}},
	} {
		lambda := o.estimate(make([]float64, o.Topics*o.Words), New(o).sum, nil, 0).lambda
		for v := range 30 {
			if one, two := lambda[v], lambda[30+v]; one == two {
				t.Errorf("η = %v: word %d has λ %v in both topics", o.Eta, v, one)
			}
		}
	}
}

// TestRestoreRefuses a checkpoint that was made with other settings.
func TestRestoreRefuses(t *testing.T) {
	base := Options{Topics: 2, Words: 3, Alpha: 1, Eta: 1, Tau0: 1, Kappa: 0.5, AverageFrom: 0.3}
	l := New(base)
	set := modeltest.Set(l, l.State())
	if err := New(base).Restore(set); err != nil {
		t.Fatal(err)
	}
	for rule, change := range map[string]func(*Options){
		"alpha 1, this run has 2":     func(o *Options) { o.Alpha = 2 },
		"eta 1, this run has 3":       func(o *Options) { o.Eta = 3 },
		"tau0 1, this run has 64":     func(o *Options) { o.Tau0 = 64 },
		"kappa 0.5, this run has 0.7": func(o *Options) { o.Kappa = 0.7 },
		"average_from 0.3":            func(o *Options) { o.AverageFrom = 1 },
		"zero_negatives 0":            func(o *Options) { o.ZeroNegatives = true },
		"ceiling 0, this run has 4":   func(o *Options) { o.Estimate.Ceiling = 4 },
		"accumulate 0":                func(o *Options) { o.Accumulate = true },
		"point 0":                     func(o *Options) { o.Estimate.Point = true },
		"online 0, this run has 0.5":  func(o *Options) { o.Online.Lambda = 0.5 },
		"learn_correlation 0, this":   func(o *Options) { o.Online.Learn = true },
		"2 × 3, must be of 4 × 3":     func(o *Options) { o.Topics = 4 },
		"2 × 3, must be of 2 × 4":     func(o *Options) { o.Words = 4 },
	} {
		o := base
		change(&o)
		if err := New(o).Restore(set); err == nil || !strings.Contains(err.Error(), rule) {
			t.Errorf("got %v, want an error about %q", err, rule)
		}
	}
}

// TestCheckpointOfAverage: a checkpoint has the average once there is one. Older programs always wrote it, with zeros.
func TestCheckpointOfAverage(t *testing.T) {
	l := New(Options{Topics: 2, Words: 3, Alpha: 1, Eta: 1, Kappa: 1, AverageFrom: 0.5})
	for round := range uint32(4) {
		release := modeltest.Release{Round: round + 1, Head: modeltest.Gaussian(0.5, 1, 2, 4),
			Steps: []int64{1, 2, 3, 4, 5, 6}}
		if err := modeltest.Update(l, release); err != nil {
			t.Fatal(err)
		}
		state := l.State()
		if has := len(state.Matrices) == 2; has != (round >= 2) {
			t.Errorf("after round %d a checkpoint has the matrices %v", round+1, state.Matrices)
		}
		if round < 2 {
			keptAverage.Put(state, l.Size(), make([]float64, 6))
		}
		again := New(l.o)
		if err := again.Restore(modeltest.Set(l, state)); err != nil || !slices.Equal(again.average, l.average) {
			t.Errorf("after round %d: the average is restored as %v, was %v; %v", round+1, again.average, l.average,
				err)
		}
	}
}

// TestRestoreOlder: a checkpoint of a program that knew neither a ceiling nor increments is one without them.
func TestRestoreOlder(t *testing.T) {
	o := Options{Topics: 2, Words: 3, Alpha: 1, Eta: 1}
	l := New(o)
	for _, s := range l.State().Scalars {
		if s.Name == "ceiling" || s.Name == "accumulate" {
			t.Errorf("a checkpoint without the option has %s", s.Name)
		}
	}
	with := o
	with.Accumulate, with.Estimate.Ceiling = true, 4
	l = New(with)
	if err := New(with).Restore(modeltest.Set(l, l.State())); err != nil {
		t.Error(err)
	}
	if err := New(o).Restore(modeltest.Set(l, l.State())); err == nil ||
		!strings.Contains(err.Error(), "ceiling 4, this run has 0") {
		t.Errorf("a run without a ceiling resumes one with: %v", err)
	}
}

// state returns S after releases of one cell by given settings.
func state(t *testing.T, o Options, first float64, steps ...int64) *Learner {
	t.Helper()
	o.Topics, o.Words = 1, 1
	l := NewFrom(o, []float64{first})
	for i, s := range steps {
		head := modeltest.Gaussian(0.5, 1, 3, uint32(len(steps)))
		update(t, l, modeltest.Release{Round: uint32(i + 1), Head: head, Steps: []int64{s}})
	}
	return l
}

// TestSchedule: S ← (1−ρ)S + ρR/q with ρ_t = (τ0 + t)^−κ, at most 1, and the variance of S likewise with squares.
func TestSchedule(t *testing.T) {
	for _, c := range []struct {
		tau0, kappa   float64
		sum, variance float64 // after two rounds of −8 and 5 at q = 1/2 from S = 10, each with noise of deviation 6
	}{
		{0, 0, 10, 36},                                    // ρ = 1, 1: the last round
		{0, 1, 0.5*-16 + 0.5*10, 36 * 0.5},                // 1, 1/2: the mean of the rounds
		{1, 1, 2./3*(0.5*10-0.5*16) + 10./3, 36 * 2 / 9.}, // 1/2, 1/3
		{0, 2, 0.75*-16 + 0.25*10, 36 * 10 / 16.},         // 1, 1/4
	} {
		l := state(t, Options{Eta: 2, Tau0: c.tau0, Kappa: c.kappa, AverageFrom: 1}, 12, -8, 5)
		near(t, "S", l.sum[0], c.sum, 1e-12)
		near(t, "variance", l.variance, c.variance, 1e-12)
	}
}

// TestNegatives: negative cells count in full, so that noise averages out; with ZeroNegatives they count as 0.
func TestNegatives(t *testing.T) {
	o := Options{Eta: 1, Kappa: 1, AverageFrom: 1}
	near(t, "S", state(t, o, 1, -8, 5).sum[0], (-16+10)/2., 1e-12)
	o.ZeroNegatives = true
	near(t, "S", state(t, o, 1, -8, 5).sum[0], (0+10)/2., 1e-12)
}

// TestUnbiased: the mean of S over many runs on an empty cell is 0 within the error of the mean, at a false rejection
// rate of 1e-6 (4.9 deviations) were the seed not fixed.
func TestUnbiased(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	const runs = 400
	total, variance := 0.0, 0.0
	for range runs {
		var steps [6]int64
		for i := range steps {
			steps[i] = int64(math.Round(3 * r.NormFloat64()))
		}
		l := state(t, Options{Eta: 1, Kappa: 0.7}, 1, steps[:]...)
		total += l.average[0] / runs
		variance = l.averageVariance
	}
	if math.Abs(total) > 4.9*math.Sqrt(variance/runs) {
		t.Errorf("the mean over %d runs is %v, deviation of one is %v", runs, total, math.Sqrt(variance))
	}
}

// TestAverage: rounds after the share AverageFrom get weights in proportion to Γ(i+½)/Γ(i). By Γ(x+1) = xΓ(x) they are
// 8, 12, 15 and 17.5. AverageFrom 1 takes S.
func TestAverage(t *testing.T) {
	for _, c := range []struct{ from, average, variance float64 }{
		{0, 2 * (8*1 + 12*-2 + 15*4 + 17.5*8) / 52.5, 36 * (64 + 144 + 225 + 306.25) / (52.5 * 52.5)},
		{0.5, 2 * (8*4 + 12*8) / 20., 36 * (64 + 144) / 400.},
		{0.75, 2 * 8, 36},
	} {
		l := state(t, Options{Eta: 1, AverageFrom: c.from}, 1, 1, -2, 4, 8)
		near(t, "average", l.average[0], c.average, 1e-12)
		near(t, "variance", l.averageVariance, c.variance, 1e-12)
	}
	l := state(t, Options{Eta: 1, AverageFrom: 1}, 1, 1, -2, 4, 8)
	s, err := l.Model()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "λ of the last state", cells[float64](t, l, s, "lambda")[0], 1+2*8, 1e-12)
}

// TestFirstTopics: λ is Gamma(100, 1/100) by a seed. Its mean is 1 and its deviation 0.1.
func TestFirstTopics(t *testing.T) {
	o := Options{Topics: 10, Words: 1000, Eta: 0.5, Seed: 1}
	mean, square := 0.0, 0.0
	for _, s := range New(o).sum {
		mean += (s + o.Eta) / 1e4
		square += (s + o.Eta - 1) * (s + o.Eta - 1) / 1e4
	}
	near(t, "mean", mean, 1, 4.9*0.1/100)
	near(t, "variance", square, 0.01, 4.9*math.Sqrt(2./1e4))
	if !slices.Equal(New(o).sum, New(o).sum) {
		t.Error("one seed gives two beginnings")
	}
	other := o
	other.Seed = 2
	if slices.Equal(New(o).sum, New(other).sum) {
		t.Error("two seeds give one beginning")
	}
}

func FuzzExtreme(f *testing.F) {
	f.Add(1.0, 1.0, uint64(1), uint32(1), int64(1), int64(-1))
	f.Add(1e59, 1.0, uint64(1<<32-1), uint32(1<<31), int64(math.MaxInt64), int64(math.MinInt64))
	f.Add(5e-324, 1.0, uint64(1), uint32(3), int64(1), int64(0))
	f.Add(1e-40, 1e-3, uint64(0), uint32(3), int64(-1), int64(-9))
	f.Fuzz(func(t *testing.T, grid, rate float64, scale uint64, rounds uint32, a, b int64) {
		for _, o := range []Options{
			{Estimate: Estimate{Shrink: true}}, {Estimate: Estimate{ExpectedLog: true}},
			{Accumulate: true}, {Accumulate: true, Estimate: Estimate{Ceiling: 1e-300}},
		} {
			if o.Accumulate && rate != 1 {
				continue // of a sample
			}
			o.Topics, o.Words, o.Alpha, o.Eta, o.Kappa = 2, 5, 0.5, 0.5, 0.5
			modeltest.Extreme(t, New(o), grid, rate, scale, rounds, a, b)
		}
	})
}

// TestAboveNoise counts the cells that are more than four deviations above 0.
func TestAboveNoise(t *testing.T) {
	l := newLearner(Options{Topics: 2, Words: 3})
	l.sum, l.variance = []float64{9, 1, 5, 5, -9, 4}, 1
	if got, want := l.AboveNoise(), []int{2, 1}; !slices.Equal(got, want) {
		t.Errorf("%v words above the noise by topic, want %v", got, want)
	}
}
