package report

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestReadings: what each run added is ε less that without it, whether runs take turns or not; and prefixes are not
// composed twice. ε of linearProfile at δ = 1/e is the number of releases.
func TestReadings(t *testing.T) {
	for _, c := range []struct {
		runs     []string
		last     int
		want     string // run, releases, ε, added
		composed int
	}{
		{nil, 0, "", 0},
		{[]string{"a"}, 0, "a 1 1 1; ", 1},
		{[]string{"a", "a", "b", "c", "c"}, 0, "a 2 2 2; b 1 3 1; c 2 5 2; ", 3},
		{[]string{"a", "a", "b", "c", "c"}, 2, "b 1 3 1; c 2 5 2; ", 3},
		{[]string{"a", "a", "b", "c", "c"}, 9, "a 2 2 2; b 1 3 1; c 2 5 2; ", 3},
		{[]string{"a", "b", "a"}, 0, "b 1 2 1; a 2 3 2; ", 4},
		// As many releases since the last reading as the run has, but one of them is another's.
		{[]string{"a", "x", "c", "a", "c"}, 0, "x 1 2 1; a 2 4 2; c 2 5 2; ", 6},
	} {
		asked := 0
		readings, err := readings(ledgerOf(c.runs...), linearSpending(0, &asked), math.Exp(-1), c.last)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, r := range readings {
			got += fmt.Sprintln(r.Run, r.Releases, r.Epsilon, *r.Added)
		}
		if got = strings.ReplaceAll(got, "\n", "; "); got != c.want || asked != c.composed {
			t.Errorf("%v: %s from %d compositions, want %s from %d", c.runs, got, asked, c.want, c.composed)
		}
	}
}

// TestReadingsUnbounded: what is added to an infinite ε is not said.
func TestReadingsUnbounded(t *testing.T) {
	asked := 0
	readings, err := readings(ledgerOf("a", "b", "c"), linearSpending(2, &asked), 1e-6, 0)
	if err != nil {
		t.Fatal(err)
	}
	if a, b, c := readings[0].Added, readings[1].Added, readings[2].Added; a == nil || !math.IsInf(float64(*b), 1) ||
		c != nil {
		t.Errorf("a adds %v, b %v and c %v", a, b, c)
	}
}
