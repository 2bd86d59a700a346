package papers

import (
	"fmt"
	"strings"
	"testing"

	"privpipe/pipelines/event"
)

// TestClaims: the papers' numbers are numbers at the extremes, too.
func TestClaims(t *testing.T) {
	for _, method := range []string{event.Poisson, event.Fixed} {
		for _, rate := range []float64{1e-8, 0.05, 1} {
			for _, rounds := range []int{1, 1e7} {
				for _, noise := range []float64{0.1, 2, 1e4} {
					all := Claims(event.Scheme{Method: method, Rate: rate, Rounds: rounds}, noise, 1e-5, "C")
					for _, c := range all {
						if !(c.Epsilon >= 0) {
							t.Errorf("%s of %s, rate %v, rounds %v, noise %v: ε %v", c.Name, method, rate, rounds,
								noise, c.Epsilon)
						}
					}
					if len(all) < 3 {
						t.Errorf("%s has %d claims", method, len(all))
					}
				}
			}
		}
	}
	if all := Claims(event.Scheme{Method: event.All, Rate: 1, Rounds: 1}, 1, 1e-5, "C"); all != nil {
		t.Errorf("without sampling there are %d claims", len(all))
	}
}

// TestClaimedNoise compares with the noise of zcdp16's setting and of vips20's baselines. zcdp16 has D = 400,000
// documents, 160,000 documents seen, and δ = 1e-4. The noise to compare with is by bisection of the papers' equations
// in Python: /work/shared/design/specification.md, §2.1 and §2.3.
func TestClaimedNoise(t *testing.T) {
	scheme := func(size, rounds int) event.Scheme {
		return event.Scheme{Method: event.Fixed, Rate: float64(size) / 400_000, Rounds: rounds}
	}
	check := func(name string, s event.Scheme, epsilon float64, want string) {
		t.Helper()
		exact := func(x float64) float64 { return x }
		noise, claim, err := ClaimedNoise(name, s, epsilon, 1e-4, RoundDelta, "C", exact)
		digits := len(want) - len("0.")
		if err != nil || fmt.Sprintf("%.*f", digits, noise) != want || !(claim.Epsilon <= epsilon) ||
			claim.Epsilon < epsilon*(1-1e-6) {
			t.Errorf("%s, rate %v, ε %v: noise %.6f with ε %v, %v; want %s", name, s.Rate, epsilon, noise,
				claim.Epsilon, err, want)
		}
	}
	sizes := []int{10, 20, 50, 100, 200, 400}
	for name, rows := range map[string]map[float64][]string{
		"zcdp16": {1: {"0.8505", "0.9022", "0.9809", "1.0498", "1.1285", "1.2190"},
			0.5: {"0.9549", "1.0207", "1.1228", "1.2142", "1.3211", "1.4473"}},
		"zcdp16-strong": {1: {"1.2426", "1.3504", "1.5236", "1.6851", "1.8812", "2.1229"},
			0.5: {"1.4686", "1.6190", "1.8678", "2.1071", "2.4068", "2.7881"}},
		"zcdp16-linear": {1: {"4.2296", "4.2295", "4.2293", "4.2289", "4.2282", "4.2267"},
			0.5: {"6.534", "6.534", "6.534", "6.534", "6.533", "6.531"}},
	} {
		for epsilon, wants := range rows {
			for i, want := range wants {
				check(name, scheme(sizes[i], 160_000/sizes[i]), epsilon, want)
			}
		}
	}
	for size, wants := range map[int][2]string{5000: {"3.090", "4.314"}, 10_000: {"3.659", "4.277"},
		20_000: {"4.398", "4.204"}} {
		check("vips20-strong", scheme(size, 400_000/size), 2.38, wants[0])
		check("zcdp16-linear", scheme(size, 400_000/size), 2.38, wants[1])
	}
	// as account compare prints it
	check("vips20", scheme(20_000, 20), 2.382593635, "1.2400")
	// of ma16's code
	check("ma16", event.Scheme{Method: event.Poisson, Rate: 0.05, Rounds: 20}, 2.4411338632607906, "1.2400")
}

// TestClaimedNoiseRefuses: a formula is of one way to sample, and gives no ε below what its λ of lemma 3 reach.
func TestClaimedNoiseRefuses(t *testing.T) {
	poisson, fixed := event.Scheme{Method: event.Poisson, Rate: 0.05, Rounds: 20},
		event.Scheme{Method: event.Fixed, Rate: 0.05, Rounds: 20}
	for _, c := range []struct {
		name   string
		scheme event.Scheme
		rule   string
	}{
		{"vips20", poisson, "vips20 accounts for --fixed"}, {"ma16", fixed, "ma16 for --poisson"},
		{"zcdp16", event.Scheme{Method: event.All, Rate: 1, Rounds: 20}, "sampled rounds"},
		{"ma16", poisson, "no noise over the clip"},
		{"zcdp16-linear", event.Scheme{Method: event.Poisson, Rate: 0.5, Rounds: 1000}, "no noise over the clip"},
	} {
		noise, _, err := ClaimedNoise(c.name, c.scheme, 0.01, 1e-4, RoundDelta, "C",
			func(x float64) float64 { return x })
		if err == nil || !strings.Contains(err.Error(), c.rule) {
			t.Errorf("%s, %s: noise %v, %v; want an error about %q", c.name, c.scheme, noise, err, c.rule)
		}
	}
}
