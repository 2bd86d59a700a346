package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// A goal is what a number of a benchmark should be.
type goal struct {
	what      string
	machine   string // the widest vectors of the machines that it is for; empty: all
	benchmark string
	unit      string
	least     bool // the number should be at least the bound; otherwise at most
	bound     float64
}

// readGoals reads a file with a goal in each line that is not empty: what, the machine or -, the benchmark and its unit, and the bound after
// >= or <=. Tabs separate them.
func readGoals(file string) (goals []goal, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if strings.TrimSpace(line) == "" {
			continue
		}
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(fields) != 5 {
			return nil, fmt.Errorf("%s: line %d: wants WHAT, MACHINE, BENCHMARK, UNIT and BOUND, with tabs between", file, number)
		}
		g := goal{what: fields[0], machine: strings.TrimPrefix(fields[1], "-"), benchmark: fields[2], unit: fields[3]}
		relation, bound, _ := strings.Cut(fields[4], " ")
		if g.bound, err = strconv.ParseFloat(bound, 64); err != nil || relation != ">=" && relation != "<=" {
			return nil, fmt.Errorf("%s: line %d: wants >= or <=, a space and a number last", file, number)
		}
		g.least = relation == ">="
		goals = append(goals, g)
	}
	return goals, nil
}

// reach writes a table of the goals of a machine, with what was measured.
func reach(goals []goal, machine string, measured numbers, to io.Writer) {
	fmt.Fprintf(to, "\n| on a machine with %s | asked | measured | |\n|---|---|---|---|\n", machine)
	for _, g := range goals {
		if cmp.Or(g.machine, machine) != machine {
			continue
		}
		relation := "at most"
		if g.least {
			relation = "at least"
		}
		now, ok := measured[g.benchmark+" "+g.unit]
		found, verdict := "not measured", ""
		if ok {
			found, verdict = fmt.Sprintf("%.3g", now), "falls short"
			if now == g.bound || g.least == (now > g.bound) {
				verdict = "reached"
			}
		}
		fmt.Fprintf(to, "| %s | %s %g | %s | %s |\n", g.what, relation, g.bound, found, verdict)
	}
}
