package reconstruct

import "privpipe/pipelines/wire"

// A batch has the reports of M authors, as bits. A bit says whether a report has a word.
type batch struct {
	words int
	// A block has a number for each word, with the word's bits in 64 reports: bit m mod 64 in block m/64 belongs to
	// report m.
	blocks  [][]uint64
	reports []*wire.Document // without their words
}

func newBatch(words int) *batch { return &batch{words: words} }

// add adds a report. Its words are below the number of words.
func (b *batch) add(report *wire.Document) {
	m := len(b.reports)
	if m%64 == 0 {
		b.blocks = append(b.blocks, make([]uint64, b.words))
	}
	word := uint32(0)
	for _, gap := range report.WordGaps {
		word += gap
		b.blocks[m/64][word] |= 1 << (m % 64)
	}
	b.reports = append(b.reports, &wire.Document{Id: report.Id, User: report.User, Label: report.Label})
}

// truncate keeps only the first n reports.
func (b *batch) truncate(n int) {
	b.reports, b.blocks = b.reports[:n], b.blocks[:(n+63)/64]
	if used := n % 64; used > 0 {
		last := b.blocks[n/64]
		for word := range last {
			last[word] &= 1<<used - 1
		}
	}
}

// has reports whether a report has a word.
func (b *batch) has(report, word int) bool { return b.blocks[report/64][word]>>(report%64)&1 != 0 }

// flip changes one bit.
func (b *batch) flip(report, word int) { b.blocks[report/64][word] ^= 1 << (report % 64) }

// document returns a report with its current words.
func (b *batch) document(report int) *wire.Document {
	d := b.reports[report]
	var words []uint32
	for word := range b.words {
		if b.has(report, word) {
			words = append(words, uint32(word))
		}
	}
	d.WordGaps = wire.AppendGaps(nil, words)
	d.Counts = make([]uint32, len(words))
	for i := range d.Counts {
		d.Counts[i] = 1
	}
	return d
}
