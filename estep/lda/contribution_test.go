package lda

import (
	"encoding/binary"
	"math"
	"testing"

	"privpipe/estep/latent"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

func contributed(t *testing.T, form latent.Shape, d *wire.Document) (cells []float64, k, v int) {
	t.Helper()
	k, v = 12, 200
	topics, _ := randomTopics(7, k, v, 0.05)
	m := New(Options{Tolerance: 1e-3, Iterations: 50, Shape: form})
	m.k, m.v, m.topics = k, v, topics
	parts, err := m.NewWorker().Contribute(d, &model.Coins{Document: d})
	if err != nil {
		t.Fatal(err)
	}
	cells = make([]float64, k*v)
	addParts(cells, v, parts)
	return cells, k, v
}

func TestShapeOfContributions(t *testing.T) {
	d := randomDocument(3, 200, 50)
	counts := make(map[int]float64)
	for i, id := range wire.AppendIDs(nil, d.WordGaps) {
		counts[int(id)] = float64(d.Counts[i])
	}
	for _, form := range []latent.Shape{
		{}, {TopTopics: 3}, {TopTopics: 3, Weight: latent.Once}, {TopTopics: 1, Norm: 1},
		{TopTopics: 5, Weight: latent.Once, Norm: 1}, {Norm: 7.5},
	} {
		cells, k, v := contributed(t, form, d)
		square := 0.0
		topics := 0
		for topic := range k {
			used := false
			for w := range v {
				c := cells[topic*v+w]
				if c < 0 {
					t.Fatalf("%+v: negative cell %v", form, c)
				}
				used = used || c > 0
				square += c * c
			}
			if used {
				topics++
			}
		}
		if form.TopTopics > 0 && topics > form.TopTopics {
			t.Errorf("%+v: %d topics contribute", form, topics)
		}
		if form.Norm > 0 {
			near(t, "norm", math.Sqrt(square), form.Norm, 1e-6, 0)
		}
		// Each word's shares add up to its weight, up to the scale that the norm gives all words.
		scale := 0.0
		for w := range v {
			sum := 0.0
			for topic := range k {
				sum += cells[topic*v+w]
			}
			weight := counts[w]
			if form.Weight == latent.Once {
				weight = min(weight, 1)
			}
			if weight == 0 {
				near(t, "word that the document lacks", sum, 0, 0, 0)
				continue
			}
			if scale == 0 {
				scale = sum / weight
			}
			near(t, "word's shares", sum, scale*weight, 1e-5, 0)
		}
		if form.Norm == 0 {
			near(t, "scale", scale, 1, 1e-5, 0)
		}
	}
}

// TestContributionIsAFunctionOfTheDocument checks that a worker keeps nothing of one document for the next.
func TestContributionIsAFunctionOfTheDocument(t *testing.T) {
	everyKernel(t, testContributionIsAFunctionOfTheDocument)
}

func testContributionIsAFunctionOfTheDocument(t *testing.T) {
	topics, _ := randomTopics(7, 12, 200, 0.05)
	m := New(Options{Tolerance: 1e-3, Iterations: 50, Shape: latent.Shape{TopTopics: 5, Weight: latent.Once, Norm: 1}})
	m.k, m.v, m.topics = 12, 200, topics
	shared := m.NewWorker()
	for seed := range uint64(20) {
		d := randomDocument(seed, 200, int(1+seed*5))
		got, err1 := shared.Contribute(d, &model.Coins{Document: d})
		want, err2 := m.NewWorker().Contribute(d, &model.Coins{Document: d})
		if err1 != nil || err2 != nil || len(got) != len(want) {
			t.Fatal(err1, err2, len(got), len(want))
		}
		for i := range got {
			if string(got[i].Values) != string(want[i].Values) {
				t.Errorf("document %d contributes something else after others", seed)
			}
			for at := 0; at < len(got[i].Values); at += 4 {
				if x := math.Float32frombits(binary.LittleEndian.Uint32(got[i].Values[at:])); !(x >= 0 && x <= 1) {
					t.Fatalf("document %d contributes %v", seed, x)
				}
			}
		}
	}
}
