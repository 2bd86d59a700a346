package gibbs

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// inPlace is the usual collapsed Gibbs sampling (Griffiths and Steyvers, PNAS 2004, equation 5). A sweep draws the
// topics of all tokens in all documents, one after another. The counts of words by topic follow each draw. So the
// contribution of one document depends on the other documents. Nothing is proved about such a round, and it is marked
// as coupled.
type inPlace struct{ *Model }

// ContributeAll implements model.Whole.
func (m inPlace) ContributeAll(documents []*wire.Document, last [][]*wire.Part,
	coins []*model.Coins) ([][]*wire.Part, error) {
	t := newTable(m.Model)
	residents, drawn := make([]*resident, len(documents)), 0
	for i, d := range documents {
		if len(d.Counts) == 0 {
			continue
		}
		var err error
		if residents[i], err = m.resident(t, d, last[i], coins[i]); err != nil {
			return nil, err
		}
	}
	for range m.options.Sweeps {
		for _, r := range residents {
			drawn += r.sweep(t, m.rates)
		}
	}
	answers, tally := make([][]*wire.Part, len(documents)), newTally(t.k)
	for i, r := range residents {
		if r != nil {
			answers[i] = m.answer(tally, r)
		}
	}
	if m.report == nil {
		return answers, nil
	}
	return answers, m.report(t.inherent(m.round, residents, drawn))
}

// A resident is one document during a round in place.
type resident struct {
	ids     []uint32  // its words
	word    []uint32  // each token's index in ids
	topics  []uint32  // each token's topic
	before  []uint32  // each token's topic before the round; nil: it had none
	noise   []float32 // on each topic's number of tokens; nil: none
	added   []float32 // by draws to the counts of word i in topic k, at i·K+k; nil: they add no noise
	members []float64 // n_mk, with the noise
	random  *rand.Rand
}

// resident puts a document into the table.
func (m inPlace) resident(t *table, d *wire.Document, last []*wire.Part, coins *model.Coins) (r *resident, err error) {
	r = &resident{ids: wire.AppendIDs(nil, d.WordGaps), members: make([]float64, t.k)}
	for i, c := range d.Counts {
		for range c {
			r.word = append(r.word, uint32(i))
		}
	}
	if r.random, err = coins.Secret("gibbs"); err != nil {
		return nil, err
	}
	r.topics = make([]uint32, len(r.word))
	if t.noise > 0 {
		r.added = make([]float32, len(r.ids)*t.k)
	}
	if last == nil {
		m.begin(t, r)
	} else {
		if err := restoreTopics(r.topics, r.word, r.ids, t.k, of(m.options.keptCounts(), last)); err != nil {
			return nil, err
		}
		r.before = slices.Clone(r.topics)
	}
	for token, topic := range r.topics {
		r.members[topic]++
		// Released counts already have the tokens of documents that contributed before.
		if m.counts == nil || last == nil {
			t.add(r.ids[r.word[token]], topic, 1)
		}
	}
	return r, m.disturb(r, of(m.options.keptNoise(), last), coins)
}

// begin draws the document's first topics. They are uniform, or follow the counts of its words where earlier batches
// gave a prior. So topics keep their numbers from batch to batch.
func (m inPlace) begin(t *table, r *resident) {
	if m.prior != nil {
		t.enter(r.members) // still 0
	}
	for token := range r.topics {
		if m.prior != nil {
			r.topics[token] = t.draw(r.ids[r.word[token]], r.random)
		} else {
			r.topics[token] = uint32(r.random.Uint64N(uint64(t.k)))
		}
	}
}

// disturb adds noise to the document's numbers of tokens by topic: the noise kept in its state, and new noise (HDP-LDA,
// §VII, CDP-LDA and CDP-LDA+).
func (m inPlace) disturb(r *resident, kept []*wire.Part, coins *model.Coins) error {
	if len(kept) == 0 && m.options.DocumentNoise == 0 {
		return nil
	}
	r.noise = make([]float32, len(r.members))
	for _, p := range kept {
		for i, topic := range wire.AppendIDs(nil, p.ColumnGaps) {
			if int(topic) < len(r.noise) {
				r.noise[topic] = math.Float32frombits(binary.LittleEndian.Uint32(p.Values[4*i:]))
			}
		}
	}
	if m.options.DocumentNoise > 0 && (len(kept) == 0 || m.options.NoiseEachRound) {
		random, err := coins.Secret("gibbs document noise")
		if err != nil {
			return err
		}
		for topic := range r.noise {
			// The difference of two exponential variables has the Laplace distribution of the same scale.
			r.noise[topic] += float32(m.options.DocumentNoise * (random.ExpFloat64() - random.ExpFloat64()))
		}
	}
	for topic, x := range r.noise {
		r.members[topic] += float64(x)
	}
	return nil
}

// sweep draws the topics of the document's tokens again, in order. It returns the number of draws.
func (r *resident) sweep(t *table, rates *rates) (drawn int) {
	if r == nil {
		return 0
	}
	t.enter(r.members)
	for _, token := range r.chosen(t, rates) {
		id, topic := r.ids[r.word[token]], r.topics[token]
		if r.added != nil {
			r.add(t, r.word[token])
		}
		t.move(id, topic, -1)
		topic = t.draw(id, r.random)
		t.move(id, topic, 1)
		r.topics[token] = topic
		drawn++
	}
	return drawn
}

// add adds noise to the counts of one word in all topics: "for w = t ∈ W_t do add noise to each n_k^t independently"
// (SUB-LDA, algorithm 1). It stays there. So the noise of a word grows with its draws, and no guarantee counts it.
func (r *resident) add(t *table, word uint32) {
	for topic := range t.topic {
		x := float32(t.noise * r.random.NormFloat64())
		r.added[int(word)*t.k+topic] += x
		t.add(r.ids[word], uint32(topic), float64(x))
		t.weigh(topic)
	}
}

// chosen returns the tokens that a sweep draws again. It throws all coins before the draws, and without a branch. A
// processor cannot predict a coin, so with a branch it would often begin the next draw in vain.
func (r *resident) chosen(t *table, rates *rates) []uint32 {
	t.tokens = slices.Grow(t.tokens[:0], len(r.topics))[:len(r.topics)]
	n := 0
	for token, topic := range r.topics {
		t.tokens[n] = uint32(token)
		n += rates.coin(r.ids[r.word[token]], topic, r.random)
	}
	return t.tokens[:n]
}

// answer returns the document's contribution, with its hidden parts.
func (m inPlace) answer(tally *tally, r *resident) []*wire.Part {
	parts := m.options.countedParts(tally, r.ids, r.word, r.before, r.topics, r.added)
	if r.noise != nil {
		columns := make([]uint32, len(r.noise))
		for topic := range columns {
			columns[topic] = uint32(topic)
		}
		parts = model.AppendParts(parts, uint32(m.options.keptNoise()), []uint32{0}, columns, r.noise)
	}
	return parts
}
