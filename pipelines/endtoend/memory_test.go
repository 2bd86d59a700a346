package endtoend

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// twoWords is a vocabulary file.
const twoWords = "a\nb\n"

// hostile writes a file of one small frame: a header and the first record after it, if any.
func hostile(t *testing.T, folder, name string, h *wire.Header, first ...*wire.Record) {
	t.Helper()
	hash := sha256.Sum256([]byte(twoWords))
	h.Version, h.Vocabulary = wire.Version, hash[:]
	if h.VocabularySize == 0 {
		h.VocabularySize = 2
	}
	if h.Side == wire.Side_SIDE_UNSPECIFIED {
		h.Side = wire.Side_PUBLIC
	}
	c, err := stream.NewCompressor(stream.None)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	w, err := stream.NewWriter(&out, h, c)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range first {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 250 {
		t.Errorf("%s has %d bytes: this test is about small inputs", name, out.Len())
	}
	write(t, folder, name, out.String())
}

// TestMemoryOfAnnouncements: an input of some 150 bytes announces much and does not bring it, and no stage takes memory
// for it. Each stage runs with 3 GiB of address space. The address space that Go's runtime reserves without use counts,
// too.
func TestMemoryOfAnnouncements(t *testing.T) {
	folder := t.TempDir()
	huge := func(name string, element wire.Element) []*wire.Matrix {
		return []*wire.Matrix{{Name: name, Rows: 1 << 30, Columns: 2, Element: element}}
	}
	scheme := &wire.Scheme{Method: wire.Scheme_ALL, Rate: 1, Rounds: 1}
	opening := &wire.Record{Round: 1, Body: &wire.Record_RoundOpen{RoundOpen: &wire.RoundOpen{Scheme: scheme}}}
	release := &wire.Record{Round: 1,
		Body: &wire.Record_Release{Release: &wire.Release{Mechanism: "none", Grid: 1, Scheme: scheme}}}
	alpha := &wire.Parameters{Scalars: []*wire.Scalar{{Name: "alpha", Value: 1}}}
	parameters := &wire.Record{Body: &wire.Record_Parameters{Parameters: alpha}}
	words := &wire.Record{Body: &wire.Record_Words{Words: &wire.Words{Words: []string{"a", "b"}}}}
	document := &wire.Record{Body: &wire.Record_Document{Document: &wire.Document{Id: "1", WordGaps: []uint32{1},
		Counts: []uint32{1 << 24}}}}

	write(t, folder, "vocab.txt", twoWords)
	run(t, folder, `account plan --noise-multiplier 1 --all --rounds 1 --model lda --matrix topics=1xV --vocab vocab.txt -o grant.json
		account plan-words --mechanism randomized-response --epsilon 1 --max-words 1 --vocab vocab.txt -o report.json
		account ledger new run.ledger`)
	contributions := &wire.Header{
		Kind: wire.Kind_CONTRIBUTIONS, Side: wire.Side_PRIVATE, Unit: wire.Unit_DOCUMENT, Model: "lda",
		Matrices: huge("topics", wire.Element_FLOAT32),
	}
	hostile(t, folder, "contributions.pp", contributions, opening)
	hostile(t, folder, "sums.pp", &wire.Header{
		Kind: wire.Kind_SUMS, Side: wire.Side_PRIVATE, Unit: wire.Unit_DOCUMENT, Model: "lda",
		Matrices: huge("topics", wire.Element_INT64),
	}, opening)
	symmetric := []*wire.Matrix{{Name: "outer", Rows: 46340, Columns: 46340, Element: wire.Element_FLOAT32,
		Symmetric: true}}
	hostile(t, folder, "symmetric.pp", &wire.Header{
		Kind: wire.Kind_CONTRIBUTIONS, Side: wire.Side_PRIVATE, Unit: wire.Unit_DOCUMENT, Model: "lda",
		Matrices: symmetric,
	}, opening)
	hostile(t, folder, "releases.pp", &wire.Header{
		Kind: wire.Kind_RELEASES, Unit: wire.Unit_DOCUMENT, Model: "lda", Matrices: huge("topics", wire.Element_INT64),
	}, release)
	hostile(t, folder, "words.pp", &wire.Header{
		Kind: wire.Kind_RELEASES, Unit: wire.Unit_DOCUMENT, Model: "words", Matrices: huge("words", wire.Element_INT64),
	}, release)
	hostile(t, folder, "weights.pp", &wire.Header{
		Kind: wire.Kind_PARAMETERS, Model: "lda", Matrices: huge("weights", wire.Element_FLOAT32),
	}, parameters)
	hostile(t, folder, "model.pp", &wire.Header{
		Kind: wire.Kind_PARAMETERS, Model: "lda", Matrices: huge("lambda", wire.Element_FLOAT64),
	}, words, parameters)
	hostile(t, folder, "checkpoint.pp", &wire.Header{
		Kind: wire.Kind_CHECKPOINT, Model: "lda", Matrices: huge("sum", wire.Element_FLOAT64),
	}, parameters)
	hostile(t, folder, "rounds.pp",
		&wire.Header{Kind: wire.Kind_ROUNDS, Side: wire.Side_PRIVATE, Unit: wire.Unit_DOCUMENT}, opening)
	hostile(t, folder, "documents.pp", &wire.Header{
		Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE, VocabularySize: wire.MaxVocabulary,
	}, document)

	const cells = ` 2147483648 cells in all, must be at most 268435456\n\w+: hint: .*--max-cells 2147483648`
	for _, test := range []struct {
		script  string
		code    int
		message string // a regular expression
	}{
		{`privatize none --ledger run.ledger -o out contributions.pp`, 90, cells},
		{`privatize none --ledger run.ledger -o out sums.pp`, 90, cells},
		{`privatize none --ledger run.ledger -o out symmetric.pp`, 90, `1073720970 cells in all`},
		{`privatize combine -o out contributions.pp`, 90, cells},
		{`privatize combine -o out sums.pp`, 90, cells},
		{`privatize combine --grant grant.json -o out contributions.pp`, 83, `other matrices`},
		{`privatize combine --grant grant.json -o out symmetric.pp`, 83, `other matrices`},
		{`privatize --grant grant.json --ledger run.ledger -o out contributions.pp`, 83, `other matrices`},
		{`privatize --grant grant.json --ledger run.ledger -o out sums.pp`, 83, `other matrices`},
		{`privatize randomized-response --grant report.json --ledger run.ledger -o out documents.pp`, 90,
			`vocabulary of 16777216 words`},
		{`estep lda --params weights.pp -o out rounds.pp`, 90, cells},
		{`estep lda --score --model model.pp -o out documents.pp`, 90, cells},
		{`estep lda --infer --model model.pp -o out documents.pp`, 90, cells},
		{`estep words --score --model model.pp -o out documents.pp`, 90, cells},
		{`estep words -o out rounds.pp`, 90, `truncated`},
		{`mstep lda --topics 2 --vocab vocab.txt -o out releases.pp`, 90, `no matrix "topics" of 2 × 2`},
		{`mstep words --vocab vocab.txt -o out words.pp`, 90, `no matrix "words" of 1 × 2`},
		{`mstep lda --topics 2 --vocab vocab.txt --checkpoint checkpoint.pp -o out releases.pp`, 90,
			`checkpoint.pp: .*truncated`},
		{`mstep lda --topics 2 --vocab vocab.txt --word-marginal model.pp -o out releases.pp`,
			90, `model.pp: .*truncated`},
		{`mstep export -o out model.pp`, 90, cells},
		{`evaluate topics -o out model.pp`, 90, cells},
		{`evaluate coherence --reference documents.pp -o out model.pp`, 90, cells},
		{`show -o out model.pp`, 90, `truncated`},
		{`sample --all -o out documents.pp`, 90, `truncated`},
		{`tokenize check documents.pp`, 90, `truncated`},
	} {
		t.Run(test.script, func(t *testing.T) {
			s := bash(folder, "ulimit -v 3145728\n"+test.script)
			s.Run()
			if code := s.ProcessState.ExitCode(); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if message := s.stderr.String(); !regexp.MustCompile(test.message).MatchString(message) {
				t.Errorf("the message %.2000q does not match %q", message, test.message)
			}
			if _, err := os.Stat(filepath.Join(folder, "out")); err == nil {
				t.Error("it left an output")
			}
		})
	}
}
