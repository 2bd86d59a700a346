package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// A goal is a bound for one number in a benchmark.
type goal struct {
	what      string
	machine   string // the machines of the goal, by their widest vectors; empty: all machines
	benchmark string
	unit      string
	least     bool // the number should be at least the bound; otherwise at most
	bound     float64
}

// readGoals reads a file with one goal in each line that is not empty. A line has five fields, separated by tabs: what,
// the machine or -, the benchmark, its unit, and >= or <= with the bound.
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
			return nil, fmt.Errorf("%s: line %d: wants WHAT, MACHINE, BENCHMARK, UNIT and BOUND, with tabs between",
				file, number)
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

// reach writes a table of one machine's goals with the measured numbers.
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
