package modeltest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"

	estep "privpipe/estep/lda"
	mstep "privpipe/mstep/lda"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
)

// TestMaximisation: without noise, estep lda and mstep lda-paper --estimate map are expectation maximisation for topics
// with a Dirichlet(η) prior (Blei, Ng and Jordan 2003, §5.3, with a prior), as a plain twin does it.
func TestMaximisation(t *testing.T) {
	const topics, words, alpha, eta, rounds, grid = 2, 8, 0.5, 1.25, 6, 1.0 / (1 << 24)
	random := rand.New(rand.NewPCG(1, 2))
	var corpus [][]float64 // counts
	for d := range 20 {
		counts := make([]float64, words)
		for range 30 {
			word := random.IntN(words/2) + words/2*(d%2)
			if random.IntN(4) == 0 {
				word = random.IntN(words)
			}
			counts[word]++
		}
		corpus = append(corpus, counts)
	}
	l := mstep.New(mstep.Options{Topics: topics, Words: words, Alpha: alpha, Eta: eta, AverageFrom: 1, Seed: 1,
		Estimate: mstep.Estimate{Point: true}})
	size, beta := l.Size(), make([]float64, topics*words)
	for round := 1; round <= rounds; round++ {
		step := estep.New(estep.Options{Tolerance: 1e-9, Iterations: 1000})
		set := modeltest.Set(l, l.Parameters())
		if round == 1 { // the same start
			weights, err := lda.Weights.Of(set, size)
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range weights {
				beta[i] = float64(w)
			}
		}
		if err := step.SetParameters(set, size); err != nil {
			t.Fatal(err)
		}
		sums := make([]float64, topics*words)
		for _, counts := range corpus {
			parts, err := step.NewWorker().Contribute(bag(counts), &model.Coins{})
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range modeltest.Dense(lda.Family.Statistics(size), parts) {
				sums[i] += x
			}
		}
		release := modeltest.Release{Round: uint32(round), Head: modeltest.None(1, grid, rounds)}
		for _, x := range sums {
			release.Steps = append(release.Steps, int64(math.Round(x/grid)))
		}
		if err := modeltest.Update(l, release); err != nil {
			t.Fatal(err)
		}
		beta = maximised(corpus, beta, topics, alpha, eta)
		weights, err := lda.Weights.Of(modeltest.Set(l, l.Parameters()), size)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range weights {
			if math.Abs(float64(w)-beta[i]) > 1e-4 {
				t.Errorf("round %d: topic %d gives word %d the weight %v, want %v", round, i/words, i%words, w, beta[i])
			}
		}
	}
}

func bag(counts []float64) *wire.Document {
	d, last := &wire.Document{Id: "d"}, 0
	for v, c := range counts {
		if c > 0 {
			d.WordGaps, d.Counts = append(d.WordGaps, uint32(v-last)), append(d.Counts, uint32(c))
			last = v
		}
	}
	return d
}

// maximised is a round of expectation maximisation: the mode of β, given the expected counts under variational
// distributions of the topic shares γ and of the tokens' topics.
func maximised(corpus [][]float64, beta []float64, topics int, alpha, eta float64) []float64 {
	words := len(beta) / topics
	next := make([]float64, len(beta))
	for i := range next {
		next[i] = eta - 1
	}
	for _, counts := range corpus {
		gamma, tokens := make([]float64, topics), make([]float64, len(beta))
		for k := range gamma {
			gamma[k] = 1
		}
		for range 2000 {
			fresh := make([]float64, topics)
			for v, count := range counts {
				total := 0.0
				for k := range topics {
					tokens[k*words+v] = math.Exp(mathext.Digamma(gamma[k])) * beta[k*words+v]
					total += tokens[k*words+v]
				}
				for k := range topics {
					tokens[k*words+v] *= count / total
					fresh[k] += tokens[k*words+v]
				}
			}
			for k := range gamma {
				gamma[k] = alpha + fresh[k]
			}
		}
		for i, x := range tokens {
			next[i] += x
		}
	}
	for k := range topics {
		total := 0.0
		for _, x := range next[k*words : (k+1)*words] {
			total += x
		}
		for v := range words {
			next[k*words+v] /= total
		}
	}
	return next
}
