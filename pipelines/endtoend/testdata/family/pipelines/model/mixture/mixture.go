// Package mixture is the family of Bernoulli mixtures over bags. Each document belongs to one of K clusters, and each
// word is in the document or not by a coin of its cluster (Bishop, Pattern Recognition and Machine Learning, 2006,
// §9.3.3).
package mixture

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// The statistics: how many documents each cluster has, and how many of them have each word.
const (
	Documents   = "documents"   // 1 × K
	Occurrences = "occurrences" // K × V
)

// The matrices in parameters and in model files.
var (
	Shares = model.Matrix[float64]{Name: "shares", Rows: model.One, Columns: model.Components, Rule: model.Positive}
	Chance = model.Matrix[float64]{Name: "chance", Rows: model.Components, Columns: model.Words,
		Rule: model.Probability}
)

// Family is the family of models.
var Family = &model.Family{
	Name: "mixture",
	Statistics: func(s model.Size) []*wire.Matrix {
		k, v := uint32(s.Components), uint32(s.Words)
		return []*wire.Matrix{
			{Name: Documents, Rows: 1, Columns: k, Element: wire.Element_FLOAT32},
			{Name: Occurrences, Rows: k, Columns: v, Element: wire.Element_FLOAT32},
		}
	},
	Parameters: []model.Field{Shares, Chance},
	Model:      []model.Field{Shares, Chance},
	Topics:     func(set *stream.Set, s model.Size) ([]float64, error) { return Chance.Of(set, s) },
}
