package job

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/npy"
	"privpipe/pipelines/parallel"
	"privpipe/pipelines/parquet"
	"privpipe/pipelines/wire"
)

// The formats of topic shares.
const (
	jsonLines = "jsonl"
	inParquet = "parquet"
	inNPZ     = "npz"
)

// topicShares are one document's topic shares.
type topicShares struct {
	ID     string    `json:"id"`
	Label  string    `json:"label,omitempty"` // absent if the document has none
	Topics []float64 `json:"topics"`
}

// inferred is a batch of inferred documents. The workers make the JSON Lines, since they take time.
type inferred struct {
	documents []topicShares
	lines     []byte
}

// infer writes the share of each topic in each document. The output is as private as the documents.
func (j *Job) infer(r *filter.Run, next documents, worker func(int) model.Worker, side wire.Side, topics int) error {
	name := j.Output
	if j.Format == jsonLines {
		name = cmp.Or(name, endpoint.Stdio) // public text may go to a terminal
	}
	out, err := endpoint.Create(r, name, side)
	if err != nil {
		return err
	}
	defer out.Abort()
	work := func(i int, batch []*wire.Document) (inferred, error) {
		inferrer, ok := worker(i).(model.Inferrer)
		if !ok {
			return inferred{}, exit.Errorf(exit.Usage, "this model has no topics to infer")
		}
		var result inferred
		for _, d := range batch {
			theta, err := inferrer.Infer(d)
			if err != nil {
				return inferred{}, err
			}
			document := topicShares{d.Id, d.Label, theta}
			if j.Format != jsonLines {
				result.documents = append(result.documents, document)
				continue
			}
			line, err := json.Marshal(document)
			if err != nil {
				return inferred{}, err
			}
			result.lines = append(append(result.lines, line...), '\n')
		}
		return result, nil
	}
	buffered := bufio.NewWriterSize(out, 1<<16)
	write, end := sink(j.Format, buffered, topics)
	err = parallel.Map(r, j.N(), next, work, func(batch inferred) error {
		if _, err := buffered.Write(batch.lines); err != nil {
			return err
		}
		for _, d := range batch.documents {
			if err := write(d); err != nil {
				return err
			}
		}
		if j.Format == jsonLines {
			return buffered.Flush() // a reader sees each batch as it is inferred
		}
		return nil
	})
	if err == nil {
		err = end()
	}
	if err == nil {
		err = buffered.Flush()
	}
	if err != nil {
		return err
	}
	return out.Commit()
}

// sink returns a function that writes one document's shares in a format, and a function that writes the end.
func sink(format string, w io.Writer, topics int) (write func(topicShares) error, end func() error) {
	switch format {
	case inParquet:
		names := make([]string, topics)
		for k := range names {
			names[k] = fmt.Sprint("topic_", k)
		}
		table := parquet.NewWriter(w, []string{"id", "label"}, names)
		return func(d topicShares) error { return table.Write([]string{d.ID, d.Label}, d.Topics) }, table.Close
	case inNPZ:
		var ids, labels []string
		var cells []float64
		write = func(d topicShares) error {
			ids, labels, cells = append(ids, d.ID), append(labels, d.Label), append(cells, d.Topics...)
			return nil
		}
		return write, func() error {
			a := npy.NewArchive(w)
			if err := a.Strings("ids", ids); err != nil {
				return err
			}
			if err := a.Strings("labels", labels); err != nil {
				return err
			}
			if err := a.Floats("topics", cells, len(ids), topics); err != nil {
				return err
			}
			return a.Close()
		}
	}
	return nil, func() error { return nil }
}
