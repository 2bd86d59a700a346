package streams

import (
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// Cut reduces documents to some words of their vocabulary.
type Cut struct {
	From  string `placeholder:"FILE" help:"Read the documents' vocabulary from FILE; by default as tokenize text does."`
	Vocab string `required:"" placeholder:"FILE" help:"Keep the words of FILE, which are words of that vocabulary. It must be public, such as that of mstep choose."`
	rewriting
}

// Help is what --help adds for this command.
func (*Cut) Help() string {
	return "Names, users and labels stay as they are, also of documents that were named by their content."
}

// Run is kong's hook.
func (c *Cut) Run(r *filter.Run) error {
	if err := endpoint.Distinct(r, c.Output, c.Input, c.From, c.Vocab); err != nil {
		return err
	}
	if err := r.Check(c.From, c.Vocab); err != nil {
		return err
	}
	from, err := vocabulary.OpenOrDefault(r, c.From)
	if err != nil {
		return err
	}
	words, err := vocabulary.Open(r, c.Vocab)
	if err != nil {
		return err
	}
	ids, err := c.ids(from, words)
	if err != nil {
		return err
	}
	known := uint64(0)
	counts := make([]uint32, len(words)) // of one document
	return c.rewrite(r, rewriter{
		header: func(in *endpoint.StreamReader, h *wire.Header) error {
			if string(h.Vocabulary) != string(from.Hash()) {
				return exit.Errorf(exit.Malformed, "%s: documents over another vocabulary than --from", in.Name()).
					WithHint("%s", vocabulary.Hint(r, h.Vocabulary))
			}
			h.Vocabulary, h.VocabularySize = words.Hash(), uint32(len(words))
			return nil
		},
		record: func(record *wire.Record) *wire.Record {
			known += cutDocument(record.GetDocument(), ids, counts)
			return record
		},
		tallies: func(left map[string]uint64) map[string]uint64 {
			if _, stated := left[tallyTokens]; stated {
				left[tallyKnown] = known
			}
			delete(left, "empty") // it counted the documents before they were cut
			return left
		},
	})
}

// ids returns, for each id of the vocabulary from, the id of the same word in words; len(words) if words does not have
// the word.
func (c *Cut) ids(from, words vocabulary.Words) ([]uint32, error) {
	of := make(map[string]int, len(from))
	ids := make([]uint32, len(from))
	for id, word := range from {
		of[word], ids[id] = id, uint32(len(words))
	}
	for i, word := range words {
		id, ok := of[word]
		if !ok {
			return nil, exit.Errorf(exit.Malformed, "%s: word %d is not in the vocabulary of --from", c.Vocab, i+1)
		}
		ids[id] = uint32(i)
	}
	return ids, nil
}

// cutDocument replaces the document's ids by the ids that ids has for them. It drops the words without such an id, and
// returns how many words are left, repeated words included. counts must have a 0 for each new id, and has it again
// afterwards.
func cutDocument(d *wire.Document, ids, counts []uint32) (known uint64) {
	lowest, highest := uint32(len(counts)), uint32(0)
	for i, id := range wire.AppendIDs(nil, d.WordGaps) {
		if to := ids[id]; int(to) < len(counts) {
			counts[to] = d.Counts[i]
			known += uint64(d.Counts[i])
			lowest, highest = min(lowest, to), max(highest, to)
		}
	}
	var left []uint32
	d.Counts = d.Counts[:0]
	for id := lowest; id <= highest && int(id) < len(counts); id++ {
		if counts[id] > 0 {
			left, d.Counts = append(left, id), append(d.Counts, counts[id])
			counts[id] = 0
		}
	}
	d.WordGaps = wire.AppendGaps(d.WordGaps[:0], left)
	return known
}
