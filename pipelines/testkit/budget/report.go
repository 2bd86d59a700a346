package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// small is the share in seconds for packages that SHARES does not name.
const small = 12.0

// shares are the CPU seconds that packages may take on the reference machine.
type shares struct {
	total, unit float64 // the total for all packages; the time for the computation in reference
	of          map[string]float64
}

// report prints the slowest tests and the packages by CPU time, a command for each failure, and the counts.
func report(out io.Writer, r *results, times, limits string) error {
	s, err := readShares(limits)
	if err != nil {
		return err
	}
	spent, err := readTimes(times, s.unit)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "\nslowest tests, seconds of wall time beside others:")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, t := range r.slowest(20) {
		fmt.Fprintf(table, "%.1f\t%s\t%s\n", t.seconds, t.name, folder(t.pkg))
	}
	table.Flush()
	over := s.compare(out, spent)
	for _, t := range r.failed {
		fmt.Fprintf(out, "FAIL %s %s: repeat it by\n  %s\n", folder(t.pkg), t.name, again(t))
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", r.count("pass"), len(r.failed), r.count("skip"))
	switch {
	case len(r.failed) > 0:
		return fmt.Errorf("%d failed", len(r.failed))
	case r.count("pass") == 0:
		return errors.New("no test ran")
	}
	return over
}

// compare prints the packages by CPU time, and marks those above their share. It returns an error if the sum is above
// the total: one package may be slow by chance, for its neighbours and the machine's memory are others in each run.
func (s *shares) compare(out io.Writer, spent map[string]float64) error {
	fmt.Fprintln(out, "\nCPU seconds of the reference machine, by package (share; packages below 1 s are not listed):")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	total := 0.0
	var over []string
	for _, name := range slices.SortedFunc(maps.Keys(spent), func(a, b string) int {
		return cmp.Or(cmp.Compare(spent[b], spent[a]), cmp.Compare(a, b))
	}) {
		share, named := s.of[name]
		if !named {
			share = small
		}
		total += spent[name]
		mark := ""
		if spent[name] > share {
			over, mark = append(over, name), " above its share"
		}
		if spent[name] >= 1 {
			fmt.Fprintf(table, "%.1f\t%s\t(%g)%s\n", spent[name], name, share, mark)
		}
	}
	fmt.Fprintf(table, "%.1f\tin all\t(%g)\n", total, s.total)
	table.Flush()
	if total <= s.total {
		return nil
	}
	return fmt.Errorf("all packages take %.1f CPU seconds of the reference machine, may take %g; "+
		"above their shares: %s\nwhoever adds a slow test decides what leaves the gate: CONTRIBUTING.md",
		total, s.total, strings.Join(over, ", "))
}

// readShares reads lines "NAME SECONDS". NAME is a package's folder, total or reference.
func readShares(name string) (*shares, error) {
	s := &shares{of: make(map[string]float64)}
	err := eachLine(name, func(fields []string) error {
		if len(fields) != 2 {
			return errors.New("wants a name and a number of seconds")
		}
		seconds, err := strconv.ParseFloat(fields[1], 64)
		if err != nil || seconds <= 0 {
			return fmt.Errorf("%s is no number of seconds", fields[1])
		}
		s.of[fields[0]] = seconds
		return nil
	})
	s.total, s.unit = s.of["total"], s.of["reference"]
	if err == nil && (s.total == 0 || s.unit == 0) {
		err = fmt.Errorf("%s: wants lines total and reference", name)
	}
	return s, err
}

// readTimes reads the lines that run wrote, and returns the CPU time by folder in seconds of the reference machine. The
// speed of this machine is the mean over all packages, since its other load comes and goes.
func readTimes(name string, unit float64) (spent map[string]float64, err error) {
	spent = make(map[string]float64)
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	units, n := 0.0, 0
	err = eachLine(name, func(fields []string) error {
		if len(fields) != 3 {
			return errors.New("wants a folder and two numbers")
		}
		cpu, err := strconv.ParseFloat(fields[1], 64)
		took, err2 := strconv.ParseFloat(fields[2], 64)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		below, err := filepath.Rel(here, fields[0])
		spent[below] += cpu
		units, n = units+took, n+1
		return err
	})
	if err == nil && n == 0 {
		err = fmt.Errorf("%s has no line", name)
	}
	for folder := range spent {
		spent[folder] *= unit / (units / float64(n))
	}
	return spent, err
}

// eachLine reads the fields of each line that is neither empty nor a comment.
func eachLine(name string, use func(fields []string) error) error {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	for number := 1; lines.Scan(); number++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if fields := strings.Fields(text); len(fields) > 0 {
			if err := use(fields); err != nil {
				return fmt.Errorf("%s, line %d: %w", name, number, err)
			}
		}
	}
	return lines.Err()
}

// folder returns a package's path below the project's folder.
func folder(pkg string) string { return strings.TrimPrefix(pkg, "privpipe/") }

// again returns the command that repeats a failure. Seeded tests then use the same seed.
func again(t test) string {
	command := "go test -count=1 ./" + folder(t.pkg)
	if t.name != "" {
		command += " -run '^" + t.name + "$'"
	}
	if deep := os.Getenv("PRIVPIPE_DEEP"); deep != "" {
		command = "PRIVPIPE_DEEP='" + deep + "' " + command
	}
	return command
}
