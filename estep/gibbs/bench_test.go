package gibbs

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modeltest"
	"privpipe/pipelines/wire"
)

// A sweep over a document of 200 tokens of 120 words.
func BenchmarkSweep(b *testing.B) {
	for _, k := range []int{50, 200} {
		for _, expected := range []bool{false, true} {
			b.Run(fmt.Sprintf("topics=%d/expected=%v", k, expected), func(b *testing.B) {
				const v = 8000
				random := rand.New(rand.NewChaCha8([32]byte{1}))
				s := newSampler(newWeights(k, v, 1/float64(k), randomWeights(rand.New(rand.NewPCG(1, 2)), k, v), 0))
				words, counts, tokens := make([]uint32, 120), make([]uint32, 120), 0
				for i := range words {
					words[i], counts[i] = uint32(i*v/len(words)), uint32(1+i%2+i%5/3)
					tokens += int(counts[i])
				}
				s.begin(words, counts)
				s.start(random)
				for b.Loop() {
					s.sweep(random, expected)
				}
				b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtokens/s")
			})
		}
	}
}

// BenchmarkContribute measures the E-step alone, for BenchmarkGibbs of package endtoend, over rounds of 20 sweeps: the
// draws alone, and with either statistic; the expected one as gibbs.sh has it.
func BenchmarkContribute(b *testing.B) {
	b.Run("sampling", func(b *testing.B) {
		modeltest.Contribute(b, lda.Family, sampling{New(Options{Sweeps: 20, Statistic: Counts}, nil).(*Model)})
	})
	for _, statistic := range []string{Expected, Counts} {
		b.Run(statistic, func(b *testing.B) {
			modeltest.Contribute(b, lda.Family, New(Options{Sweeps: 20, BurnIn: 12, Statistic: statistic}, nil))
		})
	}
}

// sampling contributes nothing.
type sampling struct{ *Model }

func (m sampling) NewWorker() model.Worker { return drawer{m.Model.NewWorker().(*worker)} }

type drawer struct{ *worker }

func (w drawer) Contribute(d *wire.Document, coins *model.Coins) ([]*wire.Part, error) {
	random, err := w.begin(d, coins)
	if random == nil {
		return nil, err
	}
	w.sampler.start(random)
	for range w.options.Sweeps {
		w.sampler.sweep(random, false)
	}
	return nil, nil
}

// BenchmarkInPlace measures sweeps in place over 300 documents of 200 tokens.
func BenchmarkInPlace(b *testing.B) {
	for _, k := range []int{50, 200} {
		b.Run(fmt.Sprintf("topics=%d", k), func(b *testing.B) {
			const v = 8000
			random := rand.New(rand.NewPCG(3, 4))
			var documents []*wire.Document
			var all []*model.Coins
			for m := range 300 {
				gaps, counts := make([]uint32, 120), make([]uint32, 120)
				for i := range gaps {
					gaps[i], counts[i] = random.Uint32N(60), uint32(1+i%2+i%5/3)
				}
				d := &wire.Document{Id: fmt.Sprint(m), WordGaps: gaps, Counts: counts}
				documents, all = append(documents, d), append(all, coins(d, 1))
			}
			step := inPlaceOf(Options{}, k, v, 1/float64(k), 0.01)
			t, residents, tokens := newTable(step.Model), make([]*resident, len(documents)), 0
			for i, d := range documents {
				var err error
				if residents[i], err = step.resident(t, d, nil, all[i]); err != nil {
					b.Fatal(err)
				}
				tokens += len(residents[i].topics)
			}
			for b.Loop() {
				for _, r := range residents {
					r.sweep(t, nil)
				}
			}
			b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtokens/s")
		})
	}
}
