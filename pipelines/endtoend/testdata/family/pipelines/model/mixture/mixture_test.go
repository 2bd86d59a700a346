package mixture_test

import (
	"testing"

	estep "privpipe/estep/mixture"
	mstep "privpipe/mstep/mixture"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modeltest"
)

func TestMixture(t *testing.T) {
	learner := func() model.Learner { return mstep.New(model.Size{Words: 40, Components: 3}) }
	modeltest.Learner(t, learner)
	modeltest.RoundTrip(t, modeltest.Halves{
		Step: func() model.EStep { return new(estep.Model) }, Learner: learner, Norm: 1, Attained: 1 - 1e-6, NonNegative: true,
	})
}
