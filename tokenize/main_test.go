package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/wire"
)

func TestMain(m *testing.M) { script.Main(m, map[string]func(){"tokenize": main}) }

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
	var many strings.Builder // some chunks of 1 MiB
	for i := range 8000 {
		word := []string{"apple ", "pear ", "fig ", "none "}[i*i%7%4]
		fmt.Fprintf(&many, `{"id":%d,"text":"%s"}`+"\n", i, strings.Repeat(word, i%61))
	}
	unnamed := regexp.MustCompile(`"id":\d+,`).ReplaceAllString(many.String(), "")
	var users strings.Builder // of u0 to u49, four documents each, one after the other
	for i := range 200 {
		fmt.Fprintf(&users, `{"id":"%x","text":"apple","user":"u%d"}`+"\n", i*i, i/4)
	}
	var wordy strings.Builder // 160,000 different words, more than a record of terms holds
	for i := range 160_000 {
		fmt.Fprintf(&wordy, "%s\n", strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprintf("%08d", i)))
	}
	var poor strings.Builder // 50 known words in 202, and so 0.2475, below the least coverage
	poor.WriteString(`{"id":"known","text":"` + strings.Repeat("apple ", 50) + `"}` + "\n")
	poor.WriteString(`{"id":"MARKER","text":"apfel` + strings.Repeat(" birne", 151) + `"}` + "\n")
	words := &wire.Header{Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE, Vocabulary: make([]byte, 32), VocabularySize: 3}
	other, end := script.Stream(words, &wire.Record{Body: &wire.Record_Document{Document: &wire.Document{
		Id: "MARKER", WordGaps: []uint32{1}, Counts: []uint32{7},
	}}})
	endless := `{"id":"MARKER","text":"` + strings.Repeat("MARKER ", 1<<18) + `"}`
	script.Run(t, map[string][]byte{
		"three.jsonl":        []byte(three),
		"three.jsonl.gz":     zipped.Bytes(),
		"three.jsonl.zst":    packed.Bytes(),
		"cut.jsonl.gz":       zipped.Bytes()[:zipped.Len()-12],
		"cut.jsonl.zst":      packed.Bytes()[:packed.Len()-6],
		"windows.jsonl":      []byte("\uFEFF" + strings.ReplaceAll(three, "\n", "\r\n")),
		"latin1.jsonl":       []byte(`{"id":"1","text":"fine"}` + "\n" + `{"id":"MARKER","text":"MARKER caf` + "\xe9\"}\n"),
		"latin1.txt":         []byte("fine\nMARKER caf\xe9\n"),
		"wordy.txt":          []byte(wordy.String()),
		"wordy.jsonl":        fmt.Appendf(nil, `{"text":%q}`, wordy.String()),
		"wordy-named.jsonl":  fmt.Appendf(nil, `{"id":"w","text":%q}`, wordy.String()),
		"many.jsonl":         []byte(many.String()),
		"unnamed.jsonl":      []byte(unnamed),
		"users.jsonl":        []byte(users.String()),
		"endless.jsonl":      []byte(`{"id":"1","text":"fig"}` + "\n" + endless + "\n" + `{"id":"3","text":"fig"}` + "\n"),
		"long-id.jsonl":      []byte(`{"id":"` + strings.Repeat("MARKER", 200) + `","text":"fig"}`),
		"vocabulary-dog.txt": []byte("dog\ncat\n"),
		"poor.jsonl":         []byte(poor.String()),
		"poor-enough.jsonl":  []byte(strings.Replace(poor.String(), " birne birne", "", 1)), // 50 in 200
		"other.pp":           other,                                                         // without tallies
		"other-cut.pp":       other[:end],
	})
}
