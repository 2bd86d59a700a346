package bag

import "math/bits"

// An ids is a set of word ids, one bit each, that returns them in order. This takes a time in proportion to the number
// of members and a 4,096th of the vocabulary, which is less than sorting takes.
type ids struct {
	words  []uint64 // bit i%64 of words[i/64] is set if id i is in the set
	used   []uint64 // bit i%64 of used[i/64] says whether words[i] is not 0
	sorted []uint32 // memory that take uses again
}

// newIDs returns an empty set for ids below size.
func newIDs(size int) ids {
	words := (size + 63) / 64
	return ids{words: make([]uint64, words), used: make([]uint64, (words+63)/64)}
}

// add adds an id. It does not branch on whether the id is in the set already, which a processor can hardly guess.
func (s *ids) add(id uint32) {
	s.words[id/64] |= 1 << (id % 64)
	s.used[id/4096] |= 1 << (id / 64 % 64)
}

// take empties the set and returns its ids in order, valid until the next take.
func (s *ids) take() []uint32 {
	s.sorted = s.sorted[:0]
	for i, used := range s.used {
		for ; used != 0; used &= used - 1 {
			at := i*64 + bits.TrailingZeros64(used)
			for word := s.words[at]; word != 0; word &= word - 1 {
				s.sorted = append(s.sorted, uint32(at*64+bits.TrailingZeros64(word)))
			}
			s.words[at] = 0
		}
		s.used[i] = 0
	}
	return s.sorted
}
