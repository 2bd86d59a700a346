package main

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"google.golang.org/protobuf/proto"

	_ "privpipe/pipelines/endpoint/kafka" // as program networked links it
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

func TestMain(m *testing.M) { script.Main(m, map[string]func(){"estep": main}) }

var (
	vocab = vocabulary.Words{"cat", "dog", "fish"}
	other = vocabulary.Words{"cat", "dog", "bird"}
	four  = append(vocab[:3:3], "goat")
)

// corpus has two documents of one user and one of nobody. MARKER must not come out on standard error.
var corpus = []*wire.Document{
	{Id: "MARKER-1", User: "MARKER-user", WordGaps: []uint32{0, 2}, Counts: []uint32{3, 1}},
	{Id: "MARKER-2", User: "MARKER-user", WordGaps: []uint32{1}, Counts: []uint32{90}},
	{Id: "MARKER-3"},
}

func header(kind wire.Kind, words vocabulary.Words) *wire.Header {
	return &wire.Header{
		Version: wire.Version, Kind: kind, Side: wire.Side_PRIVATE,
		Vocabulary: words.Hash(), VocabularySize: uint32(len(words)),
	}
}

// encode returns a stream; without its end record, if it is to be cut.
func encode(h *wire.Header, cut bool, records ...*wire.Record) []byte {
	b, end := script.Stream(h, records...)
	if cut {
		b = b[:end]
	}
	return b
}

func documentStream(side wire.Side, words vocabulary.Words) []byte {
	h := header(wire.Kind_DOCUMENTS, words)
	h.Side = side
	return encode(h, false, documentsOf(corpus)...)
}

func documentsOf(documents []*wire.Document) (records []*wire.Record) {
	for _, d := range documents {
		records = append(records, &wire.Record{Body: &wire.Record_Document{Document: d}})
	}
	return records
}

// roundStream has the corpus in each of some rounds.
func roundStream(unit wire.Unit, cut bool, rounds uint32) []byte {
	return roundsOver(vocab, unit, cut, rounds)
}

// roundsOver is roundStream over another vocabulary.
func roundsOver(words vocabulary.Words, unit wire.Unit, cut bool, rounds uint32) []byte {
	return encode(ofRounds(words, unit), cut, roundsOf(unit, rounds, corpus)...)
}

func ofRounds(words vocabulary.Words, unit wire.Unit) *wire.Header {
	h := header(wire.Kind_ROUNDS, words)
	h.Unit, h.Run = unit, "run"
	return h
}

// valuedRounds has rows in rounds 1 and 2.
func valuedRounds(rows ...*wire.Document) []byte {
	h := ofRounds(vocab, wire.Unit_DOCUMENT)
	h.Values = true
	return encode(h, false, roundsOf(wire.Unit_DOCUMENT, 2, rows)...)
}

// fixedRounds has the corpus in two rounds of a fixed size.
func fixedRounds() []byte {
	records := roundsOf(wire.Unit_DOCUMENT, 2, corpus)
	for _, r := range records {
		if open := r.GetRoundOpen(); open != nil {
			n := uint64(len(corpus))
			open.Scheme = &wire.Scheme{Method: wire.Scheme_FIXED, Rate: 0.5, Size: n, Population: 2 * n, Rounds: 2,
				Secret: true}
		}
	}
	return encode(ofRounds(vocab, wire.Unit_DOCUMENT), false, records...)
}

// onceOf has all rows in one round, and each row is a privacy unit of this kind.
func onceOf(unit wire.Unit, rows ...*wire.Document) []byte {
	h := ofRounds(vocab, unit)
	h.Values = true
	records := roundsOf(unit, 1, rows)
	records[0].GetRoundOpen().Scheme = &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 1}
	return encode(h, false, records...)
}

func roundsOf(unit wire.Unit, rounds uint32, documents []*wire.Document) (records []*wire.Record) {
	for round := uint32(1); round <= rounds; round++ {
		scheme := &wire.Scheme{Method: wire.Scheme_POISSON, Rate: 0.5, Rounds: rounds, Secret: true}
		open := &wire.RoundOpen{Scheme: scheme}
		records = append(records, &wire.Record{Round: round, Body: &wire.Record_RoundOpen{RoundOpen: open}})
		end := &wire.RoundClose{Records: uint64(len(documents))}
		seen := make(map[string]bool)
		for _, d := range documents {
			records = append(records, &wire.Record{Round: round, Body: &wire.Record_Document{Document: d}})
			if name := wire.UnitName(unit, d); !seen[name] {
				seen[name] = true
				end.Units++
				end.UnitDigest += wire.UnitDigest(name)
			}
		}
		records = append(records, &wire.Record{Round: round, Body: &wire.Record_RoundClose{RoundClose: end}})
	}
	return records
}

