package lda

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

func applied(l Length, d *wire.Document) ([]uint32, []float32) {
	ids := wire.AppendIDs(nil, d.WordGaps)
	counts := make([]float32, len(ids))
	for i, c := range d.Counts {
		counts[i] = float32(c)
	}
	return l.apply(&model.Coins{Document: d}, ids, counts)
}

func total(counts []float32) (n int) {
	for _, c := range counts {
		n += int(c)
	}
	return n
}

func TestLength(t *testing.T) {
	d := &wire.Document{Id: "a", WordGaps: []uint32{2, 5, 1}, Counts: []uint32{1, 10, 89}} // 100 words
	for _, c := range []struct {
		l    Length
		want int
	}{
		{Length{}, 100}, {Length{Words: 500}, 100}, {Length{Words: 30}, 30},
		{Length{Words: 500, Resample: true}, 500}, {Length{Words: 30, Resample: true}, 30},
	} {
		ids, counts := applied(c.l, d)
		if got := total(counts); got != c.want {
			t.Errorf("%+v gives %d words, want %d", c.l, got, c.want)
		}
		for i := range counts {
			if counts[i] < 1 || i > 0 && ids[i] <= ids[i-1] {
				t.Errorf("%+v gives ids %v with counts %v", c.l, ids, counts)
			}
			if !c.l.Resample && c.l.Words == 30 && counts[i] > float32(d.Counts[len(d.Counts)-1]) {
				t.Errorf("drawn without replacement, a word occurs %v times", counts[i])
			}
		}
		again, countsAgain := applied(c.l, d)
		if len(again) != len(ids) || total(countsAgain) != total(counts) || countsAgain[0] != counts[0] {
			t.Errorf("%+v gives another bag the second time", c.l)
		}
	}
	if ids, _ := applied(Length{Words: 500, Resample: true}, &wire.Document{Id: "e"}); len(ids) != 0 {
		t.Errorf("an empty document became %v", ids)
	}
}

// TestLengthKeepsProportions draws many documents' coins and compares each word's mean count with its expectation. The
// mean of 2,000 has a standard error below 0.06 words; 6 of them make the false-rejection rate 2e-9. It is
// deterministic.
func TestLengthKeepsProportions(t *testing.T) {
	for _, resample := range []bool{false, true} {
		sum := 0.0
		const documents = 2000
		for i := range documents {
			first := uint32(i) // other words: other coins
			d := &wire.Document{Id: "d", WordGaps: []uint32{first, 1}, Counts: []uint32{25, 75}}
			ids, counts := applied(Length{Words: 40, Resample: resample}, d)
			if len(ids) > 0 && ids[0] == first {
				sum += float64(counts[0])
			}
		}
		if mean := sum / documents; math.Abs(mean-10) > 0.36 {
			t.Errorf("resample %v: a quarter of the words is %v of 40 on average", resample, mean)
		}
	}
}

// TestMemoryOfLength: a document of few bytes and many words costs no memory for each of its words.
func TestMemoryOfLength(t *testing.T) {
	d := &wire.Document{Id: "a", WordGaps: []uint32{2, 5}, Counts: []uint32{1, wire.MaxTokens - 1}}
	for _, resample := range []bool{false, true} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ids, counts := applied(Length{Words: 100, Resample: resample}, d)
		runtime.ReadMemStats(&after)
		if total(counts) != 100 || ids[len(ids)-1] != 7 {
			t.Errorf("resample %v: %v words of %v", resample, counts, ids)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
			t.Errorf("resample %v: it takes %d bytes", resample, taken)
		}
	}
}

// TestMultinomial: a token belongs to the word that a list of all tokens has at its place.
func TestMultinomial(t *testing.T) {
	counts := []uint32{3, 1, 2, 5}
	var word []int
	for i, c := range counts {
		word = append(word, slices.Repeat([]int{i}, int(c))...)
	}
	drawn, want := make([]int, len(counts)), make([]int, len(counts))
	multinomial(rand.New(rand.NewPCG(1, 2)), drawn, counts, len(word), 1000)
	coins := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		want[word[coins.IntN(len(word))]]++
	}
	if !slices.Equal(drawn, want) {
		t.Errorf("drew %v, want %v", drawn, want)
	}
}
