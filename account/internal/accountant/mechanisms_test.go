package accountant

import (
	"math"
	"testing"

	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
)

// noises changes mechanism, sensitivity and scale of a charge.
func noises(mechanism string, sensitivity, scale uint64) func(*event.Charge) {
	return func(c *event.Charge) { c.Mechanism, c.Sensitivity, c.Scale = mechanism, sensitivity, scale }
}

func laplace(shift, scale float64) renyi.Curve {
	return func(alpha float64) float64 { return renyi.Laplace(shift, scale, alpha) }
}

// TestEachMechanism: one release of each, and several together.
func TestEachMechanism(t *testing.T) {
	two := charge(1, all, 0, noises(event.Laplace, 2, 5))
	same(t, "laplace", composed(t, two), laplace(2, 5))
	same(t, "laplace twice", composed(t, two, two), sum(laplace(2, 5), laplace(2, 5)))
	same(t, "laplace and gaussian", composed(t, two, charge(2, all, 3)), sum(laplace(2, 5), lost(1, 3)))

	// p = 1/4 on each of 6 bits: pure ε 6·log 3.
	bits := charge(1, all, 0, noises(event.RandomizedResponse, 6, event.FlipSteps/4))
	curve := composed(t, bits)
	same(t, "randomized response", curve, func(alpha float64) float64 {
		return 6 * renyi.RandomizedResponse(math.Log(3), alpha)
	})
	if pure := curve(math.Inf(1)); math.Abs(pure-6*math.Log(3)) > 1e-12 {
		t.Errorf("pure ε of 6 bits is %v, want 6·log 3", pure)
	}
	if pure := composed(t, two, two)(math.Inf(1)); pure != 0.8 {
		t.Errorf("pure ε of two Laplaces is %v, want 0.8", pure)
	}
	if pure := composed(t, two, charge(2, all, 3))(math.Inf(1)); !math.IsInf(pure, 1) {
		t.Errorf("pure ε with a Gaussian is %v", pure)
	}
}

// TestSelect: the loss of the Gaussian, and what fails of each release, in δ and in ε.
func TestSelect(t *testing.T) {
	selects := func(c *event.Charge) {
		c.Mechanism, c.Sensitivity, c.Scale, c.Threshold, c.MaxWords = event.Select, 1<<20, 3<<20, 19<<20, 8
	}
	c, err := Compose([]*event.Charge{charge(1, all, 0, selects), charge(1, all, 0, selects, run("s"))})
	if err != nil {
		t.Fatal(err)
	}
	list := c.List()
	same(t, "select", curve(t, list), sum(lost(1, 3), lost(1, 3)))
	// One word of weight 1 is the likeliest: 18/3 = 6σ below, Φ(−6) = 9.866e-10 (Abramowitz and Stegun, table 26.2); or
	// 8 of weight 1/√8 each, 6.22σ below, 8·2.6e-10.
	each := StrayWord(charge(1, all, 0, selects))
	if !(each > 2.0e-9 && each < 2.2e-9) || list.Failure != 2*each || math.Abs(list.Excess/(2*each)-1) > 1e-6 {
		t.Errorf("δ' %v each, Σδ' %v, ε %v", each, list.Failure, list.Excess)
	}
	whole := epsilon(t, list, 1e-6)
	ideal, _ := renyi.Epsilon(curve(t, list), 1e-6-list.Failure)
	if whole <= ideal || whole > ideal*(1+1e-6) {
		t.Errorf("ε is %v, that of the Gaussians alone %v", whole, ideal)
	}
}

// TestMixedBatch: what is released of one sampled batch is amplified once.
func TestMixedBatch(t *testing.T) {
	gaussian, two, three := charge(1, poisson(0.02), 2), charge(1, poisson(0.02), 0, noises(event.Laplace, 2, 5)),
		charge(1, poisson(0.02), 0, noises(event.Laplace, 1, 3), run("s"))
	joint := func(curves ...renyi.Curve) renyi.Curve { return renyi.Poisson(0.02, sum(curves...)) }
	same(t, "laplace", composed(t, two), joint(laplace(2, 5)))
	same(t, "laplace twice", composed(t, two, two), joint(laplace(2, 5), laplace(2, 5)))
	same(t, "both", composed(t, gaussian, two), joint(lost(1, 2), laplace(2, 5)))
	same(t, "three", composed(t, three, gaussian, two), joint(lost(1, 2), laplace(2, 5), laplace(1, 3)))
	apart := composed(t, gaussian, charge(2, poisson(0.02), 0, noises(event.Laplace, 2, 5)))
	same(t, "other round", apart, sum(lost(0.02, 2), joint(laplace(2, 5))))
	for _, alpha := range []float64{2, 5, 20} {
		if one, two := composed(t, gaussian, two)(alpha), apart(alpha); one <= two {
			t.Errorf("ρ(%v) of one batch is %v, of two batches %v", alpha, one, two)
		}
	}
	// A second attempt of a round is a second release of its batch.
	again := func(c *event.Charge) { c.Attempt = 2 }
	same(t, "attempts", composed(t, gaussian, charge(1, poisson(0.02), 2, again)), lost(0.02, math.Sqrt2))
}

