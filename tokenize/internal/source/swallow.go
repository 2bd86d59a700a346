package source

import (
	"errors"

	"privpipe/pipelines/exit"
)

// ErrNeverSkipped marks the fault of any record that may have swallowed the records after it. Such a record cannot be
// skipped by itself.
var ErrNeverSkipped = errors.New("never skipped")

// A swallower is the fault in such a record. It states the rule that the record breaks.
type swallower string

func (s swallower) Error() string { return string(s) }

// Is implements the interface of errors.Is.
func (swallower) Is(target error) bool { return target == ErrNeverSkipped }

// swallows returns the error for such a record.
func swallows(rule, hint string) error {
	return exit.Errorf(exit.Malformed, "%w", swallower(rule)).WithHint("%s", hint)
}

const (
	noTelling   = "correct the file: this record may have swallowed the ones after it, so it is never skipped"
	unquotedToo = "; --quote none reads a file whose program quotes no field"
)

// ErrQuote is the error for broken CSV records.
var ErrQuote = swallows(
	"a quoted field has text after its closing quote, or no closing quote: a quote inside a field must be doubled",
	noTelling+unquotedToo)

var (
	errRows = swallows(
		"a quoted field in which three or more lines look like rows: a quote inside a field must be doubled",
		"--quote trust reads what a program wrote that doubles quotes: to_csv of pandas, Excel, write.csv of R, COPY "+
			"of PostgreSQL. They write such fields, too, of texts with a table in them. Otherwise "+noTelling+
			unquotedToo)
	errSeveral = swallows("several objects on one line",
		"jq -c . writes each on a line of its own; the objects may be of several people, "+
			"so their line is never skipped")
	errAfter = swallows("something comes after the array", noTelling)
	errOpen  = swallows("the array is not closed: is the file truncated?", noTelling)

	errOpenObject = swallows("an object is not closed: is the file truncated?", noTelling)
)
