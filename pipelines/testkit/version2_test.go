package testkit

import (
	"math"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// second returns a header as version 2 has it.
func second(h *wire.Header) *wire.Header { h.Version = 2; return h }

// ofValues returns a header of documents that have values.
func ofValues(h *wire.Header) *wire.Header { h.Values = true; return h }

func predictions() *wire.Header {
	return &wire.Header{
		Version: 2, Kind: wire.Kind_PREDICTIONS, Side: wire.Side_PRIVATE, Vocabulary: make([]byte, 32),
		VocabularySize: 3,
	}
}

func scores() *wire.Header {
	return &wire.Header{Version: 2, Kind: wire.Kind_SCORES, Side: wire.Side_PRIVATE}
}

// realDocument has words 3 and 7, if it has two values.
func realDocument(values ...float32) []byte {
	d := &wire.Document{Id: "a", Label: "yes", WordGaps: []uint32{3, 4}, Values: stream.AppendCells(nil, values)}
	return encoded(&wire.Record{Body: &wire.Record_Document{Document: d}})
}

// stating is the beginning of a round that states what its contributions are.
func stating(round uint32, draws float64, coupled bool) []byte {
	o := &wire.RoundOpen{Scheme: scheme(), Draws: draws, Coupled: coupled}
	return encoded(&wire.Record{Round: round, Body: &wire.Record_RoundOpen{RoundOpen: o}})
}

// factored is a part of some rows and columns with as many values.
func factored(rows, columns []uint32, values ...float32) *wire.Part {
	return &wire.Part{RowGaps: rows, ColumnGaps: columns, Values: stream.AppendCells(nil, values), Factored: true}
}

// allocated is a scheme of an allocation over rounds of so many epochs.
func allocated(rounds, epochs uint32) *wire.Scheme {
	return &wire.Scheme{Method: wire.Scheme_ALLOCATE, Rate: float64(epochs) / float64(rounds), Rounds: rounds,
		Epochs: epochs, Secret: true}
}

func score(round uint32, plugIn float64) []byte {
	s := &wire.Score{Id: "a", Tokens: 4, Bound: -20, Unigram: -24, CompletionTokens: 2, Completion: -9,
		CompletionUnigram: -12, PlugIn: plugIn}
	return encoded(&wire.Record{Round: round, Body: &wire.Record_Score{Score: s}})
}

func prediction(round uint32, truth []uint32, probabilities ...float32) []byte {
	p := &wire.Prediction{Id: "a", Label: "yes", Probabilities: stream.AppendCells(nil, probabilities),
		TruthGaps: truth}
	return encoded(&wire.Record{Round: round, Body: &wire.Record_Prediction{Prediction: p}})
}

// kept makes a header of contributions one of a state.
func kept(h *wire.Header) *wire.Header {
	h.Version, h.Kind = 2, wire.Kind_STATE
	return h
}

func stateOf(h *wire.Header, records ...[]byte) []byte { return newBuilder(h).add(records...).whole() }

// vectors2 are of what version 2 has beyond version 1, and of streams of version 1 that have it all the same.
func vectors2() []Vector {
	two, nan := []uint32{3, 4}, float32(math.NaN())
	realStream := func(record []byte) []byte { return newBuilder(ofValues(second(documents()))).add(record).whole() }
	answered := func(h *wire.Header, parts ...*wire.Part) []byte {
		return newBuilder(h).add(open(1), contribution(1, false, parts...), closing(1, "a")).whole()
	}
	parts := func(parts ...*wire.Part) []byte { return answered(second(contributions()), parts...) }
	square := func(parts ...*wire.Part) []byte { return answered(symmetric(second(contributions())), parts...) }
	opened := func(h *wire.Header, open []byte) []byte { return newBuilder(h).add(open, closing(1)).whole() }
	predicted := func(records ...[]byte) []byte { return newBuilder(predictions()).add(records...).whole() }
	byScheme := func(h *wire.Header, s *wire.Scheme) []byte { return opened(h, openBy(1, s)) }
	another := func(change func(*wire.Scheme)) *wire.Scheme { s := allocated(8, 4); change(s); return s }
	columns := words("x", "y", "z")
	first := func(h *wire.Header) *wire.Header { h.Version = 1; return h }

	return []Vector{
		{Name: "version-2.pp", Records: 2, Stream: newBuilder(second(documents())).add(a, b).whole()},
		{Name: "real-documents.pp", Records: 1, Stream: realStream(realDocument(-0.5, 1<<20))},
		{Name: "real-rounds.pp", Records: 3,
			Stream: newBuilder(ofValues(second(rounds()))).
				add(open(1), inRound(1, realDocument(1, 2)), closing(1, "a")).whole()},
		{Name: "factored.pp", Records: 3,
			Stream: parts(factored([]uint32{0}, two, 2, 3, -0.5), factored([]uint32{1}, two, 0, 1, 1))},
		{Name: "factored-all.pp", Records: 3,
			Stream: answered(symmetric(second(contributions())), factored(nil, nil, 1, 2, 3, 4, 5, 6),
				withMatrix(1, part([]float32{1}, 1)))},
		{Name: "factored-symmetric.pp", Records: 3,
			Stream: square(factored([]uint32{0, 2}, []uint32{0, 2}, 1, 2, 3, 4))},
		{Name: "stated-rounds.pp", Records: 4,
			Stream: newBuilder(second(contributions())).
				add(stating(1, 0.5, false), closing(1), stating(2, 0, true), closing(2)).whole()},
		{Name: "stated-sums.pp", Records: 4,
			Stream: newBuilder(second(sums())).
				add(stating(1, 10, true), sum(1), block(1, 0, 1, 2, 3, 4, 5, 6), closing(1)).whole()},
		{Name: "epochs.pp", Records: 4, Stream: newBuilder(second(rounds())).
			add(openBy(3, allocated(8, 4)), closing(3), openBy(8, allocated(8, 4)), closing(8)).whole()},
		{Name: "epochs-of-one-round.pp", Records: 2, Stream: byScheme(second(rounds()), allocated(8, 8))},
		{Name: "public-contributions.pp", Records: 2,
			Stream: opened(with(second(contributions()), func(h *wire.Header) { h.Side = wire.Side_PUBLIC }), open(1))},
		{Name: "scores.pp", Records: 1, Stream: newBuilder(first(scores())).add(score(0, 0)).whole()},
		{Name: "scores-of-rounds.pp", Records: 4,
			Stream: newBuilder(scores()).add(score(0, -21), score(0, 0), score(2, -20), score(2, -19)).whole()},
		{Name: "scores-of-a-model.pp", Records: 2,
			Stream: newBuilder(settled(scores(), 32)).add(score(2, -20), score(7, 0)).whole()},
		{Name: "predictions.pp", Records: 3,
			Stream: predicted(columns, prediction(0, nil, 0, 0.25, 1), prediction(0, []uint32{0, 2}, 1, 0, 0))},
		{Name: "state.pp", Records: 3, Stream: stateOf(settled(kept(contributions()), 32), open(3),
			contribution(3, false, factored([]uint32{0}, two, 2, 3, -0.5)), closing(3, "a"))},
		{Name: "state-symmetric.pp", Records: 2,
			Stream: stateOf(kept(symmetric(contributions())), stating(1, 0.5, false), closing(1))},
		{Name: "predictions-of-a-model.pp", Records: 2,
			Stream: newBuilder(settled(predictions(), 32)).add(columns, prediction(0, nil, 1, 0, 0)).whole()},
		{Name: "predictions-of-rounds.pp", Records: 3,
			Stream: predicted(columns, prediction(1, nil, 0, 0, 0), prediction(7, nil, 1, 1, 1))},

		{Name: "1-values.pp", Rule: "values of documents in version 1", Section: "2",
			Stream: newBuilder(ofValues(documents())).whole()},
		{Name: "1-document-values.pp", Rule: "values of a document in version 1", Section: "2",
			Stream: newBuilder(documents()).add(realDocument(1, 2)).whole()},
		{Name: "1-factored.pp", Rule: "factored part in version 1", Section: "2",
			Stream: answered(contributions(), factored([]uint32{0}, two, 1, 1, 1))},
		{Name: "1-draws.pp", Rule: "draws in version 1", Section: "2",
			Stream: opened(contributions(), stating(1, 0.5, false))},
		{Name: "1-coupled.pp", Rule: "coupled round in version 1", Section: "2",
			Stream: opened(contributions(), stating(1, 0, true))},
		{Name: "1-plug-in.pp", Rule: "plug-in score in version 1", Section: "2",
			Stream: newBuilder(first(scores())).add(score(0, -21)).whole()},
		{Name: "1-score-of-a-round.pp", Rule: "score of a round in version 1", Section: "2",
			Stream: newBuilder(first(scores())).add(score(1, 0)).whole()},
		{Name: "1-scores-of-a-model.pp", Rule: "settings of scores in version 1", Section: "2",
			Stream: newBuilder(settled(first(scores()), 32)).add(score(0, 0)).whole()},
		{Name: "1-predictions.pp", Rule: "predictions in version 1", Section: "2",
			Stream: newBuilder(first(predictions())).whole()},
		{Name: "1-state.pp", Rule: "state in version 1", Section: "2",
			Stream: stateOf(first(kept(contributions())), open(1), closing(1))},
		{Name: "1-epochs.pp", Rule: "epochs of a scheme in version 1", Section: "2",
			Stream: byScheme(rounds(), allocated(8, 4))},
		{Name: "1-epochs-of-a-release.pp", Rule: "epochs of a release's scheme in version 1", Section: "2",
			Stream: newBuilder(releases()).add(
				release(1, func(r *wire.Release) { r.Scheme = allocated(8, 4) }),
				block(1, 0, 1, 2, 3, 4, 5, 6)).whole()},
		{Name: "state-of-two-rounds.pp", Rule: "state of two rounds", Section: "3",
			Stream: stateOf(kept(contributions()), open(1), closing(1), open(2), closing(2))},
		{Name: "state-of-no-round.pp", Rule: "state of no round", Section: "3", Stream: stateOf(kept(contributions()))},
		{Name: "state-unit.pp", Rule: "state without a privacy unit", Section: "2.1",
			Stream: stateOf(with(kept(contributions()), func(h *wire.Header) { h.Unit = 0 }), open(1), closing(1))},
		{Name: "state-element.pp", Rule: "state of other elements than FLOAT32", Section: "2.1",
			Stream: stateOf(with(kept(contributions()),
				func(h *wire.Header) { h.Matrices[0].Element = wire.Element_FLOAT64 }), open(1), closing(1))},

		{Name: "real-contributions.pp", Rule: "values in a kind without documents", Section: "2.1",
			Stream: newBuilder(ofValues(second(contributions()))).whole()},
		{Name: "real-counts.pp", Rule: "counts in a stream of values", Section: "3.1",
			Stream: realStream(document("a", two, []uint32{1, 2}))},
		{Name: "real-unannounced.pp", Rule: "values in a stream of counts", Section: "3.1",
			Stream: newBuilder(second(documents())).add(realDocument(1, 2)).whole()},
		{Name: "real-both.pp", Rule: "values beside counts", Section: "3.1",
			Stream: newBuilder(second(documents())).add(
				encoded(&wire.Record{Body: &wire.Record_Document{Document: &wire.Document{Id: "a", WordGaps: two,
					Counts: two, Values: make([]byte, 8)}}})).whole()},
		{Name: "real-size.pp", Rule: "not one value for each word", Section: "3.1",
			Stream: realStream(realDocument(1))},
		{Name: "real-0.pp", Rule: "value of 0", Section: "3.1",
			Stream: realStream(realDocument(1, float32(math.Copysign(0, -1))))},
		{Name: "real-nan.pp", Rule: "NaN in a document", Section: "3.1", Stream: realStream(realDocument(nan, 1))},
		{Name: "factored-size.pp", Rule: "a value for each cell of a factored part", Section: "3.3",
			Stream: parts(factored([]uint32{0, 1}, []uint32{3, 4, 1}, 1, 2, 3, 4, 5, 6))},
		{Name: "factored-nan.pp", Rule: "infinity in a factored part", Section: "3.3",
			Stream: parts(factored([]uint32{0}, two, float32(math.Inf(1)), 0, 0))},
		{Name: "factored-overlap.pp", Rule: "factored parts share a row", Section: "3.3",
			Stream: parts(factored([]uint32{0, 1}, two, 1, 1, 1, 1), factored([]uint32{1}, []uint32{9}, 1, 1))},
		{Name: "factored-symmetric-overlap.pp", Rule: "factored parts of a symmetric matrix share a row",
			Section: "3.3", Stream: square(factored([]uint32{0, 2}, []uint32{0, 2}, 1, 2, 3, 4),
				factored([]uint32{1}, []uint32{1}, 1, 1))},
		{Name: "factored-no-square.pp", Rule: "factored part of a symmetric matrix has other rows than columns",
			Section: "3.3", Stream: square(factored([]uint32{0, 1}, []uint32{1, 1}, 1, 2, 3, 4))},
		{Name: "draws-of-documents.pp", Rule: "draws in rounds of documents", Section: "3.2",
			Stream: opened(second(rounds()), stating(1, 0.5, false))},
		{Name: "coupled-documents.pp", Rule: "coupled round of documents", Section: "3.2",
			Stream: opened(second(rounds()), stating(1, 0, true))},
		{Name: "draws-negative.pp", Rule: "negative loss of draws", Section: "3.2",
			Stream: opened(second(contributions()), stating(1, -1, false))},
		{Name: "draws-infinite.pp", Rule: "infinite loss of draws", Section: "3.2",
			Stream: opened(second(contributions()), stating(1, math.Inf(1), false))},
		{Name: "epochs-1.pp", Rule: "one epoch, which is stated as 0", Section: "3.2",
			Stream: byScheme(second(rounds()), allocated(8, 1))},
		{Name: "epochs-remainder.pp", Rule: "epochs that do not divide the rounds", Section: "3.2",
			Stream: byScheme(second(rounds()), allocated(8, 3))},
		{Name: "epochs-method.pp", Rule: "epochs of another method than ALLOCATE", Section: "3.2",
			Stream: byScheme(second(rounds()), another(func(s *wire.Scheme) { s.Method = wire.Scheme_EPOCH }))},
		{Name: "epochs-rate.pp", Rule: "rate that is not one over the rounds of an epoch", Section: "3.2",
			Stream: byScheme(second(rounds()), another(func(s *wire.Scheme) { s.Rate = 1. / 8 }))},
		{Name: "scores-back.pp", Rule: "rounds of scores go back", Section: "3.5",
			Stream: newBuilder(scores()).add(score(2, 0), score(1, 0)).whole()},
		{Name: "plug-in.pp", Rule: "plug-in score that is not finite", Section: "3.5",
			Stream: newBuilder(scores()).add(score(0, math.Inf(-1))).whole()},
		{Name: "predictions-unnamed.pp", Rule: "predictions before the names of all columns", Section: "3.8",
			Stream: predicted(words("x", "y"), prediction(0, nil, 1, 1, 1))},
		{Name: "predictions-renamed.pp", Rule: "words after a prediction", Section: "3",
			Stream: predicted(columns, prediction(0, nil, 1, 1, 1), words("x"))},
		{Name: "predictions-size.pp", Rule: "not one probability for each column", Section: "3.8",
			Stream: predicted(columns, prediction(0, nil, 1, 1))},
		{Name: "predictions-above.pp", Rule: "probability above 1", Section: "3.8",
			Stream: predicted(columns, prediction(0, nil, 1, 1.5, 1))},
		{Name: "predictions-nan.pp", Rule: "probability that is not a number", Section: "3.8",
			Stream: predicted(columns, prediction(0, nil, 1, nan, 1))},
		{Name: "predictions-truth.pp", Rule: "true column beyond the columns", Section: "3.8",
			Stream: predicted(columns, prediction(0, []uint32{1, 2}, 1, 1, 1))},
		{Name: "predictions-back.pp", Rule: "rounds of predictions go back", Section: "3.8",
			Stream: predicted(columns, prediction(2, nil, 1, 1, 1), prediction(0, nil, 1, 1, 1))},
	}
}
