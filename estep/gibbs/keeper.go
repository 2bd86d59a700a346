package gibbs

import (
	"math/rand/v2"
	"slices"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// A keeper is a worker that goes on from the topics of the round before.
type keeper struct{ *worker }

// Contribute implements model.Worker. It draws the document's topics from the start.
func (w keeper) Contribute(d *wire.Document, coins *model.Coins) ([]*wire.Part, error) {
	random, err := w.begin(d, coins)
	if random == nil {
		return nil, err
	}
	w.sampler.start(random)
	return w.answer(random, nil), nil
}

// ContributeAfter implements model.Stateful.
func (w keeper) ContributeAfter(d *wire.Document, last []*wire.Part, coins *model.Coins) ([]*wire.Part, error) {
	random, err := w.begin(d, coins)
	if random == nil {
		return nil, err
	}
	if err := w.restore(last); err != nil {
		return nil, err
	}
	before := slices.Clone(w.sampler.topics)
	return w.answer(random, before), nil
}

// answer does the round's sweeps. before has the topics before the round; nil: there were none.
func (w keeper) answer(random *rand.Rand, before []uint32) []*wire.Part {
	w.sweep(random)
	return w.raw(before)
}

// restore gives the tokens the topics in a state.
func (w keeper) restore(last []*wire.Part) error {
	topics := slices.Clone(w.sampler.topics)
	if err := restoreTopics(topics, w.sampler.word, w.words, w.sampler.w.k,
		of(w.options.keptCounts(), last)); err != nil {
		return err
	}
	for token, topic := range topics {
		w.sampler.put(uint32(token), topic)
	}
	return nil
}
