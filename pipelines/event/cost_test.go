package event

import (
	"math"
	"testing"
)

// costCase is a charge, a filter, and what the charge's release costs at most and at least.
type costCase struct {
	filter      Filter
	charge      Charge
	least, most float64 // most is the cost by the cited theorem, and least a little below it
}

// exactly returns the bounds of a cost with a formula. leastCost may be smaller by a little more than one part in
// 10⁵, and never larger.
func exactly(f Filter, c Charge, cost float64) costCase {
	return costCase{f, c, (1 - 1.1e-5) * cost, cost}
}

// order2 and order3 are the divergences of a Gaussian with the sample rate q: Mironov, Talwar and Zhang, Rényi
// Differential Privacy of the Sampled Gaussian Mechanism, 2019, section 3.3, for whole orders.
func order2(q, over float64) float64 { return math.Log1p(q * q * math.Expm1(over*over)) }

func order3(q, over float64) float64 {
	return math.Log((1-q)*(1-q)*(1-q)+3*(1-q)*(1-q)*q+3*(1-q)*q*q*math.Exp(over*over)+q*q*q*math.Exp(3*over*over)) / 2
}

// laplaceOrder2 is the divergence of order 2 between discrete Laplace noise of scale t with and without a shift by a
// coin of probability q: the sum over all values that matter.
func laplaceOrder2(q float64, shift int, t float64) float64 {
	r, sum := math.Exp(-1/t), 0.0
	for k := -1000; k <= 1000; k++ {
		without := (1 - r) / (1 + r) * math.Pow(r, math.Abs(float64(k)))
		with := (1 - r) / (1 + r) * math.Pow(r, math.Abs(float64(k-shift)))
		mixed := (1-q)*without + q*with
		sum += mixed * mixed / without
	}
	return math.Log(sum)
}

// TestLeastCostOfSamples compares the costs that leastCost works out by sums with their formulas. A cost that is larger
// than the theorem's would refuse sound grants. A smaller one would let a ledger spend more than its limit.
func TestLeastCostOfSamples(t *testing.T) {
	const q, unit = 0.3, 1 << 20
	all := Scheme{Method: All, Rate: 1, Rounds: 1}
	secret := Scheme{Method: Poisson, Rate: q, Rounds: 1, Secret: true}
	seeded := Scheme{Method: Poisson, Rate: q, Rounds: 1}
	fixed := Scheme{Method: Fixed, Rate: q, Size: 3, Population: 10, Rounds: 1, Secret: true}
	rare := Scheme{Method: Poisson, Rate: 1e-4, Rounds: 1, Secret: true}
	renyi := func(order float64) Filter { return Filter{Measure: Renyi, Order: order} }
	flips := Charge{Mechanism: RandomizedResponse, Adjacency: ReplaceOne, Sensitivity: 6, Scale: FlipSteps / 4,
		Scheme: all}
	// Gaussian noise of two bounds. The exchange of a unit has twice the sensitivity, or √2 of it.
	gaussian := func(adjacency string, sensitivity uint64, scheme Scheme, clipping string) Charge {
		return Charge{Mechanism: Gaussian, Adjacency: adjacency, Sensitivity: sensitivity, Scale: 2 * unit,
			Scheme: scheme, Clipping: clipping}
	}
	laplace := func(adjacency string, scheme Scheme) Charge {
		return Charge{Mechanism: Laplace, Adjacency: adjacency, Sensitivity: 5, Scale: 3, Scheme: scheme}
	}
	// For a rare unit only the second-order terms in q count: the squares of the coins' two effects, which are
	// exp(over²)−1 each, and their product, which is exp(−over²)−1.
	const rare2 = 2 * 1e-4 * 1e-4
	for name, c := range map[string]costCase{
		// p = 1/4: Σ P·ln(P/Q) is ½·ln 3, and Σ P²/Q is 1/12 + 9/4
		"bits, zcdp":  exactly(Filter{Measure: ZCDP}, flips, 6*math.Log(3)/2),
		"bits, renyi": exactly(renyi(2), flips, 6*math.Log(7./3)),

		"gaussian, order 2": exactly(renyi(2), gaussian(AddRemove, unit, secret, ""), order2(q, 0.5)),
		"gaussian, order 3": exactly(renyi(3), gaussian(AddRemove, unit, secret, ""), order3(q, 0.5)),
		"gaussian, empty":   exactly(renyi(2), gaussian(ReplaceNull, unit, secret, ""), order2(q, 0.5)),
		"gaussian, seed":    exactly(renyi(2), gaussian(AddRemove, unit, seeded, ""), 1./4),
		"gaussian, batch": exactly(renyi(2), gaussian(ReplaceOne, unit, fixed, ClipBatch),
			order2(q, 0.5)),
		"gaussian, batch by coins": exactly(renyi(2), gaussian(ReplaceOne, unit, secret, ClipBatch), 1./4),
		"gaussian, exchange of a rare unit": {renyi(2), gaussian(ReplaceOne, 2*unit, rare, ""),
			0.999 * rare2 * 2 * math.Sinh(0.25), 1.001 * rare2 * 2 * math.Sinh(0.25)},
		"gaussian, exchange of a rare unit without negative parts": {renyi(2),
			gaussian(ReplaceOne, ceilSqrt(2*unit*unit), rare, ""), 0.999 * rare2 * math.Expm1(0.25),
			1.001 * rare2 * math.Expm1(0.25)},

		"laplace":           exactly(renyi(2), laplace(AddRemove, all), laplaceOrder2(1, 5, 3)),
		"laplace, sample":   exactly(renyi(2), laplace(AddRemove, secret), laplaceOrder2(q, 5, 3)),
		"laplace, seed":     exactly(renyi(2), laplace(AddRemove, seeded), laplaceOrder2(1, 5, 3)),
		"laplace, exchange": exactly(renyi(2), laplace(ReplaceOne, secret), laplaceOrder2(1, 5, 3)),
		"laplace, fixed":    exactly(renyi(2), laplace(ReplaceOne, fixed), laplaceOrder2(1, 5, 3)),
		"laplace, other":    exactly(renyi(2), laplace(ReplaceNull, fixed), laplaceOrder2(1, 5, 3)),
	} {
		if least := c.filter.leastCost(&c.charge); !(least >= c.least && least <= c.most) {
			t.Errorf("%s: the least cost is %v, want it in [%v, %v]", name, least, c.least, c.most)
		}
	}
}

