package mixture_test

import (
	"testing"

	estep "privpipe/estep/mixture"
	mstep "privpipe/mstep/mixture"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/mixture"
	"privpipe/pipelines/model/modeltest"
)

func TestMixture(t *testing.T) {
	size := model.Size{Words: 40, Components: 3}
	learner := func() model.Learner { return mstep.New(size) }
	step := new(estep.Model)
	if err := step.SetParameters(modeltest.Set(learner(), learner().Parameters()), size); err != nil {
		t.Fatal(err)
	}
	modeltest.EStep(t, modeltest.Case{Family: mixture.Family, Step: step, Size: size, Norm: 1})
	modeltest.Learner(t, learner)
	modeltest.RoundTrip(t, modeltest.Halves{
		Step: func() model.EStep { return new(estep.Model) }, Learner: learner, Norm: 1, Attained: 1 - 1e-6,
		NonNegative: true,
	})
}
