// Package model says what a model must do to take part in privpipe's E-step. A model is one package below estep and a
// line in estep/models.go; package modeltest, below this one, checks that it keeps its promises.
package model

import (
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A Model turns private documents into contributions to the released statistics. What it computes for a document may
// depend on what that document says and on released parameters only: it keeps nothing of one document for another.
type Model interface {
	// Shapes returns the matrices of the contributions, for documents over a vocabulary of the given size. parameters
	// is the header of the parameters, nil for a model that needs none. The error says what does not fit.
	Shapes(documents, parameters *wire.Header) ([]*wire.Matrix, error)

	// Settings returns what contributions depend on beside the document and the parameters, in a form that encoding/json
	// writes: all numbers that a worker with other flags would have otherwise.
	Settings() any

	// SetParameters takes the parameters of a round, before the documents of the next. It is never called while
	// workers are at work.
	SetParameters(*stream.Set) error

	// NewWorker returns a Worker that shares the model's parameters and has scratch memory of its own.
	NewWorker() Worker
}

// A Worker works on one document at a time. Several workers of a model run at the same time.
type Worker interface {
	// Contribute returns the contribution of d, as parts of at most MaxPart bytes of values. An empty document gives
	// no parts. It must be a function of what d says and of the parameters. If it needs random numbers, Coins has d's own. The id
	// and the user are names and must not matter: privacy rests on contributions that follow from the unit alone (SPEC.md
	// §2.3), and whoever gives names may take those of other documents into account.
	Contribute(d *wire.Document) ([]*wire.Part, error)
}

// A Scorer is a Worker that can tell how well the model predicts a held-out document.
type Scorer interface {
	Worker
	Score(d *wire.Document) (*wire.Score, error)
}

// An Inferrer is a Worker that can tell what the model sees in a document.
type Inferrer interface {
	Worker
	// Infer returns the document's share of each topic; the shares sum to 1.
	Infer(d *wire.Document) ([]float64, error)
}

// MaxPart bounds the values of a part, in bytes, so that a part fits a record.
const MaxPart = 512 << 10
