package gibbs

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"privpipe/estep/latent"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// weighed returns one round's parameters with random topics and word weights.
func weighed(round uint32, size model.Size, factors []float32) *stream.Set {
	r := rand.New(rand.NewPCG(5, 6))
	weights := make([]float32, size.Components*size.Words)
	for i := range weights {
		weights[i] = 0.5 + r.Float32()
	}
	s := new(model.Snapshot)
	lda.Alpha.Put(s, 5)
	lda.Weights.Put(s, size, weights)
	if factors != nil {
		lda.WordWeights.Put(s, size, factors)
	}
	set := modeltest.Snapshot(lda.Family.Name, s)
	set.Round = round - 1
	return set
}

// TestContributionOfRound: parameters say how much each word weighs, and their round says how many topics share a
// document.
func TestContributionOfRound(t *testing.T) {
	size := model.Size{Components: 6, Words: 5}
	form := latent.Shape{TopTopics: 1, Later: []latent.Later{{From: 4, Topics: 3}}, Weight: latent.Root, Norm: 1}
	d := &wire.Document{Id: "d", WordGaps: []uint32{0, 2, 2}, Counts: []uint32{9, 1, 4}} // words 0, 2 and 4
	for round, want := range map[uint32]int{1: 1, 3: 1, 4: 3, 9: 3} {
		for _, factors := range [][]float32{nil, {.25, 1, .5, 1, 1}} {
			roots := []float64{3, 1, 2}
			if factors != nil {
				roots = []float64{3 * .25, 1 * .5, 2}
			}
			m := New(Options{Sweeps: 6, BurnIn: 2, Statistic: Expected, Shape: form}, nil)
			if err := m.SetParameters(weighed(round, size, factors), size); err != nil {
				t.Fatal(err)
			}
			parts, err := m.NewWorker().Contribute(d, coins(d, round))
			if err != nil {
				t.Fatal(err)
			}
			rows, square, sums := make(map[uint32]bool), 0.0, make([]float64, 3)
			for _, part := range parts {
				of, columns := wire.AppendIDs(nil, part.RowGaps), wire.AppendIDs(nil, part.ColumnGaps)
				for i := range len(of) * len(columns) {
					x := float64(math.Float32frombits(binary.LittleEndian.Uint32(part.Values[4*i:])))
					rows[of[i/len(columns)]] = true
					square += x * x
					sums[columns[i%len(columns)]/2] += x
				}
			}
			if len(rows) != want || math.Abs(math.Sqrt(square)-1) > 1e-6 {
				t.Errorf("round %d: %d topics contribute, want %d; norm %v", round, len(rows), want, math.Sqrt(square))
			}
			for i, root := range roots {
				if math.Abs(sums[i]/sums[2]-root/roots[2]) > 1e-5 {
					t.Errorf("round %d, weights %v: words weigh %v, want them in proportion to %v",
						round, factors, sums, roots)
				}
			}
		}
	}
	raw := New(Options{Sweeps: 2, Statistic: Counts}, nil)
	if raw.SetParameters(weighed(1, size, []float32{.25, 1, .5, 1, 1}), size) == nil {
		t.Error("raw counts are weighed")
	}
}
