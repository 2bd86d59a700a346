package job

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// isFolder reports whether the name is a folder of model files, as mstep --models writes them.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// stored reports whether the name is neither a FIFO nor a topic. Parameters in a FIFO or topic have no end.
func stored(name string) bool {
	info, err := os.Stat(name)
	return !endpoint.IsTopic(name) && (err != nil || info.Mode().IsRegular())
}

// A trained model is a set of parameters to score documents or infer topics with.
type trained struct {
	step  model.EStep
	size  model.Size
	round uint32 // the last round that the parameters include
	run   string // the training run
	// last is the digest of the last model file to score with. It is nil for a stream of parameters, which has other
	// matrices than a model file.
	last []byte
	// words are the words in the model file; nil for a stream of parameters.
	words vocabulary.Words
}

// eachModel calls use for each set of parameters, in ascending order of rounds.
func (j *Job) eachModel(ctx context.Context, w Work, documents string, h *wire.Header, use func(*trained) error) error {
	m := &models{job: j, work: w, documents: documents, header: h, use: use}
	switch {
	case j.Params != "":
		return m.readStream(ctx, j.Params)
	case !isFolder(j.Model):
		return m.readModel(ctx, j.Model)
	}
	names, err := filepath.Glob(filepath.Join(j.Model, "*.pp"))
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !stored(name) }) // a FIFO would be waited for
	if len(names) == 0 {
		return exit.Errorf(exit.Missing, "%s: holds no model files", j.Model).
			WithHint("mstep --models writes one for each round")
	}
	slices.Sort(names)
	newest := names[len(names)-1]
	if m.last, err = j.digest(ctx, newest); err != nil {
		return err
	}
	for _, name := range names {
		if err := m.readModel(ctx, name); err != nil {
			return err
		}
	}
	if !bytes.Equal(m.digest, m.last) {
		return exit.Errorf(exit.Malformed, "%s: was replaced while documents were scored", newest)
	}
	return nil
}

// digest returns a model file's digest. The header of the scores states the digest before the model is used.
func (j *Job) digest(ctx context.Context, name string) ([]byte, error) {
	in, _, err := endpoint.OpenStream(ctx, name, j.ParametersWanted())
	if err != nil {
		return nil, err
	}
	defer in.Close()
	set, err := in.ReadOne(nil)
	if err != nil {
		return nil, err
	}
	digest := set.Digest()
	return digest[:], nil
}

// models reads sets of parameters, one after another.
type models struct {
	job       *Job
	work      Work
	documents string
	header    *wire.Header
	use       func(*trained) error
	last      []byte // digest of the last model file in the folder

	begun  bool // whether a set was used
	round  uint32
	run    string
	digest []byte // of the last used model file
}

// open opens parameters. It refuses another run than the parameters before.
func (m *models) open(ctx context.Context, name string) (*endpoint.StreamReader, model.Size, error) {
	in, p, err := endpoint.OpenStream(ctx, name, m.job.ParametersWanted())
	if err != nil {
		return nil, model.Size{}, err
	}
	var size model.Size
	if err = sharedVocabulary(m.documents, m.header, name, p); err == nil && m.begun && p.Run != m.run {
		err = exit.Errorf(exit.Malformed, "%s: of another run than the models before", name)
	}
	if err == nil {
		if size, err = m.work.Family.Fit(m.header, p); err != nil {
			err = exit.Errorf(exit.Malformed, "%s: %w", name, err)
		}
	}
	if err != nil {
		in.Close()
		return nil, model.Size{}, err
	}
	m.run = p.Run
	return in, size, nil
}

// readModel uses the only set in a model file.
func (m *models) readModel(ctx context.Context, name string) error {
	in, size, err := m.open(ctx, name)
	if err != nil {
		return err
	}
	defer in.Close()
	var words vocabulary.Words
	set, err := in.ReadOne(func(w *wire.Words) { words = append(words, w.Words...) })
	if err != nil {
		return err
	}
	digest := set.Digest()
	m.digest = digest[:]
	last := m.last
	if last == nil {
		last = m.digest
	}
	return m.apply(name, set, &trained{size: size, last: last, words: words})
}

// readStream uses all sets in a stored stream of parameters.
func (m *models) readStream(ctx context.Context, name string) error {
	in, size, err := m.open(ctx, name)
	if err != nil {
		return err
	}
	defer in.Close()
	for {
		set, err := stream.ReadSet(in.Reader, nil)
		if err == io.EOF && m.begun {
			return nil
		}
		if err == io.EOF {
			return exit.Errorf(exit.Malformed, "%s: holds no parameters", name)
		}
		if err != nil {
			return err
		}
		if err := m.apply(name, set, &trained{size: size}); err != nil {
			return err
		}
	}
}

// apply uses a set.
func (m *models) apply(name string, set *stream.Set, t *trained) error {
	if m.begun && set.Round <= m.round {
		return exit.Errorf(exit.Malformed, "%s: parameters of round %d come after those of round %d", name, set.Round,
			m.round)
	}
	m.begun, m.round = true, set.Round
	t.step, t.round, t.run = m.work.New(), set.Round, m.run
	if err := t.step.SetParameters(set, t.size); err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return m.use(t)
}
