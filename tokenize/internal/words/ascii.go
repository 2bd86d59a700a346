package words

import (
	"encoding/binary"
	"math/bits"
)

// Of 8 bytes at a time: the high bit of each, and what is added to a byte so that its high bit says whether it is at least 'a' or beyond 'z'.
const (
	highs   = 0x8080808080808080
	ones    = 0x0101010101010101
	fromA   = (0x80 - 'a') * ones
	beyondZ = (0x80 - 'z' - 1) * ones
)

// letters returns 8 bytes of ASCII with their letters in lower case, and a number with the high bit of each byte that is a letter. A bit in
// which no byte of ASCII but a letter becomes a lower-case letter makes the case: 0x20. A sum with a byte below 0x80 has no carry. (Bits within
// a word: Lamport, Multiple Byte Processing with Full-Word Instructions, Communications of the ACM 18(8), 1975.)
func letters(ascii uint64) (lower, are uint64) {
	lower = ascii | 0x20*ones
	return lower, (lower + fromA) &^ (lower + beyondZ) & highs
}

// appendWords calls yield with the words of text from text[i] on, where no run is open, while it finds 8 bytes of ASCII at a time. It returns the
// offset where it stops, and the letters of a run that may go on there, with their Key. run is empty: memory that is used again.
//
// It does what Split does without a branch for each byte, whose outcome a processor cannot guess at the ends of words.
func appendWords(run, text []byte, i int, yield func(Word)) (open []byte, key uint64, at int) {
	for len(text)-i >= 8 {
		ascii := binary.LittleEndian.Uint64(text[i:])
		if ascii&highs != 0 {
			break
		}
		lower, are := letters(ascii)
		if before := bits.TrailingZeros64(are) / 8; before > 0 { // 8 if there is no letter
			i += before
			continue
		}
		length := bits.TrailingZeros64(^are&highs) / 8
		run, key = binary.LittleEndian.AppendUint64(run[:0], lower)[:length], bits.ReverseBytes64(lower)>>(64-8*length)
		i += length
		for length == 8 {
			if len(text)-i < 8 {
				return run, key, i
			}
			if ascii = binary.LittleEndian.Uint64(text[i:]); ascii&highs != 0 {
				return run, key, i
			}
			lower, are = letters(ascii)
			length = bits.TrailingZeros64(^are&highs) / 8
			run = binary.LittleEndian.AppendUint64(run, lower)[:len(run)+length]
			key = key<<(8*length) | bits.ReverseBytes64(lower)>>(64-8*length)
			i += length
		}
		yield(Word{run, key})
		i++ // over the separator
	}
	return run[:0], 0, i
}
