package lda

import (
	"testing"

	"privpipe/estep/latent"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
)

func TestModel(t *testing.T) {
	const k, v = 9, 120
	for _, o := range []Options{
		{}, {Shape: latent.Shape{TopTopics: 5, Weight: latent.Once, Norm: 1}},
		{Length: Length{Words: 30}}, {Length: Length{Words: 30, Resample: true}},
	} {
		o.Tolerance, o.Iterations = 1e-3, 20
		m := New(o)
		m.k, m.v = k, v
		topics, weights := randomTopics(3, k, v, 0.1)
		m.topics = topics
		lambda := make([]float64, len(weights))
		for i, w := range weights {
			lambda[i] = float64(w)
		}
		m.scores = new(latent.Topics)
		if o.Length.Words == 0 { // whole documents are scored
			m.scores = latent.TopicsOf(lambda, model.Size{Words: v, Components: k}, nil)
		}
		modeltest.EStep(t, modeltest.Case{
			Family: lda.Family, Step: m, Size: model.Size{Words: v, Components: k}, Norm: o.Shape.Norm,
		})
	}
}
