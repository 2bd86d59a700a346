package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"testing"

	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

func TestMain(m *testing.M) { script.Main(m, map[string]func(){"privatize": main}) }

// TestScripts runs the scripts with streams of contributions beside them. Every unit's name has MARKER in it, which no
// message may quote.
func TestScripts(t *testing.T) {
	whole := rounds(nil, 1, 2, 3)
	// Frames end at a round's close: the first one alone is a whole round, but no whole stream.
	first := len(rounds(nil, 1).stream(t, func(w *stream.Writer) error { return w.Flush() }))
	second := len(rounds(nil, 1, 2).stream(t, func(w *stream.Writer) error { return w.Flush() }))
	entire := whole.stream(t, end)
	files := map[string][]byte{
		"good.pp":         entire,
		"cut-in-frame.pp": entire[:second-9],
		"cut-at-frame.pp": entire[:first],
		"two-of-three.pp": entire[:second],
		"no-rounds.pp":    rounds(nil).stream(t, end),
		"named.pp.in":     rounds(func(s *source) { s.header.Run = "stream-run" }, 1).stream(t, end),
		"bad-name.pp":     rounds(func(s *source) { s.header.Run = "../run" }, 1).stream(t, end),
		"empty-round.pp":  rounds(func(s *source) { s.units = nil }, 1).stream(t, end),
		"empty-rounds.pp": rounds(func(s *source) { s.units = nil }, 1, 2, 3).stream(t, end),
		"large.pp":        rounds(func(s *source) { s.value = 1e30 }, 1, 2, 3).stream(t, end),
		"seeded.pp":       rounds(func(s *source) { s.scheme.Secret = false }, 1).stream(t, end),
		"other-rate.pp":   rounds(func(s *source) { s.scheme.Rate = 0.125 }, 1).stream(t, end),
		"other-words.pp":  rounds(func(s *source) { s.header.Vocabulary[0]++ }, 1).stream(t, end),
		"user.pp":         rounds(func(s *source) { s.header.Unit = wire.Unit_USER }, 1).stream(t, end),
		"user-records.pp": rounds(severalRecords, 1, 2, 3).stream(t, end),
		"same-record.pp":  rounds(func(s *source) { severalRecords(s); s.sameRecord = true }, 1).stream(t, end),
		"a.pp":            rounds(func(s *source) { s.units = s.units[:1] }, 1, 2, 3).stream(t, end),
		"b.pp":            rounds(func(s *source) { s.units = s.units[1:2] }, 1, 2, 3).stream(t, end),
		"c.pp":            rounds(func(s *source) { s.units = s.units[2:] }, 1, 2, 3).stream(t, end),
		"settled-a.pp":    rounds(settled(1, 0), 1, 2, 3).stream(t, end),
		"settled-b.pp":    rounds(settled(1, 1), 1, 2, 3).stream(t, end),
		"settled-c.pp":    rounds(settled(1, 2), 1, 2, 3).stream(t, end),
		"otherwise-c.pp":  rounds(settled(2, 2), 1, 2, 3).stream(t, end),
		"later-c.pp":      rounds(settled(2, 2), 4).stream(t, end),
		"c-short.pp":      rounds(func(s *source) { s.units = s.units[2:] }, 1, 2).stream(t, end),
		"coins.pp":        rounds(func(s *source) { s.scheme.Coins = throw }, 1, 2, 3).stream(t, end),
		"coins-less.pp": rounds(func(s *source) { s.scheme.Coins = throw; s.units = s.units[1:] }, 1).
			stream(t, end),
		"coins-one.pp": rounds(func(s *source) { s.scheme.Coins = throw }, 1).stream(t, end),
		"victim.pp": rounds(func(s *source) { s.header.Model = "MARKER had cancer; n=48213 docs" }, 1).
			stream(t, end),
		"victim-coins.pp": rounds(func(s *source) { s.scheme.Coins = "MARKER had cancer" }, 1).stream(t, end),
		"more-words.pp":   rounds(func(s *source) { s.header.VocabularySize = 48213 }, 1).stream(t, end),
		"other-matrix.pp": rounds(func(s *source) { s.header.Matrices[0].Name = "MARKER" }, 1).stream(t, end),
		"window.pp":       rounds(windows(throw), 1).stream(t, end),
		"windows.pp":      rounds(windows(throw), 1, 2, 3).stream(t, end),
		"new-state.pp":    rounds(windows(other), 1, 2, 3).stream(t, end),
		"symmetric.pp":    rounds(symmetric, 1).stream(t, end),
		"in-parts.pp":     rounds(func(s *source) { s.parts = true }, 1).stream(t, end),
		"twice.pp":        rounds(func(s *source) { s.units = append(s.units, s.units[0]) }, 1).stream(t, end),
		"changed.pp": rounds(func(s *source) { s.units = append(s.units, s.units[0]); s.changed = true }, 1).
			stream(t, end),
		"changed-record.pp": rounds(func(s *source) { severalRecords(s); s.sameRecord, s.changed = true, true }, 1).
			stream(t, end),
		"missing.pp":        rounds(func(s *source) { s.missing = "MARKER d" }, 1).stream(t, end),
		"other-unit.pp":     rounds(func(s *source) { s.digest++ }, 1).stream(t, end),
		"nan.pp":            rounds(func(s *source) { s.value = float32(math.NaN()) }, 1).unchecked(t),
		"infinite.pp":       rounds(func(s *source) { s.value = float32(math.Inf(-1)) }, 1).unchecked(t),
		"second-missing.pp": twoRounds(t),
		"documents.pp": (&source{header: &wire.Header{
			Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE, VocabularySize: 3,
		}}).stream(t, end),
	}
	public := func(s *source) { s.header.Side = wire.Side_PUBLIC }
	for i, name := range []string{"public-a.pp", "public-b.pp", "public-c.pp"} {
		files[name] = rounds(func(s *source) { public(s); s.units = s.units[i : i+1] }, 1, 2, 3).stream(t, end)
	}
	files["public.pp"] = rounds(public, 1, 2, 3).stream(t, end)
	files["coupled.pp"] = rounds(func(s *source) { s.coupled = true }, 1, 2, 3).stream(t, end)
	files["factored.pp"] = rounds(func(s *source) { s.factored = true }, 1, 2, 3).stream(t, end)
	files["factored-b.pp"] = rounds(func(s *source) { s.factored = true; s.units = s.units[1:2] }, 1, 2, 3).
		stream(t, end)
	files["old.pp"] = rounds(func(s *source) { s.header.Version = 1 }, 1, 2, 3).stream(t, end)
	files["old-c.pp"] = rounds(func(s *source) { s.header.Version = 1; s.units = s.units[2:] }, 1, 2, 3).stream(t, end)
	words := func(s *source) { s.scheme, s.draws = &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 3}, 0.5 }
	files["words.pp"] = rounds(words, 1, 2, 3).stream(t, end)
	files["half-words.pp"] = rounds(func(s *source) { words(s); s.value = 2.5 }, 1, 2, 3).stream(t, end)
	files["other-draws.pp"] = rounds(func(s *source) { words(s); s.draws = 1 }, 1, 2, 3).stream(t, end)
	files["state.pp"] = rounds(func(s *source) { s.header.Kind = wire.Kind_STATE }, 1).stream(t, end)
	files["second-words.pp"] = rounds(words, 2, 3).stream(t, end)
	files["first-words.pp"] = rounds(words, 1).stream(t, end)
	still := func(s *source) { words(s); s.draws = 0 }
	files["still-words.pp"] = rounds(still, 1, 2, 3).stream(t, end)
	files["old-words.pp"] = rounds(func(s *source) { still(s); s.header.Version, s.units = 1, s.units[:1] }, 1, 2, 3).
		stream(t, end)
	maps.Copy(files, documentStreams())
	maps.Copy(files, termStreams(t))
	script.Run(t, files)
}

