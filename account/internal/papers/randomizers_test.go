package papers

import (
	"math"
	"strings"
	"testing"

	"privpipe/account/internal/renyi"
)

func TestGibbsGolden(t *testing.T) {
	for _, r := range rowsOf(t, "linear", 26) {
		switch {
		case r.Group == "lp_lda":
			if got := bitEpsilon(r.F); !above(got, r.Epsilon, 1e-9) {
				t.Errorf("%s: bit %v, want %v", r.ID, got, r.Epsilon)
			}
			if got := wordEpsilon(r.F); !above(got, r.Word, 1e-9) {
				t.Errorf("%s: word %v, want %v", r.ID, got, r.Word)
			}
			if got := documentEpsilon(r.F, 1000, 500); !above(got, r.Document, 1e-9) {
				t.Errorf("%s: document %v, want %v", r.ID, got, r.Document)
			}
		case strings.HasPrefix(r.ID, "hdpT1"):
			if got := unclippedInherentLoss(r.MaxNtk, r.Nt, r.Ntprime, r.Beta); !above(got, r.Epsilon, 1e-9) {
				t.Errorf("%s: %v, want %v", r.ID, got, r.Epsilon)
			}
		default:
			sweep := renyi.Guarantee{Epsilon: inherentLoss(r.Clip, r.Beta)}
			if !above(sweep.Epsilon, r.Epsilon, 1e-9) || !above(sweep.Linear(100).Epsilon, r.T100, 1e-9) {
				t.Errorf("%s: %v, want %v and, 100 times, %v", r.ID, sweep, r.Epsilon, r.T100)
			}
		}
	}
}

// TestGibbsLimits: no smoothing and no fair coin is no guarantee.
func TestGibbsLimits(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"counts clipped to 0", inherentLoss(0, 0.1), 0},
		{"no prior", inherentLoss(5, 0), inf},
		{"no coin", bitEpsilon(0), inf},
		{"coin only", bitEpsilon(1), 0},
		{"no change", laplaceEpsilon(0, 0), 0},
		{"no noise", laplaceEpsilon(2, 0), inf},
		{"ε_L of scale 2/ε_L", math.Round(laplaceEpsilon(2, 2/0.5)*1e12) / 1e12, 0.5},
		{"3 words of 1000", documentEpsilon(0.5, 1000, 3), renyi.RoundUp(6 * bitEpsilon(0.5))},
		{"3 words of 5", documentEpsilon(0.5, 5, 3), renyi.RoundUp(5 * bitEpsilon(0.5))},
		{"all words", documentEpsilon(0.5, 5, math.MaxUint64), renyi.RoundUp(5 * bitEpsilon(0.5))},
		{"coins only", documentEpsilon(1, 5, 3), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

// TestInherentLossHolds draws the topics for a replaced word, with two topics and three words. No draw from frozen
// counts in [0, C] loses more than equation 7, and one draw loses nearly all of it. Draws from counts that are updated
// in place lose more, where the word comes again.
func TestInherentLossHolds(t *testing.T) {
	const clip, beta = 1, 0.01
	frozen, updated := 0.0, 0.0
	for cells := range 3 * 3 * 3 * 3 * 3 * 3 {
		var counts [2][3]int // of a word in a topic, 0 to 2
		for i := range 6 {
			counts[i/3][i%3] = cells % 3
			cells /= 3
		}
		for outcome := range 1 << 4 {
			loss := func(again int) float64 {
				return math.Abs(logDraws(counts, 0, again, outcome, clip, beta) - logDraws(counts, 1, again, outcome,
					clip, beta))
			}
			frozen, updated = max(frozen, loss(0)), max(updated, loss(3))
		}
	}
	if bound := inherentLoss(clip, beta); !(frozen <= bound) || frozen < 0.98*bound || !(updated > 1.3*bound) {
		t.Errorf("frozen counts lose %v, updated ones %v, equation 7 has %v", frozen, updated, bound)
	}
}

// logDraws returns a log probability: HDP-LDA's algorithm 1 draws the topics in the bits of outcome. The first draw is
// for the word first. The others are for the word 0, as many as again says. Each word had topic 0 before, and is in a
// document of its own. The draws update the counts in place (lines 12 to 15).
func logDraws(counts [2][3]int, first, again, outcome int, clip, beta float64) (log float64) {
	clipped := func(n int) float64 { return math.Max(0, math.Min(float64(n), clip)) + beta }
	for i := range 1 + again {
		word, document := 0, [2]float64{1, 1}
		if i == 0 {
			word, document = first, [2]float64{1e-6, 1} // the replaced word has nearly all of topic 1
		}
		var weights [2]float64
		for k, topic := range counts {
			sum := 0.0
			for _, n := range topic {
				sum += clipped(n)
			}
			weights[k] = clipped(topic[word]) / sum * document[k]
		}
		drawn := outcome >> i & 1
		log += math.Log(weights[drawn] / (weights[0] + weights[1]))
		counts[0][word]--
		counts[drawn][word]++
	}
	return log
}
