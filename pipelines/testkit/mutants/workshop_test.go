package mutants

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A workshop builds the test programs that mutants name, once, and runs them.
type workshop struct {
	root, folder, temporary string
	patience                time.Duration // beside ten times what a test takes without a mutant
	programs                map[string]string
	binaries                string           // of the stages
	seconds                 map[Test]float64 // without a mutant
}

// build builds the test programs, and the stages for tests that run them.
func (w *workshop) build(all []*Mutant) error {
	overlay, err := Overlay(w.root, w.folder, all)
	if err != nil {
		return err
	}
	packages, stages := make(map[string]bool), false
	for _, m := range all {
		for _, test := range m.Tests {
			packages[test.Package] = true
		}
	}
	// A go command writes programs of different names only.
	w.programs = make(map[string]string)
	var rounds []map[string]string
	for _, of := range slices.Sorted(maps.Keys(packages)) {
		name := path.Base(of)
		i := slices.IndexFunc(rounds, func(r map[string]string) bool { return r[name] == "" })
		if i < 0 {
			i, rounds = len(rounds), append(rounds, make(map[string]string))
		}
		rounds[i][name] = "./" + of
		w.programs[of] = filepath.Join(w.folder, strconv.Itoa(i), name+".test")
		stages = stages || runsStages(filepath.Join(w.root, of))
	}
	for i, round := range rounds {
		to := filepath.Join(w.folder, strconv.Itoa(i)) + "/"
		arguments := []string{"test", "-c", "-vet=off", "-ldflags=-w", "-o", to}
		if err := w.compile(overlay, append(arguments, slices.Sorted(maps.Values(round))...)); err != nil {
			return err
		}
	}
	if stages {
		w.binaries = filepath.Join(w.folder, "bin")
		return w.compile(overlay, []string{"build", "-o", w.binaries + "/", "./..."})
	}
	return nil
}

// runsStages says that the tests of a folder run the programs of the stages.
func runsStages(folder string) bool {
	files, _ := filepath.Glob(filepath.Join(folder, "*_test.go"))
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && bytes.Contains(text, []byte("stages.Main("))
	})
}

func (w *workshop) compile(overlay string, arguments []string) error {
	arguments = slices.Insert(arguments, slices.Index(arguments, "-o"), "-overlay", overlay, "-ldflags=-s -w")
	command := exec.Command("go", arguments...)
	command.Dir = w.root
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", arguments[0], err, out)
	}
	return nil
}

// A run is a run of a test.
type run struct {
	mutant *Mutant // nil: none
	test   Test
	cpu    time.Duration
	err    error
}

// command is the one that repeats the run.
func (r *run) command() string {
	const test = "go test -count=1 -v -run 'TestMutants$' ./pipelines/testkit/mutants"
	return fmt.Sprintf("PRIVPIPE_DEEP=mutants %s='^%s$' %s", variable, r.mutant.Name, test)
}

// named returns the tests that mutants name, sorted by package.
func named(all []*Mutant) (tests []Test) {
	for _, m := range all {
		tests = append(tests, m.Tests...)
	}
	slices.SortFunc(tests, func(a, b Test) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Name, b.Name))
	})
	return slices.Compact(tests)
}

// without runs tests with no mutant chosen. All must pass.
func (w *workshop) without(tests []Test) (runs []*run) {
	w.seconds = make(map[Test]float64)
	for _, test := range tests {
		runs = append(runs, &run{test: test})
	}
	taken := make([]float64, len(runs))
	each(len(runs), func(i int) {
		started := time.Now()
		outcome, out := w.do(runs[i])
		if taken[i] = time.Since(started).Seconds(); outcome != "passes" {
			runs[i].err = fmt.Errorf("without a mutant %v %s\n%s", runs[i].test, outcome, out)
		}
	})
	for i, r := range runs {
		w.seconds[r.test] = taken[i]
	}
	return runs
}

// with runs the tests of each mutant. All must fail.
func (w *workshop) with(all []*Mutant) (runs []*run) {
	for _, m := range all {
		for _, test := range m.Tests {
			runs = append(runs, &run{mutant: m, test: test})
		}
	}
	// The longest come first, so that none of them is left for one processor at the end.
	slices.SortStableFunc(runs, func(a, b *run) int { return cmp.Compare(w.seconds[b.test], w.seconds[a.test]) })
	each(len(runs), func(i int) {
		r := runs[i]
		if outcome, _ := w.do(r); outcome == "passes" {
			r.err = fmt.Errorf("mutant %s survived: %v passes", r.mutant.Name, r.test)
		} else if outcome != "fails" {
			r.err = fmt.Errorf("mutant %s was not found: %v %s", r.mutant.Name, r.test, outcome)
		}
	})
	return runs
}

// do runs a test and says what becomes of it. It fails if it began and its program then ended with another code than
// 0, be it by a failure of the test or by a crash of what it calls. A test that does not end in time does not fail: a
// deadline of the test itself must find what hangs.
func (w *workshop) do(r *run) (outcome, out string) {
	patience := w.patience + time.Duration(10*w.seconds[r.test]*float64(time.Second))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	name := "^" + strings.ReplaceAll(regexp.QuoteMeta(r.test.Name), "/", "$/^") + "$"
	command := exec.CommandContext(ctx, w.programs[r.test.Package],
		"-test.run="+name, "-test.v", "-test.failfast", "-test.paniconexit0")
	command.Dir = filepath.Join(w.root, r.test.Package)
	for _, set := range os.Environ() {
		if !strings.HasPrefix(set, "PRIVPIPE_") {
			command.Env = append(command.Env, set)
		}
	}
	command.Env = append(command.Env, "GOGC=400", "TMPDIR="+w.temporary)
	if r.mutant != nil {
		command.Env = append(command.Env, variable+"="+r.mutant.Name)
	}
	if w.binaries != "" {
		command.Env = append(command.Env, "PRIVPIPE_TEST_BIN="+w.binaries)
	}
	// What the test started ends with it.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = 5 * time.Second
	var text bytes.Buffer
	command.Stdout, command.Stderr = &text, &text
	err := command.Run()
	if command.ProcessState == nil {
		return fmt.Sprintf("cannot be run: %v", err), ""
	}
	syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
	r.cpu = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	out = text.String()
	said := func(line string) bool {
		return regexp.MustCompile(`(?m)^ *` + line + ` +` + regexp.QuoteMeta(r.test.Name) + `( |$)`).MatchString(out)
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Sprintf("does not end within %v", patience.Round(time.Second)), out
	case !said("=== RUN"):
		return fmt.Sprintf("does not run: %v", cmp.Or(err, errors.New("there is no such test"))), out
	case said("--- SKIP:"):
		return "is skipped", out
	case err != nil:
		return "fails", out
	}
	return "passes", out
}

// each does a task for each of n numbers, as many at a time as there are processors.
func each(n int, task func(i int)) {
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
