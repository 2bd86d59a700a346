package gibbs

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// A sweep over a document of 200 tokens of 120 words.
func BenchmarkSweep(b *testing.B) {
	for _, k := range []int{50, 200} {
		for _, expected := range []bool{false, true} {
			b.Run(fmt.Sprintf("topics=%d/expected=%v", k, expected), func(b *testing.B) {
				const v = 8000
				random := rand.New(rand.NewChaCha8([32]byte{1}))
				s := newSampler(newWeights(k, v, 1/float64(k), randomWeights(rand.New(rand.NewPCG(1, 2)), k, v), 0))
				words, counts, tokens := make([]uint32, 120), make([]uint32, 120), 0
				for i := range words {
					words[i], counts[i] = uint32(i*v/len(words)), uint32(1+i%2+i%5/3)
					tokens += int(counts[i])
				}
				var shares []float32
				if expected {
					shares = make([]float32, len(words)*k)
				}
				s.begin(words, counts)
				s.start(random)
				for b.Loop() {
					s.sweep(random, shares)
				}
				b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtokens/s")
			})
		}
	}
}
