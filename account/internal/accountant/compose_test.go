package accountant

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"privpipe/account/internal/loss"
	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
)

func poisson(q float64) event.Scheme {
	return event.Scheme{Method: event.Poisson, Rate: q, Rounds: 100, Secret: true, Coins: "coins1"}
}

var (
	all   = event.Scheme{Method: event.All, Rate: 1, Rounds: 100}
	epoch = event.Scheme{Method: event.Epoch, Rate: 0.01, Rounds: 100}
	fixed = event.Scheme{Method: event.Fixed, Rate: 0.25, Size: 1, Population: 4, Rounds: 1, Secret: true,
		Coins: "coins1"}
	allocate = event.Scheme{Method: event.Allocate, Rate: 0.01, Rounds: 100, Secret: true, Coins: "throw1"}
	windows  = event.Scheme{Method: event.Epoch, Rate: 0.01, Rounds: 100, Coins: "state1"}
)

// charge returns a charge of a round of run r with a noise multiplier, after changes.
func charge(round int, scheme event.Scheme, multiplier float64, changes ...func(*event.Charge)) *event.Charge {
	c := &event.Charge{
		Dataset: "d", Run: "r", Round: round, Grant: "g", Mechanism: event.Gaussian, Adjacency: event.AddRemove,
		Unit: event.Document, Sensitivity: 1e9, Scale: uint64(math.Round(multiplier * 1e9)), Scheme: scheme,
	}
	for _, change := range changes {
		change(c)
	}
	return c
}

func run(name string) func(*event.Charge)   { return func(c *event.Charge) { c.Run = name } }
func grant(name string) func(*event.Charge) { return func(c *event.Charge) { c.Grant = name } }

// coins changes the name of the coins, where there are any.
func coins(name string) func(*event.Charge) {
	return func(c *event.Charge) {
		if c.Scheme.Coins != "" {
			c.Scheme.Coins = name
		}
	}
}

func ofMechanism(name string) func(*event.Charge) {
	return func(c *event.Charge) { c.Mechanism = name }
}

func noNoise(c *event.Charge) { c.Mechanism, c.Sensitivity, c.Scale = event.None, 0, 0 }

func composed(t *testing.T, charges ...*event.Charge) renyi.Curve {
	t.Helper()
	c, err := Compose(charges)
	if err != nil {
		t.Fatal(err)
	}
	return curve(t, c.List())
}

// curve returns the Rényi curve of a list.
func curve(t *testing.T, l *loss.List) renyi.Curve {
	t.Helper()
	curve, _, err := l.Curve()
	if err != nil {
		t.Fatal(err)
	}
	return curve
}

// epsilon is that of a list's Rényi curve.
func epsilon(t *testing.T, l *loss.List, delta float64) float64 {
	t.Helper()
	profile, err := l.Renyi()
	if err != nil {
		t.Fatal(err)
	}
	bound, err := profile.Epsilon(delta)
	if err != nil {
		t.Fatal(err)
	}
	return bound.Upper
}

// same checks a curve at some orders.
func same(t *testing.T, what string, got, want renyi.Curve) {
	t.Helper()
	for _, alpha := range []float64{1.5, 2, 3.5, 20, 100} {
		if g, w := got(alpha), want(alpha); !(math.Abs(g-w) <= 1e-12*w) {
			t.Errorf("%s: ρ(%v) is %v, want %v", what, alpha, g, w)
		}
	}
}

// lost is the curve of a loss of one release of kind (rate, multiplier).
func lost(rate, multiplier float64) renyi.Curve {
	return func(alpha float64) float64 { return renyi.PoissonGaussian(rate, multiplier, alpha) }
}

func sum(curves ...renyi.Curve) renyi.Curve {
	return func(alpha float64) float64 {
		rho := 0.0
		for _, c := range curves {
			rho += c(alpha)
		}
		return rho
	}
}

