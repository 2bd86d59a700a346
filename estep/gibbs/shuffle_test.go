package gibbs

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestShuffle: all orders of few elements are equally likely, whatever the order before. A right shuffle fails once in
// a million times, over all cases.
func TestShuffle(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	for _, n := range []int{1, 2, 3, 4, 5, 6} {
		all := orders(n)
		seen := make(map[string]float64)
		const each = 300
		order := make([]uint32, n)
		for i := range order {
			order[i] = uint32(i)
		}
		name := func() string {
			b := make([]byte, n)
			for i, x := range order {
				b[i] = byte(x)
			}
			return string(b)
		}
		for range each * len(all) {
			slices.Sort(order)
			shuffle(order, random)
			seen[name()]++
		}
		square := 0.0
		for _, count := range seen {
			square += (count - each) * (count - each) / each
		}
		square += float64(len(all)-len(seen)) * each
		if limit := (distuv.ChiSquared{K: max(1, float64(len(all)-1))}).Quantile(1 - 1e-7); square > limit {
			t.Errorf("%d elements: χ² is %v, above %v", n, square, limit)
		}
	}
	// The shuffle draws the first elements of a long order one by one. The order stays a permutation, and each third of
	// it gets its share.
	order := make([]uint32, mostBatch+9000)
	for i := range order {
		order[i] = uint32(i)
	}
	shuffle(order, random)
	third := len(order) / 3
	low := 0
	for _, x := range order[:third] {
		if int(x) < third {
			low++
		}
	}
	if low < third/3-400 || low > third/3+400 { // eight standard deviations
		t.Errorf("%d of the first %d elements came from them", low, third)
	}
	slices.Sort(order)
	for i, x := range order {
		if int(x) != i {
			t.Fatalf("element %d is %d", i, x)
		}
	}
}

// given is a source of given numbers.
type given []uint64

func (g *given) Uint64() uint64 {
	x := (*g)[0]
	*g = (*g)[1:]
	return x
}

// TestPlacesRejects: the numbers that would make some places likelier are not taken, and the ones beside them are.
func TestPlacesRejects(t *testing.T) {
	for _, n := range []uint64{4, 5, 1000, mostBatch - 1, mostBatch} {
		product := n * (n - 1) * (n - 2) * (n - 3)
		few := -product % product // 2^64 mod product
		// Of the numbers r with the first place, those with r·P mod 2^64 = r·P < few are one too many: r = 0 only,
		// since few < P.
		source := given{0, 1<<64 - 1, 7}
		a, b, c, d := places(n, rand.New(&source))
		if few > 0 && len(source) != 1 {
			t.Errorf("n = %d: %d numbers are left", n, len(source))
		}
		// The last number has the last places.
		if few > 0 && (a != n-1 || b != n-2 || c != n-3 || d != n-4) {
			t.Errorf("n = %d: the places are %d, %d, %d and %d", n, a, b, c, d)
		}
		source = given{1, 7}
		if places(n, rand.New(&source)); len(source) != 1 {
			t.Errorf("n = %d: 1 is not taken", n)
		}
	}
}
