package job

import (
	"cmp"
	"encoding/json"

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
	step, err := j.readModel(w, in.Name(), h)
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
		return j.infer(r, next, worker, h.Side)
	}
	return j.score(r, next, worker, h)
}

// readModel returns an E-step with the parameters of the model file.
func (j *Job) readModel(w Work, documents string, h *wire.Header) (model.EStep, error) {
	name := j.Model
	in, p, err := endpoint.OpenStream(name, j.ParametersWanted())
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if err := sharedVocabulary(documents, h, name, p); err != nil {
		return nil, err
	}
	size, err := w.Family.Fit(h, p)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	set, err := in.ReadOne(nil)
	if err != nil {
		return nil, err
	}
	step := w.New()
	if err := step.SetParameters(set, size); err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return step, nil
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

// infer prints a JSON object for each document. The output is as private as the documents.
func (j *Job) infer(r *filter.Run, next documents, worker func(int) model.Worker, side wire.Side) error {
	out, err := endpoint.Create(cmp.Or(j.Output, endpoint.Stdio), side) // public text may go to a terminal
	if err != nil {
		return err
	}
	defer out.Abort()
	work := func(i int, batch []*wire.Document) ([]byte, error) {
		inferrer, ok := worker(i).(model.Inferrer)
		if !ok {
			return nil, exit.Errorf(exit.Usage, "this model has no topics to infer")
		}
		var lines []byte
		for _, d := range batch {
			shares, err := inferrer.Infer(d)
			if err != nil {
				return nil, err
			}
			line, err := json.Marshal(struct {
				ID     string    `json:"id"`
				Topics []float64 `json:"topics"`
			}{d.Id, shares})
			if err != nil {
				return nil, err
			}
			lines = append(append(lines, line...), '\n')
		}
		return lines, nil
	}
	err = ordered.Map(r, j.N(), next, work, func(lines []byte) error {
		_, err := out.Write(lines)
		return err
	})
	if err != nil {
		return err
	}
	return out.Commit()
}
