package job

import (
	"io"
	"os"
	"path/filepath"
	"slices"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// isFolder says that a name is that of a folder of model files, as mstep --models writes them.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// stored says that a name is not that of a FIFO or a topic, whose parameters end nowhere.
func stored(name string) bool {
	info, err := os.Stat(name)
	return !endpoint.IsTopic(name) && (err != nil || info.Mode().IsRegular())
}

// eachModel calls use with an E-step for each set of parameters, and the round of its scores: 0 for one model file, else the round of
// the set. Rounds rise.
func (j *Job) eachModel(w Work, documents string, h *wire.Header, use func(model.EStep, model.Size, uint32) error) error {
	m := &models{job: j, work: w, documents: documents, header: h, use: use}
	if !isFolder(j.Model) {
		return m.read(j.Model, j.Params)
	}
	names, err := filepath.Glob(filepath.Join(j.Model, "*.pp"))
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return exit.Errorf(exit.Missing, "%s: holds no model files", j.Model).WithHint("mstep --models writes one for each round")
	}
	slices.Sort(names)
	m.byRound = true
	for _, name := range names {
		if err := m.read(name, ""); err != nil {
			return err
		}
	}
	return nil
}

// models are sets of parameters, one after another.
type models struct {
	job       *Job
	work      Work
	documents string
	header    *wire.Header
	use       func(model.EStep, model.Size, uint32) error

	byRound bool // scores are of rounds
	begun   bool // a set was used
	round   uint32
	run     string
}

// read uses the only set of a model file, or all sets of a stored stream of parameters.
func (m *models) read(file, params string) error {
	name := file
	if params != "" {
		name, m.byRound = params, true
	}
	in, p, err := endpoint.OpenStream(name, m.job.ParametersWanted())
	if err != nil {
		return err
	}
	defer in.Close()
	if err := sharedVocabulary(m.documents, m.header, name, p); err != nil {
		return err
	}
	if m.begun && p.Run != m.run {
		return exit.Errorf(exit.Malformed, "%s: of another run than the models before", name)
	}
	m.run = p.Run
	size, err := m.work.Family.Fit(m.header, p)
	if err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	if params == "" {
		set, err := in.ReadOne(nil)
		if err != nil {
			return err
		}
		return m.score(name, set, size)
	}
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
		if err := m.score(name, set, size); err != nil {
			return err
		}
	}
}

// score uses a set.
func (m *models) score(name string, set *stream.Set, size model.Size) error {
	if m.begun && set.Round <= m.round {
		return exit.Errorf(exit.Malformed, "%s: parameters of round %d come after those of round %d", name, set.Round, m.round)
	}
	m.begun, m.round = true, set.Round
	step := m.work.New()
	if err := step.SetParameters(set, size); err != nil {
		return exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	if !m.byRound {
		return m.use(step, size, 0)
	}
	return m.use(step, size, set.Round)
}
