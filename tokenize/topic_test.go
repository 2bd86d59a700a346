package main

import (
	"encoding/json"
	"os/exec"
	"strconv"
	"testing"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/testkit/broker"
	"privpipe/pipelines/wire"
	"privpipe/tokenize/internal/bag"
	"privpipe/tokenize/streams"
)

// TestCheckTopic checks documents in the partitions of a topic, each with an end of its own.
func TestCheckTopic(t *testing.T) {
	fake := broker.Fake(t, map[string]int{"docs.private": 3})
	topic := "kafka://" + fake.Address + "/docs.private"
	h := &wire.Header{Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PRIVATE,
		Vocabulary: make([]byte, 32), VocabularySize: 2}
	outs, err := endpoint.CreateStreams(t.Context(), topic, h, "none")
	if err != nil {
		t.Fatal(err)
	}
	for i, out := range outs {
		for j := range i + 1 {
			d := &wire.Document{Id: strconv.Itoa(10*i + j), User: "MARKER" + strconv.Itoa(j), WordGaps: []uint32{1},
				Counts: []uint32{2}}
			if err := out.Write(&wire.Record{Body: &wire.Record_Document{Document: d}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Commit(streams.Coverage(bag.Words{All: 10, Known: 2 * uint64(i+1)})...); err != nil {
			t.Fatal(err)
		}
	}
	printed, err := exec.Command("tokenize", "check", "--min-documents", "3", "--min-coverage", "0.4", "--unit", "user",
		"--json", topic).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	var got struct {
		Documents, Users uint64
		Most             uint64 `json:"most_documents_of_user"`
		Coverage         float64
	}
	if err := json.Unmarshal(printed, &got); err != nil {
		t.Fatal(err)
	}
	if got.Documents != 6 || got.Users != 3 || got.Most != 3 || got.Coverage != 0.4 {
		t.Errorf("got %+v, want 6 documents of 3 users, 3 of one, and 12 of 30 words", got)
	}
}
