package main

import (
	"slices"
	"strings"
	"testing"

	"privpipe/evaluate/report"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// informedModel is a model file after the given round. Its public text has a digest that ends in the given number; 0:
// no public text. own and public are each topic's own share and share of public text; nil: no such matrix.
func informedModel(run string, round uint32, words vocabulary.Words, digest int64, lambda, own,
	public []float64) []byte {
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_PARAMETERS, Side: wire.Side_PUBLIC, Run: run, Model: "lda",
		Vocabulary: words.Hash(), VocabularySize: uint32(len(words)),
	}
	var values [][]byte
	add := func(name string, rows, columns int, element wire.Element, cells []byte) {
		h.Matrices = append(h.Matrices,
			&wire.Matrix{Name: name, Rows: uint32(rows), Columns: uint32(columns), Element: element})
		values = append(values, cells)
	}
	topics := len(lambda) / len(words)
	add("lambda", topics, len(words), wire.Element_FLOAT64, stream.AppendCells(nil, lambda))
	if digest != 0 {
		add("public_text", 1, 4, wire.Element_INT64, stream.AppendCells(nil, []int64{0, 0, 0, digest}))
	}
	if own != nil {
		add("own_share", topics, 1, wire.Element_FLOAT64, stream.AppendCells(nil, own))
	}
	if public != nil {
		add("public_share", topics, 1, wire.Element_FLOAT64, stream.AppendCells(nil, public))
	}
	scalars := []*wire.Scalar{{Name: "alpha", Value: 0.25}, {Name: "rounds", Value: float64(round)}}
	records := []*wire.Record{
		{Body: &wire.Record_Words{Words: &wire.Words{Words: words}}},
		{Round: round, Body: &wire.Record_Parameters{Parameters: &wire.Parameters{Scalars: scalars}}},
	}
	for i, v := range values {
		records = append(records, &wire.Record{Round: round,
			Body: &wire.Record_Block{Block: &wire.Block{Matrix: uint32(i), Values: v}}})
	}
	b, _ := script.Stream(h, records...)
	return b
}

// frequenciesOf is a model of word frequencies with the shares of kinds of public text.
func frequenciesOf(model, run string, words vocabulary.Words, kinds ...*wire.Scalar) []byte {
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_PARAMETERS, Side: wire.Side_PUBLIC, Run: run, Model: model,
		Vocabulary: words.Hash(), VocabularySize: uint32(len(words)),
		Matrices: []*wire.Matrix{{
			Name: "probabilities", Rows: 1, Columns: uint32(len(words)), Element: wire.Element_FLOAT64,
		}},
	}
	equal := slices.Repeat([]float64{1 / float64(len(words))}, len(words))
	b, _ := script.Stream(h, &wire.Record{Body: &wire.Record_Words{Words: &wire.Words{Words: words}}},
		&wire.Record{Round: 1, Body: &wire.Record_Parameters{Parameters: &wire.Parameters{
			Scalars: append([]*wire.Scalar{{Name: "rounds", Value: 1}}, kinds...),
		}}},
		&wire.Record{Round: 1, Body: &wire.Record_Block{Block: &wire.Block{Values: stream.AppendCells(nil, equal)}}})
	return b
}

// startFiles are models with public text, and the topics before their first release. Topic 0 of the start is topic 0 of
// the model with words 0 and 1 exchanged, and the others are the model's.
func startFiles() map[string][]byte {
	lambda := []float64{
		300, 40, 1, 1, 1, 1, 1, 30,
		1, 60, 3, 5, 9, 8, 7, 1,
		2, 9, 8, 7, 6, 5, 4, 1,
	}
	first := slices.Clone(lambda)
	first[0], first[1] = first[1], first[0]
	own, public := []float64{.875, .5, 0}, []float64{.0625, .25, .75}
	small := []float64{6, 2, 1, 1, 3, 3, 4, 20}
	return map[string][]byte{
		"informed.pp":     informedModel("", 1, vocab, 1, small, []float64{.875, 0}, []float64{.0625, .25}),
		"too-much.pp":     informedModel("", 1, vocab, 1, small, []float64{.875, 0}, []float64{.25, .25}),
		"lone-share.pp":   informedModel("", 1, vocab, 1, small, []float64{.875, 0}, nil),
		"informed-rep.pp": informedModel("monday", reportRounds, hostile, 7, lambda, own, public),
		"start.pp":        informedModel("", 0, hostile, 7, first, nil, nil),
		"monday-start.pp": informedModel("monday", 0, hostile, 7, first, nil, nil),
		"sunday-start.pp": informedModel("sunday", 0, hostile, 7, first, nil, nil),
		"late-start.pp":   informedModel("monday", 1, hostile, 7, first, nil, nil),
		"other-start.pp":  informedModel("", 0, hostile, 8, first, nil, nil),
		"plain-start.pp":  informedModel("", 0, hostile, 0, first, nil, nil),
		"short-start.pp":  informedModel("", 0, hostile, 7, first[:16], nil, nil),
		"like.pp": frequenciesOf("words", "monday", hostile, &wire.Scalar{Name: "like law & order", Value: .25},
			&wire.Scalar{Name: "like small talk", Value: .625},
			&wire.Scalar{Name: "like sport", Value: .09}, &wire.Scalar{Name: "like war", Value: .035}),
		"unlike.pp":      frequenciesOf("words", "monday", hostile),
		"sunday-like.pp": frequenciesOf("words", "sunday", hostile),
		"wrong-like.pp":  frequenciesOf("words", "monday", hostile, &wire.Scalar{Name: "like war", Value: 1.5}),
		"vocab-like.pp":  frequenciesOf("words", "monday", vocab),
		"words-start.pp": informedModel("", 0, vocab, 7, first[:12], nil, nil),
	}
}

