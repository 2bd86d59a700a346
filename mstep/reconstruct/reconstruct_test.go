package reconstruct

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
)

// The tests below draw with fixed seeds, so they are deterministic. Their windows are those that a right program leaves
// for one seed in 10⁶.
const logFalseRejection = 14.509 // −ln(10⁻⁶/2), for each of two sides

// chiSquareWindow is where a χ² of that many degrees of freedom lies but with probability 10⁻⁶: Laurent and Massart,
// Adaptive estimation of a quadratic functional by model selection (2000), lemma 1.
func chiSquareWindow(degrees int) (least, most float64) {
	k := float64(degrees)
	spread := 2 * math.Sqrt(k*logFalseRejection)
	return k - spread, k + spread + 2*logFalseRejection
}

// TestEstimate: the moments of the estimate, of the rows of golden/mechanisms.json, lp_lda (variance_given_N_t), and by
// simulation.
func TestEstimate(t *testing.T) {
	coins := rand.New(rand.NewPCG(1, 2))
	for _, row := range []struct {
		authors, have int
		f, variance   float64
	}{
		{1000, 100, 0.5, 750}, {1000, 0, 0.5, 750}, {160, 40, 0.75, 600}, {3000, 1500, 0.25, 583.3333333333334},
	} {
		r := Response{1 - row.f/2, row.f / 2, row.authors}
		if got := r.Variance(float64(row.have)); math.Abs(got-row.variance) > 1e-9*row.variance {
			t.Errorf("%+v: variance %v", row, got)
		}
		const draws = 4000
		sum, squares := 0.0, 0.0
		for range draws {
			n := 0
			for author := range row.authors {
				if (author < row.have) != (coins.Float64() < r.False) {
					n++
				}
			}
			z := (r.Estimate(n) - float64(row.have)) / math.Sqrt(row.variance)
			sum, squares = sum+z, squares+z*z
		}
		if z := sum / math.Sqrt(draws); math.Abs(z) > 4.892 {
			t.Errorf("%+v: biased by %v of the standard error", row, z)
		}
		if least, most := chiSquareWindow(draws); squares < least || squares > most {
			t.Errorf("%+v: the variance is %v of what it must be", row, squares/draws)
		}
	}
}

// TestEstimateOfWords: the same for reports of a few words, drawn as privatize/internal/local/claim.md has it, from
// dummies, too. Some of the authors have the word. The word's estimate has no bias and the variance of the formula.
func TestEstimateOfWords(t *testing.T) {
	coins := rand.New(rand.NewPCG(5, 6))
	for _, row := range []struct {
		k, m, words, authors, have int
		p                          float64
	}{
		{1, 1, 5, 300, 100, 0.25}, {1, 4, 5, 300, 0, 0.125}, {5, 10, 100, 200, 150, 1.0 / 64},
		{20, 40, 50, 100, 100, 1.0 / 32},
	} {
		r := responseOf(&event.Grant{
			Mechanism: event.RandomizedResponse, Flip: row.p, MaxWords: row.m, ReportWords: row.k,
			Subject: event.Subject{VocabularySize: row.words},
		})
		r.Authors = row.authors
		// weights of all items that an author has, and of all others
		right, wrong := float64(row.m)*(1-row.p), float64(row.words)*row.p
		deviation := math.Sqrt(r.Variance(float64(row.have)))
		const draws = 2000
		sum, squares := 0.0, 0.0
		for range draws {
			n := 0
			for author := range row.authors {
				reported := false
				for range row.k {
					// Item 0 is the word: the first of those that the author has, or the first of the others.
					u := coins.Float64() * (right + wrong)
					if author < row.have {
						reported = reported || u < 1-row.p
					} else {
						reported = reported || u >= right && u < right+row.p
					}
				}
				if reported {
					n++
				}
			}
			z := (r.Estimate(n) - float64(row.have)) / deviation
			sum, squares = sum+z, squares+z*z
		}
		if z := sum / math.Sqrt(draws); math.Abs(z) > 4.892 {
			t.Errorf("%+v: biased by %v of the standard error", row, z)
		}
		if least, most := chiSquareWindow(draws); squares < least || squares > most {
			t.Errorf("%+v: the variance is %v of what it must be", row, squares/draws)
		}
	}
}

