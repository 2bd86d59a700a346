// Package families has families of models. A file declares what the documents of a family contribute, and what its
// parameters and model files hold. Package modelfile lists the families.
package families

import "privpipe/pipelines/model"

// Rounds is the number of rounds that a model was learned from. The model files of all families have it.
var Rounds = model.Scalar{Name: "rounds"}

// Mean is E[w] of a regression, for rows as the E-step scales them. The features of a row are a document's words, and
// its class or response is the document's label.
var Mean = model.Matrix[float64]{Name: "mean", Rows: model.One, Columns: model.Words}

// Count is a statistic of one cell, to which each document adds 1.
const Count = "count"
