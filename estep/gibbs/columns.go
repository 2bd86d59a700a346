package gibbs

// columns are the topics that a document may have: their token counts, and the weights of the document's words in them.
// At first columns has all topics. Later it has the topics with tokens, soon only a few, and perhaps some topics that
// lost their last token.
type columns struct {
	w        *weights
	words    []uint32   // the document's distinct words
	topic    []uint32   // the topic of each column
	column   []uint32   // the column of each topic that has one
	has      []bool     // whether a topic has a column
	counts   []uint32   // tokens of each column; 0 in the padding
	rows     [][]uint32 // each word's weights in the columns; the padding may hold anything
	cells    []uint32   // memory of the rows after the first compact; at least as long as w's rows of the same words
	width    int        // number of columns with padding
	lanewise []uint32   // the columns, lane by lane
}

func newColumns(w *weights) *columns {
	return &columns{
		w: w, topic: make([]uint32, 0, w.stride), column: make([]uint32, w.k), has: make([]bool, w.k),
		counts:   make([]uint32, w.stride),
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

// of returns the topic's column. It adds a column if the topic has none.
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

// compact drops the columns without tokens if half or more of all columns have none, and there are more columns than
// padding. It waits until then because copying the weights of the other columns takes about as long as a sweep.
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
