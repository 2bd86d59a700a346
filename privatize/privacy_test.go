package main

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/testkit"
	"privpipe/privatize/internal/release"
)

func page(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestClaimIsOnePage checks that the page of the claim stays as short as it says it is.
func TestClaimIsOnePage(t *testing.T) {
	if lines := strings.Count(page(t, "PRIVACY.md"), "\n"); lines > 115 {
		t.Errorf("PRIVACY.md has %d lines, want at most 115", lines)
	}
}

// TestReadingOrder checks that the files which CHECKING.md tells an auditor to read exist and are about as long as it
// says. It also checks that CHECKING.md names all files of the folder that protects people.
func TestReadingOrder(t *testing.T) {
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (\\d+) \\|").FindAllStringSubmatch(page(t, "CHECKING.md"), -1)
	var named []string
	for _, row := range rows {
		named = append(named, row[1])
		b, err := os.ReadFile(filepath.Join("..", row[1]))
		if err != nil {
			t.Error(err)
			continue
		}
		want, _ := strconv.Atoi(row[2])
		if lines := bytes.Count(b, []byte{'\n'}); math.Abs(float64(lines-want)) > 10+float64(want)/4 {
			t.Errorf("%s has %d lines, CHECKING.md says %d", row[1], lines, want)
		}
	}
	protecting, err := filepath.Glob("internal/*/*.go")
	if err != nil || len(protecting) == 0 {
		t.Fatalf("no files below internal, error %v", err)
	}
	for _, name := range protecting {
		if path := "privatize/" + name; !strings.HasSuffix(name, "_test.go") && !slices.Contains(named, path) {
			t.Errorf("CHECKING.md does not name %s", path)
		}
	}
}

// TestExitCodesOfPages checks that every exit code in the pages is one of the stages'.
func TestExitCodesOfPages(t *testing.T) {
	pages := page(t, "PRIVACY.md") + page(t, "CHECKING.md") + page(t, "LEAKS.md")
	codes := regexp.MustCompile(`exit\s+code (\d+)|(?m)\| (\d+) \|$`).FindAllStringSubmatch(pages, -1)
	if len(codes) < 30 {
		t.Fatalf("found %d exit codes, want those of the table in CHECKING.md and more", len(codes))
	}
	for _, c := range codes {
		code, _ := strconv.Atoi(c[1] + c[2])
		known := false
		for _, m := range exit.Meaning {
			known = known || m.Code == code
		}
		if !known {
			t.Errorf("exit code %d is unknown", code)
		}
	}
}

// TestRecomputing runs the commands of CHECKING.md on a ledger of two releases, and on ones that were tampered with.
func TestRecomputing(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("the commands need jq")
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(page(t, "CHECKING.md"), -1)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks of commands, want the chain, the stored releases and the loss", len(blocks))
	}
	folder := t.TempDir()
	ledger := filepath.Join(folder, "run.ledger")
	releaseTwice(t, ledger)
	run := func(block int) (string, error) {
		command := exec.Command("bash", "-euo", "pipefail", "-c", blocks[block][1])
		command.Dir = folder
		out, err := command.CombinedOutput()
		return string(out), err
	}
	want := func(block int, contains string, fails bool) {
		t.Helper()
		if out, err := run(block); (err != nil) != fails || !strings.Contains(out, contains) {
			t.Errorf("block %d: %s, error %v, want an output with %q", block, out, err, contains)
		}
	}
	want(0, "last hash: ", false)
	want(1, "", false)
	want(2, "0.25\n", false) // two charges of noise 2: 2·(1/2)²/2

	stored := filepath.Join(ledger+".releases", "run", "000000002")
	b, err := os.ReadFile(stored)
	if err != nil {
		t.Fatal(err)
	}
	b[0]++
	if err := os.WriteFile(stored, b, 0o600); err != nil {
		t.Fatal(err)
	}
	want(1, "000000002: FAILED", true)
	lines, err := os.ReadFile(ledger)
	if err != nil {
		t.Fatal(err)
	}
	tampered := bytes.Replace(lines, []byte(`"scale":2097152`), []byte(`"scale":4194304`), 1)
	if err := os.WriteFile(ledger, tampered, 0o600); err != nil {
		t.Fatal(err)
	}
	want(0, "broken at: ", true)
}

// releaseTwice makes a ledger of two rounds with noise of twice the sensitivity.
func releaseTwice(t *testing.T, ledger string) {
	t.Helper()
	scheme := event.Scheme{Method: event.All, Rate: 1, Rounds: 2}
	terms := release.Terms{Dataset: "data", Run: "run", Unit: event.Document, Settings: "settings", Grant: &event.Grant{
		Version: event.GrantVersion, ID: "grant", Mechanism: event.Gaussian, Adjacency: event.AddRemove,
		Unit: event.Document, Clip: 1, NoiseMultiplier: 2, Scheme: scheme, Releases: 2,
	}}
	terms.Subject.Matrices = []event.Matrix{{Name: "m", Rows: 1, Columns: 2}}
	terms.Grant.Subject = terms.Subject
	testkit.BeginLedger(t, ledger)
	p, err := release.Open(ledger, terms)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for round := 1; round <= 2; round++ {
		if _, err := p.Begin(round, scheme); err != nil {
			t.Fatal(err)
		}
		if _, _, err := p.Release(release.Announced{}); err != nil {
			t.Fatal(err)
		}
	}
}
