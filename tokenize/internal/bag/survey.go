package bag

import (
	"hash/maphash"
	"maps"
	"slices"

	"privpipe/pipelines/wire"
)

// A Survey has the counts over the documents so far. It holds a count for each length that documents have, a hash and a
// count for each user, and a hash for each id. It takes some 40 bytes per user, and 20 per document. Two names with the
// same hash count as one. Among 10⁸ names a collision has probability 3·10⁻⁴.
type Survey struct {
	Documents uint64
	Empty     uint64 // documents without a word of the vocabulary
	Tokens    uint64 // words of the documents, all in the vocabulary
	Longest   uint64 // tokens of the longest document
	WithUser  uint64 // documents that name a user
	Repeated  uint64 // documents with an earlier document's id

	lengths map[uint64]uint64 // number of documents by their number of tokens
	users   map[uint64]uint64 // number of documents by their user's hash
	ids     map[uint64]struct{}
	seed    maphash.Seed
}

// NewSurvey returns the Survey of no documents.
func NewSurvey() *Survey {
	return &Survey{
		lengths: make(map[uint64]uint64), users: make(map[uint64]uint64), ids: make(map[uint64]struct{}),
		seed: maphash.MakeSeed(),
	}
}

// Add adds a document.
func (s *Survey) Add(d *wire.Document) {
	tokens := uint64(0)
	for _, count := range d.Counts {
		tokens += uint64(count)
	}
	s.Documents++
	s.Tokens += tokens
	s.Longest = max(s.Longest, tokens)
	s.lengths[tokens]++
	if tokens == 0 {
		s.Empty++
	}
	id := maphash.String(s.seed, d.Id)
	if _, again := s.ids[id]; again {
		s.Repeated++
	}
	s.ids[id] = struct{}{}
	if d.User != "" {
		s.WithUser++
		s.users[maphash.String(s.seed, d.User)]++
	}
}

// Median returns the median number of tokens per document, 0 without documents.
func (s *Survey) Median() float64 {
	if s.Documents == 0 {
		return 0
	}
	lower, upper := (s.Documents-1)/2, s.Documents/2 // numbers, from 0, of the documents in the middle
	low, below := uint64(0), uint64(0)
	for _, length := range slices.Sorted(maps.Keys(s.lengths)) {
		n := s.lengths[length]
		if lower >= below && lower < below+n {
			low = length
		}
		if upper < below+n {
			return float64(low+length) / 2
		}
		below += n
	}
	panic("the counts of lengths do not add up to the documents")
}

// Users returns the number of users, and the largest number of documents of one user.
func (s *Survey) Users() (users, most uint64) {
	for _, n := range s.users {
		most = max(most, n)
	}
	return uint64(len(s.users)), most
}

// Units returns the number of privacy units (pipelines/SPEC.md, section 2.3).
func (s *Survey) Units(unit wire.Unit) uint64 {
	if unit == wire.Unit_USER {
		return uint64(len(s.users)) + s.Documents - s.WithUser
	}
	return s.Documents
}
