package book

import "fmt"

// A Failure says why nothing more is released. Its text has only public values.
type Failure struct {
	text string
	code int
}

func (e *Failure) Error() string { return e.text }

// ExitCode is the process's exit code (see pipelines/exit).
func (e *Failure) ExitCode() int { return e.code }

func fail(code int, format string, args ...any) error {
	return &Failure{fmt.Sprintf(format, args...), code}
}

// Refuse returns the error for a request that the grant or the ledger does not allow. Nothing was released or charged.
func Refuse(format string, args ...any) error { return fail(83, "refused: "+format, args...) }

// locked: another process has the ledger.
func locked(path string) error { return fail(91, "%s: another privatizer holds this ledger", path) }

// replaced: the ledger is no longer the file that this process opened and wrote.
func replaced(path string) error {
	return fail(90, "%s: the ledger was replaced or changed while this process held it", path)
}

// unbegun: there is no ledger, or its file is empty. A ledger is only begun on purpose.
func unbegun(path string) error {
	return fail(82, "%s: no ledger is there. account ledger new begins one, but only for data that no other ledger "+
		"was charged for", path)
}

// lost: the ledger lacks a charge that was made.
func lost(path string) error {
	return fail(90, "%s: the ledger lacks charges of the releases beside it: it was truncated, removed or restored "+
		"from an old copy. Without the newest ledger its data set counts as spent", path)
}

// Outdated returns the error for a release that was made, as the evidence shows, but that this ledger never charged.
func (b *Book) Outdated(run string, round int, evidence string) error {
	return fail(90, "%s: %s round %d of run %s, and the ledger has no charge of that release: it was restored from an "+
		"old copy, or it is another ledger. Restore the newest ledger and the releases beside it; if it is lost, its "+
		"budget counts as spent", b.path, evidence, round, run)
}

// A Mismatch says that a round's contributions are not from the units that the round announces, or cannot be summed.
// Nothing is released.
type Mismatch struct{ Reason string }

func (e *Mismatch) Error() string { return e.Reason }

// ExitCode is the process's exit code (see pipelines/exit).
func (*Mismatch) ExitCode() int { return 90 }
