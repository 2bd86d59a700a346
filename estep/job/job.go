// Package job is the work that the E-steps of all models share: it reads documents, has the model work on them, and writes what
// comes of it.
package job

import (
	"io"
	"time"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
)

// Job are the flags that the commands of all models share.
type Job struct {
	Params     string        `placeholder:"FILE" group:"Job" help:"Stream of the parameters of each round, from mstep: a FIFO or a file."`
	ParamsWait time.Duration `default:"1m" placeholder:"TIME" group:"Job" help:"How long to wait for mstep to open the FIFO, which may have died before (default 1m)."`
	Model      string        `placeholder:"FILE" group:"Job" help:"Model file for --score and --infer."`
	Score      bool          `xor:"job" group:"Job" help:"Score held-out documents with --model: a stream for evaluate."`
	Infer      bool          `xor:"job" group:"Job" help:"Print each document's share of each topic under --model, as JSON Lines."`
	Output     string        `short:"o" placeholder:"FILE" help:"Where the output goes; standard output by default."`
	Input      string        `arg:"" optional:"" default:"-" help:"Rounds, or documents for --score and --infer; standard input by default."`
	filter.Compress
	filter.Workers
	filter.Cells
}

// Work is what the command of a model has the job do.
type Work struct {
	Family   *model.Family
	New      func() model.EStep // returns one without parameters
	Baseline *wire.Header       // of the model that scores are compared with; nil: none
	Keyed                       // for a model that throws secret coins
	Kept                        // for a model whose documents have a state
}

// Training says whether the job is to answer rounds, not to score documents or to infer their topics.
func (j *Job) Training() bool { return !j.Score && !j.Infer }

// ParametersWanted is what parameters and model files are.
func (j *Job) ParametersWanted() endpoint.Wanted {
	return endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_PARAMETERS}, Side: wire.Side_PUBLIC, MaxCells: j.MaxCells}
}

// Do does the work.
func (j *Job) Do(r *filter.Run, w Work) error {
	if err := endpoint.Distinct(j.Output, j.Input, j.Params, j.Model, w.Secret, w.State); err != nil {
		return err
	}
	if !j.Training() {
		if j.Model == "" {
			return exit.Errorf(exit.Usage, "--score and --infer need --model")
		}
		return j.held(r, w)
	}
	if j.Model != "" {
		return exit.Errorf(exit.Usage, "--model belongs to --score and --infer; training takes --params")
	}
	if j.Params == "" && w.Family.Parameters != nil {
		return exit.Errorf(exit.Usage, "training needs --params").WithHint("mstep %s --params-out writes them", w.Family.Name)
	}
	return j.train(r, w)
}

// perFrame is how many documents a worker takes at a time.
const perFrame = 64

// sharedVocabulary refuses documents and parameters over different vocabularies.
func sharedVocabulary(documents string, h *wire.Header, parameters string, p *wire.Header) error {
	if string(h.Vocabulary) == string(p.Vocabulary) {
		return nil
	}
	return exit.Errorf(exit.Malformed, "%s and %s are over different vocabularies", documents, parameters).
		WithHint("tokenize the documents with the --vocab that mstep was given")
}

// sharedRun refuses rounds and parameters of different runs, where both say of which they are.
func sharedRun(rounds string, h *wire.Header, parameters string, p *wire.Header) error {
	if h.Run == "" || p.Run == "" || h.Run == p.Run {
		return nil
	}
	return exit.Errorf(exit.Malformed, "%s is of run %s, and %s of run %s", rounds, h.Run, parameters, p.Run)
}

// workers gives each goroutine a worker of its own, made at its first document.
func workers(m model.EStep, n int) func(int) model.Worker {
	made := make([]model.Worker, n)
	return func(i int) model.Worker {
		if made[i] == nil {
			made[i] = m.NewWorker()
		}
		return made[i]
	}
}

// nextDocuments returns a function for ordered.Map that reads documents from next until it answers io.EOF.
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
