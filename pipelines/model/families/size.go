package families

import (
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// FeatureSums is the statistic of Size: 1 × V, the sum of half of each document's features.
const FeatureSums = "size"

// SizeMostWords is the least number of different known words in a long document.
const SizeMostWords = 200

// A document's features, which are the vocabulary of its row (tokenize text --sizes). Each is in [0, 1].
const (
	SizeDocuments = iota // 1
	SizeEmpty            // 1 if it has no known word, else 0
	SizeWords            // its different known words over SizeMostWords, at most 1
	SizeKnown            // the share of its words that the vocabulary knows; 0 without words
)

// The fields in model files of Size, with Rounds. The E-step needs no parameters.
var (
	// SizeDeviation is the standard deviation of the noise on each sum.
	SizeDeviation = model.Scalar{Name: "deviation", Rule: model.NotNegative}

	// SizeSums are the sums of the features over all documents, with noise.
	SizeSums = model.Matrix[float64]{Name: "sums", Rows: model.One, Columns: model.Words}
)

// Size is the family that measures a text's size: how many documents it has, and how much of them the vocabulary knows.
// From the release a recipe decides whether the text is worth the rest of the budget (account advise --size).
var Size = &model.Family{
	Name: "size", Values: true, NonNegative: true, Features: []string{"documents", "empty", "words", "known"},
	Statistics: func(s model.Size) []*wire.Matrix {
		return []*wire.Matrix{{Name: FeatureSums, Rows: 1, Columns: uint32(s.Words), Element: wire.Element_FLOAT32}}
	},
	Model: []model.Field{Rounds, SizeDeviation, SizeSums},
}
