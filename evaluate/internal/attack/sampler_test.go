package attack

import (
	"math"
	"math/rand/v2"
	"testing"

	"privpipe/estep/gibbs"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// TestFrozenIsTheSampler compares the likelihoods with the probabilities that estep gibbs itself states for a document
// with one token. These probabilities are the expected statistic.
func TestFrozenIsTheSampler(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, draws := range []float64{0, 1e-3, 1, 10, 30} {
		for range 20 {
			weights := [6]float32{}
			for i := range weights {
				if random.IntN(5) > 0 {
					weights[i] = float32(math.Exp(12*random.Float64() - 6)) // factors up to e^12
				}
			}
			for _, topic := range []int{0, 3} {
				weights[topic+random.IntN(3)] = 1 // no topic is empty
			}
			alpha := 0.1 + random.Float64()
			sets := []set{{alpha: alpha, weights: weights}}
			read, err := stream.ReadSet(params(t, sets), nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := newParameters(read, size)
			if err != nil {
				t.Fatal(err)
			}
			m := gibbs.New(gibbs.Options{Sweeps: 1, Statistic: gibbs.Expected, Draws: draws}, nil)
			if err := m.SetParameters(read, size); err != nil {
				t.Fatal(err)
			}
			stated := m.(model.Drawer).Draws()
			drawn := func(word uint32) []float64 {
				d := &wire.Document{Id: "d", WordGaps: []uint32{word}, Counts: []uint32{1}}
				parts, err := m.NewWorker().
					Contribute(d, &model.Coins{Document: d, Key: []byte("key"), Scope: model.Scope("run", 1)})
				if err != nil {
					t.Fatal(err)
				}
				return modeltest.Dense(lda.Family.Statistics(size), parts)
			}
			for topic := range 2 {
				scores := make([]float64, 3)
				newFrozen(p, stated).add(scores, topic, 0, make([]float64, 2))
				for word := range 3 {
					// A term that does not depend on the word is left out: the mass α of the topic.
					got, want := alpha*math.Exp(scores[word]), drawn(uint32(word))[topic*3+word]
					if math.Abs(got-want) > 1e-6 {
						t.Errorf("draws %v: p(topic %d | word %d) is %v, the sampler has %v, for weights %v", draws,
							topic, word, got, want, weights)
					}
				}
			}
		}
	}
}
