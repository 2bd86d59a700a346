package gibbs

import "slices"

// Inherent is what theorem 1 of HDP-LDA (equation 5) bounds the loss of a sweep without noise by. These are counts of the data: they are no
// guarantee, and as private as the documents.
type Inherent struct {
	Round        uint32 `json:"round"`
	Tokens       int    `json:"tokens"`
	Drawn        int    `json:"drawn"`         // tokens that were drawn again, over the sweeps of the round
	LargestCount int    `json:"largest_count"` // of a word in a topic
	WordCount    int    `json:"word_count"`    // occurrences of the most frequent word
	OtherCount   int    `json:"other_count"`   // of the second most frequent
}

// inherent returns the counts after a round.
func (t *table) inherent(round uint32, residents []*resident, drawn int) Inherent {
	counts, words := make([]int, t.k*t.v), make([]int, t.v)
	in := Inherent{Round: round, Drawn: drawn}
	for _, r := range residents {
		if r == nil {
			continue
		}
		for token, topic := range r.topics {
			id := int(r.ids[r.word[token]])
			counts[id*t.k+int(topic)]++
			words[id]++
			in.Tokens++
		}
	}
	slices.Sort(words)
	in.LargestCount, in.WordCount = slices.Max(counts), words[len(words)-1]
	if len(words) > 1 {
		in.OtherCount = words[len(words)-2]
	}
	return in
}
