package local

import (
	"privpipe/pipelines/event"
	"privpipe/privatize/internal/noise"
)

// draws makes reports that hold a few words for each document. There are V words and m dummies. A document with s ≤ m
// words holds its words and m−s dummies. A document with more words holds m of them, chosen uniformly for its report. A
// draw gives each of the m items that the document holds the weight right, and each of the V other items the weight
// wrong. The weights have the same sum for every document. See claim.md, 5.
type draws struct {
	words        int    // V
	most         uint64 // m
	right, wrong uint64 // weights: 1−p and p, in steps
	number       int    // k, the draws for one report
	coins        *noise.Uniform
}

func newDraws(words int, g *event.Grant, scale uint64) *draws {
	return &draws{words, uint64(g.MaxWords), noise.FlipSteps - scale, scale, g.ReportWords, noise.NewUniform()}
}

// sum is the sum of the weights of all items. It is below 2^64, since m ≤ 2^20 and V < 2^31.
func (d *draws) sum() uint64 { return d.most*d.right + uint64(d.words)*d.wrong }

// report replaces s, a document's words, by its report: the words that d.number independent draws give. own lists the
// words of s, and is changed.
func (d *draws) report(s set, own []uint32) {
	for uint64(len(own)) > d.most {
		left, last := d.coins.Below(uint64(len(own))), len(own)-1
		s.remove(own[left])
		own[left], own = own[last], own[:last]
	}
	drawn := newSet(d.words)
	for range d.number {
		if w, ok := d.word(s, own, d.coins.Below(d.sum())); ok {
			drawn.add(w)
		}
	}
	copy(s, drawn)
}

// word returns the word that the number u in [0, sum) draws from a document. The document has the words s, also listed
// in own, at most m. If ok is false, u draws a dummy. Each item that the document holds has d.right of these numbers,
// each other item d.wrong.
func (d *draws) word(s set, own []uint32, u uint64) (w uint32, ok bool) {
	if u < d.most*d.right {
		if place := u / d.right; place < uint64(len(own)) {
			return own[place], true
		}
		return 0, false
	}
	// The V others are the words that the document lacks, and a dummy in the place of each word that it has.
	w = uint32((u - d.most*d.right) / d.wrong)
	return w, !s.has(w)
}
