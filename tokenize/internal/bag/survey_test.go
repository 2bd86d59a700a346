package bag

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"privpipe/pipelines/wire"
)

// document has so many tokens, of two words if it has some.
func document(tokens uint32, user string) *wire.Document {
	d := &wire.Document{User: user}
	if tokens > 1 {
		d.WordGaps, d.Counts = []uint32{3, 1}, []uint32{1, tokens - 1}
	} else if tokens == 1 {
		d.WordGaps, d.Counts = []uint32{3}, []uint32{1}
	}
	return d
}

// TestSurvey compares the numbers with those of all documents in memory.
func TestSurvey(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		s := NewSurvey()
		lengths, users, withUser, tokens := []int{}, map[string]uint64{}, uint64(0), uint64(0)
		for range n {
			length, user := random.IntN(8), ""
			if random.IntN(3) > 0 {
				user = strconv.Itoa(random.IntN(10))
				users[user]++
				withUser++
			}
			lengths = append(lengths, length)
			tokens += uint64(length)
			s.Add(document(uint32(length), user))
		}
		slices.Sort(lengths)
		median, longest, empty, most := 0., 0, uint64(0), uint64(0)
		if n > 0 {
			median, longest = float64(lengths[(n-1)/2]+lengths[n/2])/2, lengths[n-1]
		}
		for _, length := range lengths {
			if length == 0 {
				empty++
			}
		}
		for _, documents := range users {
			most = max(most, documents)
		}
		if got := s.Median(); got != median {
			t.Errorf("%v: the median is %v, want %v", lengths, got, median)
		}
		if s.Documents != uint64(n) || s.Empty != empty || s.Tokens != tokens || s.Longest != uint64(longest) ||
			s.WithUser != withUser {
			t.Errorf("got %+v of %v, %d of them with a user", s, lengths, withUser)
		}
		if gotUsers, gotMost := s.Users(); gotUsers != uint64(len(users)) || gotMost != most {
			t.Errorf("got %d users, of one %d documents, want %v", gotUsers, gotMost, users)
		}
		if got := s.Units(wire.Unit_DOCUMENT); got != uint64(n) {
			t.Errorf("%d documents are %d units", n, got)
		}
		if got, want := s.Units(wire.Unit_USER), uint64(len(users)+n)-withUser; got != want {
			t.Errorf("%d units of users, want %d", got, want)
		}
	}
}
