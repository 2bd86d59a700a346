package mean

import (
	"strings"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/modeltest"
)

func TestERM(t *testing.T) {
	modeltest.LearnerOf(t, modeltest.OfAll(0.125, 50, 5), func() model.Learner { return NewERM(5) })
}

// TestERMWeights: the model has the weights of the round. Those of sampled rows are refused.
func TestERMWeights(t *testing.T) {
	l := NewERM(3)
	head := modeltest.None(1, 1./4, 1)
	steps := []int64{6, -2, 0}
	err := modeltest.Update(l, modeltest.Release{Round: 1, Head: head, Steps: steps})
	if err == nil || !strings.Contains(err.Error(), "weights of sampled rows") {
		t.Errorf("weights of sampled rows: %v", err)
	}
	head.Scheme = modeltest.OfAll(1./4, 1, 1).Scheme
	if err := modeltest.Update(l, modeltest.Release{Round: 1, Head: head, Steps: steps}); err != nil {
		t.Fatal(err)
	}
	s, err := l.Model()
	if err != nil {
		t.Fatal(err)
	}
	mean, err := families.Mean.Of(modeltest.Set(l, s), l.Size())
	if err != nil || len(mean) != 3 || mean[0] != 1.5 || mean[1] != -.5 || mean[2] != 0 {
		t.Errorf("weights %v, %v", mean, err)
	}
}
