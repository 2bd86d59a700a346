package main

import (
	"privpipe/pipelines/event"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
)

// windows are releases of shares of two topics, with the noise 3 on each cell.
func windows() map[string][]byte {
	release := func(run string, change func(*wire.Header, *wire.Scheme), rounds ...[]int64) []byte {
		h := &wire.Header{
			Version: wire.Version, Kind: wire.Kind_RELEASES, Side: wire.Side_PUBLIC, Run: run,
			Model: families.Shares.Name, Unit: wire.Unit_DOCUMENT,
			Vocabulary: vocab.Hash(), VocabularySize: uint32(len(vocab)),
			Matrices: []*wire.Matrix{{Name: families.ShareCounts, Rows: 1, Columns: 3, Element: wire.Element_INT64}},
		}
		var releases []modeltest.Release
		for i, steps := range rounds {
			head := modeltest.Gaussian(1, 1, 3, uint32(len(rounds)))
			head.Scheme = &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: uint32(len(rounds))}
			if change != nil {
				change(h, head.Scheme)
			}
			if run == "laplace" {
				head.Mechanism = event.Laplace
			}
			releases = append(releases, modeltest.Release{Round: uint32(i + 1), Head: head, Steps: steps})
		}
		return modeltest.Stream(h, releases...)
	}
	first := []int64{100, 150, 50}
	epoch := func(_ *wire.Header, s *wire.Scheme) {
		s.Method, s.Rate, s.Secret, s.Coins = wire.Scheme_EPOCH, 0.5, true, "state"
	}
	words := func(h *wire.Header, _ *wire.Scheme) {
		h.Model, h.Matrices = lda.Family.Name, lda.Family.Statistics(model.Size{Words: len(vocab), Components: 2})
		h.Matrices[0].Element = wire.Element_INT64
	}
	two := func(h *wire.Header, _ *wire.Scheme) { h.Matrices[0].Rows = 2 }
	wide := func(h *wire.Header, _ *wire.Scheme) { h.Matrices[0].Columns = 4 }
	sampled := func(_ *wire.Header, s *wire.Scheme) { s.Method, s.Rate, s.Secret = wire.Scheme_POISSON, 0.5, true }
	return map[string][]byte{
		"counts-1.pp": release("window-1", words, []int64{100, 20, 30, 10, 300, 60}),
		"counts-2.pp": release("window-2", words, []int64{110, 25, 25, 12, 280, 62}),
		"counts-3.pp": release("window-3", words, []int64{105, 95, 25, 14, 310, 65}),
		"shares-1.pp": release("week-1", nil, first),
		"shares-2.pp": release("week-2", nil, []int64{97, 160, 55}),
		"shares-3.pp": release("week-3", nil, []int64{190, 140, 48}),
		"narrow-counts.pp": release("window-1", func(h *wire.Header, s *wire.Scheme) {
			words(h, s)
			h.Matrices[0].Columns = 2
		}, []int64{100, 20, 30, 10}),
		"few-shares.pp":     release("week-4", nil, []int64{2, 3, 1}),
		"again.pp":          release("week-1", nil, first),
		"epochs.pp":         release("year", epoch, first, []int64{70, 80, -2}),
		"users.pp":          release("week-1", func(h *wire.Header, _ *wire.Scheme) { h.Unit = wire.Unit_USER }, first),
		"grouped.pp":        release("week-1", two, []int64{100, 150, 50, 90, 10, 0}),
		"sampled.pp":        release("week-1", sampled, first),
		"laplace-shares.pp": release("laplace", nil, first),
		"wide.pp":           release("week-1", wide, []int64{100, 150, 50, 0}),
		"no-shares.pp":      release("week-1", nil),
		"cut-shares.pp":     unended(release("week-1", nil, first)),
	}
}
