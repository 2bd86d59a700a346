package accountant

import (
	"fmt"
	"math"
	"testing"

	"privpipe/account/internal/loss"
	"privpipe/account/internal/pld"
	"privpipe/account/internal/renyi"
	"privpipe/pipelines/event"
)

// exchanged returns the charges of the given number of rounds, by a grant under replace-one after changes. Units take
// part by secret coins.
func exchanged(q, multiplier float64, rounds int, changes ...func(*event.Grant)) (charges []*event.Charge) {
	g := &event.Grant{
		ID: "g", Mechanism: event.Gaussian, Adjacency: event.ReplaceOne, Unit: event.Document,
		NoiseMultiplier: multiplier,
	}
	for _, change := range changes {
		change(g)
	}
	for round := range rounds {
		charges = append(charges, g.Charge(round+1, poisson(q)))
	}
	return charges
}

func nonNegative(g *event.Grant) { g.NonNegative = true }

// TestExchangedByCoin compares ledgers with the rows orth and poisrepl of /work/shared/golden/accounting.jsonl:
// dp_accounting 0.6.0 (google/differential-privacy@b5b0286),
// PrivacyLossDistribution.from_gaussian_mechanism(sampling_prob=q) under REPLACE_ONE, of opposite units; and the
// convolution of both directions under ADD_OR_REMOVE_ONE, of orthogonal ones. Their grid rounds up by less than 1 %,
// and ours is within a ten-thousandth.
func TestExchangedByCoin(t *testing.T) {
	for _, c := range []struct {
		q, multiplier float64
		rounds        int
		delta         float64
		orthogonal    float64 // ε; 0: no such row
		opposite      float64
	}{
		{0.05, 1.24, 20, 1e-4, 1.0735209804773131, 1.3031789313925162},
		{0.0125, 1, 80, 1e-4, 0.7037817305494147, 0.8067462546593952},
		{0.01, 1, 1000, 1e-5, 2.395789157259225, 2.8434458130197564},
		{0.1, 4, 100, 1e-6, 1.5677488605526486, 2.251362542334616},
		{0.025, 2, 40, 1e-4, 0.3409905754273966, 0},
	} {
		for what, row := range map[string]struct {
			charges []*event.Charge
			epsilon float64
		}{
			"orthogonal": {exchanged(c.q, c.multiplier, c.rounds, nonNegative), c.orthogonal},
			"opposite":   {exchanged(c.q, c.multiplier, c.rounds), c.opposite},
		} {
			if row.epsilon == 0 {
				continue
			}
			composition, err := Compose(row.charges)
			if err != nil {
				t.Fatal(err)
			}
			p, err := composition.List().Distribution(pld.Options{Tolerance: 1e-4})
			if err != nil {
				t.Fatal(err)
			}
			bound, err := p.Epsilon(c.delta)
			if err != nil {
				t.Fatal(err)
			}
			if !(bound.Upper >= row.epsilon*(1-1e-2) && bound.Upper <= row.epsilon*(1+1e-4) &&
				bound.Lower <= row.epsilon) {
				t.Errorf("%s, q %v, σ %v, %d rounds: ε %v, want %v", what, c.q, c.multiplier, c.rounds, bound,
					row.epsilon)
			}
			if by := epsilon(t, composition.List(), c.delta); !(by >= bound.Lower && by < 1.6*row.epsilon) {
				t.Errorf("%s, q %v, σ %v: ε %v by curves, want a bound near %v", what, c.q, c.multiplier, by,
					row.epsilon)
			}
		}
	}
}