// TestPosterior: theorem 6. Where the numbers of authors are normal with the prior's mean and deviation, the posterior
// mean has no bias, and the variance of the truth about it is ω·σ². For a deviation of 20 and 600 of the estimate's
// variance ω is 600/(600 + 400).
func TestPosterior(t *testing.T) {
	const words, authors, deviation, f = 4000, 160, 20.0, 0.75
	r := Response{1 - f/2, f / 2, authors}
	omega := r.PriorWeight(deviation*deviation, 80)
	m, fm := float64(authors), f
	if want := m * fm * (2 - fm) / (m*fm*(2-fm) + 4*deviation*deviation*(1-fm)*(1-fm)); math.Abs(omega-want) > 1e-12 ||
		math.Abs(omega-0.6) > 1e-12 {
		t.Errorf("ω = %v, by equation 19 %v", omega, want)
	}
	coins := rand.New(rand.NewPCG(3, 4))
	truth, estimates, mean := make([]float64, words), make([]float64, words), make([]float64, words)
	for w := range words {
		mean[w] = 80
		have := int(math.Round(80 + deviation*coins.NormFloat64()))
		truth[w] = float64(have)
		n := 0
		for author := range authors {
			if (author < have) != (coins.Float64() < r.False) {
				n++
			}
		}
		estimates[w] = r.Estimate(n)
	}
	given := &mender{Command: &Command{PriorDeviation: deviation / authors},
		prior: &prior{mean: mean, last: mean, authors: authors}}
	posterior := given.posterior(estimates, r)
	sum, squares := 0.0, 0.0
	for w := range words {
		z := (truth[w] - posterior[w]) / (deviation * math.Sqrt(omega))
		sum, squares = sum+z, squares+z*z
	}
	if z := sum / math.Sqrt(words); math.Abs(z) > 4.892 {
		t.Errorf("biased by %v of the standard error", z)
	}
	if least, most := chiSquareWindow(words); squares < least || squares > most {
		t.Errorf("the variance about the posterior mean is %v of ω·σ²", squares/words)
	}
	// By the estimates alone: the prior's variance is estimated to within 10 %, over 4,000 words.
	if got := new(mender).with(&Command{}).omega(estimates, mean, r); math.Abs(got-omega) > 0.03 {
		t.Errorf("ω is estimated as %v, must be %v", got, omega)
	}
	fixed := 0.4
	if got := new(mender).with(&Command{Omega: &fixed}).omega(estimates, mean, r); got != 0.4 {
		t.Errorf("ω = %v, is given as 0.4", got)
	}
}

func (m *mender) with(c *Command) *mender { m.Command = c; return m }

// TestPrior: equation 21, by hand.
func TestPrior(t *testing.T) {
	p := newPrior([]int{10, 0, 4}, 20)
	first := p.next(40) // μ¹ = ½(μ⁰ + η⁰)·40/20
	if want := []float64{20, 0, 8}; !slices.Equal(first, want) {
		t.Errorf("μ¹ = %v, want %v", first, want)
	}
	p.learn(first, []float64{30, 2, 8}, 40)
	if got, want := p.next(20), []float64{12.5, 0.5, 4}; !slices.Equal(got, want) {
		t.Errorf("μ² = %v, want %v", got, want)
	}
}

// TestRebuild: a word has as many documents as it must, the others keep their bits, and the documents that change are
// drawn uniformly.
func TestRebuild(t *testing.T) {
	const authors, words, times = 150, 5, 3000 // authors are no multiple of 64
	want := []int{40, 0, 150, 70, 75}
	changed := make([][words]int, authors)
	for seed := range uint64(times) {
		b := newBatch(words)
		before := make([][]uint32, authors)
		for author := range authors {
			var has []uint32
			for w := range uint32(words) {
				if author%2 == 0 || w == 4 && author%4 == 1 {
					has = append(has, w)
				}
			}
			before[author] = has
			b.add(&wire.Document{Id: fmt.Sprint(author), WordGaps: wire.AppendGaps(nil, has)})
		}
		start := b.counts()
		b.rebuild(want, rand.New(rand.NewPCG(seed, 1)))
		if got := b.counts(); !slices.Equal(got, want) {
			t.Fatalf("counts %v, want %v", got, want)
		}
		for author := range authors {
			d := b.document(author)
			if d.Id != fmt.Sprint(author) || len(d.Counts) != len(d.WordGaps) ||
				slices.ContainsFunc(d.Counts, func(c uint32) bool { return c != 1 }) {
				t.Fatalf("document %v", d)
			}
			after := wire.AppendIDs(nil, d.WordGaps)
			for w := range uint32(words) {
				had, has := slices.Contains(before[author], w), slices.Contains(after, w)
				if has != had {
					changed[author][w]++
				}
				if has != had && has != (want[w] > start[w]) {
					t.Fatalf("word %d of report %d changes to %v", w, author, has)
				}
			}
		}
	}
	// Word 0: 35 of the 75 even reports lose it, each with probability 35/75. Word 3: 5 of 75 lose it. Of χ²'s 75 terms
	// one is not free.
	for word, of := range map[int]int{0: 35, 3: 5} {
		expected := times * float64(of) / 75
		chiSquare := 0.0
		for author := 0; author < authors; author += 2 {
			difference := float64(changed[author][word]) - expected
			chiSquare += difference * difference / expected / (1 - float64(of)/75) * 74 / 75
		}
		if least, most := chiSquareWindow(74); chiSquare < least || chiSquare > most {
			t.Errorf("word %d: χ² %v, must be in [%v, %v]", word, chiSquare, least, most)
		}
	}
}

// TestClamp: estimates below 0 and above the number of documents.
func TestClamp(t *testing.T) {
	for x, want := range map[float64]int{-3.2: 0, 0.4: 0, 0.6: 1, 9.7: 9, 1e9: 9} {
		if got := clamp(x, 9); got != want {
			t.Errorf("%v becomes %d, want %d", x, got, want)
		}
	}
}
