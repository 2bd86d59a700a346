package main

import (
	"cmp"
	"encoding/json"

	"privpipe/estep/model"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/ordered"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// held scores documents with a model, or says what the model sees in them.
func (j *job) held(r *filter.Run, m model.Model) error {
	if err := r.Check(j.Input, j.Model); err != nil {
		return err
	}
	in, h, err := endpoint.OpenStream(j.Input, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}})
	if err != nil {
		return err
	}
	defer in.Close()
	if j.baseline != nil {
		if err := sharedVocabulary(in.Name(), h, "--unigram", j.baseline); err != nil {
			return err
		}
	}
	if err := j.readModel(m, in.Name(), h); err != nil {
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
	worker := workers(m, j.N())
	if j.Infer {
		return j.infer(r, next, worker, h.Side)
	}
	return j.score(r, next, worker, h)
}

// readModel gives m the parameters of the model file.
func (j *job) readModel(m model.Model, documents string, h *wire.Header) error {
	name := j.Model
	in, p, err := endpoint.OpenStream(name, j.parametersWanted())
	if err != nil {
		return err
	}
	defer in.Close()
	if err := sharedVocabulary(documents, h, name, p); err != nil {
		return err
	}
	if _, err := m.Shapes(h, p); err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	set, err := in.ReadOne(nil)
	if err != nil {
		return err
	}
	if err := m.SetParameters(set); err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return nil
}

type documents = func() ([]*wire.Document, bool, error)

func (j *job) score(r *filter.Run, next documents, worker func(int) model.Worker, h *wire.Header) error {
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

// infer prints a JSON object a document. It is private, like the documents.
func (j *job) infer(r *filter.Run, next documents, worker func(int) model.Worker, side wire.Side) error {
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
