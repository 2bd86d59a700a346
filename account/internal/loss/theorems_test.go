package loss

import (
	"strings"
	"testing"

	"privpipe/pipelines/event"
)

// TestTheorems: a list names the theorems of its own mechanisms and ways to sample, each once and in one order, and no
// others.
func TestTheorems(t *testing.T) {
	fixed := func(released ...Mechanism) Release {
		return Release{Sampling: Fixed, Rate: 0.05, Released: released, Count: 2}
	}
	steps := of(Gaussian{Noise: 2 << 20, Sensitivity: 1 << 20, Discrete: true},
		Laplace{Scale: 5 << 20, Sensitivity: 1 << 20, Discrete: true})
	steps.Disjoint = true
	failing := list(event.AddRemove, of(Pure{Epsilon: 1}))
	failing.AddFailure(1e-9)
	for what, c := range map[string]struct {
		list          *List
		curves, pairs string
	}{
		"sampled": {list(event.AddRemove, of(laplace), poisson(0.05, 20, gaussian), poisson(0.1, 3, laplace),
			poisson(0.1, 2, Approximate{Epsilon: 0.1, Delta: 1e-8}),
			of(DiscreteGaussian{Variance: 100, Sensitivity: 2}),
			of(DiscreteLaplace{Scale: 30, Sensitivity: 2}), of(Pure{Epsilon: 0.2})),
			"sampled Gaussian (Mironov, Talwar, Zhang 2019, §3.3); sampled Laplace (Li, Qardaji, Su 2012, thm. 1; " +
				"Bun, Steinke 2016, " +
				"prop. 3.3; binomial moments); Laplace (Mironov 2017, prop. 6); discrete Laplace (sum of three " +
				"geometric series); " +
				"randomized response (Mironov 2017, prop. 5); (ε, δ) as randomized response (Kairouz, Oh, Viswanath " +
				"2015, thm. 3.4); amplification (Balle, Barthe, Gaboardi 2018, thm. 8 and 9)",
			"sampled Gaussian (Zhu, Dong, Wang 2022, prop. 30); discrete Gaussian (Canonne, Kamath, Steinke 2020, " +
				"thm. 7); " +
				"Laplace (Zhu, Dong, Wang 2022, prop. 30); discrete Laplace (three geometric series); randomized " +
				"response (Kairouz, Oh, " +
				"Viswanath 2015, thm. 3.4); (ε, δ) as randomized response (Kairouz, Oh, Viswanath 2015, thm. 3.4); " +
				"amplification (Balle, Barthe, Gaboardi 2018, thm. 8 and 9)"},
		"replaced": {list(event.ReplaceOne, fixed(gaussian), of(RandomizedResponse{Noise: 0.9, Buckets: 10}),
			of(gaussian)),
			"sampling without replacement (Wang, Balle, Kasiviswanathan 2019, thm. 9 and 27); Gaussian (Mironov " +
				"2017, prop. 7); randomized response over buckets (three ratios, package renyi)",
			"sampling without replacement (Balle, Barthe, Gaboardi 2018, thm. 9); " +
				"Gaussian (Balle, Wang 2018, thm. 8); " +
				"randomized response over buckets (three points, package pld)"},
		"replaced by coin": {list(event.ReplaceOne, poisson(0.1, 1, gaussian)),
			"sampled Gaussian, a unit exchanged (package renyi)", "sampled Gaussian, a unit exchanged (package pld)"},
		"steps": {list(event.AddRemove, steps),
			"discrete Gaussian (Canonne, Kamath, Steinke 2020, prop. 5); discrete Laplace (sum of three geometric " +
				"series); parallel composition",
			"discrete Gaussian as continuous (Peikert 2010, thm. 3.1); " +
				"discrete Laplace as continuous (package loss); " +
				"Laplace (Zhu, Dong, Wang 2022, prop. 30); parallel composition"},
		"instead": {list(event.AddRemove,
			Release{Released: []Mechanism{gaussian}, Instead: [][]Mechanism{{laplace}}, Count: 1}),
			"Gaussian (Mironov 2017, prop. 7); Laplace (Mironov 2017, prop. 6)",
			"Gaussian (Balle, Wang 2018, thm. 8); Laplace (Zhu, Dong, Wang 2022, prop. 30)"},
		"failing": {failing,
			"randomized response (Mironov 2017, prop. 5); " +
				"threshold of select (Canonne, Kamath, Steinke 2020, prop. 25)",
			"randomized response (Kairouz, Oh, Viswanath 2015, thm. 3.4); threshold of select (Canonne, Kamath, " +
				"Steinke 2020, prop. 25)"},
	} {
		curves := "Rényi composition (Mironov 2017, prop. 1); " + c.curves +
			"; conversion (Canonne, Kamath, Steinke 2020, prop. 12)"
		pairs := "composition of dominating pairs (Zhu, Dong, Wang 2022, thm. 10); " + c.pairs + "; " + dots
		if got := c.list.CurveTheorems(); got != curves {
			t.Errorf("%s: curves rest on\n%s, want\n%s", what, got, curves)
		}
		if got := c.list.DistributionTheorems(); got != pairs {
			t.Errorf("%s: distributions rest on\n%s, want\n%s", what, got, pairs)
		}
	}
	if got := RestsOn(dots, 3.5); !strings.HasSuffix(got, "; less by the Rényi divergence of order 3.5") ||
		RestsOn("x", 3.5) != "x" {
		t.Errorf("a curve that proves less: %s", got)
	}
}
