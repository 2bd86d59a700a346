package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMain lets this program be the command, and burn CPU time as a test program and its child do.
func TestMain(m *testing.M) {
	switch os.Getenv("BUDGET_TEST") {
	case "command":
		main()
	case "burn": // a child that takes as long as ten computations of reference
		for range 10 {
			reference()
		}
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// TestRun: the line has the CPU time of the program's child, and beside it the CPU time of the computation. The
// program's exit code is kept.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "times")
	command := exec.Command(os.Args[0], "run", file, "sh", "-c", `BUDGET_TEST=burn "$0"`, os.Args[0])
	command.Env = append(os.Environ(), "BUDGET_TEST=command")
	command.Run()
	if code := command.ProcessState.ExitCode(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	spent, err := readTimes(file, 1)
	if err != nil {
		t.Fatal(err)
	}
	for folder, units := range spent { // ten, and what the program does beside; of a busy machine, too
		if filepath.Join(here, folder) != here || units < 4 || units > 100 {
			t.Errorf("%s took %v of the computation", folder, units)
		}
	}
	if len(spent) != 1 {
		t.Errorf("times of %v", spent)
	}
}

const events = `{"Action":"start","Package":"privpipe/house"}
{"Action":"run","Package":"privpipe/house","Test":"TestDoor"}
{"Action":"output","Package":"privpipe/house","Test":"TestDoor","Output":"the door is open\n"}
{"Action":"fail","Package":"privpipe/house","Test":"TestDoor","Elapsed":0.5}
{"Action":"output","Package":"privpipe/house","Test":"TestLock","Output":"quiet\n"}
{"Action":"pass","Package":"privpipe/house","Test":"TestLock/iron","Elapsed":9}
{"Action":"pass","Package":"privpipe/house","Test":"TestLock","Elapsed":10}
{"Action":"output","Package":"privpipe/house","Output":"FAIL\n"}
{"Action":"output","Package":"privpipe/house","Output":"FAIL\tprivpipe/house\t10.5s\n"}
{"Action":"fail","Package":"privpipe/house","Elapsed":10.5}
{"ImportPath":"privpipe/barn","Action":"build-output","Output":"barn.go:1:1: no roof\n"}
{"ImportPath":"privpipe/barn","Action":"build-fail"}
{"Action":"output","Package":"privpipe/barn","Output":"FAIL\tprivpipe/barn [build failed]\n"}
{"Action":"fail","Package":"privpipe/barn","Elapsed":0}
{"Action":"skip","Package":"privpipe/garden","Test":"TestGate","Elapsed":0}
{"Action":"output","Package":"privpipe/garden","Output":"ok  \tprivpipe/garden\t0.1s\n"}
{"Action":"pass","Package":"privpipe/garden","Elapsed":0.1}
a warning of the go command
`

// TestReport: what failed is printed with the command that repeats it, what passed by its last line, and tests by their
// time.
func TestReport(t *testing.T) {
	out := new(bytes.Buffer)
	r, err := readResults(bufio.NewReader(strings.NewReader(events)), out)
	if err != nil {
		t.Fatal(err)
	}
	err = reportOf(t, out, r, "garden 1")
	if err == nil || err.Error() != "2 failed" {
		t.Errorf("error %v, want 2 failed", err)
	}
	for _, want := range []string{
		`(?m)^the door is open$`, `(?m)^barn.go:1:1: no roof$`, `(?m)^ok  \tprivpipe/garden\t0\.1s$`,
		`(?m)^a warning of the go command$`,
		`(?m)^10\.0 +TestLock +house\n0\.5 +TestDoor +house$`, `(?m)^1\.5 +house +\(12\)$`,
		`(?m)^FAIL house TestDoor: repeat it by\n  go test -count=1 ./house -run '\^TestDoor\$'$`,
		`(?m)^FAIL barn : repeat it by\n  go test -count=1 ./barn$`, `(?m)^1 passed, 2 failed, 1 skipped$`,
	} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if strings.Contains(out.String(), "quiet") {
		t.Errorf("the output of a test that passed is printed:\n%s", out)
	}
}

// TestOver: a package above its share is marked, and the sum above the total fails the run, on a machine of any speed.
func TestOver(t *testing.T) {
	passed := &results{tests: []test{{"privpipe/house", "TestDoor", "pass", 1}}}
	marks := regexp.MustCompile(`(?m)^\S+ +(\S+) .*above its share$`)
	for _, c := range []struct{ shares, marked, err string }{
		{"house 1.6\ngarden 0.6", "", ""}, // house takes 1.5 seconds of the reference machine, garden half a second
		{"house 1.4", "house", ""},
		{"house 1.4\ntotal 1.9", "house", "all packages take 2.0 CPU seconds of the reference machine, may take 1.9; " +
			"above their shares: house\n"},
		{"house 1.6 # a word\ntotal 1.9", "", "may take 1.9"},
		{"house 1.6\ngarden much", "", "much is no number of seconds"},
		{"house", "", "wants a name and a number of seconds"},
	} {
		out := new(bytes.Buffer)
		err := reportOf(t, out, passed, c.shares)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v, want %q", c.shares, err, c.err)
		}
		marked := ""
		if m := marks.FindStringSubmatch(out.String()); m != nil {
			marked = m[1]
		}
		if marked != c.marked {
			t.Errorf("%q: %q is marked, want %q, in\n%s", c.shares, marked, c.marked, out)
		}
	}
	if err := reportOf(t, new(bytes.Buffer), new(results), "house 2"); err == nil || err.Error() != "no test ran" {
		t.Errorf("without a test: %v", err)
	}
}

// reportOf reports with shares beside a total of 100 s. The reference machine takes 10 ms for the computation, this one
// twice as long.
func reportOf(t *testing.T, out *bytes.Buffer, r *results, shares string) error {
	t.Helper()
	folder := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	times, limits := filepath.Join(folder, "times"), filepath.Join(folder, "shares")
	for name, text := range map[string]string{
		times:  here + "/house\t3\t0.03\n" + here + "/garden\t1\t0.01\n",
		limits: "total 100\nreference 0.01\n" + shares + "\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return report(out, r, times, limits)
}
