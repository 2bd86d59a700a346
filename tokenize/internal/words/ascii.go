package words

import (
	"encoding/binary"
	"math/bits"
)

// For 8 bytes at a time. highs has the high bit of each byte. fromA is added to a byte so that the high bit says
// whether the byte is at least 'a'. beyondZ does the same for bytes beyond 'z'.
const (
	highs   = 0x8080808080808080
	ones    = 0x0101010101010101
	fromA   = (0x80 - 'a') * ones
	beyondZ = (0x80 - 'z' - 1) * ones
)

// letters returns 8 ASCII bytes with their letters in lower case, and a number with the high bit of each byte that is a
// letter. Setting bit 0x20 makes lower case. It turns no ASCII byte but a letter into a lower-case letter. The sums
// carry nothing into the next byte, since each byte is below 0x80. (Bits within a word: Lamport, Multiple Byte
// Processing with Full-Word Instructions, Communications of the ACM 18(8), 1975.)
func letters(ascii uint64) (lower, are uint64) {
	lower = ascii | 0x20*ones
	return lower, (lower + fromA) &^ (lower + beyondZ) & highs
}

// appendWords calls yield with the words from text[i] on, while it finds 8 ASCII bytes at a time. No run may be open at
// text[i]. It returns the offset where it stops. A run may go on there: appendWords returns its letters so far, with
// their Key. The argument run is empty; its memory is used again.
//
// It does the same as Split, but without a branch for each byte. A processor cannot guess such a branch at the ends of
// words.
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
