package families

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// Gradients is the statistic of DPVI, 2 × V. Row 0 is the gradient of the log likelihood by μ, row 1 its gradient
// by log d.
const Gradients = "gradients"

// The fields of DPVI's parameters and model files. Mean is μ.
var (
	// Deviation is d.
	Deviation = model.Matrix[float64]{Name: "deviation", Rows: model.One, Columns: model.Words, Rule: model.Positive}

	// Draw is e ~ N(0, I), from public coins: a round's gradients are at w = μ + d∘e. A model file has none.
	Draw = model.Matrix[float64]{Name: "draw", Rows: model.One, Columns: model.Words}
)

// DPVI is the family of logistic regression by stochastic gradients of the evidence lower bound, with q(w) = N(μ,
// diag(d²)) (Jälkö, Dikmen and Honkela, Differentially Private Variational Inference for Non-conjugate Models, UAI
// 2017).
var DPVI = &model.Family{
	Name: "dpvi", Values: true,
	Statistics: func(s model.Size) []*wire.Matrix {
		return []*wire.Matrix{{Name: Gradients, Rows: 2, Columns: uint32(s.Words), Element: wire.Element_FLOAT32}}
	},
	Parameters: []model.Field{Mean, Deviation},
	Model:      []model.Field{Rounds, Mean, Deviation},
}
