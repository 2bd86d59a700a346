package job

import (
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/ordered"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// held scores documents with a model, or infers their topics.
func (j *Job) held(r *filter.Run, w Work) error {
	if err := r.Check(j.Input, j.Model); err != nil {
		return err
	}
	in, h, err := endpoint.OpenStream(j.Input, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Values: w.Family.Values})
	if err != nil {
		return err
	}
	defer in.Close()
	if w.Baseline != nil {
		if err := sharedVocabulary(in.Name(), h, "--unigram", w.Baseline); err != nil {
			return err
		}
	}
	step, size, err := j.readModel(w, in.Name(), h)
	if err != nil {
		return err
	}
	if r.DryRun() {
		return nil
	}
	meter := &progress.Meter{Name: "estep"}
	r.Show(j.Output, meter.Line)
	batches := nextDocuments(func() (*wire.Document, error) {
		record, err := in.Next()
		return record.GetDocument(), err
	})
	next := func() ([]*wire.Document, bool, error) {
		batch, more, err := batches()
		meter.Documents.Add(int64(len(batch)))
		return batch, more, err
	}
	worker := workers(step, j.N())
	if j.Infer {
		return j.infer(r, next, worker, h.Side, size.Components)
	}
	return j.score(r, next, worker, h)
}

// readModel returns an E-step with the parameters of the model file, and the size of the model.
func (j *Job) readModel(w Work, documents string, h *wire.Header) (model.EStep, model.Size, error) {
	none := model.Size{}
	name := j.Model
	in, p, err := endpoint.OpenStream(name, j.ParametersWanted())
	if err != nil {
		return nil, none, err
	}
	defer in.Close()
	if err := sharedVocabulary(documents, h, name, p); err != nil {
		return nil, none, err
	}
	size, err := w.Family.Fit(h, p)
	if err != nil {
		return nil, none, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	set, err := in.ReadOne(nil)
	if err != nil {
		return nil, none, err
	}
	step := w.New()
	if err := step.SetParameters(set, size); err != nil {
		return nil, none, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return step, size, nil
}

type documents = func() ([]*wire.Document, bool, error)

func (j *Job) score(r *filter.Run, next documents, worker func(int) model.Worker, h *wire.Header) error {
	out, err := endpoint.CreateStream(j.Output, &wire.Header{
		Version: wire.Version, Kind: wire.Kind_SCORES, Side: h.Side, Vocabulary: h.Vocabulary, VocabularySize: h.VocabularySize,
	}, j.Compress.Compress)
	if err != nil {
		return err
	}
	defer out.Abort()
	work := func(i int, batch []*wire.Document) ([]*stream.Batch, error) {
		scorer, ok := worker(i).(model.Scorer)
		if !ok {
			return nil, exit.Errorf(exit.Usage, "this model does not score documents")
		}
		records := make([]*wire.Record, len(batch))
		for n, d := range batch {
			s, err := scorer.Score(d)
			if err != nil {
				return nil, exit.Errorf(exit.Malformed, "%w", err)
			}
			records[n] = &wire.Record{Body: &wire.Record_Score{Score: s}}
		}
		return out.Framer().Batches(records)
	}
	err = ordered.Map(r, j.N(), next, work, func(batches []*stream.Batch) error {
		for _, b := range batches {
			if err := out.WriteBatch(b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.Commit()
}
