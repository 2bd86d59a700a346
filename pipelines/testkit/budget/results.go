package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A test is what became of one.
type test struct {
	pkg, name string
	action    string  // pass, fail or skip
	seconds   float64 // of wall time, beside other tests
}

// results are what a run of go test says.
type results struct {
	tests  []test // without subtests
	failed []test // those, and packages that failed without a test, which have no name
}

// An event is a line of `go test -json`: go doc test2json.
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// readResults reads the events of go test -json. It prints a line a package as go test does, and before it the output of the tests
// that failed. A line that is no event is printed as it is.
func readResults(in *bufio.Reader, out io.Writer) (*results, error) {
	r, outputs := new(results), make(map[string]*strings.Builder)
	of := func(e event) *strings.Builder {
		key := cmp.Or(e.Package, e.ImportPath) + " " + e.Test
		if outputs[key] == nil {
			outputs[key] = new(strings.Builder)
		}
		return outputs[key]
	}
	for {
		line, err := in.ReadBytes('\n')
		var e event
		if len(line) > 0 && (json.Unmarshal(line, &e) != nil || e.Action == "") {
			fmt.Fprintf(out, "%s\n", strings.TrimRight(string(line), "\n"))
		}
		switch e.Action {
		case "output", "build-output":
			of(e).WriteString(e.Output)
		case "build-fail":
			fmt.Fprint(out, of(e))
		case "pass", "fail", "skip":
			r.ended(e, of(e).String(), out)
			if e.Test == "" {
				delete(outputs, e.Package+" ")
			}
		}
		if err == io.EOF {
			return r, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// ended notes the end of a test or a package.
func (r *results) ended(e event, output string, out io.Writer) {
	t := test{e.Package, e.Test, e.Action, e.Elapsed}
	if e.Action == "fail" && e.Test != "" {
		fmt.Fprint(out, output)
	}
	if e.Test == "" {
		named := slices.ContainsFunc(r.failed, func(f test) bool { return f.pkg == e.Package })
		if e.Action == "fail" && !named { // it did not build, or a test ended the process
			r.failed = append(r.failed, t)
		}
		fmt.Fprint(out, lastLines(output, e.Action == "fail" && !named))
		return
	}
	if !strings.Contains(e.Test, "/") {
		r.tests = append(r.tests, t)
		if e.Action == "fail" {
			r.failed = append(r.failed, t)
		}
	}
}

// lastLines returns the last line of a package's output, which says how it ended, or all of it.
func lastLines(output string, all bool) string {
	if all {
		return output
	}
	output = strings.TrimSuffix(output, "\n")
	return output[strings.LastIndex(output, "\n")+1:] + "\n"
}

// slowest returns the n tests that took longest.
func (r *results) slowest(n int) []test {
	sorted := slices.SortedFunc(slices.Values(r.tests), func(a, b test) int {
		return cmp.Or(cmp.Compare(b.seconds, a.seconds), cmp.Compare(a.name, b.name))
	})
	return sorted[:min(n, len(sorted))]
}

// count returns how many tests ended in a way.
func (r *results) count(action string) (n int) {
	for _, t := range r.tests {
		if t.action == action {
			n++
		}
	}
	return n
}
