package latent_test

import (
	"math"
	"testing"

	"privpipe/estep/latent"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
)

// one infers that all topics share a document alike.
type one struct{}

func (one) Shares(latent.Bag) []float64 { return []float64{1, 1} }
func (one) Bound(latent.Bag) float64    { return 0 }

// TestGain: a model's own unigram is as good as the model says that one release of the whole budget would be, by a
// number for each word. Another unigram is taken as it is, a model without the number has its own, and no probability
// is above 1.
func TestGain(t *testing.T) {
	size := model.Size{Components: 2, Words: 2}
	d := &wire.Document{WordGaps: []uint32{0, 1}, Counts: []uint32{3, 4}}
	own := 3*math.Log(5./8) + 4*math.Log(3./8) // of λ 1 + 4 and 2 + 1
	for _, c := range []struct {
		gain, want float64
		unigram    []float64
	}{
		{0, own, nil}, {.25, own + 7*.25, nil}, {-.5, own - 7*.5, nil}, {9, 0, nil},
		{.25, 7 * math.Log(.5), []float64{.5, .5}},
	} {
		s := new(model.Snapshot)
		lda.Lambda.Put(s, size, []float64{1, 2, 4, 1})
		if c.gain != 0 {
			lda.UnigramGain.Put(s, c.gain)
		}
		topics, err := latent.NewTopics(modeltest.Snapshot(lda.Family.Name, s), size, c.unigram)
		if err != nil {
			t.Fatal(err)
		}
		got, err := topics.Score(d, one{})
		if err != nil || math.Abs(got.Unigram-c.want) > 1e-12 {
			t.Errorf("gain %v: the unigram scores %v, %v; want %v", c.gain, got.Unigram, err, c.want)
		}
		if c.unigram == nil && c.gain < 1 {
			_, hidden := latent.Halves(d)
			want := c.gain * float64(hidden.Tokens)
			for i, id := range hidden.IDs {
				want += float64(hidden.Counts[i]) * math.Log([]float64{5. / 8, 3. / 8}[id])
			}
			if math.Abs(got.CompletionUnigram-want) > 1e-12 {
				t.Errorf("gain %v: the hidden half scores %v, want %v", c.gain, got.CompletionUnigram, want)
			}
		}
	}
}