// TestMixedReleases compares with google/differential-privacy@b5b0286 python/dp_accounting 0.6.0: RdpAccountant and, as
// what no sound account is below, PLDAccountant .compose(ComposedDpEvent(...)); the rows het* of
// /work/shared/golden/accounting.jsonl, whose tolerance is 1e-3 for better orders.
func TestMixedReleases(t *testing.T) {
	type kind struct {
		q, multiplier float64
		rounds        int
	}
	for _, c := range []struct {
		id                string
		kinds             []kind
		delta, rdp, least float64
	}{
		{"het1", []kind{{0.05, 1.24, 10}, {0.05, 2, 10}}, 1e-4, 1.0554066701341085, 0.7603109582729085},
		{"het2", []kind{{0.05, 1.24, 20}, {1, 20, 1}}, 1e-4, 1.2234173603265537, 0.9430364550301921},
		{"het3", []kind{{0.01, 1, 500}, {0.02, 1.5, 250}, {0.04, 2, 125}}, 1e-5, 2.149317691018311, 1.8988314726430375},
		{"het6", []kind{{1, 5, 1}, {1, 10, 4}, {1, 2.5, 2}}, 1e-6, 3.131089774915035, 2.921600590427048},
		{"het11", []kind{{0.0125, 1.1, 80}, {0.025, 1.24, 40}, {0.05, 1.5, 20}}, 1e-4, 1.1391198773174427, 0},
		{"het13", []kind{{0.05, 1.24, 20}, {0.05, 1.24, 20}, {0.05, 1.24, 20}}, 1e-4, 1.7726895618407168, 0},
	} {
		var charges []*event.Charge
		for i, k := range c.kinds {
			for round := range k.rounds {
				charges = append(charges, charge(round+1, poisson(k.q), k.multiplier, coins(string(rune('a'+i)))))
			}
		}
		got, order := renyi.Epsilon(composed(t, charges...), c.delta)
		if !(got >= max(c.rdp*(1-1e-3), c.least) && got <= c.rdp*(1+1e-6)) {
			t.Errorf("%s: ε %v at order %v, want %v", c.id, got, order, c.rdp)
		}
	}
}

// TestOneBatchTwice: sums over one sampled batch are one sum of all of them, with noise 1/hypot(1/2, 1/4), whatever
// grant allowed them and in whatever order.
func TestOneBatchTwice(t *testing.T) {
	two, four := charge(1, poisson(0.02), 2), charge(1, poisson(0.02), 4, grant("other"))
	joint := lost(0.02, 4/math.Sqrt(5))
	same(t, "2 and 4", composed(t, two, four), joint)
	same(t, "4 and 2", composed(t, four, two), joint)
	same(t, "three", composed(t, four, two, four), lost(0.02, 4/math.Sqrt(6)))
	// A stream of rounds that is kept and given to two runs is one batch a round, and so may be what has no name.
	same(t, "two runs", composed(t, two, charge(1, poisson(0.02), 4, run("s"), grant("h"))), joint)
	nameless := func(c *event.Charge) { c.Scheme.Coins = "" }
	same(t, "no name", composed(t, charge(1, poisson(0.02), 2, nameless),
		charge(1, poisson(0.02), 4, nameless, run("s"))), joint)
	for what, change := range map[string]func(*event.Charge){
		"other round": func(c *event.Charge) { c.Round = 2 },
		"other coins": coins("coins2"),
	} {
		same(t, what, composed(t, two, charge(1, poisson(0.02), 4, change)), sum(lost(0.02, 2), lost(0.02, 4)))
	}
	// Only the name says which coins, whatever else is said of them.
	plan := func(c *event.Charge) { c.Scheme.Rounds = 7 }
	same(t, "other plan", composed(t, two, charge(1, poisson(0.02), 4, plan)), joint)
	apart := composed(t, charge(1, poisson(0.02), 2, nameless), charge(1, poisson(0.02), 4, nameless, plan))
	same(t, "no name, other plan", apart, sum(lost(0.02, 2), lost(0.02, 4)))
	// Without amplification the two ways to count are the same.
	same(t, "all", composed(t, charge(1, all, 2), charge(1, all, 4)), lost(1, 4/math.Sqrt(5)))

	// dp_accounting's PLDAccountant for 100 rounds of the joint release (het7eff of
	// /work/shared/golden/accounting.jsonl).
	var charges []*event.Charge
	for round := range 100 {
		charges = append(charges, charge(round+1, poisson(0.02), 2), charge(round+1, poisson(0.02), 4))
	}
	if got, _ := renyi.Epsilon(composed(t, charges...), 1e-5); !(got >= 0.47370299502320534 && got < 0.6) {
		t.Errorf("100 rounds, each twice: ε %v, want a little above 0.4738", got)
	}
}

