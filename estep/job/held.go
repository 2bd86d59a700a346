package job

import (
	"cmp"
	"context"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/parallel"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// held scores documents with models, or infers their topics.
func (j *Job) held(r *filter.Run, w Work) error {
	if err := cmp.Or(r.Check(j.Input, j.Model), j.checkRereading()); err != nil {
		return err
	}
	in, err := j.openDocuments(r, w)
	if err != nil {
		return err
	}
	defer in.Close()
	if w.Baseline != nil {
		if err := sharedVocabulary(in.Name(), in.header, "--unigram", w.Baseline); err != nil {
			return err
		}
	}
	meter := &progress.Meter{Name: "estep"}
	switch {
	case r.DryRun():
		return j.eachModel(r, w, in.Name(), in.header, func(*trained) error { return nil })
	case j.Infer:
		r.Show(j.Output, meter.Line)
		return j.eachModel(r, w, in.Name(), in.header, func(t *trained) error {
			if _, ok := t.step.NewWorker().(model.Regressor); ok {
				return j.regress(r, in.next(meter), workers(t.step, j.N()), in.header.Side)
			}
			return j.infer(r, in.next(meter), workers(t.step, j.N()), in.header.Side, t.size.Components)
		})
	}
	r.Show(j.Output, meter.Line)
	return j.score(r, w, in, meter)
}

// checkRereading refuses documents that cannot be read once for each set of parameters.
func (j *Job) checkRereading() error {
	if j.Params == "" && !isFolder(j.Model) || j.Input != "" && j.Input != endpoint.Stdio && stored(j.Input) {
		return nil
	}
	return exit.Errorf(exit.Usage, "scores by rounds read the documents once for each round: name a file of documents")
}

// heldOut is an open stream of documents.
type heldOut struct {
	*endpoint.StreamReader
	header *wire.Header
}

func (j *Job) openDocuments(ctx context.Context, w Work) (*heldOut, error) {
	in, h, err := endpoint.OpenStream(ctx, j.Input,
		endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Values: w.Family.Values})
	return &heldOut{in, h}, err
}

// reopenDocuments opens the documents again. It refuses a stream with another header than the first: the header of the
// output states the first stream's side.
func (j *Job) reopenDocuments(ctx context.Context, w Work, first *wire.Header) (*heldOut, error) {
	in, err := j.openDocuments(ctx, w)
	if err == nil && !proto.Equal(in.header, first) {
		in.Close()
		err = exit.Errorf(exit.Malformed,
			"%s: was replaced while its documents were scored: it has another header than before", in.Name())
	}
	return in, err
}

type documents = func() ([]*wire.Document, bool, error)

// next returns the documents of the stream in batches, and counts them.
func (in *heldOut) next(meter *progress.Meter) documents {
	batches := nextDocuments(func() (*wire.Document, error) {
		record, err := in.Next()
		return record.GetDocument(), err
	})
	any := false
	return func() ([]*wire.Document, bool, error) {
		batch, more, err := batches()
		meter.Documents.Add(int64(len(batch)))
		if any = any || more; err == nil && !any {
			err = exit.Errorf(exit.Malformed, "%s: no document", in.Name())
		}
		return batch, more, err
	}
}

// score writes the scores of all documents under each set of parameters. For the first set it reads first.
func (j *Job) score(r *filter.Run, w Work, first *heldOut, meter *progress.Meter) error {
	var out *endpoint.StreamWriter
	err := j.eachModel(r, w, first.Name(), first.header, func(t *trained) (err error) {
		in := first
		if out == nil {
			out, err = j.createScores(r, w, first.header, t)
		} else if in, err = j.reopenDocuments(r, w, first.header); err == nil {
			defer in.Close()
		}
		if err != nil {
			return err
		}
		return j.scoreRound(r, in.next(meter), workers(t.step, j.N()), t.round, out)
	})
	if out == nil {
		return err
	}
	defer out.Abort()
	if err != nil {
		return err
	}
	return out.Commit()
}

// createScores creates the stream of scores, or a stream of predictions with the names of their columns.
func (j *Job) createScores(ctx context.Context, w Work, documents *wire.Header,
	t *trained) (*endpoint.StreamWriter, error) {
	h := &wire.Header{Version: wire.Version, Kind: wire.Kind_SCORES, Side: documents.Side, Run: t.run,
		Model: w.Family.Name, Settings: t.last}
	columns := vocabulary.Words(w.Columns)
	if w.ColumnsOf != nil {
		if len(t.words) != t.size.Words {
			return nil, exit.Errorf(exit.Malformed, "%s: names no columns of predictions: not a model file", j.Model)
		}
		columns = w.ColumnsOf(t.words, t.size)
	}
	if columns == nil {
		h.Vocabulary, h.VocabularySize = documents.Vocabulary, documents.VocabularySize
		return endpoint.CreateStream(ctx, j.Output, h, j.Compress.Compress)
	}
	h.Kind, h.Vocabulary, h.VocabularySize = wire.Kind_PREDICTIONS, columns.Hash(), uint32(len(columns))
	out, err := endpoint.CreateStream(ctx, j.Output, h, j.Compress.Compress)
	if err != nil {
		return nil, err
	}
	if err := out.Write(&wire.Record{Body: &wire.Record_Words{Words: &wire.Words{Words: columns}}}); err != nil {
		out.Abort()
		return nil, err
	}
	return out, nil
}

// scored returns a worker's record for a held-out document: its score, or its prediction.
func scored(w model.Worker, d *wire.Document) (*wire.Record, error) {
	var record wire.Record
	var err error
	switch w := w.(type) {
	case model.Predictor:
		var p *wire.Prediction
		p, err = w.Predict(d)
		record.Body = &wire.Record_Prediction{Prediction: p}
	case model.Scorer:
		var s *wire.Score
		s, err = w.Score(d)
		record.Body = &wire.Record_Score{Score: s}
	default:
		return nil, exit.Errorf(exit.Usage, "this model does not score documents")
	}
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%w", err)
	}
	return &record, nil
}

// scoreRound writes the scores of documents under one set of parameters.
func (j *Job) scoreRound(r *filter.Run, next documents, worker func(int) model.Worker, round uint32,
	out *endpoint.StreamWriter) error {
	work := func(i int, batch []*wire.Document) ([]*stream.Batch, error) {
		records := make([]*wire.Record, len(batch))
		for n, d := range batch {
			record, err := scored(worker(i), d)
			if err != nil {
				return nil, err
			}
			record.Round = round
			records[n] = record
		}
		return out.Framer().Batches(records)
	}
	return parallel.Map(r, j.N(), next, work, func(batches []*stream.Batch) error {
		for _, b := range batches {
			if err := out.WriteBatch(b); err != nil {
				return err
			}
		}
		return nil
	})
}
