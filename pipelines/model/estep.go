package model

import (
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// An EStep turns private documents into contributions to a family's released statistics. A document's contribution may
// depend only on that document's content, on its coins and on released parameters. An EStep keeps no state between
// documents.
type EStep interface {
	// Settings returns all settings that contributions depend on, besides the document and the parameters.
	// encoding/json must encode them. Workers with different flags must have different settings.
	Settings() any

	// SetParameters takes a round's parameters before the documents of the next round. Before Score and Infer it takes
	// a model file's parameters. It is never called while a worker runs. If Family.Parameters is nil, training never
	// calls it: then the E-step is told neither V nor K. It may drain the set, which is for this call only.
	SetParameters(*stream.Set, Size) error

	// NewWorker returns a Worker with shared parameters and its own scratch memory.
	NewWorker() Worker
}

// A Worker works on one document at a time. Several workers for one E-step run concurrently.
type Worker interface {
	// Contribute returns the contribution of d, as parts with at most MaxPart bytes of values each. An empty document
	// gives no parts. The contribution must be a function of the content of d, the coins and the parameters. Its
	// distribution must not depend on the id and the user: privacy rests on contributions that depend only on the unit
	// (SPEC.md §2.3), and names may depend on other documents. Only the numbers of Coins.Secret differ with the names.
	//
	// The parts are valid until the next call. If the model keeps a state (job.Kept), they stay valid.
	Contribute(d *wire.Document, coins *Coins) ([]*wire.Part, error)
}

// A Stateful is a Worker that keeps a state for each document from round to round: the document's last contribution.
type Stateful interface {
	Worker
	// ContributeAfter is Contribute for a document whose last contribution had these parts.
	ContributeAfter(d *wire.Document, last []*wire.Part, coins *Coins) ([]*wire.Part, error)
}

// A Hider is an EStep that keeps more than the statistics in its state. Its contributions end with parts of further
// matrices, which are numbered after the matrices of Family.Statistics. These parts are kept in the state, and never
// sent.
type Hider interface {
	EStep
	// Hidden returns these matrices, all of FLOAT32. Every state has the first needed ones. The state of another run
	// may lack the others.
	Hidden(Size) (hidden []*wire.Matrix, needed int)
}

// A Whole is an EStep that answers all documents in a round together, so that a contribution may depend on other
// documents. The round is marked as coupled, because no privacy theorem covers it: privatize adds noise to it only
// under a paper's claim (SPEC.md, RoundOpen.coupled).
type Whole interface {
	EStep
	// ContributeAll returns the contribution of each document in a round, in the order of the documents. last has each
	// document's last contribution. An element is nil for a document that has none, or if the model keeps none.
	ContributeAll(documents []*wire.Document, last [][]*wire.Part, coins []*Coins) ([][]*wire.Part, error)
}

// A Drawer is an EStep that draws each token's topic from a distribution that depends on the token. Such a draw has its
// own loss at unit word, which the grant must allow and the charge counts (SPEC.md, RoundOpen.draws).
type Drawer interface {
	EStep
	// Draws returns a bound on the pure loss of one token's draws in a round. The draws of a Whole have no known bound:
	// then Draws returns the loss that a paper claims.
	Draws() float64
}

// A Scorer is a Worker that scores how well the model predicts a held-out document.
type Scorer interface {
	Worker
	Score(d *wire.Document) (*wire.Score, error)
}

// A Predictor is a Worker that predicts a held-out document's class, in the columns that its command names
// (job.Work.Columns).
type Predictor interface {
	Worker
	Predict(d *wire.Document) (*wire.Prediction, error)
}

// An Inferrer is a Worker that infers the model's components in a document.
type Inferrer interface {
	Worker
	// Infer returns the document's share of each component; the shares sum to 1.
	Infer(d *wire.Document) ([]float64, error)
}

// A Regressor is a Worker that predicts a held-out document's response, a real number.
type Regressor interface {
	Worker
	// Regress returns the response's mean and standard deviation, in its units. Both are finite.
	Regress(d *wire.Document) (mean, deviation float64, err error)
}

// MaxPart bounds the values in one part, in bytes, so that a part fits a record.
const MaxPart = 512 << 10
