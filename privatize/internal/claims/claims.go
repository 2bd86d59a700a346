// Package claims lets only one of several privatizers draw the noise for a release. The privatizers share no disk: each
// has its own ledger, and all share one log. See claim.md.
package claims

import "fmt"

// A Log is an append-only log that all privatizers of the run share. All read its entries in one permanent order. No
// entry is ever changed, moved or removed. In production the log is a topic with one partition that keeps everything.
type Log interface {
	// Append adds an entry after all others. After an error the entry may be in the log, or enter it later.
	Append(entry []byte) error
	// Read returns the entries in their order, from the first ever and without a gap. If Append returned no error for
	// an entry before this call, the entry is among them. If Read cannot return all these entries, it returns an error.
	Read() ([][]byte, error)
}

// A Release is what a claim reserves: one draw of noise, for one round in one run. All fields are public.
type Release struct {
	Run     string
	Round   int // from 1
	Attempt int // from 1: see event.Charge.Attempt
}

// Claim claims a release for an owner, and returns when the log says that the owner has it. From then on noise may be
// drawn for the release. Claim may be called again for a release that the owner has claimed before. It reads the whole
// log, which takes some microseconds an entry.
//
// The error is *Taken if another owner has the release. It is *Damaged if the log holds an entry that is no claim, or
// lacks the appended one. Errors from the log are passed on.
func Claim(log Log, r Release, owner string) error {
	c := claim{Version: Version, Run: r.Run, Round: r.Round, Attempt: r.Attempt, Owner: owner}
	entry, err := c.encode()
	if err != nil {
		return err
	}
	if err := log.Append(entry); err != nil {
		return fmt.Errorf("log of claims: %w", err)
	}
	entries, err := log.Read()
	if err != nil {
		return fmt.Errorf("log of claims: %w", err)
	}
	first, err := firstOf(entries, r)
	if err != nil {
		return err
	}
	if first != owner {
		return &Taken{r}
	}
	return nil
}

// firstOf returns the owner that claimed a release first. An entry that is no claim is an error wherever it stands,
// because its meaning is unknown.
func firstOf(entries [][]byte, r Release) (owner string, err error) {
	for i, entry := range entries {
		c, err := decode(entry)
		if err != nil {
			return "", &Damaged{fmt.Errorf("entry %d: %w", i+1, err)}
		}
		if owner == "" && c.release() == r {
			owner = c.Owner
		}
	}
	if owner == "" {
		return "", &Damaged{fmt.Errorf("round %d of run %s was claimed just now, and its claim is missing", r.Round,
			r.Run)}
	}
	return owner, nil
}

// A Held is a release and the owner that claimed it first.
type Held struct {
	Release
	Owner string
}

// Of returns the run's claimed releases, in the order of the first claims. The error is *Damaged if the log holds an
// entry that is no claim. Errors from the log are passed on.
func Of(log Log, run string) ([]Held, error) {
	entries, err := log.Read()
	if err != nil {
		return nil, fmt.Errorf("log of claims: %w", err)
	}
	var all []Held
	seen := make(map[Release]bool)
	for i, entry := range entries {
		c, err := decode(entry)
		if err != nil {
			return nil, &Damaged{fmt.Errorf("entry %d: %w", i+1, err)}
		}
		if r := c.release(); r.Run == run && !seen[r] {
			seen[r] = true
			all = append(all, Held{r, c.Owner})
		}
	}
	return all, nil
}

// A Taken error says that another privatizer has claimed the release. Nothing was drawn for it here.
type Taken struct{ Release Release }

func (e *Taken) Error() string {
	return fmt.Sprintf("round %d of run %s is claimed by another privatizer, with another ledger: "+
		"this privatizer has released nothing of the round", e.Release.Round, e.Release.Run)
}

// ExitCode is the process's exit code (see pipelines/exit).
func (*Taken) ExitCode() int { return 91 }

// A Damaged error says that the log of claims cannot be relied on. Nothing was drawn.
type Damaged struct{ Err error }

func (e *Damaged) Error() string { return "log of claims: " + e.Err.Error() }

func (e *Damaged) Unwrap() error { return e.Err }

// ExitCode is the process's exit code (see pipelines/exit).
func (*Damaged) ExitCode() int { return 90 }
