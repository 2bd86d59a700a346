package local

import (
	"fmt"
	"io"
	"math"
	"testing"
	"testing/cryptotest"
)

// The tests below draw from fixed streams. With other streams a right mechanism fails each of their comparisons with a
// probability of at most 10⁻⁶.
const logFalseRejection = 14.509 // −ln(10⁻⁶/2), for each of two sides

// chiSquareWindow is where a χ² of that many degrees of freedom lies but with probability 10⁻⁶: Laurent and Massart,
// Adaptive estimation of a quadratic functional by model selection (2000), lemma 1.
func chiSquareWindow(degrees int) (least, most float64) {
	k := float64(degrees)
	spread := 2 * math.Sqrt(k*logFalseRejection)
	return k - spread, k + spread + 2*logFalseRejection
}

// reported counts the reports that have each word, and the wrong bits in each document's report. Document d has word w
// if has says so.
func reported(t *testing.T, flip float64, documents, words int, has func(d, w int) bool) (ofWord, wrong []int) {
	t.Helper()
	terms := newTerms()
	terms = over(terms, words)
	terms.Grant.MaxWords, terms.Grant.Flip = words, flip
	r, err := Open(newLedger(t), terms)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	read := 0
	_, err = r.Respond(func() (*Document, error) {
		if read == documents {
			return nil, io.EOF
		}
		d := &Document{ID: fmt.Sprint(read)}
		for w := range words {
			if has(read, w) {
				d.Words, d.Counts = append(d.Words, uint32(w)), append(d.Counts, 1)
			}
		}
		read++
		return d, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ofWord = make([]int, words)
	bit := make([]bool, words)
	err = r.Reports(func(words []uint32) error {
		clear(bit)
		for _, w := range words {
			ofWord[w]++
			bit[w] = true
		}
		differ := 0
		for w := range bit {
			if bit[w] != has(len(wrong), w) {
				differ++
			}
		}
		wrong = append(wrong, differ)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ofWord, wrong
}

// TestEstimate: N_t of M documents have word t, and n_t are reported to have it. (n_t − M·p)/(1 − 2p) estimates N_t
// without bias and with variance M·p(1 − p)/(1 − 2p)². In the paper's f = 2p the estimate is (2n_t − f·M)/(2(1 − f))
// (Zhao et al., Latent Dirichlet Allocation Model Training with Differential Privacy, eq. 8). The variance is M·f(2 −
// f)/(4(1 − f)²). This is the paper's eq. 9 without the last summand, the variance of random documents
// (design/soundness.md, 22).
//
// The rows come from golden/mechanisms.json, lp_lda: variance is its variance_given_N_t.
func TestEstimate(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	for _, row := range []struct {
		documents, have int     // M, N_t
		f               float64 // 2p
		variance        float64
		words           int // each an estimate of its own
	}{
		{1000, 100, 0.5, 750, 8000}, // enough to tell 750 from the 840 of eq. 9
		{1000, 0, 0.5, 750, 1000},
		{160, 40, 0.75, 600, 8000},
		{3000, 1500, 0.25, 583.3333333333334, 1000},
	} {
		p, m := row.f/2, float64(row.documents)
		if formula := m * p * (1 - p) / ((1 - 2*p) * (1 - 2*p)); math.Abs(formula-row.variance) > 1e-9*row.variance {
			t.Errorf("variance %v of the formula, want %v", formula, row.variance)
		}
		ofWord, _ := reported(t, p, row.documents, row.words,
			func(d, w int) bool { return (d+w)%row.documents < row.have })
		sum, squares := 0.0, 0.0
		for _, n := range ofWord {
			z := ((float64(n)-m*p)/(1-2*p) - float64(row.have)) / math.Sqrt(row.variance)
			sum, squares = sum+z, squares+z*z
		}
		if z := sum / math.Sqrt(float64(row.words)); math.Abs(z) > 4.892 { // P[|Z| > 4.892] = 10⁻⁶
			t.Errorf("%+v: the estimate is biased, by %.2f of its standard error", row, z)
		}
		if least, most := chiSquareWindow(row.words); squares < least || squares > most {
			t.Errorf("%+v: the variance is %.4f of what it must be", row, squares/float64(row.words))
		}
	}
}

// TestFlips: each bit in a report is wrong with probability p, whether it is 0 or 1. The probability is the same at
// every position, in every document, and for words that occur and words that do not.
func TestFlips(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	const documents, words = 1000, 999 // not a multiple of 8
	for _, p := range []float64{0.125, 0.3} {
		for name, has := range map[string]func(d, w int) bool{
			"none":  func(int, int) bool { return false },
			"all":   func(int, int) bool { return true },
			"mixed": func(d, w int) bool { return (d*31+w*17)%5 == 0 },
		} {
			ofWord, wrong := reported(t, p, documents, words, has)
			perDocument, perWord := 0.0, 0.0
			for _, n := range wrong {
				perDocument += square(float64(n)-p*words) / (words * p * (1 - p))
			}
			for w, n := range ofWord {
				have := 0
				for d := range documents {
					if has(d, w) {
						have++
					}
				}
				expected := float64(have)*(1-p) + float64(documents-have)*p
				perWord += square(float64(n)-expected) / (documents * p * (1 - p))
			}
			if least, most := chiSquareWindow(documents); perDocument < least || perDocument > most {
				t.Errorf("p = %v, %s: χ² of documents %.0f, not in [%.0f, %.0f]", p, name, perDocument, least, most)
			}
			if least, most := chiSquareWindow(words); perWord < least || perWord > most {
				t.Errorf("p = %v, %s: χ² of words %.0f, not in [%.0f, %.0f]", p, name, perWord, least, most)
			}
		}
	}
}

func square(x float64) float64 { return x * x }
