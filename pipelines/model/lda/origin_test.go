package lda

import (
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire/stream"
)

// TestOrigins: origins come back as they were put, older models have none, and shares that cannot be are refused.
func TestOrigins(t *testing.T) {
	size := model.Size{Words: 3, Components: 2}
	set := func(s *model.Snapshot) *stream.Set { return modeltest.Snapshot(Family.Name, s) }
	if got, err := OriginsOf(set(new(model.Snapshot)), size); got != nil || err != nil {
		t.Errorf("an older model has origins %v, %v", got, err)
	}
	for _, c := range []struct {
		own, public float64
		bad         bool
	}{{0.25, 0.5, false}, {1, 0, false}, {0, 1, false}, {0.25, 0.75 + 1e-12, false}, {0.5, 0.6, true},
		{-0.1, 0.5, true}, {0.5, 1.5, true}} {
		s := new(model.Snapshot)
		PutOrigins(s, size, []Origin{{Own: 1}, {Own: c.own, Public: c.public}})
		got, err := OriginsOf(set(s), size)
		switch {
		case (err != nil) != c.bad:
			t.Errorf("own %v, public %v: %v", c.own, c.public, err)
		case err == nil && (got[0] != Origin{1, 0, 0} || got[1] != Origin{c.own, c.public, max(1-c.own-c.public, 0)}):
			t.Errorf("own %v, public %v: got %+v", c.own, c.public, got)
		}
	}
	lone, wide := new(model.Snapshot), new(model.Snapshot)
	ownShare.Put(lone, size, []float64{1, 1})
	PutOrigins(wide, model.Size{Components: 3}, make([]Origin, 3))
	for name, s := range map[string]*model.Snapshot{"own shares alone": lone, "origins of three topics": wide} {
		if _, err := OriginsOf(set(s), size); err == nil {
			t.Errorf("%s are taken for those of two", name)
		}
	}
}