// A source is a stream of contributions to be, with all its rounds alike.
type source struct {
	header  *wire.Header
	scheme  *wire.Scheme
	rounds  []uint32
	units   []string
	copies  int     // records of each unit, 0 for units without
	parts   bool    // each contribution comes in two records
	value   float32 // of the last unit's last cell
	missing string  // a unit that is announced in place of the first
	digest  uint64  // what the digest of the units is off by

	draws    float64 // that each round states
	coupled  bool
	factored bool // parts are factored

	sameRecord bool // all records of a unit have one name
	changed    bool // what comes again under a name has another value
}

// rounds returns a source of rounds of three units, poisson(0.25) × 3, of one matrix of 2 × 3 cells, changed by change.
func rounds(change func(*source), numbers ...uint32) *source {
	s := &source{
		header: &wire.Header{
			Version: wire.Version, Kind: wire.Kind_CONTRIBUTIONS, Side: wire.Side_PRIVATE, Model: "lda",
			Unit: wire.Unit_DOCUMENT, Vocabulary: make([]byte, 32), VocabularySize: 3,
			Matrices: []*wire.Matrix{{Name: "topics", Rows: 2, Columns: 3, Element: wire.Element_FLOAT32}},
		},
		scheme: &wire.Scheme{Method: wire.Scheme_POISSON, Rate: 0.25, Rounds: 3, Secret: true},
		rounds: numbers,
		units:  []string{"MARKER a", "MARKER b", "MARKER c"},
		value:  4,
	}
	if change != nil {
		change(s)
	}
	return s
}