// TestExchangedInOneBatch: the releases of one batch count as one sum, with each part divided by its noise. Parts that
// are orthogonal at worst and parts that are opposite count as opposite. Two batches are not one batch, nor are
// releases that may be of two batches.
func TestExchangedInOneBatch(t *testing.T) {
	const q = 0.05
	pair := func(build func(rate, multiplier float64) (*pld.Pair, error), multiplier float64) float64 {
		t.Helper()
		p, err := build(q, multiplier)
		if err != nil {
			t.Fatal(err)
		}
		d, err := pld.New([]pld.Event{{Pair: p, Count: 1}}, pld.Options{Tolerance: 1e-4})
		if err != nil {
			t.Fatal(err)
		}
		epsilon, _, err := d.Epsilon(1e-6)
		if err != nil {
			t.Fatal(err)
		}
		return epsilon
	}
	joint := 4 / math.Sqrt(5) // of 2 and 4
	one := func(multiplier float64, changes ...func(*event.Grant)) *event.Charge {
		return exchanged(q, multiplier, 1, changes...)[0]
	}
	again := func(c *event.Charge, change func(*event.Charge)) *event.Charge {
		other := *c
		other.Run, other.Grant = "another", "another"
		change(&other)
		return &other
	}
	same := func(*event.Charge) {}
	for what, c := range map[string]struct {
		charges []*event.Charge
		want    float64
	}{
		"orthogonal": {[]*event.Charge{one(2, nonNegative), again(one(4, nonNegative), same)},
			pair(pld.GaussianReplaceOrthogonal, joint)},
		"opposite": {[]*event.Charge{one(2), again(one(4), same)}, pair(pld.GaussianReplace, joint)},
		"one of each": {[]*event.Charge{one(2, nonNegative), again(one(4), same)},
			pair(pld.GaussianReplace, joint)},
		"of grids": {[]*event.Charge{one(2000), again(one(4000), same)},
			pair(pld.GaussianReplace, 1000*joint)},
		"not all are known": {[]*event.Charge{one(2),
			again(one(4, func(g *event.Grant) { g.Clipping = event.ClipBatch }), same)}, pair(whole, joint/2)},
		"with laplace noise": {
			[]*event.Charge{one(2),
				again(one(4), func(c *event.Charge) { c.Mechanism, c.Scale = event.Laplace, 1<<40 })}, pair(whole, 1),
		},
	} {
		upper, lower := epsilonOf(t, c.charges...)
		if math.Abs(upper-c.want) > 2e-4*c.want {
			t.Errorf("%s: ε %v, want %v", what, upper, c.want)
		}
		// Units without negative coordinates in one part are not opposite there, so none of these lose that much.
		if what == "one of each" && lower != 0 {
			t.Errorf("%s: ε is at least %v, which nothing attains", what, lower)
		}
		if what == "of grids" && !(lower > 0.999*c.want) {
			t.Errorf("%s: ε is at least %v, want %v", what, lower, c.want)
		}
	}
	together, _ := epsilonOf(t, one(2), again(one(4), same))
	for what, change := range map[string]func(*event.Charge){
		"another round": func(c *event.Charge) { c.Round = 2 }, "other coins": coins("coins2"),
	} {
		if apart, _ := epsilonOf(t, one(2), again(one(4), change)); apart == together {
			t.Errorf("%s: ε %v as of one batch", what, apart)
		}
	}
	// Coins without a name may be of one batch or of two: all count as if they took part.
	nameless := func(c *event.Charge) { c.Scheme.Coins = "" }
	first := one(2)
	nameless(first)
	if upper, _ := epsilonOf(t, first, again(one(4), nameless)); math.Abs(upper-pair(whole, joint/2)) > 2e-4*upper {
		t.Errorf("without a name: ε %v, want that of the whole, %v", upper, pair(whole, joint/2))
	}
}

// whole is the pair of a unit that takes part for sure.
func whole(_, multiplier float64) (*pld.Pair, error) { return pld.Gaussian(1, multiplier) }

