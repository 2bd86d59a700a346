package endpoint_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/endpoint/plain"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/testkit/script"
	"privpipe/pipelines/wire"
)

func TestMain(m *testing.M) { script.Main(m, map[string]func(){"pass": pass}) }

// TestScripts is about terminals, full disks and standard streams, which take a process.
func TestScripts(t *testing.T) { script.Run(t, nil) }

// pass is a stage that passes text on.
func pass() {
	filter.Main(filter.Program{Stage: filter.Stage{Name: "pass", Summary: "Pass text on.", Example: "pass < in > out"},
		New: func() filter.Commands { return new(passCommand) }})
}

type passCommand struct {
	filter.Common
	Output string `short:"o" help:"Output."`
	Public bool   `help:"The text is public."`
	Input  string `arg:"" optional:"" help:"Input."`
}

func (c *passCommand) Run(r *filter.Run) error {
	if err := endpoint.Distinct(r, c.Output, c.Input); err != nil {
		return err
	}
	in, err := plain.Open(r, c.Input)
	if err != nil {
		return err
	}
	defer in.Close()
	side := wire.Side_PRIVATE
	if c.Public {
		side = wire.Side_PUBLIC
	}
	out, err := endpoint.Create(r, c.Output, side)
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Commit()
}

// write makes a file in folder and returns its path.
func write(t *testing.T, folder, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantCode checks the exit code that a process would have of err.
func wantCode(t *testing.T, err error, code int) {
	t.Helper()
	if got := exit.Code(err); got != code {
		t.Errorf("exit code %d, want %d, of error: %v", got, code, err)
	}
}

func TestWhatIsNoFileIsRefused(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct {
		name     string
		in, made int // exit codes of reading and of creating it
	}{
		{"kafka://broker/topic?group=g", exit.Usage, exit.Usage},
		{"kafka://broker/", exit.Usage, exit.Usage},
		{"https://example.com/docs.pp", exit.Usage, exit.Usage},
		{folder, exit.Missing, exit.Usage},
		{filepath.Join(folder, "nowhere", "docs.pp"), exit.Missing, exit.Missing},
	} {
		in, err := endpoint.Open(t.Context(), c.name)
		if err == nil {
			_, err = io.ReadAll(in)
			in.Close()
		}
		wantCode(t, err, c.in)
		_, err = endpoint.Create(t.Context(), c.name, wire.Side_PRIVATE)
		wantCode(t, err, c.made)
	}
	_, err := endpoint.Create(t.Context(), filepath.Join(folder, "nowhere", "docs.pp"), wire.Side_PRIVATE)
	if path := (*os.PathError)(nil); !errors.As(err, &path) || filepath.Base(path.Path) != "docs.pp" {
		t.Errorf("the error does not name the output as the caller does: %v", err)
	}
}
