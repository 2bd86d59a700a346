package words

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	segmenter "github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
)

// splitReference is Split as its definition reads: without a shortcut for ASCII, rule after rule, with the boundaries
// of a segmenter of UAX #29.
func splitReference(text string) (found []string) {
	text = strings.Map(func(r rune) rune {
		if ignorable(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
	separates := func(r rune) bool {
		return r == unicode.ReplacementChar || !unicode.In(r, unicode.L, unicode.M)
	}
	for _, run := range strings.FieldsFunc(text, separates) {
		found = append(found, inPairs(strings.TrimLeftFunc(run, attached))...)
	}
	return found
}

// inPairs returns the words of a run, in NFC.
func inPairs(run string) (found []string) {
	var pair []string // of segments of a letter each, or one
	flush := func() {
		if len(pair) > 0 {
			found = append(found, norm.NFC.String(strings.Join(pair, "")))
		}
		pair = nil
	}
	for _, part := range segments(run) {
		switch {
		case len(pair) == 0 || !pairs(pair[len(pair)-1], part):
			flush()
		case len(pair) == 2:
			last := pair[1]
			flush()
			pair = []string{last}
		}
		pair = append(pair, part)
	}
	flush()
	return found
}

var (
	dots  = regexp.MustCompile("i\u0307+")
	final = regexp.MustCompile(`(\pL\pM*)[σς](\pM*)$`)
)

// foldReference is Split by the second rule as its definition reads: NFKC of each letter, cut, lower case, cut again
// into pairs, sigmas.
func foldReference(text string) (found []string) {
	separates := func(r rune) bool {
		return r == unicode.ReplacementChar || r == '\u02bc' || !unicode.In(r, unicode.L, unicode.M)
	}
	visible := strings.Map(func(r rune) rune {
		if ignorable(r) {
			return -1
		}
		return r
	}, text)
	for _, run := range strings.FieldsFunc(visible, separates) {
		whole := ""
		for _, r := range strings.TrimLeftFunc(run, attached) {
			if strings.ContainsRune("\u0e33\u0eb3", r) || unicode.In(r, jamo) {
				whole += string(r)
			} else {
				whole += norm.NFKC.String(string(r))
			}
		}
		for _, part := range strings.FieldsFunc(norm.NFC.String(whole), separates) {
			part = norm.NFC.String(strings.Map(unicode.ToLower, strings.TrimLeftFunc(part, attached)))
			part = norm.NFC.String(dots.ReplaceAllString(part, "i"))
			for _, word := range inPairs(part) {
				word = strings.ReplaceAll(final.ReplaceAllString(word, "${1}\x00${2}"), "ς", "σ")
				found = append(found, strings.ReplaceAll(word, "\x00", "ς"))
			}
		}
	}
	return found
}

// jamo are the compatibility letters of Korean, half-width ones among them.
var jamo = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x3131, Hi: 0x318e, Stride: 1},
	{Lo: 0xffa0, Hi: 0xffdc, Stride: 1}}}

// segments cuts a run where the segmenter has a boundary between two letters.
func segments(run string) (parts []string) {
	begin, last := 0, rune(0)
	for i, r := range run {
		if attached(r) {
			continue
		}
		if i > 0 && (iterates(last) || iterates(r) || count(string([]rune{last, r})) > 1) {
			parts = append(parts, run[begin:i])
			begin = i
		}
		last = r
	}
	if run == "" {
		return nil
	}
	return append(parts, run[begin:])
}

// iterates says whether r is one of the signs that repeat an ideograph. To UAX #29 they are letters of an alphabet.
func iterates(r rune) bool {
	return r == '\u3005' || r == '\u303b' || r == '\U00016fe1' || r == '\U00016fe3'
}

// count counts the segments of text.
func count(text string) (n int) {
	for words := segmenter.FromString(text); words.Next(); {
		n++
	}
	return n
}

// pairs says whether two segments are letters of one script without spaces.
func pairs(a, b string) bool {
	x, _ := utf8.DecodeRuneInString(a)
	y, _ := utf8.DecodeRuneInString(b)
	return scriptOf(x) == scriptOf(y)
}

// TestScripts compares, for each letter there is, where a run is cut beside it with UAX #29.
func TestScripts(t *testing.T) {
	var s Splitter
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		if !unicode.IsLetter(r) || attached(r) || ignorable(r) || iterates(r) {
			continue
		}
		letter := string(r)
		for _, text := range []string{"a" + letter, letter + "a", "\u30a2" + letter, letter + "\u30a2",
			"\u0e01" + letter} {
			if got, want := len(split(t, &s, text)), count(text); got != want && scriptOf(r) != scriptOf('\u0e01') {
				t.Errorf("%U: %q is %d words, want %d", r, text, got, want)
			}
		}
		want := 1 // word in three of the letter
		if count(letter+letter) > 1 {
			want = 2
		}
		if got := len(split(t, &s, letter+letter+letter)); got != want {
			t.Errorf("%U: three are %d words, want %d", r, got, want)
		}
	}
}

// TestIgnorable holds the set against the list of the Unicode Character Database, from which it is derived, by its
// size: 4,174 code points have the property in Unicode 15, and U+200B is one of them.
func TestIgnorable(t *testing.T) {
	n := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if ignorable(r) {
			n++
		}
	}
	if n != 4174-1 {
		t.Errorf("%d code points are ignorable, want 4173", n)
	}
}
