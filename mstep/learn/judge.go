package learn

import (
	"fmt"

	"privpipe/pipelines/model"
)

// Judged says when components of a model are hardly more than noise, and what would help.
type Judged struct {
	Components string  // topics, or clusters
	Cells      string  // words, or dimensions
	Few        int     // a component with fewer Cells above the noise is hardly more than noise
	Tolerated  float64 // the share of components that may be, without a warning
	Advice     string
}

// fewWords is the least number of words above the noise in topics that count as more than noise. With 65 words topics
// read well. With 9 words half of the words are noise. A small vocabulary has fewer words for each topic.
const fewWords = 10

// topics judges topics over so many words.
func topics(words int) *Judged {
	return &Judged{Components: "topics", Cells: "words", Few: max(1, min(fewWords, words/100)),
		Advice: "fewer topics, more documents or a larger ε would help; account advise --documents D --words N " +
			"--epsilon X says how many topics"}
}

// judge warns about components that are hardly more than noise. An average over components would hide them behind one
// that is well above it.
func (s *session) judge() {
	judge, ok := s.learner.(model.Judge)
	if !ok {
		return
	}
	by := s.Judged
	if by == nil {
		by = topics(len(s.vocab))
	}
	above, noise := judge.AboveNoise(), 0
	for _, cells := range above {
		if cells < by.Few {
			noise++
		}
	}
	s.run.Summarize(by.Components, len(above))
	s.run.Summarize(by.Components+"_in_noise", noise)
	s.run.Summarize(by.Cells+"_above_noise", above)
	if float64(noise) > by.Tolerated*float64(len(above)) {
		s.run.Log.Warn(fmt.Sprintf("%d of %d %s have fewer than %d %s above the noise: %s", noise, len(above),
			by.Components, by.Few, by.Cells, by.Advice))
	}
}
