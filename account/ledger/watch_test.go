package ledger

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/ledgers"
	"privpipe/pipelines/event"
	"privpipe/pipelines/testkit"
)

// BenchmarkWatch times a look at a ledger, and its ε. The ledger has nights of 80 releases, each with its own noise.
func BenchmarkWatch(b *testing.B) {
	for _, nights := range []int{1, 10, 100} {
		ledger := new(testkit.Book)
		for night := range nights {
			ledger.Of(b, &event.Grant{
				Version: 1, ID: fmt.Sprint("night", night), Created: testkit.Noon, Mechanism: event.Gaussian,
				Adjacency: event.AddRemove, Unit: event.Document, Clip: 1,
				NoiseMultiplier: 4 + math.Sqrt(float64(night))/10, Releases: 80,
				Budget: event.Budget{Epsilon: 10, Delta: 1e-6},
				Scheme: event.Scheme{Method: event.Poisson, Rate: 0.1, Rounds: 80, Secret: true},
			}, 80, fmt.Sprint("night", night))
		}
		path := filepath.Join(b.TempDir(), "ledger")
		if err := os.WriteFile(path, ledger.Bytes, 0o644); err != nil {
			b.Fatal(err)
		}
		w := &watching{WatchCommand: &WatchCommand{Ledger: path,
			LedgerChoice: accountant.LedgerChoice{Accountant: "pld"}}}
		b.Run(fmt.Sprint("look ", nights*80), func(b *testing.B) {
			for b.Loop() {
				if _, err := ledgers.Read(b.Context(), path); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprint("spent ", nights*80), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := w.spent(&ledger.Ledger); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
