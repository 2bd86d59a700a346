package command

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// span returns n names of a format, for numbers from low on.
func span(format string, low, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf(format, low+i)
	}
	return names
}

func consecutive(names []string) bool {
	var n numbered
	for _, name := range names {
		n.add(name)
	}
	return n.consecutive()
}

func without(names []string, i int) []string { return slices.Delete(slices.Clone(names), i, i+1) }

func TestConsecutive(t *testing.T) {
	lexical := span("%d.txt", 1, 2000) // as a folder gives its files
	slices.Sort(lexical)
	shuffled := span("doc-%d", 7, 500)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(shuffled), func(i, j int) {
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	})
	backwards := span("%d", 1, 100)
	slices.Reverse(backwards)
	var users, twice, few []string // of ten documents each, three at a time
	for i := range 300 {
		users = append(users, fmt.Sprint("user", min(i/3, i/10+i%3)))
		twice = append(twice, fmt.Sprintf("u%d@example.org", i/2))
		few = append(few, fmt.Sprint("u", i%(leastNumbered-1)))
	}
	var squares, hashes []string
	for i := range 100 {
		squares = append(squares, fmt.Sprint("d", i*i))
		hashes = append(hashes, fmt.Sprintf("%016x", 0x9E3779B97F4A7C15*uint64(i+1)))
	}
	for _, c := range []struct {
		what  string
		names []string
		want  bool
	}{
		{"numbers of tokenize uci before names by content", span("%d", 1, 2000), true},
		{"as few as are asked for", span("%d", 1, leastNumbered), true},
		{"one less", span("%d", 1, leastNumbered-1), false},
		{"from 0", span("%d", 0, 100), true},
		{"from far", span("%d", 99_990, 100), true},
		{"with a prefix and a suffix", span("mail/%d.txt", 95, 100), true},
		{"padded with zeros", span("doc-%05d", 1, 100), true},
		{"padded with too few", span("doc-%02d", 1, 200), true},
		{"a number that stays beside one that moves", span("2024-%d-v2", 1, 100), true},
		{"a number after a constant one", span("2024-07.%d", 1, 100), true},
		{"in the order of a folder", lexical, true},
		{"in any order", shuffled, true},
		{"backwards", backwards, true},
		{"users that come again", users, true},
		{"users of two documents", twice, true},
		{"few users that come again", few, false},
		{"without one", without(span("%d", 1, 2000), 1000), false},
		{"without the first", without(span("%d", 1, 2000), 0), true}, // they may have been numbered from 2 on
		{"one of another form in front", append([]string{"readme"}, span("%d", 1, 100)...), false},
		{"then one of another form", append(span("%d", 1, 100), "readme"), false},
		{"two prefixes", append(span("a%d", 1, 100), span("b%d", 1, 100)...), false},
		{"two numbers", append(span("1-%d", 1, 100), span("2-%d", 1, 100)...), false},
		{"twice the same", append(span("%d", 1, 100), span("%d", 1, 100)...), true},
		{"steps of ten", span("%d0", 1, 100), false},
		{"squares", squares, false},
		{"hashes", hashes, false},
		{"a sign is no digit", append(span("%d", 1, 100), "+101"), false},
		{"more digits than a number has", span(strings.Repeat("1", 20)+"%02d", 1, 90), false},
		{"the largest number", append(span("1844674407370955%04d", 1583, 32), "18446744073709551615"), false},
		{"one name", slices.Repeat([]string{"17"}, 100), false},
		{"empty names", slices.Repeat([]string{""}, 100), false},
		{"an empty one and numbers", append([]string{""}, span("%d", 1, 100)...), false},
		{"nothing", nil, false},
	} {
		if got := consecutive(c.names); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// FuzzOrder: names that are all different are consecutive or not in whatever order they come, and one gap is enough
// that they are not.
func FuzzOrder(f *testing.F) {
	f.Add("doc-", ".txt", uint32(7), uint8(40), uint8(3), uint64(1))
	f.Add("", "", uint32(0), uint8(100), uint8(99), uint64(2))
	f.Add("1", "0", uint32(5), uint8(32), uint8(30), uint64(3))
	f.Fuzz(func(t *testing.T, prefix, suffix string, low uint32, n, gap uint8, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		names := make([]string, n)
		for i, j := range random.Perm(int(n)) {
			names[j] = fmt.Sprint(prefix, uint64(low)+uint64(i), suffix)
		}
		inner := !strings.ContainsAny(prefix+suffix, "0123456789")
		if got := consecutive(names); inner && got != (n >= leastNumbered) {
			t.Errorf("%d names from %s on: %v", n, names[0], got)
		}
		if i := slices.Index(names, fmt.Sprint(prefix, uint64(low)+uint64(gap), suffix)); inner && i >= 0 {
			got := consecutive(without(names, i))
			if want := int(n)-1 >= leastNumbered && (gap == 0 || gap == n-1); got != want {
				t.Errorf("%d names from %s on without %d: %v", n, names[0], gap, got)
			}
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	names := span("document-%08d.txt", 1, 1000)
	for i := 0; b.Loop(); i++ {
		var n numbered
		for _, name := range names {
			n.add(name)
		}
	}
}
