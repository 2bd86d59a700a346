package local

import (
	"fmt"
	"io"
	"math"
	"math/bits"
	"testing"
	"testing/cryptotest"

	"privpipe/privatize/internal/noise"
)

// setOf returns the set whose bits are those of pattern, and its words.
func setOf(pattern uint64) (s set, own []uint32) {
	for rest := pattern; rest != 0; rest &= rest - 1 {
		own = append(own, uint32(bits.TrailingZeros64(rest)))
	}
	return set{pattern}, own
}

// outcomes counts the numbers that draw each word from a document; the last is of no word.
func outcomes(d *draws, pattern uint64) []uint64 {
	s, own := setOf(pattern)
	counts := make([]uint64, d.words+1)
	for u := range d.sum() {
		if w, ok := d.word(s, own, u); ok {
			counts[w]++
		} else {
			counts[d.words]++
		}
	}
	return counts
}

// small calls each with every small vocabulary, most words and pair of weights.
func small(each func(d *draws)) {
	for words := 1; words <= 4; words++ {
		for most := uint64(1); most <= 4; most++ {
			for _, weights := range [][2]uint64{{1, 1}, {3, 1}, {5, 2}} {
				each(&draws{words: words, most: most, right: weights[0], wrong: weights[1]})
			}
		}
	}
}

// short are the sets of at most d.most words.
func short(d *draws) (patterns []uint64) {
	for pattern := range uint64(1) << d.words {
		if uint64(bits.OnesCount64(pattern)) <= d.most {
			patterns = append(patterns, pattern)
		}
	}
	return patterns
}

// TestNumberOfDraws: a report has at most as many words as are charged, however long the document is. Draws of long
// documents are nearly always of different words, so a report with one draw more would show within a few hundred.
func TestNumberOfDraws(t *testing.T) {
	const words, number = 1 << 14, 3
	d := &draws{words: words, most: words, right: 1 << 30, wrong: 1, number: number, coins: noise.NewUniform()}
	for _, length := range []int{1, 63, 64, 65, 1000, words} {
		most := 0
		for range 300 {
			s := newSet(words)
			own := make([]uint32, length)
			for w := range own {
				own[w] = uint32(w)
				s.add(uint32(w))
			}
			d.report(s, own)
			n := 0
			for _, part := range s {
				n += bits.OnesCount64(part)
			}
			most = max(most, n)
		}
		if most > number {
			t.Errorf("a report of a document of %d words has %d, %d are drawn", length, most, number)
		}
	}
}

// Every number of every small case: a word has its weight, whatever the others are, and dummies have the rest.
func TestWord(t *testing.T) {
	small(func(d *draws) {
		for _, pattern := range short(d) {
			rest := d.sum()
			got := outcomes(d, pattern)
			for w := range d.words {
				want := d.wrong
				if pattern>>w&1 == 1 {
					want = d.right
				}
				if rest -= want; got[w] != want {
					t.Fatalf("%+v, document %b: word %d has weight %d, want %d", *d, pattern, w, got[w], want)
				}
			}
			if got[d.words] != rest {
				t.Fatalf("%+v, document %b: dummies have weight %d, want %d", *d, pattern, got[d.words], rest)
			}
		}
	})
}

// reports counts, for each set of words, the sequences that report it. The sequences are 12·sum^k, each with one choice
// of words and k draws. A document of too many words has 2, 3, 4 or 6 choices.
func reports(d *draws, pattern uint64, k int) []uint64 {
	var choices []uint64
	for chosen := range uint64(1) << d.words {
		if chosen&^pattern == 0 && bits.OnesCount64(chosen) == min(bits.OnesCount64(pattern), int(d.most)) {
			choices = append(choices, chosen)
		}
	}
	all := make([]uint64, 1<<d.words)
	for _, chosen := range choices {
		for report, n := range drawn(d, chosen, k) {
			all[report] += 12 / uint64(len(choices)) * n
		}
	}
	return all
}

