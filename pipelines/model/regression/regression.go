// Package regression has the families of regression: a row's features are a document's words, and what is predicted is
// the document's label. A file has the statistics, parameters and models of a family.
package regression

import "privpipe/pipelines/model"

// The fields that the model files of all families have.
var (
	// Mean is E[w], for rows as the E-step scales them.
	Mean = model.Matrix[float64]{Name: "mean", Rows: model.One, Columns: model.Words}

	// Rounds is the number of rounds that the model was learned from.
	Rounds = model.Scalar{Name: "rounds"}
)