// TestContradictoryCoins: where charges say different things of the same coins, what is released of the batch is not
// amplified, in whatever order they stand; other rounds are.
func TestContradictoryCoins(t *testing.T) {
	for what, change := range map[string]func(*event.Charge){
		"rate":   func(c *event.Charge) { c.Scheme.Rate = 0.01 },
		"secret": func(c *event.Charge) { c.Scheme.Secret = false },
		"method": func(c *event.Charge) { c.Scheme.Method, c.Scheme.Rate = event.Allocate, 0.01 },
	} {
		two, four, other := charge(1, poisson(0.02), 2), charge(1, poisson(0.02), 4, change),
			charge(2, poisson(0.02), 2)
		want := sum(lost(1, 2), lost(1, 4), lost(0.02, 2))
		same(t, what, composed(t, two, four, other), want)
		same(t, what+", another order", composed(t, four, other, two), want)
		same(t, what+", thrice", composed(t, two, four, two, other), sum(lost(1, 2), want))
		c, err := Compose([]*event.Charge{two, four, other})
		if err != nil {
			t.Fatal(err)
		}
		if c.Amplified(two) || c.Amplified(four) || !c.Amplified(other) {
			t.Errorf("%s: amplified are %v, %v and %v", what, c.Amplified(two), c.Amplified(four), c.Amplified(other))
		}
	}
}

// TestJointMoment: the moment of two releases with the same coin, by integration over both noises, is that of the one
// release they count as, and above that of two coins.
func TestJointMoment(t *testing.T) {
	const steps = 400
	for _, q := range []float64{0.01, 0.3} {
		for _, alpha := range []float64{1.5, 2, 4.5} {
			const m1, m2 = 1.5, 2.5
			moment, step := 0.0, 24.0/steps
			for i := range steps + 1 {
				for j := range steps + 1 {
					x, y := -9+step*float64(i), -9+step*float64(j)
					ratio := 1 - q + q*math.Exp(x/m1-1/(2*m1*m1)+y/m2-1/(2*m2*m2))
					moment += math.Pow(ratio, alpha) * math.Exp(-(x*x+y*y)/2) / (2 * math.Pi) * step * step
				}
			}
			want := math.Log(moment) / (alpha - 1)
			same := composed(t, charge(1, poisson(q), m1), charge(1, poisson(q), m2))(alpha)
			if math.Abs(same-want) > 1e-11+1e-10*want { // 1e-12 is added for rounding
				t.Errorf("q %v: ρ(%v) is %v, want %v", q, alpha, same, want)
			}
			if apart := composed(t, charge(1, poisson(q), m1), charge(2, poisson(q), m2))(alpha); apart >= want {
				t.Errorf("q %v: two batches lose ρ(%v) = %v, one batch twice only %v", q, alpha, apart, want)
			}
		}
	}
}

// TestDisjointRounds: of rounds that share no unit the worst counts; charges of one round add up.
func TestDisjointRounds(t *testing.T) {
	for _, scheme := range []event.Scheme{epoch, allocate, windows} {
		var charges []*event.Charge
		for round := range 100 {
			charges = append(charges, charge(round+1, scheme, 2))
		}
		same(t, scheme.Method, composed(t, charges...), lost(1, 2))
		charges = append(charges, charge(101, scheme, 1))
		same(t, "a worse round", composed(t, charges...), lost(1, 1))
		// Round 7 four times loses as much as the worse round once; a fifth time is more.
		charges = append(charges, charges[6], charges[6], charges[6])
		same(t, "a round four times", composed(t, charges...), lost(1, 1))
		charges = append(charges, charges[6])
		same(t, "a round five times", composed(t, charges...), lost(1, 2/math.Sqrt(5)))
	}
	// Rounds of two throws may share a unit.
	first := charge(1, allocate, 2)
	for what, change := range map[string]func(*event.Charge){
		"coins":    func(c *event.Charge) { c.Scheme.Coins = "throw2" },
		"run":      run("s"),
		"data set": func(c *event.Charge) { c.Dataset = "e" },
	} {
		same(t, "another "+what, composed(t, first, charge(2, allocate, 2, change)), sum(lost(1, 2), lost(1, 2)))
	}
	seeded := allocate
	seeded.Secret = false
	same(t, "another grant", composed(t, first, charge(2, allocate, 2, grant("h"))), lost(1, 2))
	same(t, "another grant, by a seed", composed(t, charge(1, seeded, 2), charge(2, seeded, 2, grant("h"))),
		sum(lost(1, 2), lost(1, 2)))
	same(t, "another state of windows", composed(t, charge(1, windows, 2), charge(2, windows, 2, coins("state2"))),
		sum(lost(1, 2), lost(1, 2)))
	unnamed := func(c *event.Charge) { c.Scheme.Coins = "" }
	same(t, "unnamed throws", composed(t, charge(1, allocate, 2, unnamed), charge(2, allocate, 2, unnamed)),
		sum(lost(1, 2), lost(1, 2)))
}