// A matrix is one of parameters.
type matrix struct {
	name  string
	rows  uint32
	cells any // []float32 or []float64
}

// parameterStream has one set for each round, all the same. With words it is a model file.
func parameterStream(model string, words vocabulary.Words, withWords, cut bool, rounds []uint32,
	matrices ...matrix) []byte {
	return parametersOfRun("", model, words, withWords, cut, rounds, matrices...)
}

// parametersOfRun is parameterStream of a run that is named.
func parametersOfRun(run, model string, words vocabulary.Words, withWords, cut bool, rounds []uint32,
	matrices ...matrix) []byte {
	return parametersOf([]*wire.Scalar{{Name: "alpha", Value: 0.5}}, run, model, words, withWords, cut, rounds,
		matrices...)
}

// parametersOf is parametersOfRun with other scalars.
func parametersOf(scalars []*wire.Scalar, run, model string, words vocabulary.Words, withWords, cut bool,
	rounds []uint32,
	matrices ...matrix) []byte {
	h := header(wire.Kind_PARAMETERS, words)
	h.Side, h.Model, h.Run = wire.Side_PUBLIC, model, run
	var records []*wire.Record
	if withWords {
		records = append(records, &wire.Record{Body: &wire.Record_Words{Words: &wire.Words{Words: words}}})
	}
	var cells [][]byte
	for _, m := range matrices {
		element, number := wire.Element_FLOAT64, 0
		switch c := m.cells.(type) {
		case []float32:
			element, number = wire.Element_FLOAT32, len(c)
			cells = append(cells, stream.AppendCells(nil, c))
		case []float64:
			number = len(c)
			cells = append(cells, stream.AppendCells(nil, c))
		}
		h.Matrices = append(h.Matrices,
			&wire.Matrix{Name: m.name, Rows: m.rows, Columns: uint32(number) / m.rows, Element: element})
	}
	for _, round := range rounds {
		p := &wire.Parameters{Scalars: scalars}
		records = append(records, &wire.Record{Round: round, Body: &wire.Record_Parameters{Parameters: p}})
		for i, b := range cells {
			block := &wire.Block{Matrix: uint32(i), Values: b}
			records = append(records, &wire.Record{Round: round, Body: &wire.Record_Block{Block: block}})
		}
	}
	return encode(h, cut, records...)
}

