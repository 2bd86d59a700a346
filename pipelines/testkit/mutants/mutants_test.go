package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
)

// enabled says that the mutants are to be tested, which takes minutes. PRIVPIPE_MUTANT narrows them down by a regular
// expression on their names.
// PRIVPIPE_MUTANT_PART is I/N, for the mutants whose number in the order of names is I modulo N.
const (
	enabled = "PRIVPIPE_MUTANTS"
	chosen  = "PRIVPIPE_MUTANT"
	part    = "PRIVPIPE_MUTANT_PART"
)

// confidence is that of each audit of a sound program: it fails once in ten millions.
const confidence = "0.9999999"

// attempts is how often a mutant is tried until it is found. The bound on its loss is far above its claim on average: an
// audit misses it once in a hundred times at most, all of them once in a million. A test whose processes race may miss a mutant now
// and then on a busy machine; the table says which run found it.
const attempts = 3

// TestMutants runs what each mutant's header names, without the mutant and with it: all of it must pass first, and then each
// test and each audit must fail.
func TestMutants(t *testing.T) {
	if set := os.Getenv(enabled); set == "" || set == "0" {
		t.Skipf("takes minutes: set %s=1, or call just mutants", enabled)
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	choice, err := regexp.Compile(os.Getenv(chosen))
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(m *Mutant) bool { return !choice.MatchString(m.Name) })
	if set := os.Getenv(part); set != "" {
		all = partOf(t, all, set)
	}
	started := time.Now()
	w := newWorkshop(t)
	if w.without(all); t.Failed() {
		t.FailNow()
	}
	t.Logf("without a mutant: %v", time.Since(started).Round(time.Second))

	rows, failures := make([]string, len(all)), make([]error, len(all))
	w.each(len(all), func(i int) {
		begun := time.Now()
		by, err := w.with(all[i])
		if err != nil {
			failures[i] = err
			by = append(by, "NOT FOUND")
		}
		rows[i] = fmt.Sprintf("%s\t%s\t%.1f s\n", all[i].Name, strings.Join(by, ", "), time.Since(begun).Seconds())
	})
	var table bytes.Buffer
	out := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "mutant\tfound by\ttime\n%s", strings.Join(rows, ""))
	out.Flush()
	t.Logf("%d mutants in %v\n%s", len(all), time.Since(started).Round(time.Second), table.String())
	if err := errors.Join(failures...); err != nil {
		t.Error(err) // below the table, where the end of a long log shows it
	}
}

// partOf returns part I/N of the mutants.
func partOf(t *testing.T, all []*Mutant, set string) (some []*Mutant) {
	var i, n int
	if _, err := fmt.Sscanf(set, "%d/%d", &i, &n); err != nil || i < 0 || n <= i {
		t.Fatalf("%s must be I/N with 0 ≤ I < N, is %s", part, set)
	}
	for number, m := range all {
		if number%n == i {
			some = append(some, m)
		}
	}
	return some
}

// A workshop runs tests and audits, some at a time.
type workshop struct {
	t        *testing.T
	folder   string // in memory, if there is such a file system: a privatizer waits for the disk
	evaluate string
}

func newWorkshop(t *testing.T) *workshop {
	w := &workshop{t: t, folder: t.TempDir()}
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		if w.folder, err = os.MkdirTemp("/dev/shm", "privpipe-mutants-"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(w.folder) })
	}
	w.evaluate = filepath.Join(w.folder, "evaluate")
	w.build("-o", w.evaluate, "./evaluate")
	return w
}

func (w *workshop) build(arguments ...string) {
	w.t.Helper()
	build := exec.Command("go", append([]string{"build"}, arguments...)...)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
}

