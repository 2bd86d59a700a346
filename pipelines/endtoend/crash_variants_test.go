package endtoend

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/wire"
)

// A variant is one way to call privatize.
type variant struct {
	name      string
	mechanism string
	rounds    int
	file      bool // the output is a file, else a pipe
	big       bool // releases fill several frames of the output and several writes of their stored file
	parts     bool // the input is a partial sum
	other     bool // units contribute other values than else
	leave     bool // a round may be released again if its sum differs, with --allow-respend
	nameless  bool // coins have no name: a rerun's contributions are not looked at, else their sum is compared
	every     bool // kills come at every system call, else at those on the ledger, the stored releases and the output

	args   []string // of the call, the input at the end
	input  []byte
	end    int                                          // where the input's end record begins
	decode func(output []byte) (map[int]release, error) // what a whole output holds of each round
}

// crashRun is the name of the run in all variants.
const crashRun = "run"

// variants returns the calls of privatize that are to be killed. Their inputs are in a folder of their own.
func variants(t *testing.T) []*variant {
	t.Helper()
	all := []*variant{
		{name: "3 rounds", mechanism: event.Gaussian, rounds: 3},
		{name: "1 round to a file", mechanism: event.Gaussian, rounds: 1, file: true},
		{name: "2 big rounds", mechanism: event.Gaussian, rounds: 2, big: true},
		{name: "2 big rounds to a file", mechanism: event.Gaussian, rounds: 2, big: true, file: true},
		{name: "2 rounds of partial sums", mechanism: event.Gaussian, rounds: 2, parts: true},
		{name: "2 rounds of coins without a name, every call", mechanism: event.Gaussian, rounds: 2, nameless: true,
			every: true},
		{name: "3 rounds, --allow-respend", mechanism: event.Laplace, rounds: 3, leave: true},
		{name: "2 big rounds to a file", mechanism: event.Laplace, rounds: 2, big: true, file: true},
		{name: "a vocabulary", mechanism: event.Select, rounds: 1},
		{name: "a vocabulary to a file", mechanism: event.Select, rounds: 1, file: true},
		{name: "reports", mechanism: event.RandomizedResponse, rounds: 1},
		{name: "many reports to a file", mechanism: event.RandomizedResponse, rounds: 1, big: true, file: true},
		{name: "2 rounds", mechanism: event.None, rounds: 2},
		{name: "2 rounds to a file", mechanism: event.None, rounds: 2, file: true},
	}
	folder := t.TempDir()
	for i, v := range all {
		v.name = v.mechanism + ", " + v.name
		v.prepare(t, folder, i)
	}
	return all
}

// prepare writes grant and input number i to a folder.
func (v *variant) prepare(t *testing.T, folder string, i int) {
	t.Helper()
	v.args = []string{v.mechanism, "--run", crashRun, "--ledger", ledgerName}
	scheme := event.Scheme{Method: event.Poisson, Rate: 0.25, Rounds: v.rounds, Secret: true}
	v.decode = decodeReleases
	switch v.mechanism {
	case event.Select:
		scheme, v.decode = event.Scheme{Method: event.All, Rate: 1, Rounds: 1}, decodeVocabulary
		v.input, v.end = terms()
	case event.RandomizedResponse:
		scheme, v.decode = event.Scheme{Method: event.All, Rate: 1, Rounds: 1}, decodeReports
		v.input, v.end = documents(v.big)
	}
	if v.mechanism != event.None {
		grant, err := json.Marshal(v.grant(scheme))
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("grant%d.json", i)
		write(t, folder, name, string(grant))
		v.args = append(v.args, "--grant", filepath.Join(folder, name))
	}
	if v.input == nil {
		if !v.nameless {
			scheme.Coins = strings.Repeat("c0", 16)
		}
		v.input, v.end = contributions(t, scheme, v)
	}
	input := fmt.Sprintf("input%d.pp", i)
	write(t, folder, input, string(v.input))
	if v.parts {
		run(t, folder, fmt.Sprintf("privatize combine --grant grant%d.json -o parts%d.pp input%d.pp", i, i, i))
		input = fmt.Sprintf("parts%d.pp", i)
	}
	if v.leave {
		v.args = append(v.args, "--allow-respend")
	}
	if v.file {
		v.args = append(v.args, "--output", outputName)
	}
	v.args = append(v.args, filepath.Join(folder, input))
}

