package model

import (
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// An EStep turns private documents into contributions to the released statistics of a family. The contribution of a document may
// depend only on the content of that document, on its coins and on released parameters. An EStep keeps no state between
// documents.
type EStep interface {
	// Settings returns all settings that contributions depend on, besides the document and the parameters. encoding/json must
	// encode them. Workers with different flags must have different settings.
	Settings() any

	// SetParameters takes the parameters of a round, before the documents of the next round, or those of a model file, before
	// Score and Infer. It is never called while a worker runs. If Family.Parameters is nil it is not called in training: then
	// the E-step is told neither V nor K. It may drain the set, which is for this call only.
	SetParameters(*stream.Set, Size) error

	// NewWorker returns a Worker with shared parameters and its own scratch memory.
	NewWorker() Worker
}

// A Worker works on one document at a time. Several workers of an E-step run concurrently.
type Worker interface {
	// Contribute returns the contribution of d, as parts of at most MaxPart bytes of values. An empty document gives
	// no parts. The contribution must be a function of the content of d, the coins and the parameters. Its distribution must not
	// depend on the id and the user: privacy rests on contributions that depend only on the unit (SPEC.md §2.3), and names may
	// depend on other documents. Only the numbers of Coins.Secret differ with the names.
	//
	// The parts are valid until the next call. Those of a model that keeps a state (job.Kept) stay valid.
	Contribute(d *wire.Document, coins *Coins) ([]*wire.Part, error)
}

// A Stateful is a Worker that keeps a state for each document from round to round: its last contribution.
type Stateful interface {
	Worker
	// ContributeAfter is Contribute for a document whose last contribution had these parts.
	ContributeAfter(d *wire.Document, last []*wire.Part, coins *Coins) ([]*wire.Part, error)
}

// A Hider is an EStep whose state has more than the statistics. Its contributions then end with parts of further matrices, which are
// numbered after those of Family.Statistics. They are kept in the state, and never sent.
type Hider interface {
	EStep
	// Hidden returns these matrices, all of FLOAT32. The first of them, so many as needed says, every state has. The state of another run
	// may lack the others.
	Hidden(Size) (hidden []*wire.Matrix, needed int)
}

// A Whole is an EStep that answers the documents of a round together, so that a contribution may depend on other documents. The
// round is marked as coupled, because no privacy theorem covers it: privatize adds noise to it only under a paper's claim
// (SPEC.md, RoundOpen.coupled).
type Whole interface {
	EStep
	// ContributeAll returns the contribution of each document of a round, in the order of the documents. last has the last
	// contribution of each document; an element is nil for a document that has none, or if the model keeps none.
	ContributeAll(documents []*wire.Document, last [][]*wire.Part, coins []*Coins) ([][]*wire.Part, error)
}

// A Drawer is an EStep that draws the topic of each token from a distribution that depends on the token. Such a draw is a loss of
// its own at unit word, which the grant must allow and the charge counts (SPEC.md, RoundOpen.draws).
type Drawer interface {
	EStep
	// Draws returns a bound on the pure loss of the draws of one token in a round. Of a Whole, whose draws have no known bound, it is
	// the loss that a paper claims.
	Draws() float64
}

// A Scorer is a Worker that scores how well the model predicts a held-out document.
type Scorer interface {
	Worker
	Score(d *wire.Document) (*wire.Score, error)
}

// A Predictor is a Worker that predicts the class of a held-out document, in the columns that its command names (job.Work.Columns).
type Predictor interface {
	Worker
	Predict(d *wire.Document) (*wire.Prediction, error)
}

// An Inferrer is a Worker that infers the components of the model in a document.
type Inferrer interface {
	Worker
	// Infer returns the document's share of each component; the shares sum to 1.
	Infer(d *wire.Document) ([]float64, error)
}

// A Regressor is a Worker that predicts the response of a held-out document, a real number.
type Regressor interface {
	Worker
	// Regress returns the mean and the standard deviation of the response, in its units; both are finite.
	Regress(d *wire.Document) (mean, deviation float64, err error)
}

// MaxPart bounds the values of a part, in bytes, so that a part fits a record.
const MaxPart = 512 << 10
