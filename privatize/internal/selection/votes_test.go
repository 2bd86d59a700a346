package selection

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"privpipe/privatize/internal/book"
	"privpipe/privatize/internal/unit"
)

const bound = 1 << 20

// A paper is a document of a user, or of nobody.
type paper struct {
	id, user string
	words    []string
}

// counted returns the weights of words after the votes of papers, and their digest.
func counted(t *testing.T, most int, ofUsers bool, papers ...paper) (map[string]int64, [32]byte) {
	t.Helper()
	v := newVotes(most, bound, ofUsers)
	for _, p := range papers {
		if err := v.add(p.id, p.user, slices.Clone(p.words)); err != nil {
			t.Fatal(err)
		}
	}
	w, err := v.count()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(w.words) {
		t.Errorf("words %q", w.words)
	}
	steps := make(map[string]int64)
	for i, word := range w.words {
		steps[word] = w.Cells[i]
	}
	return steps, w.digest()
}

// numbered returns the words w0, w1, …
func numbered(n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", i)
	}
	return words
}

// TestWeights: t words have one weight w each, with t·w² ≤ bound², and no more than two steps below bound/√t.
func TestWeights(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 10, 16, 99, 100, 1000, 4096, 10_000} {
		weights, _ := counted(t, n, false, paper{"d", "d", numbered(n)})
		if len(weights) != n {
			t.Fatalf("%d words have weight, want %d", len(weights), n)
		}
		w := weights["w0"]
		for word, other := range weights {
			if other != w {
				t.Fatalf("of %d words %s has %d steps, w0 has %d", n, word, other, w)
			}
		}
		norm := func(w int64) *big.Int { return big.NewInt(int64(n) * w * w) }
		whole := big.NewInt(bound * bound)
		if norm(w).Cmp(whole) > 0 || norm(w+2).Cmp(whole) <= 0 {
			t.Errorf("%d words: %d steps each", n, w)
		}
		if root := int64(math.Sqrt(float64(n))); root*root == int64(n) && bound%root == 0 && w != bound/root {
			t.Errorf("%d words: %d steps each, want %d", n, w, bound/root)
		}
	}
	if weights, _ := counted(t, 5, false, paper{"d", "d", nil}); len(weights) != 0 {
		t.Errorf("a unit without words gives %v", weights)
	}
}

// Under a bound of one step a unit of several words has no weight to give. Its words do not occur.
func TestWeightBelowOneStep(t *testing.T) {
	v := newVotes(5, 1, false)
	for id, words := range map[string][]string{"a": {"shared", "lost"}, "b": {"shared"}} {
		if err := v.add(id, id, words); err != nil {
			t.Fatal(err)
		}
	}
	w, err := v.count()
	if err != nil || !slices.Equal(w.words, []string{"shared"}) || w.Cells[0] != 1 {
		t.Errorf("got %v, error %v", w, err)
	}
}

// TestCap: a unit votes for no more words than most, and what it does not vote for does not occur. Which ones depends
// on the words of the unit, and not on their order or the id.
func TestCap(t *testing.T) {
	words := numbered(1000)
	first, _ := counted(t, 16, false, paper{"d", "d", words})
	if len(first) != 16 {
		t.Fatalf("%d words have weight", len(first))
	}
	for word, w := range first {
		if w != bound/4 {
			t.Errorf("%s has %d steps", word, w)
		}
	}
	for number, want := range map[int]int{15: 15, 16: 16, 17: 16} {
		if of, _ := counted(t, 16, false, paper{"d", "d", words[:number]}); len(of) != want {
			t.Errorf("of %d words %d have weight, want %d", number, len(of), want)
		}
	}
	backwards := slices.Clone(words)
	slices.Reverse(backwards)
	if again, _ := counted(t, 16, false, paper{"d", "d", backwards}); !equal(again, first) {
		t.Error("the order of the words changes the choice")
	}
	if renamed, _ := counted(t, 16, false, paper{"e", "e", words}); !equal(renamed, first) {
		t.Error("the id changes the choice")
	}
	more := append(backwards, "more")
	if other, _ := counted(t, 16, false, paper{"d", "d", more}); equal(other, first) {
		// 16 of 1001 words chosen independently are these with a probability below 1e-34
		t.Error("every unit chooses alike")
	}
	if others, _ := counted(t, 16, false, paper{"e", "e", more}, paper{"d", "d", words}); !contains(others, first) {
		t.Error("another unit changes the choice")
	}
}

// less returns a − b, word by word.
func less(a, b map[string]int64) map[string]int64 {
	difference := make(map[string]int64)
	for word := range a {
		if d := a[word] - b[word]; d != 0 {
			difference[word] = d
		}
	}
	for word := range b {
		if _, both := a[word]; !both {
			difference[word] = -b[word]
		}
	}
	return difference
}