// TestMixedBatchNeverAboveRenyi: pairs count Gaussian and Laplace noise of one sampled batch as if all units took part,
// and the answer is never above the bound by curves, which amplify both at once.
func TestMixedBatchNeverAboveRenyi(t *testing.T) {
	for _, rounds := range []int{1, 20} {
		var charges []*event.Charge
		for round := range rounds {
			charges = append(charges, charge(round+1, poisson(0.02), 2),
				charge(round+1, poisson(0.02), 0, noises(event.Laplace, 2, 5)))
		}
		c, err := Compose(charges)
		if err != nil {
			t.Fatal(err)
		}
		curves, err := c.List().Renyi()
		if err != nil {
			t.Fatal(err)
		}
		for _, delta := range []float64{1e-3, 1e-6} {
			p, err := c.List().Distribution(pld.Options{})
			if err != nil {
				t.Fatal(err)
			}
			bound, err := p.Epsilon(delta)
			most, wrong := curves.Epsilon(delta)
			if !(bound.Upper <= most.Upper) || err != nil || wrong != nil {
				t.Errorf("%d rounds, δ %v: ε %v, by curves %v (%v, %v)", rounds, delta, bound.Upper, most.Upper, err,
					wrong)
			}
		}
	}
}

// TestWorstRoundOfEachOrder: of disjoint rounds of different mechanisms the worst is another one at another order.
func TestWorstRoundOfEachOrder(t *testing.T) {
	gaussian, two := charge(1, epoch, 3), charge(2, epoch, 0, noises(event.Laplace, 1, 2))
	curve := composed(t, gaussian, two, charge(3, epoch, 4))
	same(t, "worst", curve, func(alpha float64) float64 { return max(lost(1, 3)(alpha), laplace(1, 2)(alpha)) })
	if curve(2) != laplace(1, 2)(2) || math.Abs(curve(100)/lost(1, 3)(100)-1) > 1e-12 {
		t.Error("the same round is worst at orders 2 and 100")
	}
	both := composed(t, gaussian, charge(1, epoch, 0, noises(event.Laplace, 1, 2)))
	same(t, "one round of both", both, sum(lost(1, 3), laplace(1, 2)))
}

// TestExchangeOverTwoRounds: under replace-one the new unit of a public throw may be in another round than the old
// unit. Two rounds are worse than one round only where a unit's own part of its batch has no bound.
func TestExchangeOverTwoRounds(t *testing.T) {
	exchange := func(c *event.Charge) { c.Adjacency, c.Sensitivity = event.ReplaceOne, 2e9 }
	batch := func(c *event.Charge) { c.Clipping = event.ClipBatch }
	seeded := allocate
	seeded.Secret = false
	for what, c := range map[string]struct {
		scheme  event.Scheme
		changes []func(*event.Charge)
		want    renyi.Curve
	}{
		"unit":                     {epoch, []func(*event.Charge){exchange}, lost(1, 1)},
		"batch":                    {epoch, []func(*event.Charge){exchange, batch}, lost(1, math.Sqrt(0.5))},
		"batch, add-remove":        {epoch, []func(*event.Charge){batch}, lost(1, 2)},
		"batch, the same coin":     {allocate, []func(*event.Charge){exchange, batch}, lost(1, 1)},
		"unit, seeded":             {seeded, []func(*event.Charge){exchange}, lost(1, 1)},
		"batch, seeded":            {seeded, []func(*event.Charge){exchange, batch}, lost(1, math.Sqrt(0.5))},
		"batch, seeded add-remove": {seeded, []func(*event.Charge){batch}, lost(1, 2)},
	} {
		same(t, what, composed(t, charge(1, c.scheme, 2, c.changes...), charge(2, c.scheme, 2, c.changes...)), c.want)
	}
}

