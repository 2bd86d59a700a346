package book

import "fmt"

// A Refusal says that the grant does not allow the request. Nothing was released and nothing charged.
type Refusal struct{ Reason string }

func (e *Refusal) Error() string { return "refused: " + e.Reason }

// ExitCode is the process's exit code (see pipelines/exit).
func (*Refusal) ExitCode() int { return 83 }

// Refuse returns a Refusal. Its message may hold only public values.
func Refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// A Locked error says that another process has the ledger.
type Locked struct{ Path string }

func (e *Locked) Error() string { return e.Path + ": another privatizer holds this ledger" }

// ExitCode is the process's exit code (see pipelines/exit).
func (*Locked) ExitCode() int { return 91 }

// A Replaced error says that the ledger is no longer the file that this process opened and wrote. Nothing more is
// released.
type Replaced struct{ Path string }

func (e *Replaced) Error() string {
	return e.Path + ": the ledger was replaced or changed while this process held it"
}

// ExitCode is the process's exit code (see pipelines/exit).
func (*Replaced) ExitCode() int { return 90 }

// An Absent error says that there is no ledger, or that its file is empty. Nothing is released: a ledger is only begun
// on purpose.
type Absent struct{ Path string }

func (e *Absent) Error() string {
	return e.Path + ": no ledger is there. account ledger new begins one, but only for data that no other ledger was " +
		"charged for"
}

// ExitCode is the process's exit code (see pipelines/exit).
func (*Absent) ExitCode() int { return 82 }

// A Lost error says that the ledger lacks a charge that was made. Nothing is released.
type Lost struct{ Path string }

func (e *Lost) Error() string {
	return e.Path + ": the ledger lacks charges of the releases beside it: it was truncated, removed or restored " +
		"from an old copy. " +
		"Without the newest ledger its data set counts as spent"
}

// ExitCode is the process's exit code (see pipelines/exit).
func (*Lost) ExitCode() int { return 90 }

// An Outdated error says that a release was made under the ledger, and that the ledger has no charge for it. Nothing
// more is released.
type Outdated struct {
	Path, Run string
	Round     int
	Evidence  string // where the release was seen
}

func (e *Outdated) Error() string {
	return fmt.Sprintf("%s: %s round %d of run %s, and the ledger has no charge of that release: it was restored "+
		"from an old copy, "+
		"or it is another ledger. Restore the newest ledger and the releases beside it; if it is lost, its budget "+
		"counts as spent",
		e.Path, e.Evidence, e.Round, e.Run)
}

// ExitCode is the process's exit code (see pipelines/exit).
func (*Outdated) ExitCode() int { return 90 }

// A NoOwner error says that the owner file is damaged. That file names the owner of the ledger's claims. Nothing is
// released.
type NoOwner struct{ Path string }

func (e *NoOwner) Error() string {
	return e.Path + ": not the name of an owner of claims. If you remove the file, the ledger gets a new name. " +
		"Rounds that were " +
		"claimed under the old name, and not charged, are then refused"
}

// ExitCode is the process's exit code (see pipelines/exit).
func (*NoOwner) ExitCode() int { return 90 }

// A Mismatch says that a round's contributions are not from the units that the round announces, or cannot be summed.
// Nothing is released.
type Mismatch struct{ Reason string }

func (e *Mismatch) Error() string { return e.Reason }

// ExitCode is the process's exit code (see pipelines/exit).
func (*Mismatch) ExitCode() int { return 90 }
