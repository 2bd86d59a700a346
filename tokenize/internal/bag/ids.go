package bag

import "math/bits"

// An ids is a set of word ids, a bit each, that gives them out in order. That takes a time in proportion to its members and a
// 4,096th of the vocabulary, less than to sort them.
type ids struct {
	words  []uint64 // bit i%64 of words[i/64] is that of id i
	used   []uint64 // bit i%64 of used[i/64] says whether words[i] is not 0
	sorted []uint32 // memory of take
}

// newIDs returns an empty set for ids below size.
func newIDs(size int) ids {
	words := (size + 63) / 64
	return ids{words: make([]uint64, words), used: make([]uint64, (words+63)/64)}
}

// add adds an id. It has no branch: whether an id is in the set already is hard to guess.
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
