package streams

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"

	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/bag"
)

// A profile describes documents. It has counts over their records, and their streams' tallies about the text.
type profile struct {
	*bag.Survey
	side       wire.Side
	vocabulary []byte
	words      uint32 // size of the vocabulary

	stated  bool      // the streams state the words of the text
	text    bag.Words // of the text
	skipped uint64    // documents skipped as malformed
}

func newProfile() *profile {
	return &profile{Survey: bag.NewSurvey(), side: wire.Side_SIDE_UNSPECIFIED}
}

// header takes the header of one input's streams. It refuses streams over another vocabulary.
func (p *profile) header(h *wire.Header) error {
	if p.side == wire.Side_SIDE_UNSPECIFIED {
		p.side, p.vocabulary, p.words = h.Side, h.Vocabulary, h.VocabularySize
	}
	if !bytes.Equal(p.vocabulary, h.Vocabulary) || p.words != h.VocabularySize {
		return errors.New("documents over another vocabulary")
	}
	if h.Side == wire.Side_PRIVATE {
		p.side = h.Side
	}
	return nil
}

// tallies takes the tallies of one stream.
func (p *profile) tallies(t map[string]uint64) {
	if tokens, stated := t[tallyTokens]; stated {
		p.stated = true
		p.text.Add(bag.Words{All: tokens, Known: t[tallyKnown], Stop: t[tallyStop]})
	}
	p.skipped += t["skipped"]
}

func (p *profile) coverage() float64     { return p.text.Coverage() }
func (p *profile) emptyShare() float64   { return share(p.Empty, p.Documents) }
func (p *profile) longestShare() float64 { return share(p.Longest, p.Tokens) }

// share is part/whole, and 0 if whole is 0.
func share(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// json is the profile as an object, with shares in [0, 1]. Numbers that no stream states are null.
func (p *profile) json(faults []fault) ([]byte, error) {
	users, most := p.Users()
	refused := []string{}
	for _, f := range faults {
		refused = append(refused, f.what)
	}
	object := map[string]any{
		"side": p.side.String(), "vocabulary_size": p.words,
		"documents": p.Documents, "repeated_ids": p.Repeated, "empty": p.Empty, "skipped": p.skipped,
		"tokens": nil, "stop_tokens": nil, "known_tokens": nil, "coverage": nil,
		"median_tokens": p.Median(), "longest_tokens": p.Longest, "longest_share": p.longestShare(),
		"documents_with_user": p.WithUser, "users": users, "most_documents_of_user": most,
		"faults": refused,
	}
	if p.stated {
		object["tokens"], object["stop_tokens"], object["known_tokens"] = p.text.All, p.text.Stop, p.text.Known
		object["coverage"] = p.coverage()
	}
	b, err := json.Marshal(object)
	return append(b, '\n'), err
}

// table is the profile for people.
func (p *profile) table() []byte {
	var b bytes.Buffer
	if p.side == wire.Side_PRIVATE {
		fmt.Fprintln(&b, "Private, and covered by no budget: keep it behind the wall.")
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, value any, of string) { fmt.Fprintf(w, "%v\t%s\t  %s\n", value, of, name) }
	percent := func(part, whole uint64) string { return fmt.Sprintf("%.1f %%", 100*share(part, whole)) }
	users, most := p.Users()
	row("documents", p.Documents, "")
	row("without a word of the vocabulary", p.Empty, percent(p.Empty, p.Documents))
	row("with the id of an earlier document", p.Repeated, "")
	row("left out as malformed", p.skipped, "")
	if p.stated {
		row("words of the text", p.text.All, "")
		row("stop words, which the vocabulary leaves out", p.text.Stop, percent(p.text.Stop, p.text.All))
		row("of the other words in the vocabulary", p.text.Known, percent(p.text.Known, p.text.All-p.text.Stop))
	} else {
		row("words of the text: not in the stream", "-", "")
	}
	row("words of a document in the vocabulary, median", p.Median(), "")
	row("of the longest document, and its share of all", p.Longest, percent(p.Longest, p.Tokens))
	row("documents that name a user", p.WithUser, percent(p.WithUser, p.Documents))
	row("users", users, "")
	row("documents of the user with the most", most, percent(most, p.Documents))
	w.Flush()
	return b.Bytes()
}
