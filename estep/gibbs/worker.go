package gibbs

import (
	"math/rand/v2"
	"slices"

	"privpipe/estep/latent"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// A worker samples the topics of one document at a time.
type worker struct {
	options Options
	shape   latent.Shape // of contributions in this round
	factors []float32    // of all words; nil: 1
	sampler *sampler
	topics  *latent.Topics // for Score
	tally   *tally
	words   []uint32
	shares  []float32 // of each word and topic, words × K
	values  []float32 // for each chosen topic and word, and then each word's total
	counts  []float32 // of each word in the document
}

// Contribute implements model.Worker. It draws the document's topics from the start.
func (w *worker) Contribute(d *wire.Document, coins *model.Coins) ([]*wire.Part, error) {
	random, err := w.begin(d, coins)
	if random == nil {
		return nil, err
	}
	w.sampler.start(random)
	return w.contribute(random), nil
}

// begin takes a document. It returns the coins of its draws, nil for an empty document.
func (w *worker) begin(d *wire.Document, coins *model.Coins) (*rand.Rand, error) {
	if len(d.Counts) == 0 {
		return nil, nil
	}
	w.words = wire.AppendIDs(w.words[:0], d.WordGaps)
	w.counts = w.counts[:0]
	for _, c := range d.Counts {
		w.counts = append(w.counts, float32(c))
	}
	w.sampler.begin(w.words, d.Counts)
	return coins.Secret("gibbs")
}

// contribute does the round's sweeps and returns the statistic.
func (w *worker) contribute(random *rand.Rand) []*wire.Part {
	w.sweep(random)
	if w.options.raw() {
		return w.raw(nil)
	}
	k := w.sampler.w.k
	w.shares = slices.Grow(w.shares[:0], len(w.words)*k)[:len(w.words)*k]
	clear(w.shares)
	if w.options.Statistic == Expected {
		w.sampler.addShares(w.shares)
	} else {
		for token, topic := range w.sampler.topics {
			w.shares[int(w.sampler.word[token])*k+int(topic)]++
		}
	}
	return w.shaped()
}

// raw returns the statistic as whole numbers. before has the tokens' topics before the round; nil: there were none.
func (w *worker) raw(before []uint32) []*wire.Part {
	return w.options.countedParts(w.tally, w.words, w.sampler.word, before, w.sampler.topics, nil)
}

// sweep does the round's sweeps.
func (w *worker) sweep(random *rand.Rand) {
	for sweep := range w.options.Sweeps {
		w.sampler.sweep(random, w.options.Statistic == Expected && sweep >= w.options.BurnIn)
	}
}

// shaped returns the shares in the shape of the options, as parts of matrix 0.
func (w *worker) shaped() []*wire.Part {
	k, n := w.sampler.w.k, len(w.words)
	mass := make([]float64, k)
	for i, share := range w.shares {
		mass[i%k] += float64(share)
	}
	chosen := latent.Top(mass, w.shape.TopTopics, nil)
	w.values = slices.Grow(w.values[:0], (len(chosen)+1)*n)[:(len(chosen)+1)*n]
	values, total := w.values[:len(chosen)*n], w.values[len(chosen)*n:]
	clear(total)
	rows := make([]uint32, len(chosen))
	for r, topic := range chosen {
		rows[r] = uint32(topic)
		for i := range n {
			values[r*n+i] = w.shares[i*k+topic]
			total[i] += values[r*n+i]
		}
	}
	w.shape.Scale(values, total, w.counts, latent.WeightsOf(nil, w.factors, w.words))
	return model.AppendParts(nil, 0, rows, w.words, values)
}
