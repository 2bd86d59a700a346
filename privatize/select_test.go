package main

import (
	"bytes"
	"slices"
	"testing"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// termStreams are the streams of the script of select.
func termStreams(t *testing.T) map[string][]byte {
	t.Helper()
	all := []*wire.Terms{
		{Id: "MARKER 1", User: "MARKER ann", Words: []string{"fig", "pear"}},
		{Id: "MARKER 2", User: "MARKER ann", Words: []string{"pear"}},
		{Id: "MARKER 3", User: "MARKER bob", Words: []string{"MARKERlone", "pear"}},
		{Id: "MARKER 4", Words: []string{"kiwi"}},
		{Id: "MARKER 5", Words: []string{"apple", "fig", "grape", "peach"}},
		{Id: "MARKER 6"},
	}
	backwards := slices.Clone(all)
	slices.Reverse(backwards)
	return map[string][]byte{
		"terms.pp":       termStream(t, "", end, all...),
		"shuffled.pp":    termStream(t, "", end, backwards...),
		"first.pp":       termStream(t, "", end, all[:3]...),
		"second.pp":      termStream(t, "", end, all[3:]...),
		"terms-named.pp": termStream(t, "stream-run", end, all...),
		"none.pp":        termStream(t, "", end),
		"terms-cut.pp":   termStream(t, "", (*stream.Writer).Flush, all...),
		"terms-twice.pp": termStream(t, "", end, append(all, all[0])...),
	}
}

func termStream(t *testing.T, run string, finish func(*stream.Writer) error, all ...*wire.Terms) []byte {
	t.Helper()
	var b bytes.Buffer
	h := &wire.Header{Version: wire.Version, Kind: wire.Kind_TERMS, Side: wire.Side_PRIVATE, Run: run}
	w, err := stream.NewWriter(&b, h, compressor(t))
	for _, terms := range all {
		if err == nil {
			err = w.Write(&wire.Record{Body: &wire.Record_Terms{Terms: terms}})
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
