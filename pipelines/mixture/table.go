package mixture

import "fmt"

// A Table has the likelihoods of all words under each component. Gather takes a document's likelihoods from it.
type Table struct {
	components, words int
	stride            int       // components, padded to 4 with 0
	cells             []float32 // one row of stride numbers for each word, and one row of 1 for padding documents
}

// NewTable returns a table of zeros, with at least one component.
func NewTable(components, words int) *Table {
	t := &Table{components: components, words: words, stride: padded(components, 4)}
	t.cells = make([]float32, (words+1)*t.stride)
	for k := range components {
		t.cells[words*t.stride+k] = 1
	}
	return t
}

// Row returns a word's likelihoods under each component, to be set.
func (t *Table) Row(word int) []float32 {
	if word < 0 || word >= t.words {
		panic(fmt.Sprintf("word %d of %d", word, t.words))
	}
	return t.cells[word*t.stride:][:t.components]
}

// SetComponent sets the likelihoods of consecutive words, from first on, under one component. It writes one cell in
// each row, so it is for callers that have the likelihoods component by component.
func (t *Table) SetComponent(component, first int, likelihoods []float32) {
	if component < 0 || component >= t.components || first < 0 || len(likelihoods) > t.words-first {
		panic(fmt.Sprintf("words %d to %d of %d, component %d of %d", first, first+len(likelihoods), t.words, component,
			t.components))
	}
	at := first*t.stride + component
	for _, likelihood := range likelihoods {
		t.cells[at] = likelihood
		at += t.stride
	}
}

// Gather does what Reset does, and sets β and the counts for a document. It takes the document's words, each below the
// table's number, and as many counts.
func (m *Mixture) Gather(t *Table, words []uint32, counts []float32) {
	m.Reset(t.components, len(words))
	copy(m.counts, counts[:len(words)])
	m.words = sized(m.words, m.width)
	for i, word := range words {
		if int(word) >= t.words {
			panic(fmt.Sprintf("word %d of %d", word, t.words))
		}
		m.words[i] = word
	}
	for i := len(words); i < m.width; i++ {
		m.words[i] = uint32(t.words)
	}
	if m.width > 0 {
		chosen.gather(m, t)
	}
}