// TestLeastOfMuch: costs beyond float64's exponent have a bound, too, which is finite and not above the cost.
func TestLeastOfMuch(t *testing.T) {
	// Every unit takes part, q = 1: the divergence of Gaussians that are 1, √2 or 2 times over apart is α·over²/2 times
	// 1, 2 or 4 (Mironov, Rényi Differential Privacy, 2017, proposition 7).
	const alpha, over = 3, 0.5
	near := func(what string, got, want float64) {
		t.Helper()
		if !(got >= (1-1e-5)*want && got <= want) {
			t.Errorf("%s: at least %v, the cost is %v", what, got, want)
		}
	}
	one := leastOfGaussian(1, over, alpha, 0)
	near("a unit more", one, alpha*over*over/2)
	near("exchanged for one on another axis", one+leastOfGaussian(1, over, 1-alpha, 0), alpha*over*over)
	near("exchanged for its opposite", leastOfGaussian(1, over, alpha, 1-alpha), 2*alpha*over*over)

	// The term of exp(α·over·z) alone has the divergence below. All of them have at most the divergence for q = 1.
	term := (32*math.Log(0.5) + 32*31*100./2) / 31
	if least := leastOfGaussian(0.5, 10, 32, 0); !(least >= 0.999*term && least <= 32*100./2) {
		t.Errorf("noise of a tenth: at least %v, want %v", least, term)
	}
	// Here the sum has few terms, and is beyond float64.
	if least := leastOfGaussian(1, 9, 5, 0); !(least >= 0.998*5*81./2 && least <= 5*81./2) {
		t.Errorf("noise of a ninth: at least %v, the cost is %v", least, 5*81./2)
	}
	// Here a sum would take too many steps. The bound on one half of the integral is 0 for so rare a unit, and no bound
	// is known for the divergence the other way.
	if least := leastOfGaussian(1e-27, 1.1, 100, 0); least != 0 {
		t.Errorf("a rare unit at a high order: at least %v, want 0", least)
	}
	if least := leastOfGaussian(0.5, 100, 1-32, 0); least != 0 {
		t.Errorf("the other way: at least %v, want 0", least)
	}
	// Laplace noise: Mironov 2017, proposition 6, without the term that is below float64's precision here. Beyond
	// exp(−745), which float64 has not, the bound is no longer near the cost.
	for epsilon, share := range map[float64]float64{600: 0.999, 1000: 0.25} {
		cost := epsilon + math.Log(3./5)/2
		if least := leastOfLaplace(1, 1<<20, (1<<20)/epsilon, 3); !(least >= share*cost && least <= cost) {
			t.Errorf("Laplace noise of ε = %v: at least %v, the cost is %v", epsilon, least, cost)
		}
	}
}

// TestSpent: a charge costs what its grant states, or what its release costs at least if the grant states less.
func TestSpent(t *testing.T) {
	if spent := new(Ledger).Spent(); spent != 0 {
		t.Errorf("an empty ledger has spent %v", spent)
	}
	for stated, want := range map[float64]float64{10: 20, 1e-3: 2 / (2 * 1.5 * 1.5)} {
		n := newNext(schemes()[Poisson], func(g *Grant) { g.Cost, g.NoiseMultiplier = stated, 1.5 })
		n.head().Filter = &Filter{Measure: ZCDP, Limit: 1e-9} // a ledger that is read may be beyond its limit
		n.enter(n.charge)
		if err := n.ledger.Check("x.ledger"); err != nil {
			t.Fatal(err)
		}
		if spent := n.ledger.Spent(); !(spent >= want && spent <= want*(1+1e-12)) {
			t.Errorf("stated %v: spent %v, want %v", stated, spent, want)
		}
	}
}

// TestSpentByTheFirst: where a ledger has a grant twice, which its readers refuse, the first one says what a charge
// costs. A charge that the filter cannot count costs what its grant states.
func TestSpentByTheFirst(t *testing.T) {
	const want = 2 * 10
	for _, measure := range []string{ZCDP, GDP} {
		n := newNext(schemes()[Poisson], func(g *Grant) { g.Mechanism, g.Cost = Laplace, 10 })
		n.head().Filter = &Filter{Measure: measure, Limit: 100}
		cheap := n.named("g1")
		cheap.Cost = 1
		n.enter(cheap)
		n.enter(n.charge)
		if spent := n.ledger.Spent(); !(math.Abs(spent/want-1) < 1e-12) {
			t.Errorf("%s: spent %v, want %v", measure, spent, want)
		}
	}
}
