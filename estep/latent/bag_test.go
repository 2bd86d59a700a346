package latent_test

import (
	"math"
	"testing"

	"privpipe/estep/latent"
	"privpipe/pipelines/wire"
)

// TestHalves: each token of a document is in one half, by a fair coin, in short and in long documents.
func TestHalves(t *testing.T) {
	for _, counts := range [][]uint32{{1, 2, 3}, {255, 256, 257}, {1000, 1, 4097}, {wire.MaxTokens}} {
		d := &wire.Document{WordGaps: []uint32{0, 1, 2}[:len(counts)], Counts: counts}
		seen, hidden := latent.Halves(d)
		got := make(map[uint32]uint32)
		for _, b := range []latent.Bag{seen, hidden} {
			tokens := uint64(0)
			for i, id := range b.IDs {
				got[id] += b.Counts[i]
				tokens += uint64(b.Counts[i])
			}
			if tokens != b.Tokens {
				t.Errorf("%v: a half of %d tokens says %d", counts, tokens, b.Tokens)
			}
		}
		for i, id := range wire.AppendIDs(nil, d.WordGaps) {
			if got[id] != counts[i] {
				t.Errorf("%v: word %d has %d tokens in both halves", counts, id, got[id])
			}
		}
	}
	for range 3000 { // by a coin for each token this would take most of a minute
		latent.Halves(&wire.Document{WordGaps: []uint32{0}, Counts: []uint32{wire.MaxTokens}})
	}
	for _, count := range []uint32{200, 300, wire.MaxTokens / words} {
		fair(t, count)
	}
}

const words = 1000

// fair checks the mean and the variance of the halves of so many words.
func fair(t *testing.T, count uint32) {
	t.Helper()
	d := &wire.Document{}
	for i := range words {
		d.WordGaps, d.Counts = append(d.WordGaps, uint32(min(i, 1))), append(d.Counts, count)
	}
	seen, _ := latent.Halves(d)
	mean, variance := 0.0, 0.0
	for _, n := range seen.Counts {
		x := (float64(n) - float64(count)/2) / math.Sqrt(float64(count)/4)
		mean, variance = mean+x/words, variance+x*x/words
	}
	if math.Abs(mean) > 5/math.Sqrt(words) || math.Abs(variance-1) > 5*math.Sqrt(2./words) {
		t.Errorf("%d tokens: halves are off by %v standard deviations, with a variance of %v", count, mean, variance)
	}
}

// BenchmarkHalves is of a document of as many tokens as there may be.
func BenchmarkHalves(b *testing.B) {
	d := &wire.Document{WordGaps: []uint32{0}, Counts: []uint32{wire.MaxTokens}}
	for b.Loop() {
		latent.Halves(d)
	}
}
