package job

import (
	"cmp"

	"google.golang.org/protobuf/proto"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/ordered"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// held scores documents with models, or infers their topics.
func (j *Job) held(r *filter.Run, w Work) error {
	if err := cmp.Or(r.Check(j.Input, j.Model), j.checkRereading()); err != nil {
		return err
	}
	in, err := j.openDocuments(w)
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
		return j.eachModel(w, in.Name(), in.header, func(*trained) error { return nil })
	case j.Infer:
		r.Show(j.Output, meter.Line)
		return j.eachModel(w, in.Name(), in.header, func(t *trained) error {
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

func (j *Job) openDocuments(w Work) (*heldOut, error) {
	in, h, err := endpoint.OpenStream(j.Input, endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Values: w.Family.Values})
	return &heldOut{in, h}, err
}

// reopenDocuments opens the documents again. It refuses a stream with another header than the first: the header of the output states
// the side of the first.
func (j *Job) reopenDocuments(w Work, first *wire.Header) (*heldOut, error) {
	in, err := j.openDocuments(w)
	if err == nil && !proto.Equal(in.header, first) {
		in.Close()
		err = exit.Errorf(exit.Malformed, "%s: was replaced while its documents were scored: it has another header than before", in.Name())
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
	return func() ([]*wire.Document, bool, error) {
		batch, more, err := batches()
		meter.Documents.Add(int64(len(batch)))
		return batch, more, err
	}
}

// score writes the scores of all documents under each set of parameters. first is read for the first set.
func (j *Job) score(r *filter.Run, w Work, first *heldOut, meter *progress.Meter) error {
	var out *endpoint.StreamWriter
	err := j.eachModel(w, first.Name(), first.header, func(t *trained) (err error) {
		in := first
		if out == nil {
			h := first.header
			out, err = endpoint.CreateStream(j.Output, &wire.Header{
				Version: wire.Version, Kind: wire.Kind_SCORES, Side: h.Side, Run: t.run, Model: w.Family.Name,
				Vocabulary: h.Vocabulary, VocabularySize: h.VocabularySize, Settings: t.last,
			}, j.Compress.Compress)
		} else if in, err = j.reopenDocuments(w, first.header); err == nil {
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

// scoreRound writes the scores of documents under one set of parameters.
func (j *Job) scoreRound(r *filter.Run, next documents, worker func(int) model.Worker, round uint32, out *endpoint.StreamWriter) error {
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
			records[n] = &wire.Record{Round: round, Body: &wire.Record_Score{Score: s}}
		}
		return out.Framer().Batches(records)
	}
	return ordered.Map(r, j.N(), next, work, func(batches []*stream.Batch) error {
		for _, b := range batches {
			if err := out.WriteBatch(b); err != nil {
				return err
			}
		}
		return nil
	})
}
