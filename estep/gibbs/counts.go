package gibbs

import (
	"encoding/binary"
	"math"
	"slices"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// Two tokens of one word in a document are interchangeable. So the counts of words by topic describe all topics of the
// document, up to the order of such tokens. The counts are both the statistic and the state.

// A tally counts the topics of one document's tokens at a time. Its memory is reused.
type tally struct {
	counts  []float32 // one word's tokens, by topic
	seen    []uint32  // topics of this word
	words   [][]uint32
	changes [][]float32 // the counts or changes of each topic's words
}

func newTally(k int) *tally {
	return &tally{counts: make([]float32, k), words: make([][]uint32, k), changes: make([][]float32, k)}
}

// parts appends the counts of words by topic as parts of one matrix, one part for each topic. If before is nil, it
// appends the counts now, else their changes since before. For each token, word has the index of its word in ids.
// Tokens with the same word are adjacent. added has what else counts, of word i in topic k at i·K+k; nil: nothing.
func (t *tally) parts(parts []*wire.Part, matrix uint32, ids, word, before, now []uint32,
	added []float32) []*wire.Part {
	for first, end := 0, 0; first < len(word); first = end {
		for end = first; end < len(word) && word[end] == word[first]; end++ {
			t.add(now[end], 1)
			if before != nil {
				t.add(before[end], -1)
			}
		}
		if added != nil {
			for topic := range t.counts {
				t.add(uint32(topic), added[int(word[first])*len(t.counts)+topic])
			}
		}
		for _, topic := range t.seen {
			if c := t.counts[topic]; c != 0 {
				t.words[topic], t.changes[topic] = append(t.words[topic], ids[word[first]]), append(t.changes[topic], c)
				t.counts[topic] = 0
			}
		}
		t.seen = t.seen[:0]
	}
	for topic, words := range t.words {
		if len(words) > 0 {
			parts = model.AppendParts(parts, matrix, []uint32{uint32(topic)}, words, t.changes[topic])
			t.words[topic], t.changes[topic] = words[:0], t.changes[topic][:0]
		}
	}
	return parts
}

func (t *tally) add(topic uint32, by float32) {
	t.seen = append(t.seen, topic)
	t.counts[topic] += by
}

// errOther is the error if a state has other counts than its document.
var errOther = exit.Errorf(exit.Malformed, "the state of a document has other words than the document").
	WithHint("begin each run with a new --state file")

// restoreTopics gives the document's tokens the topics that parts count. For each token, word has the index of its word
// in ids. Tokens with the same word are adjacent.
func restoreTopics(topics, word, ids []uint32, k int, parts []*wire.Part) error {
	next := make([]int, len(ids)+1) // each word's first token without a topic yet
	for _, i := range word {
		next[i+1]++
	}
	for i := range ids {
		next[i+1] += next[i]
	}
	ends := slices.Clone(next[1:])
	for _, p := range parts {
		columns := wire.AppendIDs(nil, p.ColumnGaps)
		for r, topic := range wire.AppendIDs(nil, p.RowGaps) {
			for c, id := range columns {
				i, found := slices.BinarySearch(ids, id)
				count := float64(math.Float32frombits(binary.LittleEndian.Uint32(p.Values[4*(r*len(columns)+c):])))
				if !found || int(topic) >= k || !(count >= 0 && count <= float64(ends[i]-next[i])) {
					return errOther
				}
				for range int(count) {
					topics[next[i]] = topic
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

// of returns the parts of one matrix.
func of(matrix int, parts []*wire.Part) []*wire.Part {
	first := slices.IndexFunc(parts, func(p *wire.Part) bool { return int(p.Matrix) >= matrix })
	if first < 0 {
		return nil
	}
	end := slices.IndexFunc(parts[first:], func(p *wire.Part) bool { return int(p.Matrix) > matrix })
	if end < 0 {
		return parts[first:]
	}
	return parts[first : first+end]
}
