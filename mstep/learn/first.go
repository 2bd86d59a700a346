package learn

import (
	"context"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/npy"
	"privpipe/pipelines/wire"
)

// First is the model before the first release, and the file name from --start-out. Without a name it is not written.
type First struct {
	Name  string
	Model *model.Snapshot
}

// distinct refuses a file that another output would replace, as Job.distinct does.
func (f First) distinct(l *Job) error {
	switch {
	case f.Name == "":
	case f.Name == l.Output || endpoint.IsStdout(f.Name) && endpoint.IsStdout(l.Output):
		return exit.Errorf(exit.Usage, "--output and --start-out are both %s", f.Name)
	case f.Name == l.ParamsOut:
		return exit.Errorf(exit.Usage, "--params-out and --start-out are both %s", f.Name)
	case f.Name == l.Checkpoint:
		return exit.Errorf(exit.Usage, "--start-out %s is the checkpoint of the output, too", f.Name)
	}
	return nil
}

// writeFirst writes the first model. The run in its header is only the run of --run, as in the header of the
// parameters: no release has named another run.
func (s *session) writeFirst(f First) error {
	if f.Name == "" {
		return nil
	}
	h := s.header(wire.Kind_PARAMETERS, f.Model.Matrices)
	h.Run = s.RunName
	return modelfile.Write(s.run, f.Name, s.Compress.Compress, h, s.vocab, 0, s.exact, f.Model)
}

// ReadArray reads the array of rows × columns that a model begins with, from a .npy file.
func ReadArray(ctx context.Context, name string, rows, columns int) ([]float64, error) {
	in, err := endpoint.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	cells, err := npy.Read(in, rows, columns)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return cells, nil
}