func (v *variant) grant(scheme event.Scheme) *event.Grant {
	g := &event.Grant{
		Version: event.GrantVersion, ID: "grant", Mechanism: v.mechanism, Adjacency: event.AddRemove,
		Unit:   event.Document,
		Scheme: scheme, Releases: scheme.Rounds,
	}
	switch v.mechanism {
	case event.RandomizedResponse:
		g.Adjacency, g.Flip, g.MaxWords = event.ReplaceOne, 0.25, 4
		g.Vocabulary, g.VocabularySize = strings.Repeat("0", 64), reportWords
	case event.Select:
		g.Clip, g.NoiseMultiplier, g.MaxWords, g.Threshold = 1, 1, 4, 1
	default:
		g.Clip, g.NoiseMultiplier = 2, 1
		rows, columns := v.shape()
		g.Model, g.Vocabulary, g.VocabularySize = "lda", strings.Repeat("0", 64), columns
		g.Matrices = []event.Matrix{{Name: "topics", Rows: rows, Columns: columns},
			{Name: "documents", Rows: 1, Columns: 1}}
		g.Releases *= 2 // so that it is not the grant that stops a second release
	}
	return g
}

// shape is that of the topics.
func (v *variant) shape() (rows, columns int) {
	if v.big {
		return 40, 1000
	}
	return 2, 3
}

// contributions returns a stream of rounds of three units.
func contributions(t *testing.T, scheme event.Scheme, v *variant) (stream []byte, end int) {
	t.Helper()
	s, err := wire.SchemeOf(scheme)
	if err != nil {
		t.Fatal(err)
	}
	rows, columns := v.shape()
	value := binary.LittleEndian.AppendUint32(nil, math.Float32bits(map[bool]float32{false: 1, true: 2}[v.other]))
	h := &wire.Header{
		Version: wire.Version, Kind: wire.Kind_CONTRIBUTIONS, Side: wire.Side_PRIVATE, Model: "lda",
		Unit:       wire.Unit_DOCUMENT,
		Vocabulary: make([]byte, 32), VocabularySize: uint32(columns), Matrices: []*wire.Matrix{
			{Name: "topics", Rows: uint32(rows), Columns: uint32(columns), Element: wire.Element_FLOAT32},
			{Name: "documents", Rows: 1, Columns: 1, Element: wire.Element_FLOAT32},
		},
	}
	var records []*wire.Record
	for round := range uint32(scheme.Rounds) {
		closing := new(wire.RoundClose)
		opening := &wire.RoundOpen{Scheme: s}
		records = append(records, &wire.Record{Round: round + 1, Body: &wire.Record_RoundOpen{RoundOpen: opening}})
		for _, unit := range []string{"a", "b", "c"} {
			part := &wire.Part{RowGaps: []uint32{0}, ColumnGaps: []uint32{1}, Values: value}
			c := &wire.Contribution{Unit: unit, Parts: []*wire.Part{part}}
			records = append(records, &wire.Record{Round: round + 1, Body: &wire.Record_Contribution{Contribution: c}})
			closing.Records++
			closing.Units++
			closing.UnitDigest += wire.UnitDigest(unit)
		}
		records = append(records, &wire.Record{Round: round + 1, Body: &wire.Record_RoundClose{RoundClose: closing}})
	}
	return script.Stream(h, records...)
}

// terms returns a stream of the words of documents, all of the same four.
func terms() (stream []byte, end int) {
	var records []*wire.Record
	for i := range 20 {
		t := &wire.Terms{Id: fmt.Sprint(i), Words: []string{"fig", "lime", "pear", "plum"}}
		records = append(records, &wire.Record{Body: &wire.Record_Terms{Terms: t}})
	}
	return script.Stream(&wire.Header{Version: wire.Version, Kind: wire.Kind_TERMS, Side: wire.Side_PRIVATE},
		records...)
}

// reportWords is the size of the vocabulary of reports.
const reportWords = 1000

func documents(big bool) (stream []byte, end int) {
	number := 3
	if big {
		number = 1500
	}
	var records []*wire.Record
	for i := range number {
		d := &wire.Document{Id: fmt.Sprint(i), WordGaps: []uint32{uint32(i % 10), 1, 2}, Counts: []uint32{1, 2, 3}}
		records = append(records, &wire.Record{Body: &wire.Record_Document{Document: d}})
	}
	return script.Stream(&wire.Header{
		Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE, Vocabulary: make([]byte, 32),
		VocabularySize: reportWords,
	}, records...)
}
