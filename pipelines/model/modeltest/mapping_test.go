package modeltest_test

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"privpipe/pipelines/model/modelfile"
)

// A bound is what a line of the first table of MAPPING.md promises of a family, rounded up.
type bound struct{ norm, distance float64 }

// mapping reads the first table of MAPPING.md. A family whose contributions have no bound has infinite ones.
func mapping(t *testing.T) map[string]bound {
	t.Helper()
	text, err := os.ReadFile("../MAPPING.md")
	if err != nil {
		t.Fatal(err)
	}
	number := func(cell string) float64 {
		if cell == "–" {
			return math.Inf(1)
		}
		x, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	bounds := make(map[string]bound)
	_, table, _ := strings.Cut(string(text), "| family |")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if name, found := strings.CutPrefix(cells[0], "| `"); found {
			bounds[strings.TrimSuffix(name, "`")] = bound{number(cells[1]), number(cells[2])}
		}
		if line == "\n" {
			break
		}
	}
	return bounds
}

// TestMapping: each family has its line.
func TestMapping(t *testing.T) {
	bounds := mapping(t)
	for _, f := range modelfile.Families {
		if b := bounds[f.Name]; b.norm == 0 {
			t.Errorf("MAPPING.md has no bounds of model %s", f.Name)
		}
	}
}

// agree checks that what a test promises is what MAPPING.md says.
func agree(t *testing.T, name string, norm, distance float64) {
	t.Helper()
	b := mapping(t)[name]
	for what, x := range map[string][2]float64{"norm": {b.norm, norm}, "distance": {b.distance, distance}} {
		if says, is := x[0], x[1]; !(says >= is && says <= is+1e-4) {
			t.Errorf("MAPPING.md says that %s has the %s %v, which is %v", name, what, says, is)
		}
	}
}
