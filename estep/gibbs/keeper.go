package gibbs

import (
	"encoding/binary"
	"math"
	"slices"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// A keeper is a worker that goes on from the topics of the round before, which are the counts that the document contributed. Tokens of
// one word are alike, so the counts are all of the state.
type keeper struct{ *worker }

// ContributeAfter implements model.Stateful.
func (w keeper) ContributeAfter(d *wire.Document, last []*wire.Part, coins *model.Coins) ([]*wire.Part, error) {
	random, err := w.begin(d, coins)
	if random == nil {
		return nil, err
	}
	if err := w.restore(last); err != nil {
		return nil, err
	}
	return w.contribute(random), nil
}

// errOther is the error of a state whose counts are not those of the document.
var errOther = exit.Errorf(exit.Malformed, "the state of a document has other words than the document").
	WithHint("begin each run with a new --state file")

// restore gives the tokens the topics that parts count.
func (w keeper) restore(parts []*wire.Part) error {
	next := make([]int, len(w.words)+1) // first token of each word without a topic yet
	for _, word := range w.sampler.word {
		next[word+1]++
	}
	for i := range w.words {
		next[i+1] += next[i]
	}
	ends := slices.Clone(next[1:])
	for _, p := range parts {
		columns := wire.AppendIDs(nil, p.ColumnGaps)
		for r, topic := range wire.AppendIDs(nil, p.RowGaps) {
			for c, word := range columns {
				i, found := slices.BinarySearch(w.words, word)
				count := float64(math.Float32frombits(binary.LittleEndian.Uint32(p.Values[4*(r*len(columns)+c):])))
				if !found || int(topic) >= w.sampler.w.k || !(count >= 0 && count <= float64(ends[i]-next[i])) {
					return errOther
				}
				for range int(count) {
					w.sampler.put(uint32(next[i]), topic)
					next[i]++
				}
			}
		}
	}
	if !slices.Equal(next[:len(ends)], ends) {
		return errOther
	}
	return nil
}