func TestRefusesMixtures(t *testing.T) {
	for what, change := range map[string]func(*event.Charge){
		"neighbouring relations": func(c *event.Charge) { c.Adjacency = event.ReplaceOne },
		"relations with a unit":  func(c *event.Charge) { c.Adjacency = event.ReplaceNull },
		"units":                  func(c *event.Charge) { c.Unit = event.User },
	} {
		culprit := charge(2, all, 1, change)
		_, err := Compose([]*event.Charge{charge(1, all, 1), culprit, charge(3, all, 1)})
		if misfit := new(ChargeError); !errors.As(err, &misfit) || misfit.Charge != culprit {
			t.Errorf("a ledger of two %s: %v", what, err)
		}
	}
}

// TestNone: a release without noise has no guarantee, and no other charge mends it.
func TestNone(t *testing.T) {
	for _, charges := range [][]*event.Charge{
		{charge(1, all, 0, noNoise)},
		{charge(1, all, 1), charge(2, all, 0, noNoise, func(c *event.Charge) { c.Adjacency = event.ReplaceOne })},
		{charge(1, epoch, 0, noNoise), charge(1, epoch, 1)},
	} {
		c, err := Compose(charges)
		if err != nil {
			t.Fatal(err)
		}
		if bound := epsilon(t, c.List(), 0.1); !math.IsInf(bound, 1) || !c.None || c.Releases != len(charges) {
			t.Errorf("%d releases: ε is %v", c.Releases, bound)
		}
	}
}

// TestRate: sampling amplifies for secret coins of each unit's own under add-remove and replace-null, and sums with
// Gaussian noise without replacement under replace-one and replace-null; nowhere else but in TestExchangedByCoin.
func TestRate(t *testing.T) {
	known := poisson(0.25)
	known.Secret = false
	for _, c := range []struct {
		mechanism string
		scheme    event.Scheme
		adjacency string
		want      float64
	}{
		{event.Gaussian, poisson(0.25), event.AddRemove, 0.25},
		{event.Laplace, poisson(0.25), event.AddRemove, 0.25},
		{event.Gaussian, poisson(0.25), event.ReplaceOne, 1},
		{event.Gaussian, poisson(0.25), event.ReplaceNull, 0.25},
		{event.Laplace, poisson(0.25), event.ReplaceNull, 0.25},
		{event.Laplace, poisson(0.25), event.ReplaceOne, 1},
		{event.Gaussian, known, event.ReplaceNull, 1},
		{event.Gaussian, fixed, event.ReplaceNull, math.Nextafter(0.25, 1)},
		{event.Laplace, fixed, event.ReplaceNull, 1},
		{event.Laplace, known, event.AddRemove, 1},
		{event.Gaussian, known, event.AddRemove, 1},
		{event.Gaussian, fixed, event.ReplaceOne, math.Nextafter(0.25, 1)},
		{event.Gaussian, fixed, event.AddRemove, 1},
		{event.Laplace, fixed, event.ReplaceOne, 1},
		{event.Gaussian, all, event.AddRemove, 1},
		{event.Gaussian, epoch, event.AddRemove, 1},
		{event.Gaussian, allocate, event.AddRemove, 1},
		{event.Select, poisson(0.25), event.AddRemove, 1},
		{event.None, poisson(0.25), event.AddRemove, 1},
	} {
		got := samplingRate(&event.Charge{Mechanism: c.mechanism, Scheme: c.scheme, Adjacency: c.adjacency})
		if got != c.want {
			t.Errorf("%s, %v under %s: rate %v, want %v", c.mechanism, c.scheme, c.adjacency, got, c.want)
		}
	}
}

