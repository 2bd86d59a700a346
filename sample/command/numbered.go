package command

import (
	"math"
	"strconv"
	"strings"
)

// leastNumbered is the least number of names that count as positions. Fewer documents may have been named 1, 2, 3 by
// hand.
const leastNumbered = 32

// numbered recognises names that are consecutive numbers, for example positions in a file. Positions as names break
// privacy: removing one document renames all documents after it (SPEC.md §2.3). The names come in any order, and are
// not stored. The zero value has seen none.
type numbered struct {
	form           form
	first          string // the first name; the form follows from it and from the first different name
	prefix, suffix string // around the number
	low, high      uint64 // the least number so far, and the greatest
	all            uint64 // number of names so far
	beyond         uint64 // number of names that were outside [low, high] when they arrived
}

type form uint8

const (
	nothing form = iota // no name so far
	single              // one name, once or more often
	number              // names that differ in one number
	other               // names that differ in more than one number
)

// add looks at a name.
func (n *numbered) add(name string) {
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

// learn sets the form from the first two different names.
func (n *numbered) learn(name string) {
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

// differ returns the position in a of the run of digits with the first difference between a and b. The run is empty if
// they first differ elsewhere.
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

// parse returns the number in a name of the form.
func (n *numbered) parse(name string) (uint64, bool) {
	digits, ok := strings.CutPrefix(name, n.prefix)
	if !ok {
		return 0, false
	}
	if digits, ok = strings.CutSuffix(digits, n.suffix); !ok {
		return 0, false
	}
	for i := range len(digits) {
		if !digit(digits[i]) { // a sign is no digit
			return 0, false
		}
	}
	v, err := strconv.ParseUint(digits, 10, 64)
	return v, err == nil && v < math.MaxUint64
}

func (n *numbered) take(name string) {
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

// consecutive reports whether the names are at least leastNumbered consecutive numbers with a common prefix and suffix,
// padded with zeros or not. Names that are all different may be in any order. If names repeat, each number must extend
// the range of the numbers before it when it first occurs.
func (n *numbered) consecutive() bool {
	span := n.high - n.low + 1
	return n.form == number && span >= leastNumbered && (span == n.all || span == n.beyond)
}
