package gibbs

import (
	"encoding/binary"
	"math"
	"slices"

	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// Tokens of one word in a document are alike. So the counts of words by topic are all of its topics, up to the order of such tokens: they
// are the statistic, and the state.

// countParts appends the cells that are not 0, words × K, as parts of a matrix: one for each topic.
func countParts(parts []*wire.Part, matrix uint32, ids []uint32, k int, cells []float32) []*wire.Part {
	var words []uint32
	var values []float32
	for topic := range k {
		words, values = words[:0], values[:0]
		for i, word := range ids {
			if c := cells[i*k+topic]; c != 0 {
				words, values = append(words, word), append(values, c)
			}
		}
		if len(words) > 0 {
			parts = model.AppendParts(parts, matrix, []uint32{uint32(topic)}, words, values)
		}
	}
	return parts
}

// countTopics adds the topics of tokens to cells, words × K. word has the number of each token's word.
func countTopics(cells []float32, k int, word, topics []uint32) {
	for token, topic := range topics {
		cells[int(word[token])*k+int(topic)]++
	}
}

// errOther is the error of a state whose counts are not those of the document.
var errOther = exit.Errorf(exit.Malformed, "the state of a document has other words than the document").
	WithHint("begin each run with a new --state file")

// restoreTopics gives the tokens of a document the topics that parts count. word has the number in ids of each token's word; the tokens
// of a word stand together.
func restoreTopics(topics, word, ids []uint32, k int, parts []*wire.Part) error {
	next := make([]int, len(ids)+1) // first token of each word without a topic yet
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
