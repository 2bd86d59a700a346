package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	_ "privpipe/pipelines/endpoint/kafka" // as program networked links it
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/wire"
	_ "privpipe/tokenize/network"
)

func TestMain(m *testing.M) { script.Main(m, map[string]func(){"tokenize": main}) }

func decoded(t *testing.T, base string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(base)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// utf16 is an ASCII text as some Windows programs write it.
func utf16(text string) []byte {
	b := []byte("\xff\xfe")
	for _, c := range []byte(text) {
		b = append(b, c, 0)
	}
	return b
}

// parquetOf is a Parquet file of the ids and texts of JSON Lines, in several row groups and pages.
func parquetOf(t *testing.T, lines string) []byte {
	t.Helper()
	type row struct {
		ID   int64  `json:"id" parquet:"id"`
		Text string `json:"text" parquet:"text,zstd"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.MaxRowsPerRowGroup(3000), parquet.PageBufferSize(64<<10))
	for line := range strings.Lines(lines) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]row{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// longNames is a Parquet file with a document to take and one with too long an id, user and label each.
func longNames(t *testing.T) []byte {
	t.Helper()
	type row struct {
		ID    string `parquet:"id,dict"`
		Text  string `parquet:"text"`
		User  string `parquet:"user,dict"`
		Label string `parquet:"label,dict"`
	}
	long := strings.Repeat("MARKER", 30_000)
	var b bytes.Buffer
	if err := parquet.Write(&b, []row{{"a", "fig", "u", "l"}, {long, "fig", "", ""}, {"b", "fig", long, ""},
		{"c", "fig", "", long}}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const three = `{"id":"1","text":"Apple pear, APPLE!"}
{"id":2,"text":"Fig","user":"ann","label":"x"}
{"id":"3","text":"nothing MARKER known"}
`

// TestScripts runs the scripts with the files that are awkward to write in one: compressed, not UTF-8, large.
func TestScripts(t *testing.T) {
	var zipped, packed bytes.Buffer
	g := gzip.NewWriter(&zipped)
	g.Write([]byte(three))
	g.Close()
	z, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	z.Write([]byte(three))
	z.Close()
	// By bzip2 1.0.8 and xz 5.4.1: Go's own library has no writer of them.
	const squeezed = "QlpoOTFBWSZTWQL13XsAADzfgAAQcAQ4ECMOUAA27d7KIAB1GeiZo1DTQGjTRoaeoNEjIDIaaaNAB6iEuL4u2saxwzHY6PiackJqjAOtH1YiBkwyAhJUpJ14FEYIyHaUwV7OkQgKSDvx9yrGmTl0XU1jyYcgIDMzWSEovxdyRThQkAL13Xs="
	const tight = "/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4AB+AGNdAD2IiSaBk1OFYmHuwhmh3n9QPT1W8wV9bYoTqk96HSP9WfRhdALKkeznEr9ZORViPYfPYeMjKV5wvsSMqgZS5TClwJB32qev0t5mopaiKTz63DXFfw+NERrTPVocBhktziK7AAAASjbLZ7l3sHoAAX9/v7ybSB+2830BAAAAAARZWg=="
	var many strings.Builder // some chunks of 1 MiB
	for i := range 8000 {
		word := []string{"apple ", "pear ", "fig ", "none "}[i*i%7%4]
		fmt.Fprintf(&many, `{"id":%d,"text":"%s"}`+"\n", i, strings.Repeat(word, i%61))
	}
	// The same as CSV, with a newline in each field of many words.
	table := strings.NewReplacer(`{"id":`, "", `,"text":`, ",", "}\n", "\n", " none ", " none\n").Replace(many.String())
	unnamed := regexp.MustCompile(`"id":\d+,`).ReplaceAllString(many.String(), "")
	var users strings.Builder // of u0 to u49, four documents each, one after the other
	for i := range 200 {
		fmt.Fprintf(&users, `{"id":"%x","text":"apple","user":"u%d"}`+"\n", i*i, i/4)
	}
	var wordy strings.Builder // 160,000 different words, more than a record of terms holds
	for i := range 160_000 {
		fmt.Fprintf(&wordy, "%s\n", strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprintf("%08d", i)))
	}
	var poor strings.Builder // 50 known words in 126, and so 0.3968, below the least coverage
	poor.WriteString(`{"id":"known","text":"` + strings.Repeat("apple ", 50) + `"}` + "\n")
	poor.WriteString(`{"id":"MARKER","text":"apfel` + strings.Repeat(" birne", 75) + `"}` + "\n")
	words := &wire.Header{Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE,
		Vocabulary: make([]byte, 32), VocabularySize: 3}
	none, _ := script.Stream(words)
	other, end := script.Stream(words, &wire.Record{Body: &wire.Record_Document{Document: &wire.Document{
		Id: "MARKER", WordGaps: []uint32{1}, Counts: []uint32{7},
	}}})
	python, err := os.ReadFile("internal/parquet/testdata/pyarrow.parquet")
	if err != nil {
		t.Fatal(err)
	}
	parts := parquetOf(t, many.String())
	torn := bytes.Clone(parts)
	torn[bytes.Index(torn, []byte("\x28\xb5\x2f\xfd"))] = 0 // of a page, in Zstandard
	endless := `{"id":"MARKER","text":"` + strings.Repeat("MARKER ", 1<<18) + `"}`
	files := map[string][]byte{
		"three.jsonl":     []byte(three),
		"three.jsonl.gz":  zipped.Bytes(),
		"three.jsonl.zst": packed.Bytes(),
		"three.jsonl.bz2": decoded(t, squeezed),
		"three.jsonl.xz":  decoded(t, tight),
		"cut.jsonl.gz":    zipped.Bytes()[:zipped.Len()-12],
		"cut.jsonl.bz2":   decoded(t, squeezed)[:100],
		"cut.jsonl.xz":    decoded(t, tight)[:100],
		"utf-16.jsonl":    utf16(three),
		"utf-16.txt":      utf16("fig MARKER"),
		"pdf.txt":         []byte("%PDF-1.7 MARKER"),
		"archive.txt":     []byte("docs/MARKER" + strings.Repeat("\x00", 246) + "ustar\x00"),
		"cut.jsonl.zst":   packed.Bytes()[:packed.Len()-6],
		"windows.jsonl":   []byte("\uFEFF" + strings.ReplaceAll(three, "\n", "\r\n")),
		"latin1.jsonl": []byte(`{"id":"1","text":"fine"}` + "\n" + `{"id":"MARKER","text":"MARKER caf` +
			"\xe9\"}\n"),
		"latin1.txt":        []byte("fine\nMARKER caf\xe9\n"),
		"wordy.txt":         []byte(wordy.String()),
		"wordy.jsonl":       fmt.Appendf(nil, `{"text":%q}`, wordy.String()),
		"wordy-named.jsonl": fmt.Appendf(nil, `{"id":"w","text":%q}`, wordy.String()),
		"many.csv":          []byte("id,text\n" + table),
		"windows.csv": []byte("\uFEFFid,text,user,label\r\na,\"fig, \"\"pear\"\"\r\nfig\",ann,x\r\n" +
			"b,pear,,\r\n"),
		"many.jsonl":         []byte(many.String()),
		"unnamed.jsonl":      []byte(unnamed),
		"users.jsonl":        []byte(users.String()),
		"pyarrow.parquet":    python,
		"many.parquet":       parts,
		"long-names.parquet": longNames(t),
		"cut.parquet":        parts[:len(parts)/2],
		"torn.parquet":       torn,
		"endless.jsonl": []byte(`{"id":"1","text":"fig"}` + "\n" + endless + "\n" + `{"id":"3","text":"fig"}` +
			"\n"),
		"long-id.jsonl":      []byte(`{"id":"` + strings.Repeat("MARKER", 200) + `","text":"fig"}`),
		"vocabulary-dog.txt": []byte("dog\ncat\n"),
		"poor.jsonl":         []byte(poor.String()),
		"poor-enough.jsonl":  []byte(strings.Replace(poor.String(), " birne birne", "", 1)), // 50 in 124
		"other.pp":           other,                                                         // without tallies
		"other-cut.pp":       other[:end],
		"no-documents.pp":    none,
	}
	maps.Copy(files, tables(t))
	maps.Copy(files, vectors(t))
	script.Run(t, files)
}
