package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"privpipe/pipelines/wire"
)

// TestPerplexity by hand: a document of 2 words with probability 1/4 each and one of 3 with 1/32 each have, over 5
// words, 2^((2·2 + 3·5)/5).
func TestPerplexity(t *testing.T) {
	var total Total
	total.Add(&wire.Score{
		Tokens: 2, Bound: 2 * math.Log(1./4), Unigram: 2 * math.Log(1./8),
		CompletionTokens: 1, Completion: math.Log(1. / 2), CompletionUnigram: math.Log(1. / 16),
	})
	total.Add(&wire.Score{
		Tokens: 3, Bound: 3 * math.Log(1./32), Unigram: 3 * math.Log(1./64),
		CompletionTokens: 2, Completion: 2 * math.Log(1./4), CompletionUnigram: 2 * math.Log(1./32),
	})
	total.Add(&wire.Score{}) // an empty document changes nothing but their number
	for name, c := range map[string]struct{ got, bits float64 }{
		"bound":              {total.Bound(), (2*2 + 3*5) / 5.},
		"unigram":            {total.Unigram(), (2*3 + 3*6) / 5.},
		"completion":         {total.Completion(), (1*1 + 2*2) / 3.},
		"completion unigram": {total.CompletionUnigram(), (1*4 + 2*5) / 3.},
	} {
		if want := math.Exp2(c.bits); math.Abs(c.got-want) > 1e-12*want {
			t.Errorf("%s: perplexity %v, want %v", name, c.got, want)
		}
	}
	if total.Documents != 3 || total.Tokens != 5 || total.CompletionTokens != 3 {
		t.Errorf("%d documents, %d and %d tokens", total.Documents, total.Tokens, total.CompletionTokens)
	}
}

// TestUnbounded: no number stands for a bound that a score with words does not state.
func TestUnbounded(t *testing.T) {
	var total Total
	total.Add(&wire.Score{Tokens: 2, Bound: -3})
	total.Add(&wire.Score{}) // an empty document has the bound 0
	if total.Bound() != math.Exp(1.5) {
		t.Errorf("perplexity %v, want %v", total.Bound(), math.Exp(1.5))
	}
	total.Add(&wire.Score{Tokens: 2, PlugIn: -3})
	total.Add(&wire.Score{Tokens: 2, Bound: -3})
	if total.Bound() != 0 {
		t.Errorf("perplexity %v of a bound that one score lacks", total.Bound())
	}
}

// TestOrder: where a plain sum loses every small number, the order of the numbers does not matter.
func TestOrder(t *testing.T) {
	numbers := []float64{1e16, 1, -1e16, 1, 1e-3, 3e15}
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		r.Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
		var c compensated
		for _, x := range numbers {
			c.add(x)
		}
		if want := 3e15 + 2.001; math.Abs(c.value()-want) > 0.5 {
			t.Errorf("sum of %v is %v, want %v", numbers, c.value(), want)
		}
	}
}
