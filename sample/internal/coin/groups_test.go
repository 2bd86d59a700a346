package coin

import (
	"math/rand/v2"
	"testing"

	"privpipe/pipelines/event"
)

// TestGroups asks for rounds in order, from any round on, twice, backwards and beyond the last. A round does not depend
// on what was asked before. A unit is in a round if its coin, thrown alone, falls. Numbers of units fill words of 64 or
// leave some over.
func TestGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 63, 64, 65, 200} {
		_, keys := units(n)
		scheme := poisson(0.3) // of 10 rounds: the last group is not whole
		throw := secret(4).Throw(Purpose(scheme, "run", event.Document, nil))
		orders := [][]int{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, {3, 4, 5}, {6, 7, 10}, {10, 9, 2, 1, 4, 3},
			{1, 1, 2, 2, 8, 8, 5, 7}}
		for range 20 {
			order := make([]int, 12)
			for i := range order {
				order[i] = 1 + random.IntN(10)
			}
			orders = append(orders, order)
		}
		for _, order := range orders {
			c := chooser(t, scheme, n, secret(4))
			for _, round := range order {
				set := c.Round(round)
				group, place := GroupOf(round)
				coins, drawn := throw.Group(group, scheme.Rate), 0
				for i := range keys {
					want := coins.Falls(keys[i : i+1])[place] != 0
					drawn += index(want)
					if set.Has(i) != want {
						t.Fatalf("%d units, asked %v: unit %d is in round %d: %v, want %v", n, order, i, round,
							set.Has(i), want)
					}
				}
				if set.Len() != drawn {
					t.Fatalf("%d units, asked %v: round %d has %d, want %d", n, order, round, set.Len(), drawn)
				}
			}
		}
	}
}

// TestGroupsKeepLittle: a group holds only its rounds that are still to come, and none after the last round of the
// scheme.
func TestGroupsKeepLittle(t *testing.T) {
	_, keys := units(100)
	for _, c := range []struct{ round, rounds, kept int }{{1, 10, 3}, {3, 10, 1}, {4, 10, 0}, {9, 10, 1}, {10, 10, 0},
		{1, 1, 0}} {
		g := &groups{throw: secret(1).Throw(""), keys: keys, rate: 0.5, rounds: c.rounds}
		g.round(c.round)
		kept := 0
		for _, set := range g.sets {
			kept += index(set != nil)
		}
		if kept != c.kept {
			t.Errorf("after round %d of %d: %d rounds are kept, want %d", c.round, c.rounds, kept, c.kept)
		}
	}
}

// TestFrom compares with Has, in sets with gaps of more than a word.
func TestFrom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 64, 65, 300, 1000} {
		for _, rate := range []float64{0, 0.005, 0.5, 1} {
			s := NewSet(n)
			for i := range n {
				if random.Float64() < rate {
					s.Add(i)
				}
			}
			want := -1
			for i := n + 70; i >= 0; i-- {
				if i < n && s.Has(i) {
					want = i
				}
				if got := s.From(i); got != want {
					t.Fatalf("set of %d: from %d on the first member is %d, want %d", n, i, got, want)
				}
			}
		}
	}
}
