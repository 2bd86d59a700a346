package ledgers

import (
	"cmp"
	"fmt"
	"math"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/loss"
	"privpipe/account/internal/search"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/rounded"
)

// checkFilter checks that the limit of the ledger's filter keeps the ledger's budget.
func checkFilter(name string, head *event.Head) error {
	if head == nil || head.Filter == nil {
		return nil
	}
	epsilon, err := Guaranteed(head.Filter, head.Budget.Delta)
	if err == nil && epsilon > head.Budget.Epsilon*(1+slack) {
		err = fmt.Errorf("the limit of the filter gives ε %s at δ %v, the budget is %v", rounded.Up(epsilon),
			head.Budget.Delta, head.Budget.Epsilon)
	}
	if err != nil {
		return &event.LedgerError{Name: name, Line: 1, Err: err}
	}
	return nil
}

// NewFilter returns the filter in this measure with the largest limit that keeps the budget. If order is 0, NewFilter
// chooses it.
func NewFilter(measure string, order float64, budget event.Limit) (*event.Filter, error) {
	f := &event.Filter{Measure: measure, Order: order}
	if measure == event.Renyi {
		f.Order = cmp.Or(order, widestOrder(budget))
		f.Limit = renyiLimit(f.Order, budget)
		if !(f.Limit > 0) {
			return nil, exit.Errorf(exit.Refused,
				"no release keeps ε %v at δ %v by the Rényi divergence of order %v: a higher order may",
				budget.Epsilon, budget.Delta, f.Order)
		}
		return f, nil
	}
	// Search for x = 1/limit: the least x that keeps the budget gives the largest limit.
	x, err := search.Least(1e-9, 1e12, search.Within(1e-6), func(x float64) (float64, error) {
		f.Limit = 1 / x
		epsilon, err := Guaranteed(f, budget.Delta)
		return epsilon / budget.Epsilon, err
	})
	f.Limit = 1 / x
	if err == nil {
		var epsilon float64
		if epsilon, err = Guaranteed(f, budget.Delta); err == nil && epsilon > budget.Epsilon {
			err = exit.Errorf(exit.Refused, "no filter %s keeps ε %v at δ %v", measure, budget.Epsilon, budget.Delta)
		}
	}
	return f, err
}

// Guaranteed returns the ε at δ that holds while the sum of costs is at most the filter's limit, even if settings
// followed from earlier releases.
func Guaranteed(f *event.Filter, delta float64) (float64, error) {
	switch f.Measure {
	case event.Renyi:
		return f.Limit + renyiConversion(f.Order, delta), nil
	case event.ZCDP:
		return epsilonOfOne(loss.Concentrated{Rho: f.Limit}, "renyi", delta)
	}
	// One release of N(0, 1/μ²) has μ-Gaussian differential privacy (Dong, Roth, Su 2022, definition 2.1).
	return epsilonOfOne(loss.Gaussian{Noise: math.Nextafter(1/math.Sqrt(f.Limit), 0), Sensitivity: 1}, "analytic",
		delta)
}

// epsilonOfOne returns ε at δ for one release, by the named accountant.
func epsilonOfOne(m loss.Mechanism, by string, delta float64) (float64, error) {
	l := &loss.List{Adjacency: event.AddRemove}
	l.Add(loss.Release{Released: []loss.Mechanism{m}, Count: 1})
	p, err := accountant.Named(by).Upper(l)
	if err != nil {
		return 0, err
	}
	return p.Epsilon(delta)
}

// renyiConversion returns the difference between ε at δ and the Rényi divergence of this order: Canonne, Kamath and
// Steinke, The Discrete Gaussian for Differential Privacy (NeurIPS 2020), proposition 12. It is rounded up.
func renyiConversion(order, delta float64) float64 {
	c := math.Log1p(-1/order) - (math.Log(delta)+math.Log(order))/(order-1)
	return c + 1e-12*math.Abs(c)
}

// renyiLimit returns the largest Rényi divergence of this order that keeps the budget, rounded down.
func renyiLimit(order float64, budget event.Limit) float64 {
	return math.Nextafter(budget.Epsilon-renyiConversion(order, budget.Delta), 0)
}

