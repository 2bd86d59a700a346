// Package numbered recognises names that are consecutive numbers, as positions in a file are. Such names break privacy if
// they are positions: without one document all behind it have other names (SPEC.md §2.3).
package numbered

import (
	"math"
	"strconv"
	"strings"
)

// Least is how many names are asked for: a few documents that somebody named 1, 2, 3 are no file that was numbered.
const Least = 32

// Names looks at names, one after the other, in whatever order. It needs no memory for them. The zero value has seen none.
type Names struct {
	form           form
	first          string // the first name; the form follows from it and the first that is another
	prefix, suffix string // around the number
	low, high      uint64 // the least number so far, and the greatest
	all            uint64 // names so far
	beyond         uint64 // of these, those whose number was not from low to high when they came
}

type form uint8

const (
	nothing form = iota // no name so far
	single              // one name, once or more often
	number              // names that differ in one number
	other               // names that differ in more
)

// Add looks at a name.
func (n *Names) Add(name string) {
	n.all++
	switch n.form {
	case nothing:
		n.form, n.first = single, name
	case single:
		if name != n.first {
			n.learn(name)
		}
	case number:
		n.take(name)
	}
}

// learn takes the second name for one that differs from the first in one number.
func (n *Names) learn(name string) {
	start, end := differ(n.first, name)
	n.prefix, n.suffix = n.first[:start], n.first[end:]
	v, ok := n.parse(n.first)
	if !ok {
		n.form = other
		return
	}
	n.form, n.low, n.high, n.beyond = number, v, v, 1
	n.take(name)
}

// differ returns where, in a, the run of digits stands in which b differs first. It is empty if b differs elsewhere.
func differ(a, b string) (start, end int) {
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end = start
	for start > 0 && digit(a[start-1]) {
		start--
	}
	for end < len(a) && digit(a[end]) {
		end++
	}
	return start, end
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// parse returns the number of a name of the form.
func (n *Names) parse(name string) (uint64, bool) {
	digits, ok := strings.CutPrefix(name, n.prefix)
	if !ok {
		return 0, false
	}
	if digits, ok = strings.CutSuffix(digits, n.suffix); !ok {
		return 0, false
	}
	for i := range len(digits) {
		if !digit(digits[i]) { // a sign is none
			return 0, false
		}
	}
	v, err := strconv.ParseUint(digits, 10, 64)
	return v, err == nil && v < math.MaxUint64
}

func (n *Names) take(name string) {
	v, ok := n.parse(name)
	if !ok {
		n.form = other
		return
	}
	if v < n.low || v > n.high {
		n.beyond++
		n.low, n.high = min(n.low, v), max(n.high, v)
	}
}

// Consecutive says whether the names are Least consecutive numbers or more, each behind one prefix and before one suffix,
// padded with zeros or not: of names that are all different in any order, of names that come again in the order in which
// they came first.
func (n *Names) Consecutive() bool {
	span := n.high - n.low + 1
	return n.form == number && span >= Least && (span == n.all || span == n.beyond)
}
