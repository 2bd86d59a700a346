package event

// A Mark is a place behind a line, where a Reader may begin.
type Mark struct {
	Sequence int    // of the line
	Hash     string // of the line
	End      int64  // offset of the next line, in bytes
}

// Marks has a mark for some lines, in their order.
type Marks []Mark

// apart is the number of lines from one mark to the next.
const apart = 64

// Add notes the next line. The line ends before the offset end.
func (m *Marks) Add(line *Line, end int64) {
	if line.Sequence%apart == 0 {
		*m = append(*m, Mark{line.Sequence, line.Hash, end})
	}
}

// Around returns the last mark before a line, given by its sequence number from 1 on, and the first one behind it. last
// is for the ledger's last line.
func (m Marks) Around(sequence int, last Mark) (before, behind Mark) {
	i := (sequence - 1) / apart
	if i > 0 {
		before = m[i-1]
	}
	if i < len(m) {
		return before, m[i]
	}
	return before, last
}
