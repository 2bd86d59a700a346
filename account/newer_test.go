package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
)

// TestNewerCharges: what reports say of charges of unit word, with draws, and without a bound.
func TestNewerCharges(t *testing.T) {
	word := &event.Grant{
		Version: event.GrantVersion, ID: "words", Created: testkit.Noon, Mechanism: event.Laplace,
		Adjacency: event.ReplaceOne, Unit: event.Word,
		Subject:  event.Subject{Matrices: []event.Matrix{{Name: "topics", Rows: 2, Columns: 3}}},
		Clipping: event.ClipProved, Clip: 1, Proved: 2, NoiseMultiplier: 2, Releases: 100,
		Scheme: event.Scheme{Method: event.All, Rate: 1, Rounds: 100},
	}
	drawn := *word
	drawn.Draws = 10
	unbounded := *word
	unbounded.Clipping, unbounded.Proved, unbounded.Claim = event.ClipUnbounded, 0, event.PaperClaim
	for _, c := range []struct {
		name   string
		grant  *event.Grant
		flags  string
		prints []string
	}{
		// Laplace noise of 2 on a sensitivity of 2 loses ε 1 a round.
		{"words", word, "--delta 0",
			[]string{"pld         100  0  ∞      replace-one  word  100", "one document of n words: n times as much"}},
		// hdp's algorithm with ε_L 1 and ε_I 10, done soundly: 100 · 11 pure, and less at a δ.
		{"draws", &drawn, "--delta 0", []string{"pld         1100  0 ", ", draws of ε 10"}},
		{"draws at a δ", &drawn, "--delta 1e-6", []string{"pld         1072  1e-06", "pure: ε 1100 at δ 0"}},
		{"draws, by Rényi", &drawn, "--accountant renyi --delta 1e-6", []string{"pure: ε 1100"}},
		// The claim is that of a sensitivity of 1: ε ½ a round.
		{"unbounded", &unbounded, "--delta 0",
			[]string{"pld         ∞ ", "with the paper's sensitivity, sampling accounted as here: ε 50",
				"unbounded (claimed 2)"}},
		{"unbounded, by Rényi", &unbounded, "--accountant renyi --delta 1e-6",
			[]string{"renyi       ∞ ", "with the paper's sensitivity"}},
	} {
		var b testkit.Book
		b.Begin(t)
		b.Grant(t, c.grant)
		for round := range 100 {
			b.Charge(t, testkit.ChargeOf(c.grant, round+1, "run"))
		}
		ledger := filepath.Join(t.TempDir(), "run.ledger")
		if err := os.WriteFile(ledger, b.Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"verify", "odometer " + c.flags} {
			if out, err := exec.Command("account",
				append(strings.Fields(command), ledger)...).CombinedOutput(); err != nil {
				t.Errorf("%s, %s: %v: %s", c.name, command, err, out)
			}
		}
		out, err := exec.Command("account", append(strings.Fields("report "+c.flags), ledger)...).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", c.name, err, out)
		}
		for _, want := range c.prints {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, out)
			}
		}
	}
}