func files() map[string][]byte {
	weights := matrix{"weights", 2, []float32{.8, .1, .1, .1, .8, .1}}
	lambda := matrix{"lambda", 2, []float64{8, 1, 1, 1, 8, 1}}
	both := []*wire.Scalar{{Name: "alpha", Value: 0.5}, {Name: "eta", Value: 0.1}}
	frequencies := matrix{"probabilities", 1, []float64{.5, .25, .25}}
	mean := matrix{"mean", 1, []float64{1, 2, 0.5}}
	moments := matrix{"moments", 3, []float64{2, 2, 0.5, 2, 4, 1, 0.5, 1, 0.25}}
	zeros, nine := []float64{0, 0, 0}, make([]float64, 9)
	network := func(biases []float64) []matrix { // of 3 hidden units that change no pixel
		return []matrix{{"weights", 3, nine}, {"squares", 3, nine}, {"hidden", 1, zeros}, {"visible", 1, biases}}
	}
	return map[string][]byte{
		"documents.pp": documentStream(wire.Side_PRIVATE, vocab),
		"labels.pp": encode(header(wire.Kind_DOCUMENTS, vocab), false, documentsOf([]*wire.Document{
			{Id: "a", Label: "sci.\"med\"", WordGaps: []uint32{0}, Counts: []uint32{2}},
			{Id: "b", WordGaps: []uint32{2}, Counts: []uint32{1}},
		})...),
		"labelled.pp": encode(ofRounds(vocab, wire.Unit_DOCUMENT), false,
			roundsOf(wire.Unit_DOCUMENT, 1, []*wire.Document{
				{Id: "a", Label: "blue", WordGaps: []uint32{0}, Counts: []uint32{2}},
				{Id: "b", Label: "green", WordGaps: []uint32{2}, Counts: []uint32{1}},
				{Id: "c", Label: "red"},
			})...),
		"public.pp":     documentStream(wire.Side_PUBLIC, vocab),
		"other-docs.pp": documentStream(wire.Side_PRIVATE, other),
		"cut-documents.pp": encode(header(wire.Kind_DOCUMENTS, vocab), true,
			&wire.Record{Body: &wire.Record_Document{Document: corpus[0]}}),
		"no-docs.pp":   encode(header(wire.Kind_DOCUMENTS, vocab), false),
		"no-rounds.pp": roundStream(wire.Unit_DOCUMENT, false, 0),
		"rounds.pp":    roundStream(wire.Unit_DOCUMENT, false, 2),
		"round.pp":     roundStream(wire.Unit_DOCUMENT, false, 1),
		"round-4.pp":   roundsOver(four, wire.Unit_DOCUMENT, false, 1),
		"start-4.pp": parameterStream("lda", four, false, false, []uint32{0},
			matrix{"weights", 2, []float32{.1, .2, .3, .4, .4, .3, .2, .1}}),
		"three.pp": parameterStream("lda", vocab, false, false, []uint32{0},
			matrix{"weights", 3, []float32{.8, .1, .1, .1, .8, .1, .3, .3, .4}}),
		"users.pp":         roundStream(wire.Unit_USER, false, 2),
		"fixed.pp":         fixedRounds(),
		"truncated.pp":     roundStream(wire.Unit_DOCUMENT, true, 2),
		"params.pp":        parameterStream("lda", vocab, false, false, []uint32{0, 1}, weights),
		"after-1.pp":       parameterStream("lda", vocab, false, false, []uint32{1}, weights),
		"last.pp":          parameterStream("lda", vocab, false, false, []uint32{2}, weights),
		"start.pp":         parameterStream("lda", vocab, false, false, []uint32{0}, weights),
		"eta.pp":           parametersOf(both, "", "lda", vocab, false, false, []uint32{0}, weights),
		"cut-params.pp":    parameterStream("lda", vocab, false, true, []uint32{0}, weights),
		"model.pp":         parameterStream("lda", vocab, true, false, []uint32{2}, weights, lambda),
		"private-model.pp": privately(parameterStream("lda", vocab, true, false, []uint32{2}, weights, lambda)),
		"exact.pp": parametersOf(append(both, &wire.Scalar{Name: "exact", Value: 2}), "", "lda", vocab, true, false,
			[]uint32{2}, weights, lambda),
		"first.pp":       parameterStream("lda", vocab, true, false, []uint32{1}, weights, lambda),
		"stranger.pp":    parametersOfRun("other", "lda", vocab, true, false, []uint32{3}, weights, lambda),
		"cut-model.pp":   parameterStream("lda", vocab, true, true, []uint32{2}, weights, lambda),
		"no-model.pp":    parameterStream("lda", vocab, true, false, nil, weights, lambda),
		"other-model.pp": parameterStream("lda", other, true, false, []uint32{2}, weights, lambda),
		"words.pp":       parameterStream("words", vocab, true, false, []uint32{1}, frequencies),
		"words-long.pp": parameterStream("words", four, true, false, []uint32{1},
			matrix{"probabilities", 1, []float64{.25, .25, .25, .25}}),

		"rows.pp":       valuedRounds(rows...),
		"held-rows.pp":  encode(valuedDocuments(vocab), false, documentsOf(rows)...),
		"unlabelled.pp": valuedRounds(&wire.Document{Id: "MARKER", WordGaps: []uint32{0}, Values: floats(1)}),
		"trials.pp": valuedRounds(&wire.Document{Id: "MARKER", Label: "1/4", WordGaps: []uint32{0},
			Values: floats(1)}),
		"classes.pp":        valuedRounds(classes(2)...),
		"classes-once.pp":   onceOf(wire.Unit_DOCUMENT, classes(2)...),
		"classes-users.pp":  onceOf(wire.Unit_USER, classes(2)...),
		"classes-long.pp":   valuedRounds(classes(6, 8)...),
		"erm-model.pp":      parameterStream("erm", vocab, true, false, []uint32{1}, mean),
		"responses.pp":      valuedRounds(responses...),
		"held-responses.pp": encode(valuedDocuments(vocab), false, documentsOf(responses)...),
		"linear-model.pp": parametersOf([]*wire.Scalar{{Name: "noise", Value: 0.04}}, "", "linear", vocab, true, false,
			[]uint32{2}, mean,
			matrix{"covariance", 3, []float64{2, 0, 0, 0, 4, 0, 0, 0, 1}}),
		"blr-params.pp": parameterStream("blr", vocab, false, false, []uint32{1}, mean, moments),
		"blr-model.pp":  parameterStream("blr", vocab, true, false, []uint32{2}, mean, moments),
		"sbn-params.pp": parameterStream("sbn", vocab, false, false, []uint32{1}, network(zeros)...),
		"sbn-model.pp":  parameterStream("sbn", vocab, true, false, []uint32{2}, network([]float64{2, -2, 0})...),
		"sbn-huge.pp":   parameterStream("sbn", vocab, false, false, []uint32{1}, network([]float64{0, 2e6, 0})...),
		"dpvi-params.pp": parameterStream("dpvi", vocab, false, false, []uint32{1}, mean,
			matrix{"deviation", 1, []float64{1, 1, 2}}, matrix{"draw", 1, []float64{-1, 2, 1}}),
		"dpvi-no-draw.pp": parameterStream("dpvi", vocab, false, false, []uint32{1}, mean,
			matrix{"deviation", 1, []float64{1, 1, 2}}),
		"dpvi-model.pp": parameterStream("dpvi", vocab, true, false, []uint32{2}, mean,
			matrix{"deviation", 1, []float64{1, 1, 2}}),

		"vector-rounds.pp": valuedRounds(vectors...),
		"vectors.pp":       encode(valuedDocuments(vocab), false, documentsOf(vectors)...),
		"vectors-other.pp": encode(valuedDocuments(other), false, documentsOf(vectors)...),
		"vectors-twice.pp": encode(valuedDocuments(vocab), false, documentsOf(append(vectors[1:], vectors...))...),
		"vectors-zeros.pp": encode(valuedDocuments(vocab), false, documentsOf(
			append([]*wire.Document{{Id: vectors[0].Id, User: vectors[0].User}}, vectors...))...),
		"cluster-params.pp": parameterStream("clusters", vocab, false, false, []uint32{0, 1}, mixture...),
		"cluster-model.pp":  parameterStream("clusters", vocab, true, false, []uint32{2}, mixture...),
		"cluster-other.pp":  parameterStream("clusters", other, true, false, []uint32{2}, mixture...),
		"cluster-exact.pp": parametersOf([]*wire.Scalar{{Name: "exact", Value: 2}}, "", "clusters", vocab, true, false,
			[]uint32{2}, mixture...),
		"cluster-private.pp": privately(parameterStream("clusters", vocab, true, false, []uint32{2}, mixture...)),
	}
}

