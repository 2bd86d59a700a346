package denoise

import (
	"math"
	"testing"
)

// plain is lookUp's twin: Φ(z)/φ(z) = ∫ exp(zt − t²/2) dt over t ≥ 0, and slope(z), the mean of t under that density, both
// by Simpson's rule.
func plain(z float64) (ratio, slope float64) {
	peak, width := max(z, 0), 1.0
	if z < -1 {
		width = -1 / z
	}
	from, to := max(0, peak-12*width), peak+40*width
	const n = 4000
	step := (to - from) / n
	top := z*peak - peak*peak/2
	for i := range n + 1 {
		weight := float64(2 + 2*(i%2))
		if i == 0 || i == n {
			weight = 1
		}
		t := from + float64(i)*step
		f := weight * step / 3 * math.Exp(z*t-t*t/2-top)
		ratio += f
		slope += t * f
	}
	return ratio * math.Exp(top), slope / ratio
}

func FuzzLookUp(f *testing.F) {
	for _, z := range []float64{-1e9, -1e3, -20.0001, -20, -10.00001, -10, -9.9999, -1, 0, 0.5, 4.9999, 5, 8, 30, 37} {
		f.Add(z)
	}
	f.Fuzz(func(t *testing.T, z float64) {
		if !(z >= -1e12 && z <= 37) {
			t.Skip()
		}
		ratio, slope := lookUp(z)
		wantRatio, wantSlope := plain(z)
		near(t, "ratio", ratio, wantRatio, 5e-6)
		near(t, "slope", slope, wantSlope, 5e-6)
	})
}

// near allows an error relative to want.
func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
