package gibbs

import (
	"math/rand/v2"
	"testing"

	"privpipe/estep/latent"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
)

// randomWeights returns K×V weights over many orders of magnitude. Some are 0.
func randomWeights(random *rand.Rand, k, v int) []float32 {
	w := make([]float32, k*v)
	for i := range w {
		if w[i] = float32(random.ExpFloat64()); random.IntN(4) == 0 {
			w[i] *= 1e-9
		}
		if random.IntN(9) == 0 {
			w[i] = 0
		}
	}
	return w
}

// modelOf returns a model with parameters.
func modelOf(o Options, k, v int, alpha float64, released []float32) *Model {
	m := &Model{options: o, shape: o.Shape.In(1), size: model.Size{Components: k, Words: v}}
	m.weights = newWeights(k, v, alpha, released, m.perSweep())
	if o.Subsampling.Rate > 0 {
		m.rates = newRates(o.Subsampling, k, v, released)
	}
	lambda := make([]float64, k*v)
	for i, x := range released {
		lambda[i] = 1e-6 + float64(x)
	}
	m.topics = latent.TopicsOf(lambda, m.size, nil)
	return m
}

func TestModel(t *testing.T) {
	const k, v = 9, 120
	raw := Options{Sweeps: 2, Statistic: Counts}
	for name, o := range map[string]Options{
		"expected": {Sweeps: 6, BurnIn: 2, Statistic: Expected,
			Shape: latent.Shape{TopTopics: 5, Weight: latent.Once, Norm: 1}},
		"all":        {Sweeps: 1, Statistic: Expected},
		"counts":     raw,
		"shaped":     {Sweeps: 2, Statistic: Counts, Shape: latent.Shape{TopTopics: 2, Norm: 3}},
		"draws":      {Sweeps: 2, Statistic: Counts, Draws: 4},
		"keep":       {Sweeps: 1, Statistic: Counts, Keep: true, Draws: 1},
		"increments": {Sweeps: 1, Statistic: Increments, Keep: true},
		"rates": {Sweeps: 2, Statistic: Counts, Keep: true, Draws: 20,
			Subsampling: Subsampling{Rate: 0.5, Adaptive: 1.5, Frequent: 0.5, Least: 0.1}},
	} {
		t.Run(name, func(t *testing.T) {
			step := modelOf(o, k, v, 0.1, randomWeights(rand.New(rand.NewPCG(1, 2)), k, v))
			if _, ok := model.EStep(step).(model.Drawer); !ok {
				t.Error("the model draws topics, and does not say so")
			}
			modeltest.EStep(t, modeltest.Case{
				Family: lda.Family, Step: step, Size: model.Size{Words: v, Components: k}, Norm: o.Shape.Norm,
				Tokens: 1 << 16,
			})
		})
	}
}

func TestModelInPlace(t *testing.T) {
	const k, v = 9, 120
	rates := Subsampling{Rate: 0.5, Adaptive: 1.5, Frequent: 0.5, Least: 0.1}
	for name, o := range map[string]Options{
		"counts":     {Sweeps: 2, Statistic: Counts},
		"increments": {Sweeps: 1, Statistic: Increments},
		"noise":      {Sweeps: 1, Statistic: Increments, DocumentNoise: 2, NoiseEachRound: true},
		"rates":      {Sweeps: 2, Statistic: Counts, Subsampling: rates},
	} {
		t.Run(name, func(t *testing.T) {
			step := inPlaceOf(o, k, v, 0.1, 0.01)
			if o.Subsampling.Rate > 0 {
				step.rates = newRates(rates, k, v, randomWeights(rand.New(rand.NewPCG(1, 2)), k, v))
			}
			modeltest.Whole(t, modeltest.Case{Family: lda.Family, Step: step, Size: model.Size{Words: v, Components: k},
				Tokens: 1 << 16})
		})
	}
}