// TestPlan: a plan costs what its charges will, to the last digit, since the integers are the same; and leaves what it
// is added to as it was.
func TestPlan(t *testing.T) {
	seeded := allocate
	seeded.Secret = false
	for _, g := range []*event.Grant{
		{Mechanism: event.Gaussian, Scheme: poisson(0.1), Adjacency: event.AddRemove},
		{Mechanism: event.Gaussian, Scheme: all, Adjacency: event.ReplaceOne, NonNegative: true},
		{Mechanism: event.Gaussian, Scheme: fixed, Adjacency: event.ReplaceOne, NonNegative: true},
		{Mechanism: event.Gaussian, Scheme: fixed, Adjacency: event.ReplaceNull, NonNegative: true},
		{Mechanism: event.Gaussian, Scheme: poisson(0.1), Adjacency: event.ReplaceOne, NonNegative: true},
		{Mechanism: event.Gaussian, Scheme: poisson(0.1), Adjacency: event.ReplaceOne},
		{Mechanism: event.Gaussian, Scheme: allocate, Adjacency: event.ReplaceNull},
		{Mechanism: event.Gaussian, Scheme: all, Adjacency: event.AddRemove, Clipping: event.ClipBatch},
		{Mechanism: event.Gaussian, Scheme: epoch, Adjacency: event.ReplaceOne, Clipping: event.ClipBatch},
		{Mechanism: event.Gaussian, Scheme: allocate, Adjacency: event.AddRemove},
		{Mechanism: event.Gaussian, Scheme: seeded, Adjacency: event.ReplaceOne, Clipping: event.ClipBatch},
		{Mechanism: event.Laplace, Scheme: poisson(0.1), Adjacency: event.AddRemove},
		{Mechanism: event.Laplace, Scheme: epoch, Adjacency: event.AddRemove},
		{Mechanism: event.Select, Scheme: all, Adjacency: event.AddRemove, Threshold: 9, MaxWords: 20},
		{Mechanism: event.RandomizedResponse, Scheme: all, Adjacency: event.ReplaceOne, MaxWords: 20, Flip: 0.4},
	} {
		g.Unit, g.NoiseMultiplier, g.Releases = event.Document, 1.9, 5
		if g.Mechanism == event.Select || g.Mechanism == event.RandomizedResponse {
			g.Releases = 1
		}
		before := charge(1, g.Scheme, 3, run("before"), coins("before"),
			func(c *event.Charge) { c.Adjacency = g.Adjacency })
		charges := []*event.Charge{before}
		for round := range g.Releases {
			c := g.Charge(round+1, g.Scheme)
			if g.Mechanism == event.RandomizedResponse {
				c.Sensitivity = 40
			}
			charges = append(charges, c)
		}
		composition, err := Compose(charges[:1])
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			planned, err := composition.Plan(g)
			if err != nil {
				t.Fatal(err)
			}
			whole, err := Compose(charges)
			if err != nil {
				t.Fatal(err)
			}
			spent := whole.List()
			plannedCurve, spentCurve := curve(t, planned), curve(t, spent)
			for _, alpha := range []float64{1.5, 2, 3.5, 20, 100, math.Inf(1)} {
				if got, want := plannedCurve(alpha), spentCurve(alpha); got != want {
					t.Errorf("%s, %v: ρ(%v) is planned as %v and charged as %v", g.Mechanism, g.Scheme, alpha, got,
						want)
				}
			}
			fails := g.Mechanism == event.Select
			if planned.Failure != spent.Failure || planned.Excess != spent.Excess || fails != (spent.Failure > 0) {
				t.Errorf("%s: failure planned as %v and charged as %v", g.Mechanism, planned.Failure, spent.Failure)
			}
		}
		same(t, g.Scheme.String()+" before", curve(t, composition.List()), composed(t, before))
		g.Unit = event.User
		if _, err := composition.Plan(g); err == nil {
			t.Error("a plan for another unit is composed")
		}
	}
}

