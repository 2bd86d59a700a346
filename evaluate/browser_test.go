package main

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"privpipe/evaluate/report"
	"privpipe/pipelines/testkit"
)

// inBrowser is what a page does in headless Chromium: testdata/browser/check.mjs.
type inBrowser struct {
	Wrong []string
	Facts struct {
		First, Least, Most, Again []string // the words of the first topic, before and after moves of the slider
		Value, Said, Text         string
		Foreign, Scripts          int

		TopicsEnd, TopicsRight float64  // where the first topic ends on a phone of 400 × 900, and the rightmost word
		Searched, Missed       []any    // what the search says, and how many topics it marks
		Hovered, Focused       []any    // what a word says under the pointer and the focus, and whether that is visible
		Dismissed, Opened      bool     // by Escape; the fold of a link's target
		Chosen                 string   // what the search holds after Enter on a word
		Still                  int      // controls of a page without scripts
		StillWords             []string // First, without scripts
		Down, Up               []float64
		Rules                  []string // of axe-core that the page passed
	}
}

// browse opens a page in Chromium, or skips the test.
func browse(t *testing.T, html []byte) inBrowser {
	t.Helper()
	chromium := cmp.Or(os.Getenv("CHROMIUM"), "/usr/bin/chromium")
	if _, err := os.Stat(chromium); err != nil {
		t.Skipf("no Chromium at %s: apt install chromium, or name one by CHROMIUM", chromium)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on PATH")
	}
	modules := cmp.Or(os.Getenv("PRIVPIPE_NODE"), "../.node") + "/node_modules"
	if _, err := os.Stat(modules + "/axe-core"); err != nil {
		t.Skipf("no axe-core in %s: .ci/peers installs it", modules)
	}
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, html, 0o644); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"testdata/browser/check.mjs", name, modules}
	if shots := os.Getenv("PRIVPIPE_SHOTS"); shots != "" { // where somebody wants to look
		arguments = append(arguments, shots)
	}
	command := exec.Command(node, arguments...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var b inBrowser
	if err := json.Unmarshal(out, &b); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return b
}

// render returns the page of a command.
func render(t *testing.T, command report.Report) []byte {
	t.Helper()
	p, err := pageOf(t, command)
	if err != nil {
		t.Fatal(err)
	}
	html, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	return html
}

// TestBrowser: the page's words, title and data set are markup. The page shows them as text, loads nothing and prints
// no error. The keyboard moves the page's words. The page finds words, sorts, and shows topics first on a phone. It
// passes axe-core in light and dark; contrast and labels are among the rules.
func TestBrowser(t *testing.T) {
	testkit.Deep(t, "browser")
	b := browse(t, render(t, report.Report{
		Model: "report.pp", Ledger: "report.ledger", Account: "report.json", Curve: "curve.json",
		Releases: "report-rel.pp",
		Scores:   "fair-scores.pp", Reference: "fair-docs.pp", Top: 3, Title: `</title><script>alert("title")</script>`,
	}))
	for _, wrong := range b.Wrong {
		t.Error(wrong)
	}
	f := b.Facts
	if f.Foreign != 0 || f.Scripts != 3 {
		t.Errorf("the page has %d foreign elements and %d scripts, want 0 and 3", f.Foreign, f.Scripts)
	}
	for _, text := range append(slices.Clone(hostile[:2]), `</td><script>alert("data set")</script>`,
		`</title><script>alert("title")</script>`) {
		if !strings.Contains(f.Text, text) {
			t.Errorf("the page does not show %q", text)
		}
	}
	// λ of topic 0 is 300, 40 and 30 for words 0, 1 and 7, of all topics 303, 109 and 32. By probability word 1 is
	// before word 7, by lift after it, and at λ = 0.6, too: log 40 − 0.4·log 109 = 1.81 and log 30 − 0.4·log 32 = 2.01.
	byLift, byProbability := []string{hostile[0], hostile[7], hostile[1]}, []string{hostile[0], hostile[1], hostile[7]}
	if !slices.Equal(f.First, byLift) || !slices.Equal(f.Least, byLift) || !slices.Equal(f.Most, byProbability) ||
		!slices.Equal(f.Again, byLift) {
		t.Errorf("words %q, at λ = 0 %q, at 1 %q, and back %q", f.First, f.Least, f.Most, f.Again)
	}
	if f.Value != "1.00" || f.Said != "Words are ranked by relevance at λ = 1.00." {
		t.Errorf("at the end of the slider it says %q and %q", f.Value, f.Said)
	}
	// Word 0 is a leading word of topic 0, which has 300 of its 303.
	where := hostile[0] + ": about 99\u00a0% in “" + strings.Join(byLift, ", ") + "”."
	if !slices.Equal(f.Searched, []any{where, 1.0}) || !slices.Equal(f.Hovered, []any{where, true}) ||
		!slices.Equal(f.Focused, []any{where, true}) {
		t.Errorf("by search a word says %v, by pointer %v, by focus %v, want %s", f.Searched, f.Hovered, f.Focused,
			where)
	}
	if !slices.Equal(f.Missed, []any{"“no such word” is no leading word of a topic. People may write it all the same.",
		0.0}) {
		t.Errorf("of an unknown word the search says %v", f.Missed)
	}
	if !f.Dismissed || !f.Opened || f.Chosen != hostile[0] {
		t.Errorf("dismissed by Escape: %v, fold opened: %v, chosen %q", f.Dismissed, f.Opened, f.Chosen)
	}
	// 375, 94 and 42 of 511
	if !slices.Equal(f.Down, []float64{73.4, 18.4, 8.2}) || !slices.Equal(f.Up, []float64{8.2, 18.4, 73.4}) {
		t.Errorf("sorted by share: %v, and again %v", f.Down, f.Up)
	}
	if f.Still != 0 || !slices.Equal(f.StillWords, f.First) {
		t.Errorf("without scripts the page has %d controls, and words %q", f.Still, f.StillWords)
	}
	if f.TopicsEnd > 900 || f.TopicsRight > 400 {
		t.Errorf("on a phone of 400 × 900 the first topic ends at %v, and a leading word at %v", f.TopicsEnd,
			f.TopicsRight)
	}
	for _, rule := range []string{"color-contrast", "label", "svg-img-alt", "link-name", "landmark-one-main",
		"document-title", "html-has-lang"} {
		if !slices.Contains(f.Rules, rule) {
			t.Errorf("axe-core did not check %s", rule)
		}
	}
}

// TestBrowserWords: the page of a model without topics is as sound.
func TestBrowserWords(t *testing.T) {
	testkit.Deep(t, "browser")
	b := browse(t, render(t, report.Report{
		Model: "frequencies.pp", Ledger: "frequencies.led", Account: "frequencies.json", Releases: "frequencies-rel",
		Top: 15,
	}))
	for _, wrong := range b.Wrong {
		t.Error(wrong)
	}
	if !strings.Contains(b.Facts.Text, "Most frequent words") || b.Facts.Scripts != 1 {
		t.Errorf("it has %d scripts and says %q", b.Facts.Scripts, b.Facts.Text)
	}
}