// renumbered returns papers whose ids are their places, without those at the places from i up to j.
func renumbered(papers []paper, i, j int) []paper {
	papers = slices.Delete(slices.Clone(papers), i, j)
	for i := range papers {
		papers[i].id = fmt.Sprint(i + 1)
	}
	return papers
}

// TestNeighbours: the exact weights of two data sets that differ in a unit differ by that unit's votes, even if its
// documents' going changes the ids of all others. Most documents have more words than count.
func TestNeighbours(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	words := numbered(90)
	var papers []paper
	for i := range 120 {
		random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		own := slices.Clone(words[:random.IntN(40)])
		if i%10 == 9 {
			own = papers[i-1].words // equal to the one before
		}
		papers = append(papers, paper{"", "", own})
	}
	for _, ofUsers := range []bool{false, true} {
		all, _ := counted(t, 12, ofUsers, renumbered(papers, 0, 0)...)
		for _, i := range []int{0, 1, 8, 9, 60, 119} {
			without, _ := counted(t, 12, ofUsers, renumbered(papers, i, i+1)...)
			own, _ := counted(t, 12, ofUsers, renumbered(papers[i:i+1], 0, 0)...)
			if d := less(all, without); !equal(d, own) {
				t.Errorf("of users %v: without document %d the weights lose %v, not its votes %v", ofUsers, i, d, own)
			}
		}
	}
	for i := range papers { // users of four documents, one after the other
		papers[i].user = fmt.Sprint("user", i/4)
	}
	all, _ := counted(t, 12, true, renumbered(papers, 0, 0)...)
	for _, i := range []int{0, 4, 60, 116} {
		without, _ := counted(t, 12, true, renumbered(papers, i, i+4)...)
		own, _ := counted(t, 12, true, renumbered(papers[i:i+4], 0, 0)...)
		if d := less(all, without); !equal(d, own) {
			t.Errorf("without user %d the weights lose %v, not the user's votes %v", i/4, d, own)
		}
	}
}

func equal(a, b map[string]int64) bool { return len(a) == len(b) && contains(a, b) }

// contains says whether the words of b have at least the weights in a.
func contains(a, b map[string]int64) bool {
	for word, w := range b {
		if a[word] < w {
			return false
		}
	}
	return true
}

// TestCapFavoursNoWord: of 26 words, beside one that is a document's own and makes it another, each is among 13 of 27.
// The hash is fixed, so the counts are the same each time; for independent fair choices a test of one word would fail
// with a probability below 2·10⁻⁷ (normal, 5.2σ).
func TestCapFavoursNoWord(t *testing.T) {
	const units = 10_000
	words := numbered(26)
	var papers []paper
	for i := range units {
		papers = append(papers, paper{fmt.Sprint(i), "", append(slices.Clone(words), fmt.Sprint("own", i))})
	}
	weights, _ := counted(t, 13, false, papers...)
	one := int64(math.Floor(bound / math.Sqrt(13)))
	const share = 13. / 27
	for _, word := range words {
		if n := float64(weights[word] / one); math.Abs(n-units*share) > 5.2*math.Sqrt(units*share*(1-share)) {
			t.Errorf("%s is chosen by %v of %d units", word, n, units)
		}
	}
}

// TestUsers: the documents of a user are united before the cap, whatever order they come in.
func TestUsers(t *testing.T) {
	words := numbered(60)
	whole, _ := counted(t, 10, true, paper{"1", "ann", words})
	for _, papers := range [][]paper{
		{{"1", "ann", words[:30]}, {"2", "ann", words[30:]}},
		{{"2", "ann", words[20:]}, {"1", "ann", words[:40]}, {"3", "ann", nil}},
		{{"1", "ann", words[:1]}, {"2", "ann", words[:9]}, {"3", "ann", words[5:]}, {"4", "ann", words[7:59]}},
	} {
		if parts, _ := counted(t, 10, true, papers...); !equal(parts, whole) {
			t.Errorf("%d documents of a user give %v, one gives %v", len(papers), parts, whole)
		}
	}
	// The same documents of nobody are units of their own: more weight in all.
	if own, _ := counted(t, 10, false, paper{"1", "ann", words[:30]}, paper{"2", "ann", words[30:]}); len(own) != 20 {
		t.Errorf("two documents vote for %d words, want 20", len(own))
	}
	// And two users have two votes.
	two, _ := counted(t, 60, true, paper{"1", "ann", words[:1]}, paper{"2", "bob", words[:1]})
	if two["w0"] != 2*bound {
		t.Errorf("two users give %d steps", two["w0"])
	}
}

// TestWordTwice: a word that a document names twice counts once.
func TestWordTwice(t *testing.T) {
	twice, _ := counted(t, 10, false, paper{"1", "1", []string{"a", "b", "a", "a", "c", "d"}})
	if len(twice) != 4 || twice["a"] != bound/2 {
		t.Errorf("got %v", twice)
	}
}