// TestNeverLess: a further charge never makes the loss of a ledger less, and the order of charges changes nothing.
func TestNeverLess(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	other := allocate
	other.Coins = "throw2"
	again := poisson(0.1)
	again.Coins = "coins2"
	epochs := event.Scheme{Method: event.Allocate, Rate: 1, Rounds: 2, Epochs: 2, Secret: true, Coins: "throw3"}
	schemes := []event.Scheme{poisson(0.1), again, poisson(0.5), all, epoch, allocate, other, epochs}
	for range 50 {
		var charges []*event.Charge
		before := func(float64) float64 { return 0 }
		for range 12 {
			charges = append(charges, charge(1+random.IntN(2), schemes[random.IntN(len(schemes))],
				[]float64{0.7, 1, 3}[random.IntN(3)], run(pick("r", "s")), grant(pick("g", "h")),
				ofMechanism(pick(event.Gaussian, event.Laplace))))
			after := composed(t, charges...)
			for _, alpha := range []float64{2, 9, 31} {
				if after(alpha) < before(alpha)*(1-1e-12) {
					last := charges[len(charges)-1]
					t.Fatalf("ρ(%v) fell from %v to %v by %+v", alpha, before(alpha), after(alpha), last)
				}
			}
			before = after
		}
		random.Shuffle(len(charges), func(i, j int) { charges[i], charges[j] = charges[j], charges[i] })
		same(t, "in another order", composed(t, charges...), before)
	}
}

// TestFixedOfTwoCorpora: the corpora {x, a} and {x, b} draw batches of a fixed size by the same coins. The two batches
// are not one batch. x is in at least one of them unless its number is the largest of all three, so with probability
// 2/3. So a release of the second batch counts in full. The data set, run, attempt and grant in the ledger make no
// difference.
func TestFixedOfTwoCorpora(t *testing.T) {
	scheme := event.Scheme{Method: event.Fixed, Rate: 0.5, Size: 1, Population: 2, Rounds: 2, Secret: true,
		Coins: "coins1"}
	replace := func(c *event.Charge) { c.Adjacency, c.Sensitivity = event.ReplaceOne, 2e9 }
	delta := func(charges ...*event.Charge) float64 {
		c, err := Compose(charges)
		if err != nil {
			t.Fatal(err)
		}
		if amplified := c.Amplified(charges[len(charges)-1]); amplified != (len(charges) == 1) {
			t.Errorf("%d charges: amplified %v", len(charges), amplified)
		}
		p, err := c.List().Distribution(pld.Options{Tolerance: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		bound, err := p.Delta(0)
		if err != nil {
			t.Fatal(err)
		}
		return bound.Upper
	}
	if alone := delta(charge(1, scheme, 0.2, replace)); alone > 0.51 {
		t.Errorf("one release by a coin of 1/2 has δ %v at ε 0", alone)
	}
	for name, change := range map[string]func(*event.Charge){
		"another data set": func(c *event.Charge) { c.Dataset = "other" },
		"another run":      run("other"),
		"another attempt":  func(c *event.Charge) { c.Attempt = 2 },
		"another grant":    grant("other"),
	} {
		if both := delta(charge(1, scheme, 0.2, replace), charge(1, scheme, 0.2, replace, change)); both < 2./3 {
			t.Errorf("%s: δ %v at ε 0, the truth is at least 2/3", name, both)
		}
	}
}

// TestEveryMechanism: each mechanism with noise has a loss, and one that is not in the table has none: it is not taken
// for Gaussian noise.
func TestEveryMechanism(t *testing.T) {
	all := poisson(1)
	for _, name := range event.Mechanisms() {
		if _, err := noiseOf(charge(1, all, 2, ofMechanism(name))); (err != nil) != (name == event.None) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"skellam", ""} {
		if m, err := noiseOf(charge(1, all, 2, ofMechanism(name))); err == nil {
			t.Errorf("%q is composed as %v", name, m)
		}
	}
}
