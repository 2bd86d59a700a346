package choose

import (
	"testing"

	"privpipe/pipelines/event"
)

// BenchmarkRound draws a round from ten million units.
func BenchmarkRound(b *testing.B) {
	const n = 10_000_000
	digests, keys := units(n)
	for _, scheme := range []event.Scheme{
		poisson(0.01), fixed(n/100, n), disjoint(event.Allocate, 100), disjoint(event.Epoch, 100),
	} {
		b.Run(scheme.Method, func(b *testing.B) {
			c, err := New(scheme, digests, keys, secret(1).Throw(Purpose(scheme, "", event.Document, nil)))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				c.Round(1)
			}
		})
	}
}
