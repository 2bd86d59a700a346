// Package claims lets only one of several privatizers draw the noise for a release. The privatizers share no disk: each
// has its own ledger, and all share one log. See claim.md.
package claims

import "fmt"

// A Log is an append-only log that all privatizers of the run share. All read its entries in one permanent order. No
// entry is ever changed, moved or removed. In production the log is a topic with one partition that keeps everything.
type Log interface {
	// Append adds an entry after all others. After an error the entry may be in the log, or enter it later.
	Append(entry []byte) error
	// Read returns the entries after the first ones, in their order and without a gap. first is how many it leaves out.
	// If Append returned no error for an entry before this call, the entry is not missing. If Read cannot return all
	// these entries, it returns an error.
	Read(first int) ([][]byte, error)
}

// A Release is what a claim reserves: one draw of noise, for one round in one run. All fields are public.
type Release struct {
	Run     string
	Round   int // from 1
	Attempt int // from 1: see event.Charge.Attempt
}

// A Register is a log of claims, as far as it was read. Each entry is read once, so that a claim costs no more after
// many rounds. A Register is not safe for concurrent use.
type Register struct {
	log     Log
	entries int                // number of entries that were read
	owners  map[Release]string // who claimed a release first
	order   []Release          // in the order of the first claims
}

// NewRegister returns a register of the log. It has read nothing yet.
func NewRegister(log Log) *Register { return &Register{log: log, owners: make(map[Release]string)} }

// Claim claims a release for an owner, and returns when the log says that the owner has it. From then on noise may be
// drawn for the release. Claim may be called again for a release that the owner has claimed before.
//
// The error is *Taken if another owner has the release. It is *Damaged if the log holds an entry that is no claim, or
// lacks the appended one. Errors from the log are passed on.
func (g *Register) Claim(r Release, owner string) error {
	c := claim{Version: Version, Run: r.Run, Round: r.Round, Attempt: r.Attempt, Owner: owner}
	entry, err := c.encode()
	if err != nil {
		return err
	}
	if err := g.log.Append(entry); err != nil {
		return fmt.Errorf("log of claims: %w", err)
	}
	if err := g.read(); err != nil {
		return err
	}
	switch first, claimed := g.owners[r]; {
	case !claimed:
		return &Damaged{fmt.Errorf("round %d of run %s was claimed just now, and its claim is missing", r.Round, r.Run)}
	case first != owner:
		return &Taken{r}
	}
	return nil
}

// read reads the entries that are new. An entry that is no claim is an error wherever it stands, because its meaning is
// unknown.
func (g *Register) read() error {
	entries, err := g.log.Read(g.entries)
	if err != nil {
		return fmt.Errorf("log of claims: %w", err)
	}
	for _, entry := range entries {
		c, err := decode(entry)
		if err != nil {
			return &Damaged{fmt.Errorf("entry %d: %w", g.entries+1, err)}
		}
		g.entries++
		r := c.release()
		if _, claimed := g.owners[r]; !claimed {
			g.owners[r], g.order = c.Owner, append(g.order, r)
		}
	}
	return nil
}

// A Held is a release and the owner that claimed it first.
type Held struct {
	Release
	Owner string
}

// Held returns the run's claimed releases, in the order of the first claims. The error is *Damaged if the log holds an
// entry that is no claim. Errors from the log are passed on.
func (g *Register) Held(run string) ([]Held, error) {
	if err := g.read(); err != nil {
		return nil, err
	}
	var all []Held
	for _, r := range g.order {
		if r.Run == run {
			all = append(all, Held{r, g.owners[r]})
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
