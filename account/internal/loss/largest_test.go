package loss

import (
	"math"
	"testing"

	"privpipe/account/internal/pld"
	"privpipe/pipelines/event"
)

// fixedProfile has one ε and one δ, whatever it is asked.
type fixedProfile struct{ epsilon, delta Bound }

func (p fixedProfile) Epsilon(float64) (Bound, error) { return p.epsilon, nil }
func (p fixedProfile) Delta(float64) (Bound, error)   { return p.delta, nil }

// TestLargest: the largest of each bound counts, in whatever order the profiles stand, with the order that proves it.
func TestLargest(t *testing.T) {
	a := fixedProfile{Bound{3, 2, 7}, Bound{1e-9, 1e-10, 5}}
	b := fixedProfile{Bound{1, 0.5, 8}, Bound{1e-6, 0, 6}}
	c := fixedProfile{Bound{2, 1.9, 9}, Bound{1e-8, 0, 4}}
	tight := fixedProfile{Bound{2.5, 2.4, 0}, Bound{1e-7, 1e-7, 0}}
	for what, test := range map[string]struct {
		of             []Profile
		epsilon, delta Bound
	}{
		"one":              {[]Profile{b}, b.epsilon, b.delta},
		"first":            {[]Profile{a, b, c}, Bound{3, 2, 7}, Bound{1e-6, 1e-10, 6}},
		"last":             {[]Profile{c, b, a}, Bound{3, 2, 7}, Bound{1e-6, 1e-10, 6}},
		"in between":       {[]Profile{b, a, c}, Bound{3, 2, 7}, Bound{1e-6, 1e-10, 6}},
		"lower of another": {[]Profile{a, tight}, Bound{3, 2.4, 7}, Bound{1e-7, 1e-7, 0}},
		"infinite": {[]Profile{a, unbounded{}}, Bound{Upper: math.Inf(1), Lower: 2},
			Bound{Upper: 1, Lower: 1e-10}},
	} {
		p := Largest(test.of)
		epsilon, err := p.Epsilon(0.1)
		delta, wrong := p.Delta(0.1)
		if err != nil || wrong != nil || epsilon != test.epsilon || delta != test.delta {
			t.Errorf("%s: %v and %v, want %v and %v (%v, %v)", what, epsilon, delta, test.epsilon, test.delta, err,
				wrong)
		}
	}
}

// TestLargestIsExact enumerates all releases of two data sets by turns. Each release looks at the releases before it.
// At each ε the test compares the exact δ of the worst neighbours with the largest of the two data sets' δ. Neighbours
// differ in one data set. The releases are randomized responses, of probability 1/4 for north and of 1/5 for south.
// Each responds to its data set's bit XOR the last release.
func TestLargestIsExact(t *testing.T) {
	turns := []string{"north", "south", "north", "south", "south", "north"}
	flips := map[string]float64{"north": 1. / 4, "south": 1. / 5}
	// density of all releases, given as the bits of y, where the data sets hold these bits.
	density := func(bits map[string]int, y int) float64 {
		p, last := 1.0, 0
		for i, dataset := range turns {
			answer := y >> i & 1
			if answer == bits[dataset]^last {
				p *= 1 - flips[dataset]
			} else {
				p *= flips[dataset]
			}
			last = answer
		}
		return p
	}
	exact := func(epsilon float64) (worst float64) {
		for _, differs := range []string{"north", "south"} {
			for data := range 4 {
				x := map[string]int{"north": data & 1, "south": data >> 1}
				z := map[string]int{"north": x["north"], "south": x["south"]}
				z[differs] ^= 1
				delta := 0.0
				for y := range 1 << len(turns) {
					delta += max(0, density(x, y)-math.Exp(epsilon)*density(z, y))
				}
				worst = max(worst, delta)
			}
		}
		return worst
	}
	list := func(datasets ...string) Profile {
		l := &List{Adjacency: event.AddRemove}
		for _, dataset := range datasets {
			p := flips[dataset]
			l.Add(Release{Released: []Mechanism{Pure{Epsilon: math.Log((1 - p) / p)}}, Count: 3})
		}
		p, err := l.Distribution(pld.Options{Tolerance: 1e-4})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	largest, all := Largest([]Profile{list("north"), list("south")}), list("north", "south")
	for _, epsilon := range []float64{0, 0.5, 1, 1.5, 2, 3, 4} {
		want := exact(epsilon)
		got, err := largest.Delta(epsilon)
		if err != nil || !(got.Upper >= want && got.Upper <= want+1e-3 && got.Lower <= want+1e-12) {
			t.Errorf("δ at ε %v is %v, want %v (%v)", epsilon, got, want, err)
		}
		if sum, err := all.Delta(epsilon); err != nil || !(sum.Lower > want+1e-3) {
			t.Errorf("δ at ε %v of all that is released is not above %v: %v (%v)", epsilon, want, sum, err)
		}
	}
}
