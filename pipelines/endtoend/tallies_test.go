package endtoend

import (
	"strings"
	"testing"
)

// TestTalliesStay checks that what tokenize counts of private text stands only in its own stream.
func TestTalliesStay(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "vocab.txt", "fig\npear\n")
	write(t, folder, "docs.jsonl", `{"id":"x","text":"fig fig plum"}`+"\n"+`{"id":"y","text":"pear"}`+"\n")
	ends := run(t, folder, `
tokenize text --vocab vocab.txt -o docs.pp docs.jsonl
sample --all --rounds 1 -o rounds.pp docs.pp
estep words -o contributions.pp rounds.pp
account ledger new run.ledger
account plan --epsilon 1 --delta 1e-6 --all --ledger run.ledger --model words --matrix words=1xV --vocab vocab.txt -o grant.json
privatize --grant grant.json --ledger run.ledger -o releases.pp contributions.pp
for stream in docs rounds contributions releases; do show --private $stream.pp | tail -n 1; done`)
	lines := strings.Split(ends, "\n")
	if want := `{"end":{"records":2,"tallies":{"empty":0,"known_tokens":3,"skipped":0,"tokens":4}}}`; lines[0] != want {
		t.Errorf("the documents end with %s, want %s", lines[0], want)
	}
	for _, line := range lines[1:4] {
		if !strings.HasPrefix(line, `{"end":{"records":`) || strings.Contains(line, "tallies") {
			t.Errorf("a stream after them ends with %q", line)
		}
	}
}
