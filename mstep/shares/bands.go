package shares

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// quantile returns z such that n normal numbers, whatever their correlations, are all within ±z of their means with at
// least the probability confidence (Šidák, Rectangular confidence regions for the means of multivariate normal
// distributions, 1967, corollary 1): each is with the probability confidence^(1/n).
func quantile(confidence float64, n int) float64 {
	each := math.Pow(confidence, 1/float64(n))
	return distuv.UnitNormal.Quantile(0.5 + each/2)
}

// A Band is an estimate and the interval around it.
type Band struct{ Value, Low, High float64 }

// documents is the band of a sum that has noise of the given deviation. The sum itself is not below 0.
func documents(y, deviation, z float64) Band {
	return Band{y, max(0, y-z*deviation), max(0, y+z*deviation)}
}

// share is the band of the share of x in N, given y = x + noise in one cell and the sum total = N + noise over all m
// cells of its row. It is the interval of Fieller (Some problems in interval estimation, 1954): all shares s for which
// |y − s·total| is at most z deviations. y − s·total has the variance σ²·(1 − 2s + m·s²), since the noise of the cell
// is in the total, too. The band is [0, 1] if the total is not clearly above 0.
func share(y, total, deviation float64, m int, z float64) Band {
	variance := z * z * deviation * deviation
	// s²·(total² − m·z²σ²) − 2s·(y·total − z²σ²) + y² − z²σ² ≤ 0
	a, b, c := total*total-float64(m)*variance, y*total-variance, y*y-variance
	if !(total > 0 && a > 0) {
		return Band{clamp(y / total), 0, 1}
	}
	root := math.Sqrt(max(0, b*b-a*c))
	return Band{clamp(y / total), clamp((b - root) / a), clamp((b + root) / a)}
}

// clamp returns the number in [0, 1] that is nearest to x, and 0 for no number.
func clamp(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(1, max(0, x))
}

// change is the band of the change of a share from one window to the next, by the variance of a ratio to first order
// (the delta method). ok is false if a total is not clearly above 0.
func change(before, after cell, z float64) (b Band, ok bool) {
	if !before.clear(z) || !after.clear(z) {
		return Band{}, false
	}
	d := after.share() - before.share()
	width := z * math.Sqrt(after.shareVariance(after.share())+before.shareVariance(before.share()))
	return Band{d, max(-1, d-width), min(1, d+width)}, true
}

// A cell is the noisy sum of one topic in one or several windows.
type cell struct {
	y, total  float64 // in the cell, and in all m cells of its row
	m         int
	deviation float64 // of the noise on each cell
}

func (c cell) share() float64 { return clamp(c.y / c.total) }

// clear reports whether the total is more than z deviations above 0.
func (c cell) clear(z float64) bool {
	return c.total > 0 && c.total > z*c.deviation*math.Sqrt(float64(c.m))
}

// shareVariance is the variance of y/total by the noise, to first order, if s is the share.
func (c cell) shareVariance(s float64) float64 {
	return c.deviation * c.deviation * (1 - 2*s + float64(c.m)*s*s) / (c.total * c.total)
}

// add returns the cell of both windows together.
func (c cell) add(other cell) cell {
	return cell{c.y + other.y, c.total + other.total, c.m, math.Hypot(c.deviation, other.deviation)}
}
