package lda

import (
	"math"
	"testing"

	"privpipe/estep/latent"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
)

// TestContributionOfRound: parameters say how much each word weighs, and after which round they are says how many
// topics share a document.
func TestContributionOfRound(t *testing.T) {
	const k, v = 6, 5
	size := model.Size{Components: k, Words: v}
	_, weights := randomTopics(7, k, v, 0.5)
	form := latent.Shape{TopTopics: 2, Later: []latent.Later{{From: 4, Topics: 5}}, Weight: latent.Root, Norm: 1}
	d := &wire.Document{Id: "d", WordGaps: []uint32{0, 2, 2}, Counts: []uint32{9, 1, 4}} // words 0, 2 and 4
	for round, want := range map[uint32]int{1: 2, 3: 2, 4: 5, 9: 5} {
		for _, factors := range [][]float32{nil, {.25, 1, .5, 1, 1}} {
			m := New(Options{Tolerance: 1e-3, Iterations: 50, Shape: form})
			s := new(model.Snapshot)
			lda.Alpha.Put(s, 5)
			lda.Weights.Put(s, size, weights)
			roots := []float64{3, 1, 2}
			if factors != nil {
				lda.WordWeights.Put(s, size, factors)
				roots = []float64{3 * .25, 1 * .5, 2}
			}
			set := modeltest.Snapshot(lda.Family.Name, s)
			set.Round = round - 1
			if err := m.SetParameters(set, size); err != nil {
				t.Fatal(err)
			}
			parts, err := m.NewWorker().Contribute(d, &model.Coins{Document: d})
			if err != nil {
				t.Fatal(err)
			}
			cells := make([]float64, k*v)
			addParts(cells, v, parts)
			square, rows, sums := 0.0, 0, make([]float64, v)
			for topic := range k {
				used := 0.0
				for w, c := range cells[topic*v : (topic+1)*v] {
					square, used, sums[w] = square+c*c, used+c, sums[w]+c
				}
				if used > 0 {
					rows++
				}
			}
			near(t, "norm", math.Sqrt(square), 1, 1e-6, 0)
			if rows != want {
				t.Errorf("round %d: %d topics contribute, want %d", round, rows, want)
			}
			near(t, "word 0 over word 4", sums[0]/sums[4], roots[0]/roots[2], 1e-5, 0)
			near(t, "word 2 over word 4", sums[2]/sums[4], roots[1]/roots[2], 1e-5, 0)
		}
	}
}
