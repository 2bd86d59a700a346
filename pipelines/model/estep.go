package model

import (
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// An EStep turns private documents into contributions to the released statistics of a family. What it computes for a document
// may depend on what that document says, on its coins and on released parameters only: it keeps nothing of one document for
// another.
type EStep interface {
	// Settings returns what contributions depend on besides the document and the parameters, in a form that encoding/json
	// writes: all numbers that a worker with other flags would have otherwise.
	Settings() any

	// SetParameters takes the parameters of a round, before the documents of the next. It is never called while
	// workers are at work.
	SetParameters(*stream.Set, Size) error

	// NewWorker returns a Worker that shares the parameters and has scratch memory of its own.
	NewWorker() Worker
}

// A Worker works on one document at a time. Several workers of an E-step run at the same time.
type Worker interface {
	// Contribute returns the contribution of d, as parts of at most MaxPart bytes of values. An empty document gives
	// no parts. It must be a function of what d says, of the coins and of the parameters. The id and the user are names and must
	// not matter: privacy rests on contributions that follow from the unit alone (SPEC.md §2.3), and whoever gives names may
	// take those of other documents into account.
	Contribute(d *wire.Document, coins *Coins) ([]*wire.Part, error)
}

// A Stateful is a Worker for which each document has a state that goes from round to round: its last contribution.
type Stateful interface {
	Worker
	// ContributeAfter is Contribute for a document whose last contribution was of these parts.
	ContributeAfter(d *wire.Document, last []*wire.Part, coins *Coins) ([]*wire.Part, error)
}

// A Whole is an EStep that answers the documents of a round together, so that contributions depend on one another. No
// privacy theorem covers such a round.
type Whole interface {
	EStep
	// ContributeAll returns the contribution of each document of a round.
	ContributeAll(documents []*wire.Document, last [][]*wire.Part, coins []*Coins) ([][]*wire.Part, error)
}

// A Scorer is a Worker that can tell how well the model predicts a held-out document.
type Scorer interface {
	Worker
	Score(d *wire.Document) (*wire.Score, error)
}

// An Inferrer is a Worker that can tell what the model sees in a document.
type Inferrer interface {
	Worker
	// Infer returns the document's share of each component; the shares sum to 1.
	Infer(d *wire.Document) ([]float64, error)
}

// MaxPart bounds the values of a part, in bytes, so that a part fits a record.
const MaxPart = 512 << 10
