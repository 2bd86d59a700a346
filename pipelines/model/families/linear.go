package families

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// The statistics of Linear: 1 × V, V × V and symmetric, and a cell; and Count.
const (
	XY = "xy"
	XX = "xx"
	YY = "yy"
)

// The fields in model files of Linear, with Mean, for rows and responses as the E-step scales them.
var (
	// Covariance is the covariance of w.
	Covariance = model.Matrix[float64]{Name: "covariance", Rows: model.Words, Columns: model.Words}

	// Noise is the variance of a response around wᵀx, E[1/τ].
	Noise = model.Scalar{Name: "noise", Rule: model.Positive}
)

// Linear is the family of Bayesian linear regression with a conjugate normal-gamma prior, learned from noisy sums
// (Bernstein and Sheldon, Differentially Private Bayesian Linear Regression, NeurIPS 2019, §3). A document's label is
// the response.
//
// For a row x with |x| ≤ 1 and a response y in [−1, 1], in the notation of Park et al. (2020), Algorithms 1 and 2:
//
//	statistic s       natural parameter n   prior ν          add-remove   replace-one
//	xy = y·x          τ·w                   0                1            2
//	xx = x·xᵀ         −½·τ·w·wᵀ             λ0·I             1            √2
//	yy = y²           −½·τ                  2·b0             1            1
//	count = 1         ½·log τ               2·(a0 − 1) + V   1            0
//	all, each over 1                                         2            3/√2
//
// The last columns bound how far a neighbouring sum lies in L2: estep/linear/claim.md. The model has no latent
// variable, so the E-step needs no parameters, and one round has everything that the data tell.
var Linear = &model.Family{
	Name: "linear", Values: true,
	Statistics: func(s model.Size) []*wire.Matrix {
		v := uint32(s.Words)
		return []*wire.Matrix{
			{Name: XY, Rows: 1, Columns: v, Element: wire.Element_FLOAT32},
			{Name: XX, Rows: v, Columns: v, Element: wire.Element_FLOAT32, Symmetric: true},
			{Name: YY, Rows: 1, Columns: 1, Element: wire.Element_FLOAT32},
			{Name: Count, Rows: 1, Columns: 1, Element: wire.Element_FLOAT32},
		}
	},
	Model: []model.Field{Noise, Rounds, Mean, Covariance},
}