// each does a task for each of n numbers, as many at a time as there are processors.
func (w *workshop) each(n int, task func(i int)) {
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				task(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	workers.Wait()
}

// without runs all tests and audits that mutants name, on the sources as they are. All must pass.
func (w *workshop) without(all []*Mutant) {
	names, audits := make(map[string][]string), []string(nil)
	for _, m := range all {
		for _, test := range m.Tests {
			names[test.Package] = append(names[test.Package], test.Names...)
		}
		audits = append(audits, m.Audits...)
	}
	slices.Sort(audits)
	audits = slices.Compact(audits)
	for _, stage := range []string{"privatize", "estep"} {
		w.build("-o", filepath.Join(w.folder, stage), "./"+stage)
	}
	packages := slices.Sorted(maps.Keys(names))
	w.each(len(packages)+len(audits), func(i int) {
		if i >= len(packages) {
			flags := audits[i-len(packages)]
			if code, message := w.audit(filepath.Join(w.folder, Audited(flags)), flags); code != 0 {
				w.t.Errorf("audit %s of a program without a mutant: exit code %d: %s", flags, code, message)
			}
			return
		}
		tests := names[packages[i]]
		slices.Sort(tests)
		tests = slices.Compact(tests)
		results, out, err := w.test(packages[i], tests, "")
		if err != nil {
			w.t.Errorf("%s: %v\n%s", packages[i], err, out)
			return
		}
		for _, name := range tests {
			if results[name] != "pass" {
				w.t.Errorf("%s: %s does not pass without a mutant, its result is %q\n%s", packages[i], name, results[name], out)
			}
		}
	})
}

// with runs the tests and audits of a mutant on sources that have it, and returns those that found it. Where one did not, that
// is an error.
func (w *workshop) with(m *Mutant) (by []string, err error) {
	folder := filepath.Join(w.folder, m.Name)
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	overlay, err := m.Overlay(root, folder)
	if err != nil {
		return nil, err
	}
	for _, test := range m.Tests {
		left := test.Names
		for n := 1; len(left) > 0; n++ {
			results, out, err := w.test(test.Package, left, overlay)
			if err != nil {
				return by, fmt.Errorf("mutant %s: %s: %w\n%s", m.Name, test.Package, err, out)
			}
			var missed []string
			for _, name := range left {
				switch {
				case results[name] == "fail" && n == 1:
					by = append(by, name)
				case results[name] == "fail":
					by = append(by, fmt.Sprintf("%s (run %d)", name, n))
				case n == attempts || results[name] != "pass":
					return by, fmt.Errorf("mutant %s: %s of %s does not fail, its result is %q", m.Name, name, test.Package, results[name])
				default:
					missed = append(missed, name)
				}
			}
			left = missed
		}
	}
	for _, flags := range m.Audits {
		program, err := m.Build(root, folder, Audited(flags))
		if err != nil {
			return by, err
		}
		code, message := w.audit(program, flags)
		for n := 1; n < attempts && code == 0; n++ {
			code, message = w.audit(program, flags)
		}
		if code != 83 || !strings.Contains(message, m.Finds) {
			return by, fmt.Errorf("mutant %s: audit %s: exit code %d, must be 83 with a message that has %q: %s",
				m.Name, flags, code, m.Finds, message)
		}
		by = append(by, "audit "+flags)
	}
	return by, nil
}

// test runs some tests of a package and returns what became of each. A package that cannot be built is an error.
func (w *workshop) test(path string, names []string, overlay string) (results map[string]string, out string, err error) {
	arguments := []string{"test", "-json", "-count=1", "-vet=off", "-ldflags=-s -w", "-timeout=3m",
		"-run", "^(" + strings.Join(names, "|") + ")$"}
	if overlay != "" && len(names) == 1 {
		arguments = append(arguments, "-failfast") // its first subtest to fail has found the mutant
	}
	command := exec.Command("go", append(arguments, path)...)
	command.Dir = root
	command.Env = append(os.Environ(), enabled+"=")
	if overlay != "" { // no argument, so that the programs that a test builds have it, too
		command.Env = append(command.Env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	}
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	run := command.Run()
	results = make(map[string]string)
	var text strings.Builder
	for d := json.NewDecoder(&stdout); ; {
		var event struct{ Action, Test, Output string }
		if d.Decode(&event) != nil {
			break
		}
		text.WriteString(event.Output)
		if event.Test != "" && (event.Action == "pass" || event.Action == "fail" || event.Action == "skip") {
			results[event.Test] = event.Action
		}
	}
	out = text.String() + stderr.String()
	if len(results) == 0 {
		return nil, out, fmt.Errorf("no test ran: %v", run)
	}
	return results, out, nil
}

// audit runs evaluate audit on a program and returns its exit code and its message.
func (w *workshop) audit(program, flags string) (code int, message string) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	arguments := append([]string{"audit"}, strings.Fields(flags)...)
	arguments = append(arguments, "--binary", program, "--confidence", confidence, "--folder", w.folder, "-o", os.DevNull)
	command := exec.CommandContext(ctx, w.evaluate, arguments...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	if err := command.Run(); err != nil && command.ProcessState == nil {
		return -1, err.Error()
	}
	return command.ProcessState.ExitCode(), stderr.String()
}
