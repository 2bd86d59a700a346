package audit

import (
	"testing"

	"privpipe/pipelines/event"
)

// simulatedRounds learns a rule from samples of one simulated privatizer per place. It returns the bound that other
// samples give at level 0.05, divided by the claim.
func simulatedRounds(t *testing.T, name string, learnt, measured int, scale float64, seed uint64) float64 {
	t.Helper()
	first := simulate(t, name, 0, seed)
	r := &roundsOf{
		kind: kind{terms: first.terms}, clip: simulatedClip,
		charge: &event.Charge{Mechanism: first.terms.Mechanism, Sensitivity: simulatedClip, Scale: simulatedClip},
	}
	var places []*simulated
	var samples [][]sample
	for i, p := range first.places {
		s := simulate(t, name, i, seed+uint64(i)<<32)
		s.scale = scale
		places, samples = append(places, s), append(samples, s.draw(learnt))
		r.kind.places = append(r.kind.places, p)
	}
	_, best := r.learn(samples)
	g := best.rule.guess(trials(places[best.place].draw(measured), best.readings))
	c := claimOf([]*event.Charge{r.charge})
	return c.lower(g, best.rule.way, 0.05) / c.loss
}

// TestHonestRounds: under noise as claimed, a bound exceeds the claim with probability 0.05. Of 100 bounds more than 18
// exceed the claim with probability below 1e-6 (binomial). Under half of the claimed noise the bound exceeds the claim:
// the errors are ten standard errors from the errors under the claim. The streams are fixed.
func TestHonestRounds(t *testing.T) {
	for _, name := range []string{"sums", "laplace"} {
		exceeded, total := 0, 0.0
		const audits, most = 100, 18
		for i := range audits {
			bound := simulatedRounds(t, name, 60, 600, 1, uint64(i))
			if total += bound; bound > 1 {
				exceeded++
			}
		}
		if exceeded > most {
			t.Errorf("%s: %d of %d audits of honest noise exceed the claim", name, exceeded, audits)
		}
		if total/audits < 0.3 {
			t.Errorf("%s: the bound is %v of the claim on average: it tells nothing", name, total/audits)
		}
		if bound := simulatedRounds(t, name, 300, 3000, 0.5, 1); bound < 1.2 {
			t.Errorf("%s: with half of the noise the bound is %v of the claim", name, bound)
		}
	}
}
