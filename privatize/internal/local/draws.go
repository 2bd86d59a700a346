package local

import (
	"privpipe/pipelines/event"
	"privpipe/privatize/internal/noise"
)

// draws are the reports of a few words of each document. There are V words and m dummies. A document of s ≤ m words holds these and m−s of
// the dummies; of a longer one m words count, chosen uniformly for its report. A draw gives each of the m items that it holds the weight
// right, and each of the V others the weight wrong. All documents have the same sum of weights. See claim.md, 5.
type draws struct {
	words        int    // V
	most         uint64 // m
	right, wrong uint64 // weights: 1−p and p, in steps
	number       int    // of draws for a report: k
	coins        *noise.Uniform
}

func newDraws(words int, g *event.Grant, scale uint64) *draws {
	return &draws{words, uint64(g.MaxWords), noise.FlipSteps - scale, scale, g.ReportWords, noise.NewUniform()}
}

// sum is the sum of the weights of all items. It is below 2^64, since m ≤ 2^20 and V < 2^31.
func (d *draws) sum() uint64 { return d.most*d.right + uint64(d.words)*d.wrong }

// report makes s, the words of a document, its report: the words among so many independent draws. own are the words of s; they are changed.
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

// word returns the word that number u in [0, sum) draws from a document with the words of s, own, at most m; not ok is a dummy. Each item of
// the document has d.right of these numbers, each other one d.wrong.
func (d *draws) word(s set, own []uint32, u uint64) (w uint32, ok bool) {
	if u < d.most*d.right {
		if place := u / d.right; place < uint64(len(own)) {
			return own[place], true
		}
		return 0, false
	}
	// The V others are the words that the document lacks, and s dummies in the places of those that it has.
	w = uint32((u - d.most*d.right) / d.wrong)
	return w, !s.has(w)
}
