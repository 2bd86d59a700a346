package gibbs

// columns are topics of a document: their tokens, and the weights of the document's words in them. At first they are all topics. Later
// they are those that tokens have, which soon are few, and perhaps some that lost their last token.
type columns struct {
	w        *weights
	words    []uint32   // the document's distinct words
	topic    []uint32   // of each column
	column   []uint32   // of each topic that has one
	has      []bool     // says which have one
	counts   []uint32   // tokens of each column; 0 in the padding
	rows     [][]uint32 // of each word, its weights in the columns; anything in the padding
	cells    []uint32   // of the rows, once they are not those of w: as many as w has for so many words
	width    int        // number of columns with padding
	lanewise []uint32   // the columns, lane by lane
}

func newColumns(w *weights) *columns {
	return &columns{
		w: w, topic: make([]uint32, 0, w.stride), column: make([]uint32, w.k), has: make([]bool, w.k), counts: make([]uint32, w.stride),
		lanewise: make([]uint32, w.stride),
	}
}

// begin makes all topics columns, without tokens.
func (c *columns) begin(words []uint32) {
	c.words, c.topic, c.rows = words, c.topic[:0], c.rows[:0]
	for topic := range c.column {
		c.topic = append(c.topic, uint32(topic))
		c.column[topic], c.has[topic] = uint32(topic), true
	}
	clear(c.counts)
	for _, word := range words {
		c.rows = append(c.rows, c.w.row(word))
	}
	c.widen()
}

// widen sets the width.
func (c *columns) widen() {
	width := padded(len(c.topic))
	if width == c.width {
		return
	}
	c.width = width
	for i := range width {
		c.lanewise[i] = uint32(element(i, width))
	}
}

// of returns the column of a topic, which it adds if there is none.
func (c *columns) of(topic uint32) uint32 {
	if !c.has[topic] {
		at := len(c.topic)
		c.topic = append(c.topic, topic)
		c.column[topic], c.has[topic] = uint32(at), true
		for i, word := range c.words {
			c.rows[i][at] = c.w.row(word)[topic]
		}
		c.widen()
	}
	return c.column[topic]
}

// compact drops the columns without tokens if they are half of all: to copy the weights of others takes about as long as a sweep.
func (c *columns) compact() {
	n := 0
	for _, tokens := range c.counts[:len(c.topic)] {
		if tokens > 0 {
			n++
		}
	}
	if len(c.topic) <= padding || 2*n > len(c.topic) {
		return
	}
	kept := c.topic[:0]
	for column, topic := range c.topic {
		tokens := c.counts[column]
		if c.has[topic] = tokens > 0; c.has[topic] {
			c.column[topic], c.counts[len(kept)] = uint32(len(kept)), tokens
			kept = append(kept, topic)
		}
	}
	clear(c.counts[len(kept):])
	c.topic = kept
	if size := len(c.words) * c.w.stride; len(c.cells) < size {
		c.cells = make([]uint32, size)
	}
	for i, word := range c.words {
		row := c.w.row(word)
		c.rows[i] = c.cells[i*c.w.stride:][:c.w.stride]
		for column, topic := range kept {
			c.rows[i][column] = row[topic]
		}
	}
	c.widen()
}
