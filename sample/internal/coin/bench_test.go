package coin

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"privpipe/pipelines/event"
	"privpipe/sample/internal/corpus"
)

// BenchmarkRound draws rounds from 10⁸ units, one after the other as sample does, whose keys and digests take 2.4 GB.
// It reports CPU time (user and system) a unit and round.
func BenchmarkChooser(b *testing.B) {
	const n = 100_000_000
	digests, keys := make([]uint64, n), make([]corpus.Key, n)
	random := rand.NewChaCha8([32]byte{1})
	for i := range keys {
		random.Read(keys[i][:])
		digests[i] = random.Uint64()
	}
	for _, scheme := range []event.Scheme{
		poisson(0.001), fixed(uint64(n)/1000, uint64(n)), disjoint(event.Allocate, 1000), disjoint(event.Epoch, 1000),
	} {
		b.Run(scheme.Method, func(b *testing.B) {
			scheme.Rounds = event.MaxRounds // of which the benchmark draws the first
			c, err := NewChooser(scheme, digests, keys, secret(1).Throw(Purpose(scheme, "", event.Document, nil)))
			if err != nil {
				b.Fatal(err)
			}
			before, rounds := cpu(b), 0
			for range b.N {
				for range 4 { // a group of rounds of event.Poisson costs as much as its first
					rounds++
					c.Round(rounds)
				}
			}
			b.ReportMetric(float64((cpu(b)-before).Nanoseconds())/float64(rounds)/float64(n), "cpu-ns/unit")
		})
	}
}

// cpu is the CPU time of this process.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
