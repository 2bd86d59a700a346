package words

import (
	"unicode"

	"golang.org/x/text/unicode/rangetable"
)

// spaceless are the scripts without spaces between words. UAX #29 has a boundary between any two of their letters,
// except letters of Katakana. All are at firstSpaceless or after it. No table holds marks or other scripts.
var spaceless = [...]*unicode.RangeTable{
	rangetable.Merge(unicode.Han, unicode.Ideographic), unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar, unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet,
	unicode.Ahom,
	unicode.Nushu, unicode.Khitan_Small_Script,
}

// A script is an index of spaceless, or spaced for all other scripts together.
type script int8

const (
	spaced   script = -1
	katakana script = 2

	firstSpaceless = '\u0e00'
	hangul         = '\uac00' // the first of 11,172 consecutive syllables, a fast path: many texts have them
	lastHangul     = '\ud7a3'
)

func scriptOf(letter rune) script {
	if letter < firstSpaceless || letter >= hangul && letter <= lastHangul {
		return spaced
	}
	for i, table := range spaceless {
		if unicode.Is(table, letter) {
			return script(i)
		}
	}
	return spaced
}

// signs have the category of letters but change the letter before them, as marks do: they prolong, repeat or voice a
// kana.
var signs = rangetable.New('\u3031', '\u3032', '\u3033', '\u3034', '\u3035', '\u30fc', '\uff70', '\uff9e', '\uff9f')

// noLetters have the category of letters but are none: signs, and the invisible fillers of Hangul.
var noLetters = rangetable.Merge(signs, rangetable.New('\u115f', '\u1160', '\u3164', '\uffa0'))

func isLetter(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(noLetters, r) }

// attached reports whether r belongs to the letter before it.
func attached(r rune) bool { return unicode.IsMark(r) || unicode.Is(signs, r) }

// invisible are the code points with Unicode's property Default_Ignorable_Code_Point, and the code points in visible.
var invisible = rangetable.Merge(unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)

// visible are the code points of category Cf without that property, and U+200B, the zero-width space, which separates
// words.
var visible = rangetable.Merge(unicode.Prepended_Concatenation_Mark,
	rangetable.New('\u200b', '\ufff9', '\ufffa', '\ufffb'),
	&unicode.RangeTable{R32: []unicode.Range32{{Lo: 0x13430, Hi: 0x1343f, Stride: 1}}})

// ignorable reports whether r is invisible and does not separate words: soft hyphens, joiners, non-joiners, variation
// selectors and direction marks.
func ignorable(r rune) bool { return unicode.Is(invisible, r) && !unicode.Is(visible, r) }
