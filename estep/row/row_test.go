package row

import (
	"math"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

func TestRead(t *testing.T) {
	var r Row
	for range 2 { // its memory is used again
		r.Read(&wire.Document{WordGaps: []uint32{3, 4}, Values: stream.AppendCells(nil, []float32{1.5, -2})})
		if !slices.Equal(r.IDs, []uint32{3, 7}) || !slices.Equal(r.X, []float64{1.5, -2}) {
			t.Fatalf("read %+v", r)
		}
	}
	if got := r.Dot([]float64{0, 0, 0, 2, 0, 0, 0, 5}); got != -7 {
		t.Errorf("the product is %v, want -7", got)
	}
	r.Bound(10)
	if !slices.Equal(r.X, []float64{0.15, -0.2}) {
		t.Errorf("a row of norm 2.5 over 10 is %v", r.X)
	}
	r.Bound(0.125)
	if !slices.Equal(r.X, []float64{0.6, -0.8}) {
		t.Errorf("a row of norm 0.25, above 0.125, is %v", r.X)
	}
}

// TestTowardsZero: the nearest FLOAT32 of a smaller magnitude, and never an infinite one.
func TestTowardsZero(t *testing.T) {
	for x, want := range map[float64]float32{
		0.5: 0.5, 0: 0, 1e-60: 0, 1e300: math.MaxFloat32, math.Inf(1): math.MaxFloat32,
		1 + 1e-9: 1, 1 - 1e-9: 1 - 1./(1<<24), math.Nextafter(2, 0): 2 - 1./(1<<23),
	} {
		if got := TowardsZero(x); got != want {
			t.Errorf("%v is rounded to %v, want %v", x, got, want)
		}
		if got := TowardsZero(-x); got != -want {
			t.Errorf("%v is rounded to %v, want %v", -x, got, -want)
		}
	}
}

func TestLogistic(t *testing.T) {
	for x, want := range map[float64]float64{0: 0.5, math.Log(3): 0.75, 800: 1, -800: 0, math.NaN(): 0.5,
		math.Inf(-1): 0} {
		if got := Logistic(x); math.Abs(got-want) > 1e-15 {
			t.Errorf("σ(%v) is %v, want %v", x, got, want)
		}
	}
	if got := Probability(math.Log(3)*math.Sqrt2, 8/math.Pi); math.Abs(got-0.75) > 1e-15 {
		t.Errorf("probability %v, want 0.75: κ is 1/√2", got)
	}
}

// FuzzTowardsZero: it is the FLOAT32 of the largest magnitude that is at most that of x.
func FuzzTowardsZero(f *testing.F) {
	for _, x := range []float64{0, 1, -0.3, 1e-45, 1.5e-45, 0x1p-126, 0x1.fffffffp-127, math.MaxFloat32,
		0x1.ffffffffp127, 1e300} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		if math.IsNaN(x) {
			t.Skip()
		}
		got := TowardsZero(x)
		magnitude := float32(math.Abs(float64(got)))
		if float64(magnitude) > math.Abs(x) || got != 0 && math.Signbit(float64(got)) != math.Signbit(x) {
			t.Errorf("%v is rounded to %v", x, got)
		}
		if magnitude < math.MaxFloat32 && float64(math.Nextafter32(magnitude, math.MaxFloat32)) <= math.Abs(x) {
			t.Errorf("%v is rounded to %v, and a larger number is nearer", x, got)
		}
	})
}

// TestPartsReused: the parts of rows of any lengths after one another are those of rows with memory of their own.
func TestPartsReused(t *testing.T) {
	var r Row
	for _, x := range [][]float64{{1, -2, 0.5}, {3}, {1, 2, 3, 4, 5}, {-0.25, 7}} {
		gaps := make([]uint32, len(x))
		for i := range gaps {
			gaps[i] = uint32(i + len(x))
		}
		r.X = x
		got, want := r.Parts(gaps, 3, 2), (&Row{X: x}).Parts(gaps, 3, 2)
		if len(got) != 2 || !proto.Equal(got[0], want[0]) || !proto.Equal(got[1], want[1]) {
			t.Errorf("parts of %v are %v, want %v", x, got, want)
		}
		var linear, root []float32
		for _, v := range x {
			linear, root = append(linear, TowardsZero(3*v)), append(root, TowardsZero(math.Sqrt2*v))
		}
		if !slices.Equal(want[0].Values, stream.AppendCells(nil, linear)) ||
			!slices.Equal(want[1].Values, stream.AppendCells(nil, slices.Concat(root, root))) || !want[1].Factored ||
			want[1].Matrix != 1 {
			t.Errorf("parts of %v have other numbers: %v", x, want)
		}
	}
}
