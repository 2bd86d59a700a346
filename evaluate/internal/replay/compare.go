package replay

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The checks, in the order of the table.
const (
	Code     = "exit code"
	Messages = "messages" // lines on standard error
	Output   = "output"   // standard output
	Files    = "files"    // names, modes, sizes and contents of files that others may read
	Ledger   = "ledger"
	Releases = "releases" // their number and their rounds
	Sums     = "sums"
)

// Checks has them all.
var Checks = []string{Code, Messages, Output, Files, Ledger, Releases, Sums}

// A Finding is a difference that no noise covers.
type Finding struct {
	Check string `json:"check"`
	Says  string `json:"says"`
}

// A Result is the comparison of one neighbour with the first run.
type Result struct {
	Neighbour string `json:"neighbour"`
	Releases  int    `json:"releases"` // of the first run
	// Moved is the largest difference of sums, over the sensitivity that covers them. Nothing moves in a run on the
	// same documents.
	Moved    float64   `json:"moved"`
	Findings []Finding `json:"findings,omitempty"`
}

// Found says whether the check with this name found a difference.
func (r *Result) Found(check string) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Check == check })
}

// Broken describes the violations at a neighbour; "" if there are none.
func (r *Result) Broken() string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, f.Check+": "+f.Says)
	}
	if all == nil {
		return ""
	}
	return r.Neighbour + ": " + strings.Join(all, ", ")
}

func (r *Result) find(check, format string, args ...any) {
	r.Findings = append(r.Findings, Finding{check, fmt.Sprintf(format, args...)})
}

// compare compares a run with the first one.
func (r *Result) compare(first, other *run, claims []*claim) error {
	switch {
	case other.code < 0:
		r.find(Code, "it does not end")
	case other.code != first.code:
		r.find(Code, "%d, not %d", other.code, first.code)
	}
	r.messages(first.said, other.said)
	if !bytes.Equal(first.out, other.out) {
		r.find(Output, "%d bytes, not %d, or other bytes", len(other.out), len(first.out))
	}
	r.files(first.seen, other.seen)
	return r.sums(first.kept, other.kept, claims)
}

// messages compares sorted lines.
func (r *Result) messages(first, other []string) {
	more, less := beyond(other, first), beyond(first, other)
	for _, line := range more[:min(1, len(more))] {
		r.find(Messages, "%d lines more, such as %q", len(more), strings.TrimSpace(line))
	}
	for _, line := range less[:min(1, len(less))] {
		r.find(Messages, "%d lines less, such as %q", len(less), strings.TrimSpace(line))
	}
}

// beyond returns the lines of a that b has not, or not as often.
func beyond(a, b []string) (lines []string) {
	left := make(map[string]int)
	for _, line := range b {
		left[line]++
	}
	for _, line := range a {
		if left[line]--; left[line] < 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// files compares the files that others may read.
func (r *Result) files(first, other map[string]file) {
	for _, name := range slices.Sorted(maps.Keys(union(first, other))) {
		a, before := first[name]
		b, after := other[name]
		check := Files
		if a.ledger != nil || b.ledger != nil {
			check = Ledger
		}
		switch {
		case !after:
			r.find(check, "no %s", name)
		case !before:
			r.find(check, "%s, which the first run has not", name)
		case a.mode != b.mode:
			r.find(check, "%s has mode %v, not %v", name, b.mode, a.mode)
		case a.ledger != nil && b.ledger != nil && len(a.ledger.Lines) != len(b.ledger.Lines):
			r.find(check, "%s has %d lines, not %d", name, len(b.ledger.Lines), len(a.ledger.Lines))
		case a.size != b.size:
			r.find(check, "%s has %d bytes, not %d", name, b.size, a.size)
		case a.sum != b.sum:
			r.find(check, "%s has other bytes", name)
		}
	}
}

// sums compares the releases, each before it became the first run's.
func (r *Result) sums(first, other map[string]output, claims []*claim) error {
	for _, name := range slices.Sorted(maps.Keys(first)) {
		if _, ok := other[name]; !ok {
			r.find(Releases, "no %s", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(other)) {
		if _, ok := first[name]; !ok {
			r.find(Releases, "%s, which the first run has not", name)
		}
	}
	moved, last := make(map[string]float64), make(map[string]*claim)
	for _, c := range claims {
		for _, name := range c.of(first) {
			o, ok := other[name]
			if !ok {
				continue
			}
			norm, err := c.moved(first[name], o)
			if err != nil {
				return err
			}
			moved[c.together()] += norm
			last[c.together()] = c
		}
	}
	for _, together := range slices.Sorted(maps.Keys(moved)) {
		share := last[together].share(moved[together])
		r.Moved = max(r.Moved, share)
		if share > 1 {
			r.find(Sums, "%s moves by %.7g times its sensitivity", together, share)
		}
	}
	return nil
}
