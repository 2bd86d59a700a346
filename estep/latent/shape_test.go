package latent

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTop(t *testing.T) {
	mass := []float64{4, 9, 4, 1}
	for m, want := range map[int][]int{0: {0, 1, 2, 3}, 1: {1}, 2: {0, 1}, 3: {0, 1, 2}, 4: {0, 1, 2, 3},
		9: {0, 1, 2, 3}} {
		if got := Top(mass, m, nil); !slices.Equal(got, want) {
			t.Errorf("top %d is %v, want %v", m, got, want)
		}
	}
}

// TestTopOfMany compares the choice with a stable sort, on masses with many ties.
func TestTopOfMany(t *testing.T) {
	random, memory := rand.New(rand.NewPCG(1, 2)), []int{7}
	for range 2000 {
		mass, want := make([]float64, 1+random.IntN(40)), []int(nil)
		for j := range mass {
			mass[j] = float64(random.IntN(1 + random.IntN(30)))
			want = append(want, j)
		}
		most := 1 + random.IntN(len(mass))
		slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(mass[b], mass[a]) })
		want = want[:most]
		slices.Sort(want)
		if got := Top(mass, most, memory); !slices.Equal(got, want) {
			t.Fatalf("top %d of %v is %v, want %v", most, mass, got, want)
		}
	}
}

// TestScale: two topics and three words, of which the last has no weight in them.
func TestScale(t *testing.T) {
	for _, c := range []struct {
		shape Shape
		want  []float32
	}{
		{Shape{}, []float32{1, 3, 0, 1, 1, 0}},
		{Shape{Weight: Once}, []float32{.5, .75, 0, .5, .25, 0}},
		{Shape{Norm: 6}, []float32{1.7320508, 5.196152, 0, 1.7320508, 1.7320508, 0}}, // 6/√12
	} {
		values := []float32{2, .75, 0, 2, .25, 0}
		c.shape.Scale(values, []float32{4, 1, 0}, []float32{2, 4, 7}, nil)
		for i := range values {
			if d := values[i] - c.want[i]; d > 1e-6 || d < -1e-6 {
				t.Errorf("%+v: %v, want %v", c.shape, values, c.want)
				break
			}
		}
	}
}

// TestRoot: a word of count 9 weighs three times as much as one of count 1.
func TestRoot(t *testing.T) {
	values := []float32{1, 1}
	Shape{Weight: Root}.Scale(values, []float32{1, 1}, []float32{9, 1}, nil)
	if values[0] != 3 || values[1] != 1 {
		t.Errorf("values are %v, want 3 and 1", values)
	}
}