// TestOrder: the exact weights, and so their digest, do not depend on the order of the documents.
func TestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var papers []paper
	words := numbered(200)
	papers = append(papers, paper{"lone", "lone", []string{"lone"}})
	for i := range 300 {
		random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		papers = append(papers, paper{fmt.Sprint(i), fmt.Sprint("user", i%40), slices.Clone(words[:random.IntN(40)])})
	}
	for _, ofUsers := range []bool{false, true} {
		_, want := counted(t, 12, ofUsers, papers...)
		for range 5 {
			random.Shuffle(len(papers), func(i, j int) { papers[i], papers[j] = papers[j], papers[i] })
			if _, got := counted(t, 12, ofUsers, papers...); got != want {
				t.Fatalf("of users %v: the order of the documents changes the weights", ofUsers)
			}
		}
		lone := slices.IndexFunc(papers, func(p paper) bool { return p.id == "lone" })
		if _, got := counted(t, 12, ofUsers, slices.Delete(slices.Clone(papers), lone, lone+1)...); got == want {
			t.Error("the digest does not see a document that is missing")
		}
	}
}

// TestDigest: the digest tells weights apart that differ in a word, in a weight, or in where one word ends.
func TestDigest(t *testing.T) {
	seen := make(map[[32]byte]int)
	for i, papers := range [][]paper{
		{},
		{{"1", "", []string{"a"}}},
		{{"1", "", []string{"b"}}},
		{{"1", "", []string{"a"}}, {"2", "", []string{"a"}}},
		{{"1", "", []string{"a", "b"}}},
		{{"1", "", []string{"ab"}}},
	} {
		_, sum := counted(t, 9, false, papers...)
		if before, again := seen[sum]; again {
			t.Errorf("cases %d and %d have one digest", before, i)
		}
		seen[sum] = i
	}
}

// TestDocumentTwice: a document that comes twice would vote twice. It is refused, and nothing can be counted then.
func TestDocumentTwice(t *testing.T) {
	for _, ofUsers := range []bool{false, true} {
		v := newVotes(9, bound, ofUsers)
		for _, p := range []paper{{"1", "ann", []string{"a"}}, {"2", "ann", []string{"a"}}} {
			if err := v.add(p.id, p.user, p.words); err != nil {
				t.Fatal(err)
			}
		}
		mismatch := (*book.Mismatch)(nil)
		if err := v.add("1", "bob", []string{"b"}); !errors.As(err, &mismatch) {
			t.Errorf("got %v", err)
		}
		if err := v.add("3", "ann", nil); !errors.As(err, &mismatch) {
			t.Errorf("another document after it: %v", err)
		}
		if _, err := v.count(); !errors.As(err, &mismatch) {
			t.Errorf("counted after it: %v", err)
		}
	}
}

// FuzzKeep: keep takes the same words from the whole set as from the words that it kept of the parts. The kept words
// are of the set, distinct, and as many as the cap allows.
func FuzzKeep(f *testing.F) {
	f.Add("ann", uint8(3), []byte{1, 2, 3, 4}, []byte{3, 4, 5, 6})
	f.Add("", uint8(0), []byte{}, []byte{9, 9, 9})
	f.Fuzz(func(t *testing.T, name string, cap uint8, a, b []byte) {
		v := newVotes(int(cap)+1, bound, true)
		v.number(numbered(256))
		words := func(bytes ...byte) []word {
			var w []word
			for _, x := range bytes {
				w = append(w, word(x))
			}
			return w
		}
		all := words(append(slices.Clone(a), b...)...)
		distinct := slices.Compact(slices.Sorted(slices.Values(all)))
		whole := v.keep(unit.KeyOf(name), slices.Clone(all))
		slices.Sort(whole)
		parts := v.keep(unit.KeyOf(name), append(words(b...), v.keep(unit.KeyOf(name), words(a...))...))
		slices.Sort(parts)
		if !slices.Equal(whole, parts) {
			t.Fatalf("of all %v, of parts %v", whole, parts)
		}
		if len(whole) != min(len(distinct), v.most) || len(slices.Compact(slices.Clone(whole))) != len(whole) {
			t.Fatalf("kept %v of %v, at most %d", whole, distinct, v.most)
		}
		for _, w := range whole {
			if !slices.Contains(distinct, w) {
				t.Fatalf("%d is not of the unit", w)
			}
		}
	})
}

// Documents of 80 words out of 50,000, of which 50 count.
func BenchmarkAdd(b *testing.B) {
	random := rand.New(rand.NewPCG(7, 8))
	all := numbered(50_000)
	papers := make([][]string, 1000)
	for i := range papers {
		for range 80 {
			papers[i] = append(papers[i], all[random.IntN(len(all))])
		}
	}
	for _, ofUsers := range []bool{false, true} {
		b.Run(fmt.Sprintf("users=%v", ofUsers), func(b *testing.B) {
			v := newVotes(50, bound, ofUsers)
			for i := 0; b.Loop(); i++ {
				if err := v.add(fmt.Sprint(i), fmt.Sprint(i%5000), papers[i%len(papers)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
