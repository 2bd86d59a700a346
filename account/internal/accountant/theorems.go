package accountant

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"privpipe/account/internal/loss"
	"privpipe/pipelines/event"
)

// A theorem is used for lists of which the rule is true.
type theorem struct {
	used func(l *loss.List) bool
	name string
}

// curveTheorems names what a bound by Rényi curves rests on.
func curveTheorems(l *loss.List) []string {
	return names(l, []theorem{
		{always, "Rényi composition (Mironov 2017, prop. 1)"},
		{sampled[loss.Gaussian](loss.Poisson), "sampled Gaussian (Mironov, Talwar, Zhang 2019, §3.3)"},
		{sampled[loss.Gaussian](loss.Fixed), "sampling without replacement (Wang, Balle, Kasiviswanathan 2019, thm. 9 and 27)"},
		{continuousGaussian, "Gaussian (Mironov 2017, prop. 7)"},
		{discreteGaussian, "discrete Gaussian (Canonne, Kamath, Steinke 2020, prop. 5)"},
		{sampled[loss.Laplace](loss.Poisson),
			"sampled Laplace (Li, Qardaji, Su 2012, thm. 1; Bun, Steinke 2016, prop. 3.3; binomial moments)"},
		{has(func(m loss.Laplace) bool { return !m.Discrete }), "Laplace (Mironov 2017, prop. 6)"},
		{has(func(m loss.Laplace) bool { return m.Discrete }), "discrete Laplace (sum of three geometric series)"},
		{has(func(loss.DiscreteLaplace) bool { return true }), "discrete Laplace (sum of three geometric series)"},
		{has(func(loss.Pure) bool { return true }), "randomized response (Mironov 2017, prop. 5)"},
		{has(func(loss.RandomizedResponse) bool { return true }), "randomized response over buckets (three ratios, package renyi)"},
		{has(func(loss.Approximate) bool { return true }), "(ε, δ) as randomized response (Kairouz, Oh, Viswanath 2015, thm. 3.4)"},
		{has(func(loss.Concentrated) bool { return true }), "zCDP (Bun, Steinke 2016, def. 1.1)"},
		{amplifiedGuarantee, "amplification (Balle, Barthe, Gaboardi 2018, thm. 8 and 9)"},
		{fails, "threshold of select (Canonne, Kamath, Steinke 2020, prop. 25)"},
		{disjoint, "parallel composition"},
		{always, "conversion (Canonne, Kamath, Steinke 2020, prop. 12)"},
	})
}

// distributionTheorems names what a bound by privacy loss distributions rests on.
func distributionTheorems(l *loss.List) []string {
	replaced := func(l *loss.List) bool { return l.Adjacency == event.ReplaceOne }
	return names(l, []theorem{
		{always, "composition of dominating pairs (Zhu, Dong, Wang 2022, thm. 10)"},
		{both(replaced, sampled[loss.Gaussian](loss.Poisson)), "sampled Gaussian, a unit exchanged (package pld)"},
		{without(replaced, sampled[loss.Gaussian](loss.Poisson)), "sampled Gaussian (Zhu, Dong, Wang 2022, prop. 30)"},
		{sampled[loss.Gaussian](loss.Fixed), "sampling without replacement (Balle, Barthe, Gaboardi 2018, thm. 9)"},
		{continuousGaussian, "Gaussian (Balle, Wang 2018, thm. 8)"},
		{discreteGaussian, "discrete Gaussian as continuous (Peikert 2010, thm. 3.1)"},
		{has(func(loss.DiscreteGaussian) bool { return true }), "discrete Gaussian (Canonne, Kamath, Steinke 2020, thm. 7)"},
		{has(func(m loss.Laplace) bool { return m.Discrete }), "discrete Laplace as continuous (package loss)"},
		{has(func(m loss.Laplace) bool { return true }), "Laplace (Zhu, Dong, Wang 2022, prop. 30)"},
		{has(func(loss.DiscreteLaplace) bool { return true }), "discrete Laplace (three geometric series)"},
		{has(func(loss.Pure) bool { return true }), "randomized response (Kairouz, Oh, Viswanath 2015, thm. 3.4)"},
		{has(func(loss.RandomizedResponse) bool { return true }), "randomized response over buckets (three points, package pld)"},
		{has(func(loss.Approximate) bool { return true }), "(ε, δ) as randomized response (Kairouz, Oh, Viswanath 2015, thm. 3.4)"},
		{amplifiedGuarantee, "amplification (Balle, Barthe, Gaboardi 2018, thm. 8 and 9)"},
		{fails, "threshold of select (Canonne, Kamath, Steinke 2020, prop. 25)"},
		{disjoint, "parallel composition"},
		{always, dots},
	})
}