// settled makes the contributions those of one unit, made under settings of a hash.
func settled(hash byte, unit int) func(*source) {
	return func(s *source) {
		s.header.Settings, s.units = bytes.Repeat([]byte{hash}, 32), s.units[unit:unit+1]
	}
}

// severalRecords makes a unit a user, of whom two documents contribute.
func severalRecords(s *source) { s.header.Unit, s.copies = wire.Unit_USER, 2 }

// windows makes the rounds windows of time by the state of a name.
func windows(state string) func(*source) {
	return func(s *source) {
		s.scheme = &wire.Scheme{Method: wire.Scheme_EPOCH, Rate: 1. / 3, Rounds: 3, Coins: state}
	}
}

// symmetric makes the matrix one of 3 × 3, of which the upper triangle has cells.
func symmetric(s *source) {
	s.header.Matrices[0].Rows, s.header.Matrices[0].Symmetric = 3, true
}

// records are the records of a round: each unit has 1 in the first cell and value in the last.
func (s *source) records(round uint32) []*wire.Record {
	records := []*wire.Record{{Round: round, Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{
		Scheme: s.scheme, Draws: s.draws, Coupled: s.coupled,
	}}}}
	roundClose := &wire.RoundClose{}
	distinct := make(map[string]bool)
	for _, unit := range s.units {
		for i := range max(1, s.copies) {
			record, value := "", s.value
			if s.changed && (i > 0 || distinct[unit]) {
				value++
			}
			if s.copies > 0 {
				record = fmt.Sprintf("MARKER document %d", i)
			}
			if s.sameRecord {
				record = "MARKER document"
			}
			parts := []*wire.Part{
				{RowGaps: []uint32{0}, ColumnGaps: []uint32{0}, Values: floats(1)},
				{RowGaps: []uint32{1}, ColumnGaps: []uint32{2}, Values: floats(value)},
			}
			if s.factored {
				for _, p := range parts {
					p.Factored, p.Values = true, append(p.Values, floats(1)...)
				}
			}
			contributions := []*wire.Contribution{{Unit: unit, Record: record, Parts: parts}}
			if s.parts {
				contributions = []*wire.Contribution{
					{Unit: unit, Record: record, Parts: parts[:1], More: true},
					{Unit: unit, Record: record, Parts: parts[1:]},
				}
			}
			for _, c := range contributions {
				records = append(records, &wire.Record{Round: round, Body: &wire.Record_Contribution{Contribution: c}})
			}
			roundClose.Records++
		}
		if !distinct[unit] {
			distinct[unit] = true
			roundClose.Units++
			roundClose.UnitDigest += wire.UnitDigest(unit)
		}
	}
	if s.missing != "" {
		roundClose.UnitDigest += wire.UnitDigest(s.missing) - wire.UnitDigest(s.units[0])
	}
	roundClose.UnitDigest += s.digest
	return append(records, &wire.Record{Round: round, Body: &wire.Record_RoundClose{RoundClose: roundClose}})
}

func floats(v float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)) }

func end(w *stream.Writer) error { return w.Close() }

// stream returns the stream, a frame a round, finished by finish.
func (s *source) stream(t *testing.T, finish func(*stream.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := stream.NewWriter(&b, s.header, compressor(t))
	for _, round := range s.rounds {
		for _, r := range s.records(round) {
			if err == nil {
				err = w.Write(r)
			}
		}
		if err == nil {
			err = w.Flush()
		}
	}
	if err == nil {
		err = finish(w)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unchecked returns a frame of records that a writer would refuse.
func (s *source) unchecked(t *testing.T) []byte {
	t.Helper()
	content, err := wire.Append(nil, &wire.Record{Body: &wire.Record_Header{Header: s.header}})
	for _, round := range s.rounds {
		for _, r := range s.records(round) {
			if err == nil {
				content, err = wire.Append(content, r)
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return compressor(t).AppendFrame(nil, content)
}

// twoRounds returns a stream with a whole round, and a second that lacks a unit.
func twoRounds(t *testing.T) []byte {
	t.Helper()
	good, bad := rounds(nil, 1), rounds(func(s *source) { s.missing = "MARKER d" }, 2)
	var b bytes.Buffer
	w, err := stream.NewWriter(&b, good.header, compressor(t))
	for _, r := range append(good.records(1), bad.records(2)...) {
		if err == nil {
			err = w.Write(r)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func compressor(t *testing.T) *stream.Compressor {
	t.Helper()
	c, err := stream.NewCompressor(stream.None)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The names of two throws of coins, and of two states of windows.
const (
	throw = "0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"
	other = "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"
)