// TestExchangeNotAmplified: no exchange is amplified where a theorem or a fact of the charge is missing.
func TestExchangeNotAmplified(t *testing.T) {
	clipping := func(clipping string, proved float64) func(*event.Grant) {
		return func(g *event.Grant) { g.Clipping, g.Proved = clipping, proved }
	}
	seeded := exchanged(0.25, 2, 1)[0]
	seeded.Scheme.Secret = false
	for what, c := range map[string]*event.Charge{
		"a seed":                      seeded,
		"laplace":                     exchanged(0.25, 2, 1, func(g *event.Grant) { g.Mechanism = event.Laplace })[0],
		"the sum is clipped":          exchanged(0.25, 2, 1, clipping(event.ClipBatch, 0))[0],
		"a proof of √2, of any sign":  exchanged(0.25, 2, 1, clipping(event.ClipProved, math.Sqrt2))[0],
		"a proof of one clip":         exchanged(0.25, 2, 1, clipping(event.ClipProved, 1))[0],
		"proved norms, none negative": exchanged(0.25, 2, 1, clipping(event.ClipProved, 0), nonNegative)[0],
		"a sensitivity of no grant's": {Mechanism: event.Gaussian, Adjacency: event.ReplaceOne, Sensitivity: 1e6,
			Scale: 2e6, Scheme: poisson(0.25)},
		"twice the largest that it is": {Mechanism: event.Gaussian, Adjacency: event.ReplaceOne, Sensitivity: 4 << 20,
			Scale: 8 << 20, Scheme: poisson(0.25)},
	} {
		composition, err := Compose([]*event.Charge{c})
		if err != nil {
			t.Fatal(err)
		}
		releases := composition.List().Releases()
		if samplingRate(c) != 1 || composition.Amplified(c) || len(releases) != 1 || releases[0].Sampling != loss.All {
			t.Errorf("%s: rate %v, %v", what, samplingRate(c), releases)
		}
	}
	for _, c := range [][]*event.Charge{exchanged(0.25, 2, 1), exchanged(0.25, 2, 1, nonNegative),
		exchanged(0.25, 2, 1, clipping(event.ClipProved, 2))} {
		composition, err := Compose(c)
		if err != nil || samplingRate(c[0]) != 0.25 || !composition.Amplified(c[0]) {
			t.Errorf("%+v: rate %v, %v", c[0], samplingRate(c[0]), err)
		}
	}
}

// TestExchangedNeverLess: under replace-one an exchange costs at least what one unit more or less does, at most what it
// would if all units took part, and more where contributions may be of any sign.
func TestExchangedNeverLess(t *testing.T) {
	for _, q := range []float64{0.001, 0.1, 0.7, 1} {
		for _, multiplier := range []float64{0.6, 2, 20} {
			name := fmt.Sprintf("q %v, σ %v", q, multiplier)
			signed, positive := exchanged(q, multiplier, 5), exchanged(q, multiplier, 5, nonNegative)
			added := exchanged(q, multiplier, 5, func(g *event.Grant) { g.Adjacency = event.AddRemove })
			known := exchanged(q, multiplier, 5)
			for _, c := range known {
				c.Scheme.Secret = false
			}
			least, middle, most := composed(t, added...), composed(t, positive...), composed(t, signed...)
			sure := composed(t, known...)
			for _, alpha := range []float64{1.01, 2, 3.5, 20} {
				if !(least(alpha) <= middle(alpha) && middle(alpha) <= most(alpha) &&
					most(alpha) <= sure(alpha)*(1+1e-12)) {
					t.Errorf("%s: ρ(%v) is %v of an addition, %v and %v of an exchange, %v of the whole", name, alpha,
						least(alpha), middle(alpha), most(alpha), sure(alpha))
				}
			}
			a, _ := epsilonOf(t, added...)
			b, _ := epsilonOf(t, positive...)
			c, _ := epsilonOf(t, signed...)
			d, _ := epsilonOf(t, known...)
			if !(a <= b*(1+1e-3) && b <= c*(1+1e-3) && c <= d*(1+1e-3)) {
				t.Errorf("%s: ε %v of an addition, %v and %v of an exchange, %v of the whole", name, a, b, c, d)
			}
		}
	}
}

// TestExchangedCurve: the curves of a ledger are those of continuous noise over a unit's norm.
func TestExchangedCurve(t *testing.T) {
	for _, c := range []struct {
		charges []*event.Charge
		want    renyi.Curve
	}{
		{exchanged(0.1, 2, 1, nonNegative),
			func(alpha float64) float64 { return renyi.PoissonOrthogonal(0.1, 2, alpha) }},
		{exchanged(0.1, 2, 1), func(alpha float64) float64 {
			return renyi.PoissonOpposite(0.1, 2, alpha)
		}},
	} {
		got := composed(t, c.charges...)
		for _, alpha := range []float64{1.5, 2, 5, 30} {
			if g, w := got(alpha), c.want(alpha); !(math.Abs(g-w) <= 1e-9*w) {
				t.Errorf("ρ(%v) is %v, want %v", alpha, g, w)
			}
		}
	}
}
