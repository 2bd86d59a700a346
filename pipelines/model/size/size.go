// Package size is the family that measures a text's size: how many documents it has, and how much of them the
// vocabulary knows. From the release a recipe decides whether the text is worth the rest of the budget (account advise
// --size).
package size

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// Statistic is the name of the statistic: 1 × V, the sum of half of each document's features.
const Statistic = "size"

// MostWords is the number of different known words from which on a document counts as long.
const MostWords = 200

// A document's features, which are the vocabulary of its row (tokenize text --sizes). Each is in [0, 1].
const (
	Documents = iota // 1
	Empty            // 1 if it has no known word, else 0
	Words            // its different known words over MostWords, at most 1
	Known            // the share of its words that the vocabulary knows; 0 without words
)

// The fields in model files. The E-step needs no parameters.
var (
	// number of rounds that the model was learned from
	Rounds    = model.Scalar{Name: "rounds"}
	Deviation = model.Scalar{Name: "deviation", Rule: model.NotNegative} // standard deviation of the noise on each sum
	// sums of the features over all documents, with noise
	Sums = model.Matrix[float64]{Name: "sums", Rows: model.One, Columns: model.Words}
)

// Family is the family of models.
var Family = &model.Family{
	Name: "size", Values: true, NonNegative: true, Features: []string{"documents", "empty", "words", "known"},
	Statistics: func(s model.Size) []*wire.Matrix {
		return []*wire.Matrix{{Name: Statistic, Rows: 1, Columns: uint32(s.Words), Element: wire.Element_FLOAT32}}
	},
	Model: []model.Field{Rounds, Deviation, Sums},
}
