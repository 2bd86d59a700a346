package audit

import (
	"math"
	"math/rand/v2"
	"testing"

	"privpipe/pipelines/event"
)

func charges(mechanism string, pairs ...[2]uint64) []*event.Charge {
	var all []*event.Charge
	for _, p := range pairs {
		all = append(all, &event.Charge{Mechanism: mechanism, Sensitivity: p[0], Scale: p[1]})
	}
	return all
}

func TestClaimOf(t *testing.T) {
	gaussian := claimOf(charges(event.Gaussian, [2]uint64{3000, 1000}, [2]uint64{2000, 500}))
	// √(3² + 4²); 1/1000² + 1/500²
	if !gaussian.gaussian || gaussian.loss != 5 || math.Abs(gaussian.slack-5e-6) > 1e-15 {
		t.Errorf("Gaussian claim is %+v", gaussian)
	}
	laplace := claimOf(charges(event.Laplace, [2]uint64{3000, 1000}, [2]uint64{2000, 500}))
	if laplace.gaussian || laplace.loss != 7 || laplace.slack != 0 {
		t.Errorf("Laplace claim is %+v", laplace)
	}
	if got := laplace.epsilon(3, 1e-5); got != 3 {
		t.Errorf("ε of a pure loss of 3 is %v", got)
	}
	near(t, "ε of μ = 1", gaussian.epsilon(1, 1e-5), 4.377178095681224, 1e-9)
}

// TestLower compares with the bounds written out, by the rates that upperRate gives for the same counts.
func TestLower(t *testing.T) {
	gaussian, laplace := claim{gaussian: true}, claim{}
	g := guesses{with: 120, without: 80, missed: 12, alarms: 4}
	all, missed, alarms := upperRate(16, 200, 0.05), upperRate(12, 120, 0.025), upperRate(4, 80, 0.025)
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"μ by errors", gaussian.lower(g, byErrors, 0.05), -2 * quantile(all)},
		{"μ by rates", gaussian.lower(g, byRates, 0.05), -quantile(missed) - quantile(alarms)},
		{"ε by errors", laplace.lower(g, byErrors, 0.05), math.Log(1/all - 1)},
		{"ε by rates", laplace.lower(g, byRates, 0.05), max(math.Log((1-missed)/alarms), math.Log((1-alarms)/missed))},
		{"μ with slack", claim{gaussian: true, slack: 0.01}.lower(g, byErrors, 0.05), -2 * quantile(all+0.01)},
		{"no better than a coin",
			gaussian.lower(guesses{with: 50, without: 50, missed: 25, alarms: 25}, byErrors, 0.05), 0},
		{"nothing without the canary", laplace.lower(guesses{with: 50}, byRates, 0.05), 0},
	} {
		if test.want != test.got {
			near(t, test.name, test.got, test.want, 1e-12)
		}
	}
}

// noisy returns trials with two rounds of noise, drawn by draw, as a privatizer of one canary with clip 1 in each round
// would release them.
func noisy(random *rand.Rand, n int, draw func() float64) []trial {
	trials := make([]trial, n)
	for i := range trials {
		trials[i].with = random.Uint64()&1 == 1
		releases := [][]int64{make([]int64, cells), make([]int64, cells)}
		for _, release := range releases {
			for c := range release {
				release[c] = int64(math.Round(1000 * draw()))
			}
		}
		if trials[i].with {
			releases[0][0] += 1000
			for c := range spread {
				releases[1][1+c] += 1000 / 4 // the root of 16 cells
			}
		}
		for _, s := range statistics {
			trials[i].values = append(trials[i].values, s.of(releases))
		}
	}
	return trials
}

func laplaceNoise(random *rand.Rand) float64 {
	x := random.ExpFloat64()
	if random.Uint64()&1 == 1 {
		return -x
	}
	return x
}

// TestHonestNoise measures noise that is as claimed, and noise of 0.6 of that. The first may exceed the claim with
// probability 0.05 each time: in 100 times more than 18 do with probability below 1e-6 (binomial). The second exceeds
// it in one audit of two but with probability below 1e-6: at the best threshold the rates of error are five standard
// deviations from what they would have to be. The stream is fixed.
func TestHonestNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const audits, most = 100, 18
	for _, test := range []struct {
		mechanism string
		draw      func(*rand.Rand) float64
	}{{event.Gaussian, (*rand.Rand).NormFloat64}, {event.Laplace, laplaceNoise}} {
		claims := claimsOf(charges(test.mechanism, [2]uint64{1000, 1000}, [2]uint64{1000, 1000}))
		exceeded := func(audits, runs int, scale float64) int {
			n := 0
			for range audits {
				c, rule, g := measure(noisy(random, runs, func() float64 { return scale * test.draw(random) }), claims)
				if c.lower(g, rule.way, 0.05) > c.loss {
					n++
				}
			}
			return n
		}
		if n := exceeded(audits, 120, 1); n > most {
			t.Errorf("%s: %d of %d audits of honest noise exceed the claim", test.mechanism, n, audits)
		}
		if n := exceeded(2, 4000, 0.6); n < 1 {
			t.Errorf("%s: %d of 2 audits find noise that is too small", test.mechanism, n)
		}
	}
}