// TestStartRefused: the page compares a model with a start of its own run, public text, words and size only.
func TestStartRefused(t *testing.T) {
	for name, want := range map[string]string{
		"start.pp": "", "monday-start.pp": "",
		"sunday-start.pp": `is of run "sunday", and`,
		"late-start.pp":   "is a model after round 1, not one before the first release",
		"other-start.pp":  "are of different public text", "plain-start.pp": "are of different public text",
		"short-start.pp": "has 2 topics", "words-start.pp": "are over different vocabularies",
		"frequencies.pp": "is a model of words",
	} {
		p, err := pageOf(t, report.Report{Model: "informed-rep.pp", Start: name, Top: 3})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if err == nil && len(p.Topics.Changes) != 3 {
			t.Errorf("%s: %d topics are compared", name, len(p.Topics.Changes))
		}
	}
	if _, err := pageOf(t, report.Report{Model: "frequencies.pp", Start: "start.pp", Top: 3}); err == nil ||
		!strings.Contains(err.Error(), "--start needs a model with topics") {
		t.Errorf("a model without topics: %v", err)
	}
}

// TestBrowserStart: a page with origins and a start, with words that are markup, is as sound as one without.
func TestBrowserStart(t *testing.T) {
	b := browse(t, render(t, report.Report{
		Model: "informed-rep.pp", Start: "start.pp", Ledger: "report.ledger", Account: "report.json",
		Releases: "report-rel.pp", Top: 3,
	}))
	for _, wrong := range b.Wrong {
		t.Error(wrong)
	}
	for _, text := range append(slices.Clone(hostile), "The topics before and after",
		"Own 87.5 %, public text 6.2 %, word frequencies 6.2 %.") {
		if !strings.Contains(b.Facts.Text, text) {
			t.Errorf("the page does not show %q", text)
		}
	}
	if b.Facts.Foreign != 0 || b.Facts.Scripts != 3 {
		t.Errorf("the page has %d foreign elements and %d scripts, want 0 and 3", b.Facts.Foreign, b.Facts.Scripts)
	}
}

// TestKinds: the page names the kinds of public text that have a tenth of the text or more, the largest first, and all
// of them in its details. Word frequencies that are not of the model's ledger and words are refused.
func TestKinds(t *testing.T) {
	const like = "The text reads most like: small talk (62\u00a0%), law &amp; order (25\u00a0%)."
	const details = "What the text reads like: small talk 62.5 %, law &amp; order 25.0 %, sport 9.0 %"
	command := report.Report{
		Model: "informed-rep.pp", Ledger: "report.ledger", Account: "report.json", Releases: "report-rel.pp", Top: 3,
	}
	for name, want := range map[string]string{
		"like.pp": "", "unlike.pp": "", "sunday-like.pp": `is of run "sunday", which `,
		"wrong-like.pp": "like war must be in [0, 1], is 1.5",
		"vocab-like.pp": "over different vocabularies", "informed-rep.pp": "a model of lda, must be of words",
	} {
		command.Words = name
		p, err := pageOf(t, command)
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", name, err, want)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		html, err := p.HTML()
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{like, details} {
			if got := strings.Contains(string(html), text); got != (name == "like.pp") {
				t.Errorf("the page by %s has %q: %v", name, text, got)
			}
		}
	}
}
