// Package dpvi is the family of logistic regression by stochastic gradients of the evidence lower bound, with q(w) =
// N(μ, diag(d²)) (Jälkö, Dikmen and Honkela, Differentially Private Variational Inference for Non-conjugate Models, UAI
// 2017). A row's features are a document's words.
package dpvi

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// Gradients is the name of the statistic: 2 × V. Row 0 is the gradient of the log likelihood by μ, row 1 its gradient
// by log d.
const Gradients = "gradients"

// The fields of parameters and model files.
var (
	// μ
	Mean = model.Matrix[float64]{Name: "mean", Rows: model.One, Columns: model.Words}
	// d
	Deviation = model.Matrix[float64]{Name: "deviation", Rows: model.One, Columns: model.Words, Rule: model.Positive}
	// number of rounds that the model was learned from
	Rounds = model.Scalar{Name: "rounds"}

	// Draw is e ~ N(0, I), from public coins: a round's gradients are at w = μ + d∘e. A model file has none.
	Draw = model.Matrix[float64]{Name: "draw", Rows: model.One, Columns: model.Words}
)

// Family is the family of models.
var Family = &model.Family{
	Name: "dpvi", Values: true,
	Statistics: func(s model.Size) []*wire.Matrix {
		return []*wire.Matrix{{Name: Gradients, Rows: 2, Columns: uint32(s.Words), Element: wire.Element_FLOAT32}}
	},
	Parameters: []model.Field{Mean, Deviation},
	Model:      []model.Field{Rounds, Mean, Deviation},
}
