package words

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// TestFold has what the second rule finds otherwise than the first, and what it does not touch.
func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"İstanbul I\u0307stanbul i\u0307stanbul ISTANBUL": "istanbul istanbul istanbul istanbul",
		"ı DIŞ dış":                          "ı diş dış", // a dotless i is a letter of its own
		"ef\ufb01cient \ufb04uent ſtate":     "efficient ffluent state",
		"Ｆｕｌｌ ｗｉｄｔｈ 𝓕𝓪𝓷𝓬𝔂 ℌ":                 "full width fancy h",
		"ΣΊΣΥΦΟΣ σίσυφος σίσυφοσ Σ. ΣΑΣ":     "σίσυφος σίσυφος σίσυφος σ σας",
		"STRASSE Straße STRAẞE":              "strasse straße straße",
		"don't don’t donʼt don＇t":            "don t don t don t don t",
		"co\u00adop zero\u200dwidth \ufeffx": "coop zerowidth x",
		"x\u200by":                           "x y",
		"ﾊﾝｶｸ ｶﾞ ㋿":                          "ハンカク ガ",
		"ㅋㅋㅋ ㅎㅏ":                             "ㅋㅋㅋ ㅎㅏ",
		"น้ำ":                                "น้ำ",
		"\ufdfa":                             "صلى الله عليه وسلم",
		"Acme™ ½ ① №5 x² 1º":                 "acme x o",
		"Ǆ ǅ ǆ Kelvin K":                     "dž dž dž kelvin k",
	} {
		if got := split(t, &Splitter{Rule: Rule{Number: 2}}, text); strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := (Rule{Number: 2}).Normal("U.S.\u00ad ﬁn™ ΑΣ-Σ"); got != "u.s. fin™ ας-σ" {
		t.Errorf("a token: got %q", got)
	}
}

// TestFoldOfEach compares with the reference on each letter and mark that changes, alone and beside others, and finds
// each word again.
func TestFoldOfEach(t *testing.T) {
	s := Splitter{Rule: Rule{Number: 2}}
	for r := range unicode.MaxRune + 1 {
		changes := norm.NFKC.String(string(r)) != string(r) || unicode.ToLower(r) != r
		if !unicode.In(r, unicode.L, unicode.M) || !changes && r%64 > 0 || unicode.Is(unicode.Han, r) && r%16 > 0 {
			continue
		}
		text := "a" + string(r) + "Σ " + string(r) + "i\u0301\u0307 x" + string(r)
		got := split(t, &s, text)
		if want := foldReference(text); !slices.Equal(got, want) {
			t.Errorf("%U: got %q, want %q", r, got, want)
		}
		for _, word := range got {
			if again := split(t, &s, word); !slices.Equal(again, []string{word}) || s.Normal(word) != word {
				t.Errorf("%U: the word %q splits into %q, normal %q", r, word, again, s.Normal(word))
			}
		}
	}
}

// TestUsers: spellings that a reader of data frames takes for one user are one, and no other.
func TestUsers(t *testing.T) {
	for user, want := range map[string]string{
		"7": "7", "7.0": "7", " 7.00 ": "7", "7.": "7", "+7": "7", "007": "7", "7e0": "7", "70E-1": "7", ".7e1": ".7e1",
		"0.7e1": "7",
		"-7.0":  "-7", "-0.0": "0", "0": "0", "7.5": "7.5", "7.50": "7.50", "1e3": "1000", "7a": "7a", "7-1": "7-1",
		"7 1":   "7 1",
		"1e999": "1e999", "1e39": "1" + strings.Repeat("0", 39), "12345678901234567890": "12345678901234567890",
		"caf\u00e9": "caf\u00e9", "cafe\u0301": "caf\u00e9", "\u00a0ann\t": "ann", "Ann": "Ann", "": "", " ": " ",
		"\t\n": " ",
	} {
		rule := Rule{Number: 2}
		if got := rule.User(user); got != want || rule.User(got) != got {
			t.Errorf("%q: got %q, want %q", user, got, want)
		}
		if got := (Rule{Number: 1}).User(user); got != user {
			t.Errorf("%q: got %q by rule 1", user, got)
		}
	}
}
