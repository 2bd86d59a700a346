package modeltest_test

import (
	"testing"

	estep "privpipe/estep/lda"
	"privpipe/estep/shape"
	estepwords "privpipe/estep/words"
	mstep "privpipe/mstep/lda"
	mstepwords "privpipe/mstep/words"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modeltest"
)

// TestFamilies takes each family through rounds, with the defaults of its commands and with the papers' statistic.
func TestFamilies(t *testing.T) {
	const k, v, length = 6, 90, 30
	learner := func() model.Learner {
		return mstep.New(mstep.Options{
			Topics: k, Words: v, Alpha: 1. / k, Eta: 1. / k, Kappa: 0.5, AverageFrom: 0.3, Seed: 1,
			Estimate: mstep.Estimate{Shrink: true},
		})
	}
	for name, h := range map[string]modeltest.Halves{
		"lda": {
			Step: func() model.EStep {
				return estep.New(estep.Options{
					Tolerance: 1e-3, Iterations: 6, Shape: shape.Shape{TopTopics: 5, Binary: true, Norm: 1},
				})
			},
			Learner: learner, Norm: 1, Attained: 1 - 1e-6, NonNegative: true,
		},
		// ‖s‖_F ≤ ‖s‖₁ = N (specification.md §2.1), with equality for one word and one topic.
		"lda of the papers": {
			Step: func() model.EStep {
				return estep.New(estep.Options{Tolerance: 1e-3, Iterations: 100, Length: estep.Length{Words: length}})
			},
			Learner: learner, Norm: length, Attained: 0.5, NonNegative: true,
		},
		"words": {
			Step:    func() model.EStep { return estepwords.New() },
			Learner: func() model.Learner { return mstepwords.New(v) },
			Norm:    1, Attained: 1 - 1e-6, NonNegative: true,
		},
	} {
		t.Run(name, func(t *testing.T) { modeltest.RoundTrip(t, h) })
	}
}
