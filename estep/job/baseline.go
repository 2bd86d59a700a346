package job

import (
	"context"
	"errors"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/wire"
)

// Compared are the flags for models that compare their scores with word frequencies.
type Compared struct {
	Unigram string `placeholder:"FILE" help:"With --score: read the baseline's word frequencies from FILE, a model of words; by default the topic model's own."`
}

// Check returns an error if the flags do not belong to the job.
func (c Compared) Check(j *Job) error {
	if c.Unigram != "" && !j.Score {
		return errors.New("--unigram belongs to --score")
	}
	return nil
}

// Baseline returns each word's frequency, and the header of the model with the frequencies. Without --unigram both are
// nil.
func (c Compared) Baseline(ctx context.Context, j *Job) ([]float64, *wire.Header, error) {
	if c.Unigram == "" {
		return nil, nil, nil
	}
	in, h, err := endpoint.OpenStream(ctx, c.Unigram, j.ParametersWanted())
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	size, err := families.Words.Size(h)
	if err != nil {
		return nil, nil, exit.Errorf(exit.Malformed, "%s: %w", c.Unigram, err)
	}
	set, err := in.ReadOne(nil)
	if err != nil {
		return nil, nil, err
	}
	p, err := families.Probabilities.Of(set, size)
	if err != nil {
		return nil, nil, exit.Errorf(exit.Malformed, "%s: %w", c.Unigram, err)
	}
	return p, h, nil
}
