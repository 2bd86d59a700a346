package modelfile

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBestWords agrees with sorting all words by the formula of the paper.
func TestBestWords(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const words = 300
	inTopic, overall := make([]float64, words), make([]float64, words)
	for i := range inTopic {
		inTopic[i], overall[i] = float64(1+random.IntN(9))/1000, float64(1+random.IntN(5))/1000 // with ties
	}
	for _, lambda := range []float64{0, 0.35, DefaultLambda, 1} {
		relevance := func(id int) float64 {
			return lambda*math.Log(inTopic[id]) + (1-lambda)*math.Log(inTopic[id]/overall[id])
		}
		for _, top := range []int{1, 15, words, words + 9} {
			best := RankingOf(inTopic, overall).Best(lambda, top)
			if len(best) != min(top, words) {
				t.Fatalf("%d words of %d, want %d", len(best), words, top)
			}
			for i, id := range best {
				if i > 0 && relevance(best[i-1]) < relevance(id)-1e-12 {
					t.Fatalf("λ %v: word %d after a less relevant one", lambda, id)
				}
			}
			for id := range words {
				if !slices.Contains(best, id) && relevance(id) > relevance(best[len(best)-1])+1e-12 {
					t.Fatalf("λ %v: word %d is missing", lambda, id)
				}
			}
		}
	}
}

// TestOverall by hand: two topics over two words.
func TestOverall(t *testing.T) {
	if got := Overall([]float64{6, 2, 1, 7}, 2); !slices.Equal(got, []float64{7. / 16, 9. / 16}) {
		t.Errorf("all topics together have %v", got)
	}
}

// TestLargest against a sort, with many equal values.
func TestLargest(t *testing.T) {
	values := []float64{3, 1, 3, 0, 2, 3, 2}
	for n, want := range [][]int{1: {0}, {0, 2}, {0, 2, 5}, {0, 2, 5, 4}, {0, 2, 5, 4, 6}, {0, 2, 5, 4, 6, 1},
		{0, 2, 5, 4, 6, 1, 3}} {
		if n == 0 {
			continue
		}
		if got := Largest(len(values), n, func(i int) float64 { return values[i] }); !slices.Equal(got, want) {
			t.Errorf("the %d largest are %v, want %v", n, got, want)
		}
	}
	if got := Largest(2, 9, func(i int) float64 { return values[i] }); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("of two: %v", got)
	}
}

func TestPrintProbability(t *testing.T) {
	for p, want := range map[float64]string{
		1: "1.0000", 0.0358: "0.0358", 0.001: "0.0010", 0.00042: "0.00042", 0.0000123: "0.000012",
	} {
		if got := PrintProbability(p); got != want {
			t.Errorf("%v is printed as %s, want %s", p, got, want)
		}
	}
}