// mixture has two clusters.
var mixture = []matrix{
	{"weights", 1, []float64{0.75, 0.25}}, {"means", 2, []float64{0.5, 0, -0.5, 0, 0.5, 0}},
	{"variances", 2, []float64{0.25, 0.25, 0.25, 0.25, 0.25, 0.25}},
}

// vectors have a vector for the first document of the corpus. That with the id of the second is another user's. The
// last has no document.
var vectors = []*wire.Document{
	{Id: "MARKER-1", User: "MARKER-user", Label: "a", WordGaps: []uint32{0, 2}, Values: floats(0.6, -0.8)},
	{Id: "MARKER-2", User: "MARKER-other", WordGaps: []uint32{1}, Values: floats(2)},
	{Id: "MARKER-3"},
	{Id: "MARKER-4", WordGaps: []uint32{1}, Values: floats(0.5)},
}

// privately returns a stream of the private side with the records of another.
func privately(b []byte) []byte {
	in, err := stream.NewReader(bytes.NewReader(b), "a model")
	if err != nil {
		panic(err)
	}
	h, err := in.Header()
	var records []*wire.Record
	for err == nil {
		var r *wire.Record
		if r, err = in.Next(); err == nil {
			records = append(records, proto.Clone(r).(*wire.Record))
		}
	}
	if err != io.EOF {
		panic(err)
	}
	h.Side = wire.Side_PRIVATE
	return encode(h, false, records...)
}

// classes returns three rows of class yes and one of class no, which are otherwise equal.
func classes(x ...float32) (all []*wire.Document) {
	for i, label := range []string{"yes", "yes", "yes", "no"} {
		gaps := []uint32{0, 1}[:len(x)]
		all = append(all, &wire.Document{Id: fmt.Sprint("MARKER-", i+1), Label: label, WordGaps: gaps,
			Values: floats(x...)})
	}
	return all
}

// responses are rows whose labels are numbers.
var responses = []*wire.Document{
	{Id: "MARKER-1", Label: "25", WordGaps: []uint32{0, 2}, Values: floats(3, -4)},
	{Id: "MARKER-2", Label: "-1e3", WordGaps: []uint32{1}, Values: floats(2)},
	{Id: "MARKER-3", Label: "12.5"},
}

func valuedDocuments(words vocabulary.Words) *wire.Header {
	h := header(wire.Kind_DOCUMENTS, words)
	h.Values = true
	return h
}

// rows are two rows of the classes 1 and 0, and an empty one. MARKER must not come out on standard error.
var rows = []*wire.Document{
	{Id: "MARKER-1", Label: "1", WordGaps: []uint32{0, 2}, Values: floats(3, -4)},
	{Id: "MARKER-2", Label: "MARKER", WordGaps: []uint32{1}, Values: floats(2)},
	{Id: "MARKER-3", Label: "1"},
}

func floats(x ...float32) []byte { return stream.AppendCells(nil, x) }

func TestScripts(t *testing.T) { script.Run(t, files()) }