// widestOrder returns the order α with the largest quotient of limit and α, to four digits. Gaussian noise without
// sampling costs α·ρ, so this order allows the most of it.
func widestOrder(budget event.Limit) (best float64) {
	most := math.Inf(-1)
	for x := math.Log(1e-3); x < math.Log(1e6); x += 1e-3 {
		order := 1 + math.Exp(x)
		if wide := renyiLimit(order, budget) / order; wide > most {
			most, best = wide, order
		}
	}
	digits := math.Pow(10, 3-math.Floor(math.Log10(best)))
	return math.Max(1.001, math.Round(best*digits)/digits)
}

// Cost returns the cost of each release of a grant in the filter's measure, rounded up.
func Cost(f *event.Filter, g *event.Grant) (float64, error) {
	if g.Mechanism == event.Select {
		return 0, exit.Errorf(exit.Usage, "select has a δ of its own, which the filter %s cannot count", f.Measure)
	}
	list, err := accountant.OneRelease(g)
	if err != nil {
		return 0, err
	}
	var cost float64
	switch f.Measure {
	case event.ZCDP:
		cost, err = list.Unsampled().Rho()
	case event.GDP:
		cost, err = list.Unsampled().Squares()
	default:
		var failure float64
		curve, mayFail, wrong := list.Curve()
		if err = wrong; err == nil {
			cost, failure = curve(f.Order), mayFail
		}
		if err == nil && (failure > 0 || math.IsInf(cost, 1)) {
			err = exit.Errorf(exit.Refused, "the Rényi divergence of order %v is not bounded", f.Order)
		}
	}
	if err != nil {
		return 0, exit.Errorf(exit.Usage, "the filter %s cannot count %s: %w", f.Measure, g.Mechanism, err)
	}
	return cost * (1 + 1e-9), nil
}

// FilterSpent returns the joint cost of the ledger's charges by its filter, or 0 without a filter. If a grant states
// less than its releases cost, the true cost counts.
func FilterSpent(ledger *event.Ledger) (float64, error) {
	head := ledger.Head()
	if head == nil || head.Filter == nil {
		return 0, nil
	}
	costs := make(map[string]float64)
	for _, line := range ledger.Lines {
		if g := line.Grant; g != nil && g.Cost > 0 {
			cost, err := Cost(head.Filter, g)
			if err != nil {
				return 0, err
			}
			if costs[g.ID] = g.Cost; g.Cost < cost*(1-slack) {
				costs[g.ID] = cost
			}
		}
	}
	spent := 0.0
	for _, c := range ledger.Charges() {
		spent = math.Nextafter(spent+costs[c.Grant], math.Inf(1))
	}
	return spent, nil
}

// Overfull refuses a ledger that has a grant below its true cost, or charges above the filter's limit. privatize makes
// neither.
func Overfull(name string, ledger *event.Ledger) (refusal, err error) {
	head := ledger.Head()
	if head == nil || head.Filter == nil {
		return nil, nil
	}
	spent, err := FilterSpent(ledger)
	if err != nil {
		return nil, err
	}
	for i, line := range ledger.Lines {
		g := line.Grant
		if g == nil || g.Cost == 0 {
			continue
		}
		cost, err := Cost(head.Filter, g)
		if err != nil {
			return nil, err
		}
		if g.Cost < cost*(1-slack) {
			return exit.Errorf(exit.Refused,
					"%s: line %d: grant %q says that a release costs %v of the ledger's filter, it costs %s", name, i+1,
					g.ID, g.Cost, rounded.Up(cost)).
					WithHint("all releases cost %s of the limit %s", rounded.Up(spent),
						rounded.Down(head.Filter.Limit)),
				nil
		}
	}
	if spent > head.Filter.Limit*(1+slack) {
		return exit.Errorf(exit.Refused,
			"%s: overspent: all releases cost %s of the ledger's filter, and its limit is %s", name, rounded.Up(spent),
			rounded.Down(head.Filter.Limit)), nil
	}
	return nil, nil
}
