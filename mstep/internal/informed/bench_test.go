package informed

import (
	"math/rand/v2"
	"syscall"
	"testing"
)

// BenchmarkRound is what public text adds to a round of mstep with 50 topics over 8,000 words, by a file of 242 topics
// and 60 features. cpu-ms/op is the CPU time of all threads. A tenth of the round's E-step is 75 ms: 36,500 documents
// of 20 µs.
func BenchmarkRound(b *testing.B) {
	const topics = 50
	text, base := benchmarkText()
	r := rand.New(rand.NewPCG(1, 2))
	words := len(base)
	statistic := make([]float64, topics*words)
	for i := range statistic {
		statistic[i] = 20_000*base[i%words] + 10*r.NormFloat64()
	}
	informed := New(topics, base, text, nil)
	informed.Follow(statistic, 10)
	b.ReportAllocs()
	began := cpuSeconds(b)
	for b.Loop() {
		informed.Follow(statistic, 10)
		informed.Estimate(statistic, 10)
	}
	b.ReportMetric(1000*(cpuSeconds(b)-began)/float64(b.N), "cpu-ms/op")
}

// cpuSeconds is the CPU time of this process.
func cpuSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
