package main

import (
	"slices"
	"strings"

	"privpipe/account/internal/compose"
	"privpipe/pipelines/event"
)

// theorems names what the reported number rests on: that which the charges make use of.
func theorems(charges []*event.Charge, composition *compose.Composition) string {
	has := func(rule func(*event.Charge) bool) bool { return slices.ContainsFunc(charges, rule) }
	is := func(mechanism string) func(*event.Charge) bool {
		return func(c *event.Charge) bool { return c.Mechanism == mechanism }
	}
	if has(is(event.None)) {
		return "nothing: a release without noise has no bound"
	}
	amplified := func(mechanism string) bool {
		return has(func(c *event.Charge) bool { return c.Mechanism == mechanism && composition.Amplified(c) })
	}
	names := []string{"Rényi composition (Mironov 2017, prop. 1)"}
	for _, t := range []struct {
		used bool
		name string
	}{
		{amplified(event.Gaussian), "sampled Gaussian (Mironov, Talwar, Zhang 2019, §3.3)"},
		{has(is(event.Gaussian)) || has(is(event.Select)), "discrete Gaussian (Canonne, Kamath, Steinke 2020, prop. 5)"},
		{has(is(event.Laplace)), "discrete Laplace (sum of three geometric series)"},
		{amplified(event.Laplace),
			"sampled Laplace (Li, Qardaji, Su 2012, thm. 1; Bun, Steinke 2016, prop. 3.3; binomial moments)"},
		{has(is(event.RandomizedResponse)), "randomized response (Mironov 2017, prop. 5)"},
		{has(is(event.Select)), "threshold of select (Canonne, Kamath, Steinke 2020, prop. 25)"},
		{has(compose.Disjoint), "parallel composition"},
		{true, "conversion (Canonne, Kamath, Steinke 2020, prop. 12)"},
	} {
		if t.used {
			names = append(names, t.name)
		}
	}
	return strings.Join(names, "; ")
}
