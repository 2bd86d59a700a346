package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/account/internal/ledgertest"
	"privpipe/pipelines/event"
)

// TestRefusesWhatItDoesNotCompose: a ledger with a charge whose loss this accountant does not know is refused by every command that
// would work out a loss (verify does where a grant has a budget), with exit code 90 or 80 and no number: less than all of it would be no bound.
func TestRefusesWhatItDoesNotCompose(t *testing.T) {
	word := &event.Grant{
		Version: event.GrantVersion, ID: "words", Created: ledgertest.Noon, Mechanism: event.Laplace, Adjacency: event.ReplaceOne, Unit: event.Word,
		Subject:  event.Subject{Matrices: []event.Matrix{{Name: "topics", Rows: 2, Columns: 3}}},
		Clipping: event.ClipProved, Clip: 1, Proved: 2, NoiseMultiplier: 2, Releases: 4,
		Scheme: event.Scheme{Method: event.All, Rate: 1, Rounds: 4},
	}
	drawn := *word
	drawn.Draws = 10
	unbounded := *word
	unbounded.Unit, unbounded.Clipping, unbounded.Proved, unbounded.Claim = event.Document, event.ClipUnbounded, 0, event.PaperClaim
	for name, g := range map[string]*event.Grant{"word": word, "draws": &drawn, "unbounded": &unbounded} {
		var b ledgertest.Book
		b.Begin(t)
		b.Grant(t, g)
		b.Charge(t, ledgertest.ChargeOf(g, 1, "run"))
		folder := t.TempDir()
		ledger := filepath.Join(folder, "run.ledger")
		if err := os.WriteFile(ledger, b.Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range []string{
			"report --delta 1e-6", "odometer --delta 1e-6", "export", "export --format list",
			"plan --epsilon 1 --delta 1e-6 --all --adjacency replace-one --clip 1 -o grant.json --ledger",
		} {
			command := exec.Command("account", append(strings.Fields(args), ledger)...)
			command.Dir = folder
			out, err := command.Output()
			if err == nil || len(out) > 0 {
				t.Errorf("%s, account %s: %v, printed %q", name, args, err, out)
			} else if !strings.Contains(string(err.(*exec.ExitError).Stderr), "does not compose") {
				t.Errorf("%s, account %s: %s", name, args, err.(*exec.ExitError).Stderr)
			}
		}
	}
}
