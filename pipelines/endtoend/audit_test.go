package endtoend

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// An edit replaces text of a source file.
type edit struct{ file, old, new string }

// flaws are the privatizers that an audit must find out. Each is the real one with a few lines of source replaced.
var flaws = []struct {
	name  string
	edits []edit
	flags string // of the audit
	found string // what the audit says
}{
	{"noise scaled by 0.7", []edit{
		{"privatize/internal/release/noise.go", "cell: noise.NewGaussian(scale)", "cell: noise.NewGaussian(scale * 7 / 10)"},
	}, "--runs 1500", "neighbours: ε is at least"},
	{"clip after the sum", []edit{
		{"privatize/internal/release/limit.go", "\t\tclip.L2(v.Steps, l.marked(v.Cells), l.bound)\n", ""},
		{"privatize/internal/release/limit.go", "if l.clipping == event.ClipBatch {", "if l.clipping == event.ClipUnit {"},
	}, "--runs 600", "neighbours: ε is at least"},
	{"unit counted twice", []edit{
		{"privatize/internal/release/round.go", "\tif !fresh {", "\tif false {"},
	}, "--runs 400", "delivered twice: ε is at least"},
	{"adjacency mixed up", []edit{
		{"pipelines/event/mechanism.go", "case g.Adjacency == AddRemove && g.Bounding()", "case g.Bounding()"},
	}, "--runs 400 --adjacency replace-one", "neighbours: ε is at least"},
	{"noise reused between rounds", []edit{
		{"privatize/internal/release/noise.go", "sum.Add(i, sampler.Next())", "sum.Add(i, once(i, sampler))"},
		{"privatize/internal/release/noise.go", "// add adds independent noise", `var drawn sync.Map

func once(cell int, s noise.Sampler) int64 {
	v, _ := drawn.LoadOrStore(cell, s.Next())
	return v.(int64)
}

// add adds independent noise`},
	}, "--runs 300", "neighbours: ε is at least"},
	{"seed fixed", []edit{
		{"privatize/internal/noise/random.go", "&source{reader: rand.Reader}", "&source{reader: new(sequence)}"},
		{"privatize/internal/noise/random.go", "func newSource()", `var _ = rand.Reader

type sequence struct{ state uint64 }

func (s *sequence) Read(b []byte) (int, error) {
	for i := range b {
		s.state = 6364136223846793005*s.state + 1442695040888963407
		b[i] = byte(s.state >> 56)
	}
	return len(b), nil
}

func newSource()`},
	}, "--runs 100", "released the same numbers: the noise is not fresh"},
}

// attempts is how often a broken privatizer is audited until it is found. In simulations with noise of the same kind 400
// audits of so many runs missed none: less than one in 85, with 99 % confidence. So all attempts miss one with a probability
// of about 1e-6 at most.
const attempts = 3

// TestAudit audits privatize and six privatizers that are broken, each in one way. The sound one fails with probability
// 1e-7, the audit's own.
func TestAudit(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of runs of privatize")
	}
	memory := t.TempDir()
	if _, err := os.Stat("/dev/shm"); err == nil { // privatize syncs what it writes, which takes long on a disk
		if memory, err = os.MkdirTemp("/dev/shm", "privpipe-"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(memory) })
	}
	audit := func(t *testing.T, binary, flags string) (code int, message string) {
		t.Helper()
		s := bash(memory, fmt.Sprintf("evaluate audit --binary %q --noise-multiplier 0.6 --folder . %s", binary, flags))
		if err := s.Run(); err != nil && s.ProcessState == nil {
			t.Fatal(err)
		}
		t.Logf("%s%s", s.stdout.String(), s.stderr.String())
		return s.ProcessState.ExitCode(), s.stderr.String()
	}
	t.Run("sound", func(t *testing.T) {
		for _, flags := range []string{"", "--adjacency replace-one --unit user", "--mechanism laplace"} {
			if code, message := audit(t, "privatize", "--runs 200 --confidence 0.9999999 --one-run "+flags); code != 0 {
				t.Errorf("exit code %d: %s", code, message)
			}
		}
	})
	for _, flaw := range flaws {
		t.Run(flaw.name, func(t *testing.T) {
			binary := build(t, flaw.edits)
			code, message := audit(t, binary, flaw.flags)
			for n := 1; n < attempts && code == 0; n++ {
				code, message = audit(t, binary, flaw.flags)
			}
			if code != 83 || !strings.Contains(message, flaw.found) {
				t.Errorf("exit code %d, must be 83, with a message that has %q: %s", code, flaw.found, message)
			}
		})
	}
}

// build builds privatize with edits and returns the binary. Each edit must fit in exactly one place, so that one that the
// source has outgrown fails.
func build(t *testing.T, edits []edit) string {
	t.Helper()
	folder := t.TempDir()
	sources, overlay := make(map[string]string), make(map[string]string)
	for _, e := range edits {
		file := filepath.Join(root, e.file)
		if sources[file] == "" {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sources[file] = string(text)
		}
		if n := strings.Count(sources[file], e.old); n != 1 {
			t.Fatalf("%s has %q %d times, must have it once: bring the edit up to date", e.file, e.old, n)
		}
		sources[file] = strings.Replace(sources[file], e.old, e.new, 1)
	}
	for file, text := range sources {
		name := fmt.Sprintf("%d.go", len(overlay))
		write(t, folder, name, text)
		overlay[file] = filepath.Join(folder, name)
	}
	replace, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, "overlay.json", string(replace))
	binary := filepath.Join(folder, "privatize")
	command := exec.Command("go", "build", "-overlay", filepath.Join(folder, "overlay.json"), "-o", binary, "./privatize")
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s%v", out, err)
	}
	return binary
}
