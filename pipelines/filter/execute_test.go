package filter_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// echo is a stage with one command. It copies its input to its output.
type echo struct {
	filter.Common
	filter.Compress
	Output string `short:"o" help:"Output."`
	Wait   bool   `help:"Wait for the end of the context."`
	Input  string `arg:"" default:"-" help:"Input."`
}

func (c *echo) Run(r *filter.Run) error {
	if c.Wait {
		<-r.Done()
		return context.Cause(r)
	}
	in, err := endpoint.Open(r, c.Input)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := endpoint.Create(r, c.Output, wire.Side_PUBLIC)
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	r.Log.Info("copied", "partitions", endpoint.Of(r).NewTopics)
	return out.Commit()
}

// executed runs echo with an input, and returns what it wrote.
func executed(ctx context.Context, t *testing.T, input string, args ...string) (code int, output, messages string) {
	t.Helper()
	folder := t.TempDir()
	name := filepath.Join(folder, "in")
	if err := os.WriteFile(name, []byte(input), 0o666); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(filepath.Join(folder, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var said bytes.Buffer
	program := filter.Program{Stage: filter.Stage{Name: "echo", Summary: "Echo.", Example: "echo"},
		New: func() filter.Commands { return new(echo) }}
	code = filter.Execute(ctx, program, args,
		filter.Stdio{In: in, Out: out, Err: &said})
	written, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return code, string(written), said.String()
}

// TestExecute: runs in one process have flags, standard files and messages of their own.
func TestExecute(t *testing.T) {
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			input, messages := fmt.Sprint("text ", i), ""
			args := []string{"--create", fmt.Sprint(i + 1)}
			if i%2 == 0 {
				args, messages = append(args, "-v"), fmt.Sprintf("echo: copied partitions=%d\n", i+1)
			}
			code, output, said := executed(t.Context(), t, input, args...)
			if code != exit.OK || output != input || said != messages {
				t.Errorf("code %d, output %q, messages %q, want %q and %q", code, output, said, input, messages)
			}
		})
	}
	all.Wait()
}

// TestExecuteErrors: a run returns the exit code and the message that its process would have.
func TestExecuteErrors(t *testing.T) {
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(exit.Errorf(exit.Terminated, "the caller has gone"))
	for name, c := range map[string]struct {
		args []string
		code int
		said string
	}{
		"flag": {[]string{"--none"}, exit.Usage,
			"echo: error: unknown flag --none\necho: hint: echo --help lists the flags\n"},
		"input": {[]string{"nowhere"}, exit.Missing, "echo: error: open nowhere: no such file or directory\n"},
		"metrics": {[]string{"--metrics", "x.prom"}, exit.Usage,
			"echo: error: --metrics: several runs share this process and its metrics\n"},
		"canceled": {[]string{"--wait"}, exit.Terminated, "echo: error: the caller has gone\n"},
		"dry run":  {[]string{"-n"}, exit.OK, ""},
	} {
		code, output, said := executed(ended, t, "text", c.args...)
		if code != c.code || output != "" || said != c.said {
			t.Errorf("%s: code %d, output %q, messages %q", name, code, output, said)
		}
	}
}