// drawn counts, of sum^k sequences of k draws, those whose words are each set.
func drawn(d *draws, pattern uint64, k int) []uint64 {
	one := outcomes(d, pattern)
	counts := make([]uint64, 1<<d.words)
	counts[0] = 1
	for range k {
		next := make([]uint64, len(counts))
		for report, n := range counts {
			for w, weight := range one[:d.words] {
				next[report|1<<w] += n * weight
			}
			next[report] += n * one[d.words]
		}
		counts = next
	}
	return counts
}

// Every pair of documents and every report, exactly: the ratio of probabilities is at most (right/wrong)^k, the e^ε
// that is charged, and that is reached.
func TestLoss(t *testing.T) {
	power := func(x uint64, k int) uint64 {
		y := uint64(1)
		for range k {
			y *= x
		}
		return y
	}
	small(func(d *draws) {
		for k := 1; k <= min(3, int(d.most)); k++ {
			right, wrong := power(d.right, k), power(d.wrong, k)
			reached := false
			of := make(map[uint64][]uint64)
			for pattern := range uint64(1) << d.words {
				of[pattern] = reports(d, pattern, k)
			}
			for a, first := range of {
				for b, second := range of {
					for report := range first {
						if first[report]*wrong > second[report]*right {
							t.Fatalf("%+v, k = %d: documents %b and %b have report %b with %d and %d", *d, k, a, b,
								report, first[report], second[report])
						}
						reached = reached || first[report]*wrong == second[report]*right
					}
				}
			}
			if k <= d.words && !reached {
				t.Errorf("%+v, k = %d: the bound is not reached", *d, k)
			}
		}
	})
}

// The weights are those of the scale that is charged, and as many words are drawn as are charged.
func TestDrawsCharged(t *testing.T) {
	for flip, scale := range map[float64]uint64{0.25: noise.FlipSteps / 4, 0.5: noise.FlipSteps / 2,
		1.5 / noise.FlipSteps: 2} {
		terms := newTerms()
		terms.Grant.Flip, terms.Grant.ReportWords = flip, 2
		r, err := Open(newLedger(t), terms)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		d := r.draws
		if r.charge.Scale != scale || r.charge.Sensitivity != 2 || d.wrong != scale ||
			d.right != noise.FlipSteps-scale || d.number != 2 ||
			d.most != 3 || d.words != 100 {
			t.Errorf("flip %v: charged %+v, drawn %+v", flip, r.charge, *d)
		}
	}
}

// TestReportsOfWords: how many reports have each word, by samples. A right mechanism fails with a probability of at
// most 10⁻⁶, shared among the words of all cases: P[|Z| > 6.1] = 10⁻⁹. The stream is fixed.
func TestReportsOfWords(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	const number, words = 20_000, 100
	for _, c := range []struct{ most, has, draws int }{{3, 3, 1}, {10, 4, 5}, {40, 40, 20}, {5, 20, 2}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			terms := over(newTerms(), words)
			terms.Grant.MaxWords, terms.Grant.ReportWords, terms.Grant.Flip = c.most, c.draws, 1.0/32
			r, err := Open(newLedger(t), terms)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			var own []uint32
			for w := range uint32(c.has) {
				own = append(own, 2*w)
			}
			given := 0
			_, err = r.Respond(func() (*Document, error) {
				if given++; given > number {
					return nil, io.EOF
				}
				return document(fmt.Sprint(given), own...), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			counts := make([]float64, words)
			err = r.Reports(func(report []uint32) error {
				for _, w := range report {
					counts[w]++
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			sum := float64(31*c.most + words)
			for w, n := range counts {
				among := func(weight float64) float64 { return 1 - math.Pow(1-weight/sum, float64(c.draws)) }
				p := among(1)
				if w%2 == 0 && w < 2*c.has {
					// the probability that the word is one of those that count
					counts := min(1, float64(c.most)/float64(c.has))
					p = counts*among(31) + (1-counts)*among(1)
				}
				if z := (n - number*p) / math.Sqrt(number*p*(1-p)); math.Abs(z) > 6.1 {
					t.Errorf("word %d is in %v of %d reports, must be in %v: %.1f standard errors", w, n, number,
						number*p, z)
				}
			}
		})
	}
}
