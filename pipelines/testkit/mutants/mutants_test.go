package mutants

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"privpipe/pipelines/testkit"
)

// root is the folder of the module.
const root = "../../.."

// passed says that the named tests have just passed without the mutants' build, as in the gate. Then one test of each
// package shows that the build itself is sound.
const passed = "PRIVPIPE_MUTANT_PASSED"

// TestMutants builds all mutants at once and runs the tests that each names: they must pass without a mutant, and
// each must fail with its mutant. PRIVPIPE_MUTANT narrows the mutants down by a regular expression on their names.
func TestMutants(t *testing.T) {
	testkit.Deep(t, "mutants")
	choice, err := regexp.Compile(os.Getenv(variable))
	if err != nil {
		t.Fatal(err)
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(m *Mutant) bool { return !choice.MatchString(m.Name) || len(m.Tests) == 0 })
	if len(all) == 0 {
		t.Fatalf("no mutant that a test finds has a name that matches %s", choice)
	}
	w := &workshop{root: root, folder: t.TempDir(), temporary: memory(t), patience: 3 * time.Minute}
	began, spent := time.Now(), cpu()
	step := func(what string) {
		t.Logf("%s: %.0f s, %.0f CPU-s", what, time.Since(began).Seconds(), (cpu() - spent).Seconds())
		began, spent = time.Now(), cpu()
	}
	if err := w.build(all); err != nil {
		t.Fatal(err)
	}
	step("build")
	tests := named(all)
	if os.Getenv(passed) != "" {
		tests = slices.CompactFunc(tests, func(a, b Test) bool { return a.Package == b.Package })
	}
	baseline := w.without(tests)
	step("tests without a mutant")
	if err := failures(baseline); err != nil {
		t.Fatal(err)
	}
	runs := w.with(all)
	step(fmt.Sprintf("tests with %d mutants", len(all)))
	t.Log(table(runs), slowest(slices.Concat(baseline, runs)))
	if err := failures(runs); err != nil {
		t.Error(err) // below the table, where the end of a long log shows it
	}
}

// memory returns a folder in memory, if there is such a file system: a privatizer waits for the disk.
func memory(t *testing.T) string {
	if info, err := os.Stat("/dev/shm"); err != nil || !info.IsDir() {
		return t.TempDir()
	}
	folder, err := os.MkdirTemp("/dev/shm", "privpipe-mutants-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

// cpu returns the time that all children took.
func cpu() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// failures joins the errors of runs, with the command that repeats each.
func failures(runs []*run) error {
	var all []error
	for _, r := range runs {
		if r.err != nil && r.mutant != nil {
			all = append(all, fmt.Errorf("%w\n\t%s", r.err, r.command()))
		} else if r.err != nil {
			all = append(all, r.err)
		}
	}
	return errors.Join(all...)
}

// table returns what the runs took for the mutants of each folder.
func table(runs []*run) string {
	type row struct {
		mutants map[string]bool
		runs    int
		cpu     time.Duration
	}
	rows := make(map[string]*row)
	for _, r := range runs {
		folder := r.mutant.changes[0].folder
		if rows[folder] == nil {
			rows[folder] = &row{mutants: make(map[string]bool)}
		}
		rows[folder].mutants[r.mutant.Name] = true
		rows[folder].runs++
		rows[folder].cpu += r.cpu
	}
	var text strings.Builder
	out := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "\nfolder\tmutants\truns\tCPU-s")
	for _, folder := range slices.Sorted(maps.Keys(rows)) {
		row := rows[folder]
		fmt.Fprintf(out, "%s\t%d\t%d\t%.1f\n", folder, len(row.mutants), row.runs, row.cpu.Seconds())
	}
	out.Flush()
	return text.String()
}

// slowest returns the runs that took most.
func slowest(runs []*run) string {
	slices.SortFunc(runs, func(a, b *run) int { return cmp.Compare(b.cpu, a.cpu) })
	var text strings.Builder
	out := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "\nslowest\ttest\tCPU-s")
	for _, r := range runs[:min(20, len(runs))] {
		name := "no mutant"
		if r.mutant != nil {
			name = r.mutant.Name
		}
		fmt.Fprintf(out, "%s\t%s %s\t%.1f\n", name, r.test.Package, r.test.Name, r.cpu.Seconds())
	}
	out.Flush()
	return text.String()
}
