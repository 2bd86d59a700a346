package job

import (
	"bufio"
	"cmp"
	"encoding/json"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/parallel"
	"privpipe/pipelines/wire"
)

// A regression is the predicted response for one document, beside its label.
type regression struct {
	ID        string  `json:"id"`
	Label     string  `json:"label,omitempty"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
}

// regress writes the predicted response of each document as JSON Lines. The output is as private as the documents.
func (j *Job) regress(r *filter.Run, next documents, worker func(int) model.Worker, side wire.Side) error {
	if j.Format != jsonLines {
		return exit.Errorf(exit.Usage, "--format %s is of topics: predicted responses are written as JSON Lines",
			j.Format)
	}
	out, err := endpoint.Create(r, cmp.Or(j.Output, endpoint.Stdio), side)
	if err != nil {
		return err
	}
	defer out.Abort()
	work := func(i int, batch []*wire.Document) (lines []byte, err error) {
		for _, d := range batch {
			p := regression{ID: d.Id, Label: d.Label}
			if p.Mean, p.Deviation, err = worker(i).(model.Regressor).Regress(d); err != nil {
				return nil, err
			}
			line, err := json.Marshal(p)
			if err != nil {
				return nil, err
			}
			lines = append(append(lines, line...), '\n')
		}
		return lines, nil
	}
	buffered := bufio.NewWriterSize(out, 1<<16)
	err = parallel.Map(r, j.N(), next, work, func(lines []byte) error {
		if _, err := buffered.Write(lines); err != nil {
			return err
		}
		return buffered.Flush() // a reader sees each batch as it is predicted
	})
	if err != nil {
		return err
	}
	return out.Commit()
}
