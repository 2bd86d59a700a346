package words

import (
	"unicode"

	"golang.org/x/text/unicode/rangetable"
)

// spaceless are the scripts whose words no space separates: between two of their letters, but for those of katakana, UAX #29
// has a boundary. All stand at firstSpaceless or behind. Marks and other scripts are in none of the tables.
var spaceless = [...]*unicode.RangeTable{
	rangetable.Merge(unicode.Han, unicode.Ideographic), unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar, unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet, unicode.Ahom,
	unicode.Nushu, unicode.Khitan_Small_Script,
}

// A script is the place of one in spaceless, or spaced for all others together.
type script int8

const (
	spaced   script = -1
	katakana script = 2

	firstSpaceless = '\u0e00'
	hangul         = '\uac00' // the first of 11,172 syllables, in order, which are the other letters of many texts
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

// signs are letters by their category that change the one before, as marks do: those that prolong, repeat or voice a kana.
var signs = rangetable.New('\u3031', '\u3032', '\u3033', '\u3034', '\u3035', '\u30fc', '\uff70', '\uff9e', '\uff9f')

// noLetters are letters by their category, and by nothing else: signs, and the invisible fillers of Hangul.
var noLetters = rangetable.Merge(signs, rangetable.New('\u115f', '\u1160', '\u3164', '\uffa0'))

func isLetter(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(noLetters, r) }

// attached says whether r belongs to the letter before it.
func attached(r rune) bool { return unicode.IsMark(r) || unicode.Is(signs, r) }

// invisible are the code points of Unicode's property Default_Ignorable_Code_Point and what is left out of it below.
var invisible = rangetable.Merge(unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)

// visible are those of category Cf that the property leaves out, and U+200B, the space without width, which is there to
// separate words.
var visible = rangetable.Merge(unicode.Prepended_Concatenation_Mark, rangetable.New('\u200b', '\ufff9', '\ufffa', '\ufffb'),
	&unicode.RangeTable{R32: []unicode.Range32{{Lo: 0x13430, Hi: 0x1343f, Stride: 1}}})

// ignorable says whether r shows nothing and means nothing for words: soft hyphens, joiners and their opposites, selectors of
// variants and of directions.
func ignorable(r rune) bool { return unicode.Is(invisible, r) && !unicode.Is(visible, r) }
