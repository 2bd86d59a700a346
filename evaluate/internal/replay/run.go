package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"privpipe/pipelines/exit"
)

// drawing are the programs of a seeded build that draw, and so differ from the shipped ones.
var drawing = []string{"account", "estep", "privatize", "sample"}

// marker is in each such program, and in no shipped one: this program puts it together when it runs.
func marker() []byte { return []byte(path.Join("pipelines", "testkit", "seeded", "source")) }

// CheckSeeded refuses a folder with programs of another build: their noise would differ from run to run, and
// their releases would follow from their own noise.
func CheckSeeded(bin string) error {
	for _, program := range drawing {
		name := filepath.Join(bin, program)
		content, err := os.ReadFile(name)
		if err != nil {
			return exit.Errorf(exit.Missing, "--bin: %w", err)
		}
		if !bytes.Contains(content, marker()) {
			return exit.Errorf(exit.Usage,
				"--bin: %s is not of a seeded build, whose noise and coins follow from a seed", name).
				WithHint("--bin is the folder whose name this prints: go run -tags seeded " +
					"./pipelines/testkit/seeded/seededbin FOLDER, in a checkout")
		}
	}
	return nil
}

// A bench runs one command.
type bench struct {
	bin     string // the folder of the seeded programs
	seed    uint64
	command []string
	from    string // where the audit was called
	folder  string // the folder of all runs
	file    string // the name of the data set
	except  []string
	longest time.Duration
}

// A run has all that one run of the command left.
type run struct {
	home string // where the command ran
	code int    // the exit code; -1 after longest
	said []string
	out  []byte
	kept map[string]output // by their names
	seen map[string]file   // by their names, relative to home
}

// The names of folders: home, and the folder for the seeded build, with own and history.
const (
	homeFolder  = "run"
	auditFolder = "replay"
	ownFolder   = "own"
)

// run runs the command on documents. It gets the releases of the run history; nil: its own.
func (b *bench) run(ctx context.Context, name string, documents []byte, history *run) (*run, error) {
	below := filepath.Join(b.folder, name)
	r := &run{home: filepath.Join(below, homeFolder)}
	audited := filepath.Join(below, auditFolder)
	for _, folder := range []string{r.home, filepath.Join(audited, ownFolder)} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
	}
	if history != nil {
		first := filepath.Join(filepath.Dir(history.home), auditFolder, ownFolder)
		if err := os.Symlink(first, filepath.Join(audited, "history")); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(r.home, b.file), documents, 0o600); err != nil {
		return nil, err
	}
	said, err := b.call(ctx, r, below, audited)
	if err != nil {
		return nil, err
	}
	r.said = linesOf(strings.ReplaceAll(said, r.home, "."))
	if r.kept, err = readOutputs(filepath.Join(audited, ownFolder)); err != nil {
		return nil, err
	}
	r.seen, err = look(r.home, b.except)
	return r, err
}

// linesOf returns the lines of messages, sorted because stages write side by side. On a slow machine a stage says that
// it waits.
func linesOf(said string) (lines []string) {
	for line := range strings.Lines(said) {
		if !strings.Contains(line, ": warning: waiting for ") {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}

// call calls the command and sets r's exit code and output. It returns the command's messages.
func (b *bench) call(ctx context.Context, r *run, below, audited string) (said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, b.longest)
	defer cancel()
	// What others may read is compared, so the caller's umask must not hide files.
	c := exec.CommandContext(ctx, "sh", slices.Concat([]string{"-c", `umask 022 && exec "$@"`, "sh"}, b.command)...)
	c.Dir = r.home
	c.Env = append(os.Environ(), "PATH="+b.bin+":"+os.Getenv("PATH"), "PRIVPIPE_BIN="+b.bin, "OLDPWD="+b.from,
		"PWD="+r.home, fmt.Sprintf("PRIVPIPE_DRAWS=%d %s", b.seed, r.home), "PRIVPIPE_REPLAY="+audited)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	var files [2]*os.File // not pipes: a process that stays behind would hold them open
	for i, name := range []string{"stdout", "stderr"} {
		if files[i], err = os.Create(filepath.Join(below, name)); err != nil {
			return "", err
		}
		defer files[i].Close()
	}
	c.Stdout, c.Stderr = files[0], files[1]
	err = c.Run()
	if c.Process == nil {
		return "", err
	}
	syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // folders that stay behind
	r.code = c.ProcessState.ExitCode()
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.DeadlineExceeded) {
		return "", cause
	}
	if r.out, err = os.ReadFile(files[0].Name()); err != nil {
		return "", err
	}
	r.out = bytes.ReplaceAll(r.out, []byte(r.home), []byte("."))
	message, err := os.ReadFile(files[1].Name())
	return string(message), err
}
