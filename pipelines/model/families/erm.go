package families

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// Weights is the statistic of ERM, 1 × V: the weights themselves. All rows of a round have one contribution together.
const Weights = "weights"

// ERM is the family of logistic regression by empirical risk minimisation with a perturbed objective (Chaudhuri,
// Monteleoni, Sarwate 2011). Its weights are a point: Mean, without Moments.
var ERM = &model.Family{
	Name: "erm", Values: true,
	Statistics: func(s model.Size) []*wire.Matrix {
		return []*wire.Matrix{{Name: Weights, Rows: 1, Columns: uint32(s.Words), Element: wire.Element_FLOAT32}}
	},
	Model: []model.Field{Rounds, Mean},
}
