// Package exit names the exit codes that all stages share, and lets an error carry one. It also rules the process until
// then: what a panic does, and when garbage is collected.
package exit

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
)

// The exit codes, the same in every stage and in every --help. The caller can fix the cause of 80 to 99, and cannot fix
// the cause of 100 to 119. Above 128 a signal ended the process. 2 is the Go runtime's own code, for failures that
// Guard cannot catch.
const (
	OK      = 0
	Failure = 1  // a failure that no other code describes
	Usage   = 80 // wrong flags or values
	Missing = 82 // a prerequisite is missing: grant, ledger, model, file
	// Refused: the grant, the budget or a privacy rule forbids it, and nothing was released; or an audit refuted a
	// claim, documents are not worth a budget, a public file lacks words, or a budget alarm rang.
	Refused      = 83
	Malformed    = 90  // input malformed, truncated, empty or of another version
	Locked       = 91  // another run holds the lock; nothing was done
	Internal     = 100 // a bug: an invariant does not hold
	Unavailable  = 101 // disk or broker
	HungUp       = 129 // SIGHUP
	Interrupted  = 130 // SIGINT
	Terminated   = 143 // SIGTERM
	ClosedOutput = 141 // SIGPIPE: nobody reads the output any more
)

// Lasting are the codes after which the same command would fail again until somebody fixes the cause. A service manager
// does not restart a stage after these codes or after OK. It restarts the stage after all other codes. 2 is the Go
// runtime's own code.
var Lasting = []int{2, Usage, Missing, Refused, Malformed, Locked, Internal}

// Meaning is the table of exit codes, in order, as --help prints it.
var Meaning = []struct {
	Code int
	Text string
}{
	{OK, "done, output complete"},
	{Failure, "failed for a reason that no other code describes"},
	{Usage, "wrong flags or values"},
	{Missing, "a prerequisite is missing (grant, ledger, model, file)"},
	{Refused, "refused by the grant, the budget or a rule of privacy, nothing was released; or a check failed: " +
		"ledger overspent, alarm reached, audited claim broken, documents unfit for a budget, public file unfit for " +
		"a vocabulary"},
	{Malformed, "input malformed, truncated, empty or of another version"},
	{Locked, "another run holds the lock; nothing was done"},
	{Internal, "a bug: an invariant broke"},
	{Unavailable, "disk or broker unavailable"},
	{Interrupted, "stopped by SIGINT (129: by SIGHUP, 143: by SIGTERM)"},
	{ClosedOutput, "the reader of the output went away"},
}

// An Error is an error with an exit code and an optional hint on how to fix the cause.
type Error struct {
	Code int
	Hint string
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// ExitCode returns the process's exit code.
func (e *Error) ExitCode() int { return e.Code }

// Errorf returns an *Error with the given code.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...)}
}

// WithHint returns e with a hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// Code returns err's exit code: its own, or else the code for the operating system's error that it wraps.
func Code(err error) int {
	if err == nil {
		return OK
	}
	var coder interface{ ExitCode() int }
	if errors.As(err, &coder) {
		return coder.ExitCode()
	}
	switch {
	case errors.Is(err, syscall.EPIPE):
		return ClosedOutput
	case anyOf(err, syscall.ENOENT, syscall.EACCES, syscall.EPERM, syscall.EISDIR, syscall.ENOTDIR,
		syscall.ENAMETOOLONG,
		syscall.ELOOP, syscall.ENXIO, syscall.ENODEV):
		return Missing
	case anyOf(err, syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS, syscall.EFBIG, syscall.EMFILE,
		syscall.ENFILE,
		syscall.EINTR, syscall.ENOMEM, syscall.EAGAIN, syscall.ENOLCK, syscall.ESTALE, syscall.ETIMEDOUT):
		return Unavailable
	}
	return Failure
}

func anyOf(err error, codes ...syscall.Errno) bool {
	return slices.ContainsFunc(codes, func(code syscall.Errno) bool { return errors.Is(err, code) })
}

// Hint returns err's hint, or "".
func Hint(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}
