package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"privpipe/pipelines/testkit"
)

// wall has the packages that stand between private sums and their releases.
var wall = []string{"./privatize/internal/...", "./pipelines/event"}

// leastCoverage is the share of the wall's statements that its unit tests run.
const leastCoverage = 0.99

// sourceLines returns the lines of a file of the project, without the spaces around them.
func sourceLines(t *testing.T, name string) []string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return lines
}

// reasons reads a list of what no unit test does: entries of the form FILE: SOURCE, each with its reason, indented.
func reasons(t *testing.T, list string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	of, entry := make(map[string]string), ""
	for line := range strings.Lines(string(text)) {
		switch reason, indented := strings.CutPrefix(strings.TrimRight(line, "\n"), "\t"); {
		case indented:
			of[entry] += reason
		case !strings.HasPrefix(line, "#"):
			entry = reason
			of[entry] = ""
		}
	}
	return of
}

// TestUncoveredIsThere: each statement of the list is in its file, once, and has a reason. TestCoverage says whether
// the list is complete.
func TestUncoveredIsThere(t *testing.T) {
	for entry, reason := range reasons(t, "testdata/uncovered.txt") {
		file, line, _ := strings.Cut(entry, ": ")
		found := 0
		for _, source := range sourceLines(t, file) {
			if source == line {
				found++
			}
		}
		if found != 1 || reason == "" {
			t.Errorf("testdata/uncovered.txt has %q with the reason %q, and the file has it %d times", entry, reason,
				found)
		}
	}
}

// A block is a piece of source that runs as a whole.
type block struct {
	statements int
	run        bool
}

// blocks reads a profile of the compiler's coverage counters. Each test program has a line for a block, and one that
// ran it is enough.
func blocks(t *testing.T, profile string) map[string]block {
	t.Helper()
	all := make(map[string]block)
	for line := range strings.Lines(profile) {
		fields := strings.Fields(line) // FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS COUNT
		if len(fields) != 3 {
			continue // the mode
		}
		statements, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		place := strings.TrimPrefix(fields[0], module+"/")
		all[place] = block{statements, all[place].run || fields[2] != "0"}
	}
	return all
}

// named returns a block as the list does: by the line where it begins. A line that only compares an error says little,
// so the line before it stands in its place.
func named(t *testing.T, place string) string {
	t.Helper()
	file, span, _ := strings.Cut(place, ":")
	number := 0
	if _, err := fmt.Sscanf(span, "%d.", &number); err != nil {
		t.Fatal(place, err)
	}
	lines := sourceLines(t, file)
	line := lines[number-1]
	if line == "if err != nil {" {
		line = lines[number-2]
	}
	return file + ": " + line
}

// TestCoverage: unit tests run 99 % of the statements in the wall, and the list has all others and nothing else. What a
// test runs in another process does not count, nor do end-to-end tests.
func TestCoverage(t *testing.T) {
	testkit.Deep(t, "audits")
	t.Setenv("PRIVPIPE_DEEP", "") // the tests of the gate
	profile := filepath.Join(t.TempDir(), "profile")
	goTool(t, append([]string{"test", "-count=1", "-vet=off", "-timeout", "60m", "-coverprofile", profile,
		"-coverpkg", strings.Join(wall, ",")}, wall...)...)
	content, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	listed := reasons(t, "testdata/uncovered.txt")
	all, run, found := 0, 0, make(map[string]bool)
	for place, b := range blocks(t, string(content)) {
		all += b.statements
		if b.run {
			run += b.statements
			continue
		}
		name := named(t, place)
		if _, known := listed[name]; !known {
			t.Errorf("no unit test runs %s (%s), and testdata/uncovered.txt has no reason", place, name)
		}
		found[name] = true
	}
	for name := range listed {
		if !found[name] {
			t.Errorf("testdata/uncovered.txt has %s, and a unit test runs it", name)
		}
	}
	t.Logf("unit tests run %d of %d statements", run, all)
	if float64(run) < leastCoverage*float64(all) {
		t.Errorf("unit tests run %d of %d statements, want %v of them", run, all, leastCoverage)
	}
}

// TestBlocks: a block counts as run if one of the test programs ran it, and is named by a line that says something.
func TestBlocks(t *testing.T) {
	const profile = "mode: set\n" + module + "/a/a.go:1.2,3.4 2 0\n" + module + "/a/a.go:1.2,3.4 2 1\n" + module +
		"/a/a.go:1.2,3.4 2 0\n" + module + "/a/a.go:5.2,6.4 1 0\n"
	got := blocks(t, profile)
	if len(got) != 2 || got["a/a.go:1.2,3.4"] != (block{2, true}) || got["a/a.go:5.2,6.4"] != (block{1, false}) {
		t.Errorf("blocks %v", got)
	}
	const file = "pipelines/event/grant.go"
	for i, line := range sourceLines(t, file) {
		if line != "written, err := json.Marshal(g)" {
			continue
		}
		for _, begins := range []int{i + 1, i + 2} {
			if name := named(t, fmt.Sprintf("%s:%d.16,%d.3", file, begins, begins+2)); name != file+": "+line {
				t.Errorf("line %d is named %q", begins, name)
			}
		}
	}
}
