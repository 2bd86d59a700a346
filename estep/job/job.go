// Package job is the work that the E-steps of all models share. It reads documents, passes them to the model, and
// writes the contributions, scores or topic shares.
package job

import (
	"io"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// Job are the flags that the commands of all models share.
type Job struct {
	Rounds
	Model  string `placeholder:"FILE" group:"Job" help:"Read the model for --score and --infer from FILE. With --score it may be a folder of mstep --models: score under each of its models."`
	Score  bool   `xor:"job" group:"Job" help:"Score held-out documents with --model; evaluate reads the scores."`
	Infer  bool   `xor:"job" group:"Job" help:"Print each document's share of each topic under --model, or the mean and the standard deviation of its response. tokenize rows --format jsonl makes rows of the shares."`
	Format string `enum:"jsonl,parquet,npz" default:"jsonl" group:"Job" help:"With --infer of topics, write this format: ${enum}. jsonl: an object a document, with id, the label if the document has one, and topics; parquet: a table of id, label, topic_0, topic_1 and so on; npz: the arrays ids, labels and topics, which are held in memory."`
}

// Rounds are the flags of a command that answers rounds.
type Rounds struct {
	Params     string        `placeholder:"FILE" group:"Job" help:"Read the parameters of each round from FILE, a FIFO or a file that mstep writes. Required for training. With --score: score under each set of a stored stream."`
	ParamsWait time.Duration `default:"1m" placeholder:"TIME" group:"Job" help:"Wait at most TIME for mstep to open the FIFO (default 1m), then fail: mstep may have died before."`
	Stale      int           `zero:"" default:"0" placeholder:"N" group:"Job" help:"In training, use the parameters after the round N before the previous one: 0 or 1. With 1, a round does not wait for the release of the previous one: faster on many cores, and hardly worse. All workers of a run need the same. A killed run over pipes starts again without the checkpoint of mstep."`
	Output     string        `short:"o" placeholder:"FILE" help:"Write the output to FILE; standard output by default."`
	Input      string        `arg:"" optional:"" default:"-" help:"Rounds, or documents for --score and --infer; standard input by default."`
	filter.Compress
	filter.Workers
	filter.Cells
}

// Work is a model's part of the job. The model's command chooses it.
type Work struct {
	Family *model.Family
	New    func() model.EStep // returns an E-step without parameters
	// The header names the vocabulary of the public text that contributions depend on; nil: they depend on none.
	Public   *wire.Header
	Baseline *wire.Header // header of the model that scores are compared with; nil: no such model
	// The columns for a model.Predictor, which writes predictions with --score; nil: no model.Predictor, or ColumnsOf.
	Columns []string
	// Instead of Columns: the columns that follow from a model file, by its words and its size.
	ColumnsOf func(vocabulary.Words, model.Size) vocabulary.Words
	Sharing   *Sharing // flags of a model with topics; nil: it has none
	Mean      bool     // one contribution a user: the mean of her documents' shares of topics
	// The only round must have all documents, each a privacy unit: what a paper claims is of such a run.
	Once   bool
	Scaled bool // contributions are sent in INT16, not FLOAT32; not with Kept or factored parts
	Keyed       // for a model with secret coins
	Kept        // for a model that keeps a state for each document
}

// Training reports whether the job answers rounds, instead of scoring documents or inferring their topics.
func (j *Job) Training() bool { return !j.Score && !j.Infer }

// ParametersWanted describes the streams of parameters and model files.
func (j *Job) ParametersWanted() endpoint.Wanted {
	return endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_PARAMETERS}, Side: wire.Side_PUBLIC, MaxCells: j.MaxCells}
}

