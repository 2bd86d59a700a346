package main

import (
	"bytes"
	"fmt"

	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// reports returns inputs for the scripts of mstep reconstruct: reports over vocab.txt, and broken ones. The bits of the
// reports are wrong with probability 1/4.
func reports() map[string][]byte {
	report := func(id string, words ...uint32) *wire.Record {
		d := &wire.Document{Id: id, WordGaps: wire.AppendGaps(nil, words)}
		for range words {
			d.Counts = append(d.Counts, 1)
		}
		return &wire.Record{Body: &wire.Record_Document{Document: d}}
	}
	files := make(map[string][]byte)
	add := func(name string, change func(*wire.Header), records ...*wire.Record) {
		h := &wire.Header{
			Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PUBLIC, Run: "run",
			Vocabulary: vocab.Hash(), VocabularySize: uint32(len(vocab)),
		}
		if change != nil {
			change(h)
		}
		files[name], _ = script.Stream(h, records...)
	}
	// Of eight reports five have cat, two dog and all fish: estimates 6, 0 and 12.
	eight := []*wire.Record{
		report("1-a", 0, 1, 2), report("1-b", 0, 2), report("1-c", 0, 2), report("1-d", 0, 2), report("1-e", 0, 1, 2),
		report("1-f", 2), report("1-g", 2), report("1-h", 2),
	}
	add("reports.pp", nil, eight...)
	add("five.pp", nil, eight[:5]...)
	add("four.pp", nil, eight[4:]...) // one of them is in five.pp, too
	add("none-reported.pp", nil)
	// Of 300 reports under a flip of 1/4 some 75 have a word that no author has. If all have two of the three words,
	// the estimates add up to 750.
	var without, with []*wire.Record
	for i := range 300 {
		id := fmt.Sprint("1-", i)
		without, with = append(without, report(id)), append(with, report(id, 0, 1))
	}
	add("no-words.pp", nil, without...)
	add("two-words.pp", nil, with...)
	add("clash.pp", nil, report("1-a", 0))
	add("private-reports.pp", func(h *wire.Header) { h.Side = wire.Side_PRIVATE }, eight...)
	add("other-reports.pp", func(h *wire.Header) { h.Vocabulary = vocabulary.Words{"cat", "dog", "bird"}.Hash() },
		eight...)
	files["cut-reports.pp"] = unended(files["reports.pp"])
	twice := report("1-a", 0)
	twice.GetDocument().Counts[0] = 2
	add("counts.pp", nil, twice)
	// Of four public documents three have dog and one fish.
	add("public.pp", nil, report("p", 1), report("q", 1, 2), report("r", 1), report("s"))

	scheme := &wire.Scheme{Method: wire.Scheme_EPOCH, Rate: .5, Rounds: 2}
	var rounds []*wire.Record
	for i, batch := range [][]*wire.Record{eight[:4], eight[4:]} {
		end := &wire.RoundClose{Records: uint64(len(batch)), Units: uint64(len(batch))}
		all := []*wire.Record{{Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}}}
		for _, r := range batch {
			end.UnitDigest += wire.UnitDigest(r.GetDocument().Id)
			all = append(all, &wire.Record{Body: r.Body})
		}
		for _, r := range append(all, &wire.Record{Body: &wire.Record_RoundClose{RoundClose: end}}) {
			r.Round = uint32(i + 1)
			rounds = append(rounds, r)
		}
	}
	add("rounds.pp", func(h *wire.Header) { h.Kind, h.Unit = wire.Kind_ROUNDS, wire.Unit_DOCUMENT }, rounds...)
	grant := func(flip float64, mechanism string) []byte {
		return fmt.Appendf(nil, `{"version":3,"id":"grant","created":"2026-11-01T00:00:00Z","mechanism":%q,"adjacency":"replace-one","unit":"document","vocabulary":"%x","vocabulary_size":%d,"flip":%v,"max_words":3,"scheme":{"method":"all","rate":1,"rounds":1,"secret":false},"releases":1,"budget":{}}`,
			mechanism, vocab.Hash(), len(vocab), flip)
	}
	files["rr.json"], files["half.json"], files["gaussian.json"] = grant(.25, "randomized-response"),
		grant(.5, "randomized-response"), grant(.25, "gaussian")
	files["one.json"] = bytes.Replace(files["rr.json"], []byte(`"max_words":3,`), []byte(`"max_words":1,`), 1)
	for name, words := range map[string]string{"drawn.json": "3", "two.json": "2"} {
		files[name] = bytes.Replace(files["rr.json"], []byte(`"max_words":3,`),
			[]byte(`"max_words":3,"report_words":`+words+`,`), 1)
	}
	return files
}
