package endtoend

import (
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// TestMendedText: a text with an id twice stops lda.sh before any charge. Only sample says why, without the id. The
// same folder goes on with the mended text, also with another ledger. The folder's documents are then the mended text's
// documents. If a mended text names users, lda.sh asks for the budget's --unit. Once there is a charge, the folder
// refuses another text.
func TestMendedText(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	run(t, folder, "account ledger new other.ledger")
	ledgers := []struct{ out, ledger string }{{"other", " --ledger other.ledger"}, {"out", ""}}
	for _, of := range ledgers[:testkit.Repeats(t, "operations", 1, len(ledgers))] {
		out, ledger := of.out, of.ledger
		recipe := filepath.Join(root, "pipelines/recipes/lda.sh") +
			" --force --public none --topics 2 --rounds 2 text.jsonl " + out
		write := `printf '{"id":"%s","text":"printer network"}\n' MARKER-1 MARKER-2 `
		run(t, folder, write+"MARKER-1 >text.jsonl")
		said := ends(t, folder, recipe, 90, "sample: error: a document id occurs twice\n")
		if strings.Contains(said, "MARKER") || strings.Count(said, "error:") != 1 {
			t.Errorf("an id, or another error: %s", said)
		}
		run(t, folder, `printf '{"id":"%s","text":"printer","user":"u"}\n' MARKER-5 MARKER-6 >text.jsonl`)
		ends(t, folder, recipe, 83, "--unit must say whose budget it is")
		recipe += ledger
		run(t, folder, write+"MARKER-3 MARKER-4 >text.jsonl; "+recipe)
		got := run(t, folder, "show --private "+out+"/private/documents.pp | grep -c MARKER")
		if strings.TrimSpace(got) != "4" {
			t.Errorf("the folder has documents of the text before: %s of 4", got)
		}
		run(t, folder, write+"MARKER-5 >text.jsonl")
		ends(t, folder, recipe, 80, "was begun with other settings or another text")
	}
}
