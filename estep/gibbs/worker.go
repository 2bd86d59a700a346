package gibbs

import (
	"math/rand/v2"
	"slices"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// A worker samples the topics of one document at a time.
type worker struct {
	options Options
	sampler *sampler
	words   []uint32
	shares  []float32 // of each word and topic, words × K
	values  []float32 // of each chosen topic and word, and the totals of words
	counts  []float32 // of the words
}

// Contribute implements model.Worker. The topics of a document are drawn from the start.
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

// contribute does the sweeps of a round and returns the statistic.
func (w *worker) contribute(random *rand.Rand) []*wire.Part {
	k := w.sampler.w.k
	w.shares = slices.Grow(w.shares[:0], len(w.words)*k)[:len(w.words)*k]
	clear(w.shares)
	for sweep := range w.options.Sweeps {
		w.sampler.sweep(random, w.options.Statistic == Expected && sweep >= w.options.BurnIn)
	}
	w.sampler.addShares(w.shares)
	if w.options.Statistic == Counts {
		for token, topic := range w.sampler.topics {
			w.shares[int(w.sampler.word[token])*k+int(topic)]++
		}
	}
	if w.options.raw() {
		return w.raw()
	}
	return w.shaped()
}

// shaped returns the shares in the shape of the options, as parts of matrix 0.
func (w *worker) shaped() []*wire.Part {
	k, n := w.sampler.w.k, len(w.words)
	mass := make([]float64, k)
	for i, share := range w.shares {
		mass[i%k] += float64(share)
	}
	chosen := w.options.Shape.Top(k, func(topic int) float64 { return mass[topic] })
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
	w.options.Shape.Scale(values, total, w.counts)
	return model.AppendParts(nil, 0, rows, w.words, values)
}

// raw returns the counts as they are: a part for each topic, of its words.
func (w *worker) raw() (parts []*wire.Part) {
	k := w.sampler.w.k
	var words []uint32
	var values []float32
	for topic := range k {
		words, values = words[:0], values[:0]
		for i, word := range w.words {
			if c := w.shares[i*k+topic]; c > 0 {
				words, values = append(words, word), append(values, c)
			}
		}
		if len(words) > 0 {
			parts = model.AppendParts(parts, 0, []uint32{uint32(topic)}, words, values)
		}
	}
	return parts
}
