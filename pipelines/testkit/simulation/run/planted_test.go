package run

import (
	"testing"

	"privpipe/pipelines/testkit/mutants"
)

// A finding is the schedule that finds a planted fault.
type finding struct {
	scenario string
	seed     uint64
}

// found has the planted faults that need a kill, a power cut or a failing disk, by name: see package mutants. The seeds
// change with the number of effects of a stage, and then TestPlanted looks for others.
var found = map[string]finding{
	"book-charge-not-synced":              {"wall", 0},
	"book-charge-of-a-release-not-stored": {"wall", 4},
	"book-charged-round-drawn-again":      {"wall", 1},
	"book-folder-above-not-synced":        {"wall", 12},
	"book-folder-that-cannot-be-synced":   {"wall", 1},
	"book-folders-not-synced":             {"wall", 1},
	"book-opened-not-synced":              {"wall", 32},
	"book-release-after-charge":           {"wall", 1},
	"book-release-not-synced":             {"wall", 1},
	"release-replay-draws-again":          {"wall", 1},
}

// all returns the mutants in found.
func all(t *testing.T) (some []*mutants.Mutant) {
	t.Helper()
	every, err := mutants.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range every {
		if _, ok := found[m.Name]; ok {
			some = append(some, m)
		}
	}
	if len(some) != len(found) {
		t.Errorf("%d of the %d planted faults are mutants", len(some), len(found))
	}
	return some
}