// TestClaimed: the paper's constants, where there are any, and the ledger as it was.
func TestClaimed(t *testing.T) {
	sound := charge(1, all, 2)
	half := charge(2, all, 2, func(c *event.Charge) { c.Claimed = c.Sensitivity / 2 })
	claimed, found := AsClaimed([]*event.Charge{sound, half})
	if !found {
		t.Error("no claim is found")
	}
	same(t, "claimed", composed(t, claimed...), sum(lost(1, 2), lost(1, 4)))
	same(t, "sound", composed(t, sound, half), sum(lost(1, 2), lost(1, 2)))
	same := charge(3, all, 2, func(c *event.Charge) { c.Claimed = c.Sensitivity })
	if _, found := AsClaimed([]*event.Charge{sound, same}); found {
		t.Error("a claim is found where there is none")
	}
}

// FuzzComposition: whatever valid charges a ledger holds, no number that is reported of it is NaN, below 0 or a δ above
// 1, and more charges never cost less.
func FuzzComposition(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, uint64(1<<20), uint64(3<<20), uint64(9<<20), 0.05)
	f.Add([]byte{1, 5, 9, 13}, uint64(1<<62), uint64(1), uint64(1), 1e-300)
	f.Add([]byte{2, 6, 3, 7}, uint64(1), uint64(1<<62), uint64(1<<62), 1.0)
	f.Add([]byte{2, 6, 2}, uint64(1<<62), uint64(1), uint64(1<<62), 1.0)
	f.Fuzz(func(t *testing.T, kinds []byte, sensitivity, scale, threshold uint64, rate float64) {
		if len(kinds) > 8 {
			return
		}
		schemes := []event.Scheme{all, poisson(rate), epoch, allocate}
		var charges []*event.Charge
		before := math.Inf(-1)
		for i, k := range kinds {
			c := charge(1+int(k>>6), schemes[k>>2&3], 0, noises([]string{event.Gaussian, event.Laplace, event.Select,
				event.RandomizedResponse}[k&3], sensitivity>>(i%3), scale))
			c.Attempt = 0
			switch c.Mechanism {
			case event.Select:
				c.Scheme = event.Scheme{Method: event.All, Rate: 1, Rounds: 1}
				c.Round, c.Threshold, c.MaxWords = 1, threshold, 1+int(k)<<(k&15)
			case event.RandomizedResponse:
				return // another relation; see below
			}
			if c.Check() != nil {
				return
			}
			charges = append(charges, c)
			epsilon := checkNumbers(t, charges)
			if !(epsilon >= before*(1-1e-9)-1e-9) {
				t.Fatalf("a charge more, and ε falls from %v to %v: %+v", before, epsilon, c)
			}
			before = epsilon
		}
		once := event.Scheme{Method: event.All, Rate: 1, Rounds: 1}
		bits := charge(1, once, 0, noises(event.RandomizedResponse, sensitivity, scale),
			func(c *event.Charge) { c.Adjacency = event.ReplaceOne })
		if bits.Check() == nil {
			checkNumbers(t, []*event.Charge{bits})
		}
	})
}

// checkNumbers checks what is reported of charges, and returns ε at δ = 1e-6.
func checkNumbers(t *testing.T, charges []*event.Charge) (epsilon float64) {
	t.Helper()
	c, err := Compose(charges)
	if err != nil {
		t.Fatal(err)
	}
	profile, err := c.List().Renyi()
	if err != nil {
		t.Fatal(err)
	}
	for _, delta := range []float64{0, 1e-300, 0.9, 1e-6} {
		bound, err := profile.Epsilon(delta)
		if epsilon = bound.Upper; !(epsilon >= 0) || err != nil {
			t.Fatalf("at δ %v, ε is %v (%v)", delta, epsilon, err)
		}
	}
	for _, at := range []float64{1e-300, 1, 1e300} {
		if bound, err := profile.Delta(at); !(bound.Upper >= 0 && bound.Upper <= 1) || err != nil {
			t.Fatalf("at ε %v, δ is %v (%v)", at, bound.Upper, err)
		}
	}
	return epsilon
}

// TestBit: log((1−p)/p) is never rounded down, next to p = 1/2 neither: 2·atanh(1−2p) by its series.
func TestBit(t *testing.T) {
	for _, k := range []uint64{1, 3, 5, 1000} {
		x := float64(2*k) / event.FlipSteps // exact
		want := 2 * (x + x*x*x/3)
		if got := bitEpsilon(event.FlipSteps/2 - k); !(got >= want*(1-1e-16) && got <= want*(1+1e-14)) {
			t.Errorf("%d steps below 1/2: %v, want %v", k, got, want)
		}
	}
	if got := bitEpsilon(event.FlipSteps / 2); got != 0 {
		t.Errorf("a coin's ε is %v", got)
	}
}
