package endpoint

import (
	"strings"
	"testing"
)

func TestVisible(t *testing.T) {
	for s, want := range map[string]string{
		"plain, größer, 語": "plain, größer, 語",
		"caf\xe9":          `caf\xe9`,
		"\x1b[31mred":      `\u001b[31mred`,
		"a\nb\tc\r\x00":    `a\nb\tc\u000d\u0000`,
		"\u009b2J\x7f":     `\u009b2J\u007f`,
		"\u202egnp.exe":    `\u202egnp.exe`,
		"\u2066x\u2069":    `\u2066x\u2069`,
		"ا\u200cب":         "ا\u200cب", // a word may have a non-joiner
		"\uFFFD":           "\uFFFD",
		"\xe8\xaa":         `\xe8\xaa`,
	} {
		if got := Visible(s, false); got != want {
			t.Errorf("%q is shown as %q, want %q", s, got, want)
		}
	}
	if got := Visible("a\nb\tc\r", true); got != "a\nb\tc\\u000d" {
		t.Errorf("lines are shown as %q", got)
	}
}

// TestShownInPieces: a terminal gets the same text, wherever writes end.
func TestShownInPieces(t *testing.T) {
	const text = "語\x1b[1m größer 𝕏\u009b\xff\xe8\xaa"
	for cut := range len(text) {
		for second := cut; second <= len(text); second++ {
			var s shown
			got := s.next([]byte(text[:cut])) + s.next([]byte(text[cut:second])) + s.next([]byte(text[second:]))
			got += Visible(string(s.rest), true)
			if want := Visible(text, true); got != want {
				t.Fatalf("cut at %d and %d: %q, want %q", cut, second, got, want)
			}
		}
	}
	if strings.ContainsFunc(Visible(text, true), hides) {
		t.Error("a control character is left")
	}
}
