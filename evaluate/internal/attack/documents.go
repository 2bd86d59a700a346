package attack

import (
	"errors"
	"maps"
	"math"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// A cell is one number in a contribution.
type cell struct {
	topic, word int
	value       float64
}

// appendCells appends the cells of one part of matrix m, except zeros. It refuses values that are not whole, because
// raw counts are whole.
func appendCells(cells []cell, size model.Size, m *wire.Matrix, p *wire.Part) ([]cell, error) {
	if p.Factored {
		return nil, errNotRaw
	}
	rows, columns := ids(p.RowGaps, size.Components), ids(p.ColumnGaps, size.Words)
	values := wire.AppendNumbers(nil, m, p)
	for i, row := range rows {
		for j, column := range columns {
			x := float64(values[i*len(columns)+j])
			if x != math.Trunc(x) {
				return nil, errNotRaw
			}
			if x != 0 {
				cells = append(cells, cell{int(row), int(column), x})
			}
		}
	}
	return cells, nil
}

// ids returns the ids that gaps encode. Without gaps these are all ids below limit.
func ids(gaps []uint32, limit int) []uint32 {
	if len(gaps) > 0 {
		return wire.AppendIDs(nil, gaps)
	}
	all := make([]uint32, limit)
	for i := range all {
		all[i] = uint32(i)
	}
	return all
}

// The rules that contributions must keep.
var (
	errNotRaw = errors.New("contributions are not raw counts of words by topic " +
		"(estep gibbs --statistic counts --top-topics 0 --word-weight count --norm 0)")
	errNegative = errors.New("counts of words by topic are negative: contributions that are changes of counts need " +
		"--increments")
	errInitial = errors.New("the changes of the counts of a document do not begin from counts of 0: the run began " +
		"from a state")
	errTwice = errors.New("a document contributes twice to a round")
	errOther = errors.New("the words of a document are others than in round 1")
)

// A name identifies a document.
type name struct{ unit, record string }

// A document is the state of one document with attacked tokens.
type document struct {
	counts map[[2]int]float64 // by topic and word, without zeros
	words  map[int]float64    // how often each word occurs, the same in all rounds
	round  uint32             // of the last contribution in counts
}

// newDocument takes a document's first contribution, from round 1.
func newDocument(cells []cell, increments bool) (d *document, err error) {
	d = new(document)
	d.words, err = d.count(1, cells, increments)
	return d, err
}

// advance takes a document's contribution from one later round.
func (d *document) advance(round uint32, cells []cell, increments bool) error {
	words, err := d.count(round, cells, increments)
	if err == nil && !maps.Equal(words, d.words) {
		err = errOther
	}
	return err
}

// count adds increments to the counts, or replaces the counts. It returns how often each word occurs.
func (d *document) count(round uint32, cells []cell, increments bool) (words map[int]float64, err error) {
	if d.counts == nil || !increments {
		d.counts = make(map[[2]int]float64, len(cells))
	}
	for _, c := range cells {
		at := [2]int{c.topic, c.word}
		if d.counts[at] += c.value; d.counts[at] == 0 {
			delete(d.counts, at)
		}
	}
	d.round = round
	words = make(map[int]float64)
	for at, n := range d.counts {
		switch {
		case n < 0 && increments:
			return nil, errInitial
		case n < 0:
			return nil, errNegative
		}
		words[at[1]] += n
	}
	return words, nil
}

// token returns the topic of a word that occurs once in the document. others has the number of the document's other
// tokens in each of the k topics.
func (d *document) token(word, k int) (topic int, others []float64) {
	others = make([]float64, k)
	for at, n := range d.counts {
		others[at[0]] += n
		if at[1] == word {
			topic = at[0]
		}
	}
	others[topic]--
	return topic, others
}