// Rests completes what an accountant's bounds rest on, where one of Rényi's curves was less than pld's own.
func Rests(theorem string, order float64) string {
	if strings.HasSuffix(theorem, dots) && order > 0 && !math.IsInf(order, 1) {
		theorem += fmt.Sprintf("; less by the Rényi divergence of order %.4g", order)
	}
	return theorem
}

// dots is the last that pld rests on.
const dots = "connecting the dots (Doroshenko et al. 2022)"

// names returns the names of the theorems that are used, each once.
func names(l *loss.List, theorems []theorem) (used []string) {
	if l.NoNoise {
		return []string{"nothing: a release without noise has no bound"}
	}
	for _, t := range theorems {
		if t.used(l) && !slices.Contains(used, t.name) {
			used = append(used, t.name)
		}
	}
	return used
}

func always(*loss.List) bool { return true }

func fails(l *loss.List) bool { return l.Failure > 0 }

func disjoint(l *loss.List) bool {
	return slices.ContainsFunc(l.Events(), func(e loss.Event) bool { return e.Disjoint })
}

func both(a, b func(*loss.List) bool) func(*loss.List) bool {
	return func(l *loss.List) bool { return a(l) && b(l) }
}

func without(a, b func(*loss.List) bool) func(*loss.List) bool {
	return func(l *loss.List) bool { return !a(l) && b(l) }
}

// anyOf says that some event that passes event has a mechanism of kind M that passes mechanism.
func anyOf[M loss.Mechanism](l *loss.List, event func(loss.Event) bool, mechanism func(M) bool) bool {
	return slices.ContainsFunc(l.Events(), func(e loss.Event) bool {
		return event(e) && slices.ContainsFunc(append([][]loss.Mechanism{e.Released}, e.Instead...),
			func(released []loss.Mechanism) bool {
				return slices.ContainsFunc(released, func(m loss.Mechanism) bool {
					one, ok := m.(M)
					return ok && mechanism(one)
				})
			})
	})
}

func has[M loss.Mechanism](rule func(M) bool) func(*loss.List) bool {
	return func(l *loss.List) bool { return anyOf(l, func(loss.Event) bool { return true }, rule) }
}

func sampled[M loss.Mechanism](by loss.Sampling) func(*loss.List) bool {
	return func(l *loss.List) bool {
		return anyOf(l, func(e loss.Event) bool { return e.Sampling == by }, func(M) bool { return true })
	}
}

func continuousGaussian(l *loss.List) bool {
	return anyOf(l, func(e loss.Event) bool { return e.Sampling == loss.All }, func(m loss.Gaussian) bool { return !m.Discrete })
}

func discreteGaussian(l *loss.List) bool {
	return has(func(m loss.Gaussian) bool { return m.Discrete })(l)
}

func amplifiedGuarantee(l *loss.List) bool {
	sampled := func(e loss.Event) bool { return e.Sampling != loss.All }
	return anyOf(l, sampled, func(loss.Pure) bool { return true }) || anyOf(l, sampled, func(loss.Approximate) bool { return true })
}
