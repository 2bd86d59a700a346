package denoise

import (
	"math"
	"testing"
)

// plain is the twin of what cell.set looks up: R(z) = ∫ exp(zt − t²/2) dt over t ≥ 0, and R′(z)/R(z), the mean of t under that density, both
// by Simpson's rule.
func plain(z float64) (ratio, mean float64) {
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
		mean += t * f
	}
	return ratio * math.Exp(top), mean / ratio
}

// FuzzLookUp takes one cell under one component so wide that z is the noisy cell.
func FuzzLookUp(f *testing.F) {
	for _, z := range []float64{-1e9, -1e3, -20.0001, -20, -10.00001, -10, -9.9999, -1, 0, 0.5, 4.9999, 5, 8, 30} {
		f.Add(z)
	}
	f.Fuzz(func(t *testing.T, z float64) {
		if !(z >= -1e12 && z <= surely) {
			t.Skip()
		}
		c := newCell([]float64{1})
		c.set(z, math.MaxFloat64, 1)
		wantRatio, wantMean := plain(z)
		near(t, "ratio", c.share[0], wantRatio, 5e-6)
		near(t, "mean", c.moment[0]/c.share[0], wantMean, 5e-6)
	})
}

// near allows an error relative to want.
func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