// Do does the work.
func (j *Job) Do(r *filter.Run, w Work) error {
	if err := endpoint.Distinct(r, j.Output, j.Input, j.Params, j.Model, w.Secret, w.State,
		w.InitialState); err != nil {
		return err
	}
	if j.Format != jsonLines && !j.Infer {
		return exit.Errorf(exit.Usage, "--format belongs to --infer")
	}
	if w.Sharing != nil && w.Sharing.Shares {
		return j.share(r, w)
	}
	if err := w.Sharing.unused(); err != nil {
		return err
	}
	if err := j.checkStale(w); err != nil {
		return err
	}
	if !j.Training() {
		if err := j.checkModel(); err != nil {
			return err
		}
		if w.ColumnsOf != nil && j.Params != "" {
			return exit.Errorf(exit.Usage,
				"--score needs --model here: a model file names the columns of predictions, and --params does not")
		}
		return j.held(r, w)
	}
	if j.Model != "" {
		return exit.Errorf(exit.Usage, "--model belongs to --score and --infer; training takes --params")
	}
	if j.Params == "" && w.Family.Parameters != nil {
		return exit.Errorf(exit.Usage, "training needs --params").
			WithHint("mstep %s --params-out writes them", w.Family.Name)
	}
	if err := w.Kept.check(j.Input); err != nil {
		return err
	}
	return j.train(r, w)
}

// checkStale refuses --stale outside of training, and for models without parameters. It also refuses it for models that
// keep a state for each document, because the newest parameters are made from these states.
func (j *Job) checkStale(w Work) error {
	switch {
	case j.Stale != 0 && j.Stale != 1:
		return exit.Errorf(exit.Usage, "--stale must be 0 or 1, is %d", j.Stale)
	case j.Stale > 0 && !j.Training():
		return exit.Errorf(exit.Usage, "--stale belongs to training, not to --score and --infer")
	case j.Stale > 0 && w.Family.Parameters == nil:
		return exit.Errorf(exit.Usage, "--stale wants a model with parameters")
	case j.Stale > 0 && w.kept:
		return exit.Errorf(exit.Usage, "--stale does not go with a model that keeps a state for each document")
	}
	return nil
}

// checkModel checks the flags that name the parameters for scoring or inferring.
func (j *Job) checkModel() error {
	switch {
	case j.Model == "" && (j.Infer || j.Params == ""):
		return exit.Errorf(exit.Usage, "--score and --infer need --model")
	case j.Params != "" && j.Infer:
		return exit.Errorf(exit.Usage, "--params does not go with --infer")
	case j.Params != "" && j.Model != "":
		return exit.Errorf(exit.Usage, "--score takes --model or --params, not both")
	case j.Params != "" && !stored(j.Params):
		return exit.Errorf(exit.Usage, "--score reads --params from a stored file: %s is none", j.Params)
	case j.Infer && isFolder(j.Model):
		return exit.Errorf(exit.Usage, "--infer takes one model file, and %s is a folder", j.Model)
	}
	return nil
}

// Answer is Do for a command that only answers rounds.
func (a Rounds) Answer(r *filter.Run, w Work) error {
	return (&Job{Rounds: a, Format: jsonLines}).Do(r, w)
}

// perFrame is the number of documents that a worker takes at a time.
const perFrame = 64

// sharedVocabulary refuses documents and parameters over different vocabularies.
func sharedVocabulary(documents string, h *wire.Header, parameters string, p *wire.Header) error {
	if string(h.Vocabulary) == string(p.Vocabulary) {
		return nil
	}
	return exit.Errorf(exit.Malformed, "%s and %s are over different vocabularies", documents, parameters).
		WithHint("tokenize the documents with the --vocab that mstep was given")
}

// sharedRun refuses rounds and parameters of different runs, if both name their run.
func sharedRun(rounds string, h *wire.Header, parameters string, p *wire.Header) error {
	if h.Run == "" || p.Run == "" || h.Run == p.Run {
		return nil
	}
	return exit.Errorf(exit.Malformed, "%s belongs to run %s, but %s belongs to run %s", rounds, h.Run, parameters,
		p.Run)
}

// workers gives each goroutine its own worker, made at its first document.
func workers(m model.EStep, n int) func(int) model.Worker {
	made := make([]model.Worker, n)
	return func(i int) model.Worker {
		if made[i] == nil {
			made[i] = m.NewWorker()
		}
		return made[i]
	}
}

// nextDocuments returns a function for ordered.Map. The function reads documents from next until next returns io.EOF.
func nextDocuments(next func() (*wire.Document, error)) func() ([]*wire.Document, bool, error) {
	ended := false
	return func() (batch []*wire.Document, ok bool, err error) {
		for !ended && len(batch) < perFrame {
			d, err := next()
			if err == io.EOF {
				ended = true
				break
			}
			if err != nil {
				return nil, false, err
			}
			batch = append(batch, d)
		}
		return batch, len(batch) > 0, nil
	}
}
