package papers

import (
	"math"
	"testing"
)

// lossesOf returns the rows of a command by their parts and units.
func lossesOf(t *testing.T, c *Gibbs) map[string]*gibbsRow {
	t.Helper()
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	rows, err := c.Rows()
	if err != nil {
		t.Fatal(err)
	}
	byName := make(map[string]*gibbsRow)
	for _, row := range rows {
		byName[row.Part+" of a "+row.Unit] = row
	}
	return byName
}

// TestGibbsNoise compares with the golden rows hdpL|…: ε at δ = 1e-5 of two counts with Laplace noise, by
// dp_accounting, and the pure ε, of noise that is kept, too. hdpL|10|T100 is above the truth, which is between 890.2390
// and 890.3199: numpy, losses rounded down or up to multiples of 0.001.
func TestGibbsNoise(t *testing.T) {
	delta := 1e-5
	for _, w := range []struct {
		laplace   float64
		rounds    int
		low, high float64 // what the rows accept
	}{
		{0.1, 1, 0.09992000919974749, 0.10145980120598742}, {0.1, 100, 2.8927672350550444, 2.9088327377778747},
		{1, 10, 9.103702559524836, 9.152071386599777}, {1, 100, 47.16937301258984, 47.41572292223722},
		{5, 100, 393.693832393154, 395.74246994910953}, {10, 100, 890.2390, 895.6338850152952},
	} {
		rows := lossesOf(t, &Gibbs{EpsilonLaplace: &w.laplace, Rounds: w.rounds, Delta: &delta})
		fresh, kept := rows["noise of a word"], rows["noise that is kept of a word"]
		if e := float64(*fresh.Epsilon); !(e >= w.low && e <= w.high) {
			t.Errorf("ε_L %v, %d rounds: ε %v, want it in [%v, %v]", w.laplace, w.rounds, e, w.low, w.high)
		}
		pure := w.laplace * float64(w.rounds)
		if p, k := float64(fresh.Pure), float64(kept.Pure); p < pure || !almost(p, pure, 1e-9) ||
			!almost(k, 2*pure, 1e-9) {
			t.Errorf("ε_L %v, %d rounds: pure ε %v, kept %v, want %v and twice that", w.laplace, w.rounds, p, k, pure)
		}
		if !(*kept.Epsilon >= *fresh.Epsilon) {
			t.Errorf("ε_L %v, %d rounds: ε %v where noise is kept, %v where it is fresh",
				w.laplace, w.rounds, *kept.Epsilon, *fresh.Epsilon)
		}
	}
}

// TestGibbsResponse compares with the golden rows rr|f… and rrcomp|f…, the last of which is above the truth,
// 32.208861430321576 by the sum over the binomial distribution.
func TestGibbsResponse(t *testing.T) {
	delta := 1e-5
	for _, w := range []struct {
		flip            float64
		rounds          int
		pure, low, high float64
	}{
		{0.25, 1, 1.9459101490553132, 0, math.Inf(1)},
		{0.5, 10, 10.986122886681098, 10.984605042483578, 11.042756518999793},
		{0.75, 100, 51.08256237659907, 32.208861430321576, 32.377505784085294},
	} {
		rows := lossesOf(t, &Gibbs{Flip: &w.flip, Vocabulary: 1000, Words: 3, Rounds: w.rounds, Delta: &delta})
		bit, word, document := rows["response of a bit"], rows["response of a word"], rows["response of a document"]
		if !almost(float64(bit.Pure), w.pure, 1e-9) || !almost(float64(word.Pure), 2*w.pure, 1e-9) ||
			!almost(float64(document.Pure), 6*w.pure, 1e-9) {
			t.Errorf("f %v: pure ε %v, %v, %v, want 1, 2 and 6 times %v", w.flip, bit.Pure, word.Pure, document.Pure,
				w.pure)
		}
		if e := float64(*bit.Epsilon); !(e >= w.low && e <= w.high) {
			t.Errorf("f %v: ε %v, want it in [%v, %v]", w.flip, e, w.low, w.high)
		}
	}
}

// TestGibbsTogether: draws with noise lose no more than both apart and no less than either, at each δ, and a claim is
// never converted.
func TestGibbsTogether(t *testing.T) {
	for _, delta := range []float64{1e-9, 1e-3} {
		for _, clip := range []float64{1, 20} {
			prior, laplace := 0.1, 0.3
			rows := lossesOf(t, &Gibbs{Clip: &clip, Prior: &prior, EpsilonLaplace: &laplace, Rounds: 8, Delta: &delta})
			draws, noise, both := rows["draws of a word"], rows["noise of a word"], rows["draws and noise of a word"]
			if !almost(float64(both.Pure), float64(draws.Pure+noise.Pure), 1e-9) ||
				both.Pure < draws.Pure+noise.Pure-1e-9 {
				t.Errorf("pure ε %v, want %v and %v", both.Pure, draws.Pure, noise.Pure)
			}
			for _, row := range []*gibbsRow{draws, noise, both} {
				if *row.Epsilon > row.Pure*(1+1e-9) || *both.Epsilon < *row.Epsilon*(1-1e-9) {
					t.Errorf("δ %v: %s loses ε %v, pure %v, both %v", delta, row.Part, *row.Epsilon, row.Pure,
						*both.Epsilon)
				}
			}
			if paper := rows["hdp20 of a word"]; !paper.Claim || paper.Epsilon != nil || paper.Pure != both.Pure {
				t.Errorf("the paper's row is %+v", *paper)
			}
		}
	}
}
