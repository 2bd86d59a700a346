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

// A test is the result of one test.
type test struct {
	pkg, name string
	action    string  // pass, fail or skip
	seconds   float64 // wall time, beside other tests
}

// results holds the results of one run of go test.
type results struct {
	tests  []test // without subtests
	failed []test // failed tests, and packages that failed without a failed test; those have an empty name
}

// An event is a line of `go test -json`: go doc test2json.
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

// readResults reads the events of go test -json. It prints one line for each package as go test does. Before this line
// it prints the output of the failed tests. A line that is not an event is printed unchanged.
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

// ended records that a test or a package has ended.
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

// lastLines returns the last line of a package's output, which says how the package ended. With all it returns the
// whole output.
func lastLines(output string, all bool) string {
	if all {
		return output
	}
	output = strings.TrimSuffix(output, "\n")
	return output[strings.LastIndex(output, "\n")+1:] + "\n"
}

// slowest returns the n slowest tests.
func (r *results) slowest(n int) []test {
	sorted := slices.SortedFunc(slices.Values(r.tests), func(a, b test) int {
		return cmp.Or(cmp.Compare(b.seconds, a.seconds), cmp.Compare(a.name, b.name))
	})
	return sorted[:min(n, len(sorted))]
}

// count returns how many tests ended with the given action.
func (r *results) count(action string) (n int) {
	for _, t := range r.tests {
		if t.action == action {
			n++
		}
	}
	return n
}
