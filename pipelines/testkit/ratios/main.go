// Command ratios compares the ratios in the output of benchmarks with recorded ratios (.ci/bench check), or all numbers
// with goals (.ci/bench).
//
//	go test -bench … | ratios FILE
//	go test -bench … | ratios --record FILE
//	go test -bench … | ratios --goals FILE
//
// It copies the output of the benchmarks. A ratio is a metric with a × in its unit, followed by the peer. More is
// better, and a busy machine slows both sides. The command ends with 1 if a ratio is below nine tenths of its record,
// or if a recorded ratio was not measured. Each line of FILE has a machine's widest vectors, a benchmark, a unit and a
// number, since kernels differ by machine. --record replaces the lines for this machine and keeps the lines for other
// machines. --goals ends with a table of the goals in FILE, and with 0 whether they are reached or not.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/cpu"
)

// least is the fraction of its record that a ratio must reach.
const least = 0.9

func main() {
	record := flag.Bool("record", false, "write the measured ratios into FILE")
	goals := flag.Bool("goals", false, "print a table of the goals in FILE")
	flag.Parse()
	if flag.NArg() != 1 || *record && *goals {
		fmt.Fprintln(os.Stderr, "ratios: error: wants FILE, and the output of benchmarks as input")
		os.Exit(80)
	}
	var err error
	if *goals {
		err = table(flag.Arg(0), machine(), os.Stdin, os.Stdout)
	} else {
		err = check(flag.Arg(0), machine(), *record, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ratios: error:", err)
		os.Exit(1)
	}
}

// machine names this machine's widest vectors.
func machine() string {
	switch {
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL:
		return "AVX-512"
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		return "AVX2"
	}
	return "plain"
}

// numbers has the numbers of benchmarks, by benchmark and unit.
type numbers map[string]float64

// ratios has ratios, by machine, benchmark and unit.
type ratios map[string]float64

// of returns the ratios among numbers.
func (n numbers) of(machine string) ratios {
	found := make(ratios)
	for key, number := range n {
		if strings.Contains(key, "×") {
			found[machine+" "+key] = number
		}
	}
	return found
}

// check compares the ratios with the record, or writes the record anew.
func check(file, machine string, record bool, output io.Reader, to io.Writer) error {
	recorded, err := read(file)
	if err != nil {
		return err
	}
	measured, err := measure(io.TeeReader(output, to))
	if err != nil {
		return err
	}
	if !record {
		return compare(machine, recorded, measured.of(machine), to)
	}
	maps.DeleteFunc(recorded, func(key string, _ float64) bool { return strings.HasPrefix(key, machine+" ") })
	maps.Copy(recorded, measured.of(machine))
	return write(file, recorded)
}

func table(file, machine string, output io.Reader, to io.Writer) error {
	goals, err := readGoals(file)
	if err != nil {
		return err
	}
	measured, err := measure(io.TeeReader(output, to))
	if err != nil {
		return err
	}
	reach(goals, machine, measured, to)
	return nil
}

// compare writes a line for each recorded ratio of the machine.
func compare(machine string, recorded, measured ratios, to io.Writer) error {
	failed, compared := 0, 0
	for _, key := range slices.Sorted(maps.Keys(recorded)) {
		if !strings.HasPrefix(key, machine+" ") {
			continue
		}
		compared++
		now, ok := measured[key]
		verdict := "holds"
		switch {
		case !ok:
			verdict = "was not measured"
		case now < least*recorded[key]:
			verdict = "is slower"
		}
		if verdict != "holds" {
			failed++
		}
		fmt.Fprintf(to, "%s: %.3g, recorded %.3g: %s\n", key, now, recorded[key], verdict)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d ratios are not what was recorded", failed, compared)
	}
	if compared == 0 {
		return fmt.Errorf("no ratio was recorded on a machine with %s: --record does", machine)
	}
	return nil
}

// benchmark matches a result line: the benchmark's name, without the number of processors, and its numbers with their
// units.
var benchmark = regexp.MustCompile(`^(Benchmark\S*?)(?:-\d+)?\s+\d+\s+(.*)$`)

// measure reads the numbers from the output of benchmarks. If a number was measured several times, the largest counts
// for a ratio, and otherwise the last.
func measure(output io.Reader) (numbers, error) {
	found := make(numbers)
	scanner := bufio.NewScanner(output)
	for scanner.Scan() {
		line := benchmark.FindStringSubmatch(scanner.Text())
		if line == nil {
			continue
		}
		fields := strings.Fields(line[2])
		for i := 0; i+1 < len(fields); i += 2 {
			number, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", line[1], err)
			}
			key := line[1] + " " + fields[i+1]
			if strings.Contains(key, "×") {
				number = max(found[key], number)
			}
			found[key] = number
		}
	}
	return found, scanner.Err()
}

func read(file string) (ratios, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	recorded := make(ratios)
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		key, value := cutLast(strings.TrimSpace(line))
		if strings.Count(key, " ") != 2 {
			return nil, fmt.Errorf("%s: line %d: wants MACHINE BENCHMARK UNIT NUMBER", file, number)
		}
		if recorded[key], err = strconv.ParseFloat(value, 64); err != nil || !(recorded[key] > 0) {
			return nil, fmt.Errorf("%s: line %d: wants a positive number last", file, number)
		}
	}
	return recorded, nil
}

// cutLast cuts a text at its last space.
func cutLast(text string) (before, after string) {
	i := strings.LastIndexByte(text, ' ')
	if i < 0 {
		return text, ""
	}
	return text[:i], text[i+1:]
}

func write(file string, recorded ratios) error {
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(recorded)) {
		fmt.Fprintf(&text, "%s %.3g\n", key, recorded[key])
	}
	return os.WriteFile(file, []byte(text.String()), 0o666)
}
