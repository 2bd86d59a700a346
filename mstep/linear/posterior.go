package linear

import (
	"math"

	"privpipe/mstep/internal/denoise"
)

// A posterior is the marginal of the weights, and the expected variance of the noise.
type posterior struct {
	mean       []float64 // E[w]
	covariance []float64 // of w, V × V row by row
	noise      float64   // E[1/τ]
}

// solve returns the normal-gamma posterior (Murphy, Machine Learning: A Probabilistic Perspective, 2012, §7.6.3): Λ =
// λ0·I + XX, μ = Λ⁻¹·XY, a = a0 + N/2, b = b0 + ½·(YY − μᵀΛμ). The marginal of w is a Student's t with covariance
// b/(a−1)·Λ⁻¹, and E[1/τ] = b/(a−1).
//
// Without noise XX is positive semidefinite, and the residual YY − μᵀΛμ and N are at least 0. So solve raises the
// eigenvalues of XX to at least their noise floor. It raises the residual to at least the noise deviation on YY, and N
// to at least 0. With a point mass the posterior is at its mode, where 1/τ = b/(a − 1 + V/2).
func (o Options) solve(s *sums) (*posterior, error) {
	eigen, err := denoise.NewSpectrum(s.xx, o.Words)
	if err != nil {
		return nil, err
	}
	floor := denoise.NoiseFloor(math.Sqrt(s.xxVariance), o.Words)
	rotated, variances := eigen.Rotate(s.xy), make([]float64, o.Words)
	explained := 0.0 // μᵀΛμ
	for i, v := range eigen.Values {
		variances[i] = 1 / (o.Precision + max(v, floor, 0))
		explained += rotated[i] * rotated[i] * variances[i]
		rotated[i] *= variances[i]
	}
	a := o.A0 + max(0, s.count[0])/2
	b := o.B0 + max(s.yy[0]-explained, math.Sqrt(s.yyVariance), 0)/2
	q := &posterior{mean: eigen.Back(rotated), noise: b / (a - 1)}
	if o.Point {
		q.noise = b / (a - 1 + float64(o.Words)/2)
		q.covariance = make([]float64, o.Words*o.Words)
		return q, nil
	}
	for i := range variances {
		variances[i] *= q.noise
	}
	q.covariance = denoise.Cells(eigen.Matrix(variances))
	return q, nil
}
