package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// LedgerVersion is the version of the lines that this package writes. The package also reads lines of version 1. They
// must not use the additions of version 2: see Line.newer. A ledger that begins with version 1 may continue with
// version 2.
const LedgerVersion = 2

// The types of a ledger's lines.
const (
	TypeHead   = "ledger" // the first line: the ledger's identity and limits
	TypeGrant  = "grant"  // a grant came into use
	TypeCharge = "charge" // a release was charged
)

// A Line is one line in a ledger: JSON, chained to the line before by its hash.
type Line struct {
	Version  int       `json:"version"`
	Sequence int       `json:"sequence"` // from 1
	Time     time.Time `json:"time"`
	Type     string    `json:"type"`
	Head     *Head     `json:"ledger,omitempty"`
	Grant    *Grant    `json:"grant,omitempty"`
	Charge   *Charge   `json:"charge,omitempty"`
	Previous string    `json:"previous"` // hash of the line before; 64 zeros on the first

	// Hash is the SHA-256, in hexadecimal, of the line's JSON without its last member, which is Hash itself. It covers
	// Previous, so no line can be changed, moved or removed from the middle without breaking the chain.
	Hash string `json:"hash,omitempty"`
}

// Genesis is the previous hash of the first line.
var Genesis = strings.Repeat("0", 64)

// MaxLine bounds a line, in bytes.
const MaxLine = 64 << 10

// A LedgerError says where a ledger breaks a rule, and which rule.
type LedgerError struct {
	Name string
	Line int // from 1
	Err  error
}

func (e *LedgerError) Error() string { return fmt.Sprintf("%s: line %d: %v", e.Name, e.Line, e.Err) }

func (e *LedgerError) Unwrap() error { return e.Err }

// ExitCode is the process's exit code for malformed input (see package exit).
func (e *LedgerError) ExitCode() int { return 90 }

// Encode completes l as the successor of a line with hash previous, and returns the bytes of l with a newline. It
// refuses a line that ReadLedger would refuse, because one such line makes the whole ledger unreadable.
func (l *Line) Encode(previous string) ([]byte, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	l.Previous = previous
	b, err := l.seal()
	if err != nil {
		return nil, err
	}
	if len(b) >= MaxLine {
		return nil, fmt.Errorf("ledger line of %d bytes exceeds %d", len(b)+1, MaxLine)
	}
	if !canonical(b) {
		return nil, errors.New("ledger line holds text that is not UTF-8")
	}
	return append(b, '\n'), nil
}

// seal sets the hash of l and returns its JSON.
func (l *Line) seal() ([]byte, error) {
	l.Hash = ""
	b, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	l.Hash = lineHash(b)
	b = append(b[:len(b)-1], hashMember...)
	return append(append(b, l.Hash...), '"', '}'), nil
}

// canonical says whether b is the one valid JSON for its line. Then all readers read the same: no member occurs twice
// or under another spelling, and decoding changed no text.
func canonical(b []byte) bool {
	l := new(Line)
	if strict(b, l) != nil {
		return false
	}
	again, err := l.seal()
	return err == nil && bytes.Equal(again, b)
}

const hashMember = `,"hash":"`

func lineHash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// decodeLine parses and checks a line without its newline, as the successor of last (nil before the first).
func decodeLine(b []byte, last *Line) (*Line, error) {
	l := new(Line)
	// Version and type are checked first: an unknown version or type may have unknown members, and deserves the clearer
	// error.
	var known struct {
		Version int    `json:"version"`
		Type    string `json:"type"`
	}
	if err := json.Unmarshal(b, &known); err != nil {
		return nil, fmt.Errorf("not a ledger line: %w", err)
	}
	if known.Version < 1 || known.Version > LedgerVersion {
		return nil, fmt.Errorf("ledger version %d, must be 1 to %d", known.Version, LedgerVersion)
	}
	if err := oneOf("event", known.Type, TypeHead, TypeGrant, TypeCharge); err != nil {
		return nil, err
	}
	if err := strict(b, l); err != nil {
		return nil, fmt.Errorf("not a ledger line: %w", err)
	}
	suffix := len(hashMember) + 64 + len(`"}`)
	if len(b) <= suffix || string(b[len(b)-suffix:]) != hashMember+l.Hash+`"}` ||
		l.Hash != lineHash(append(bytes.Clone(b[:len(b)-suffix]), '}')) {
		return nil, errors.New("hash does not match: the line was changed")
	}
	if !canonical(b) {
		return nil, errors.New("line is not in the canonical form of its version")
	}
	sequence, previous := 1, Genesis
	if last != nil {
		sequence, previous = last.Sequence+1, last.Hash
	}
	if l.Sequence != sequence || l.Previous != previous {
		return nil, errors.New("line does not follow the one before: lines were removed, added or moved")
	}
	return l, l.check()
}

// newer says that l has a feature that lines of version 1 do not have.
func (l *Line) newer() bool {
	if c := l.Charge; c != nil && (c.Unit == Word || c.Adjacency == ReplaceNull || c.Clipping == ClipUnbounded ||
		c.Draws != 0 || c.Scheme.Epochs != 0) {
		return true
	}
	return l.Grant != nil && l.Grant.Version > 2
}

func (l *Line) check() error {
	switch {
	case l.Version < 2 && l.newer():
		return fmt.Errorf("a line of version %d has a member that came with version 2", l.Version)
	case l.Type == TypeHead && l.Head != nil && l.Grant == nil && l.Charge == nil:
		if l.Sequence != 1 {
			return errors.New("the identity of a ledger stands on its first line only")
		}
		return l.Head.Check()
	case l.Type == TypeGrant && l.Grant != nil && l.Charge == nil && l.Head == nil:
		return l.Grant.Check()
	case l.Type == TypeCharge && l.Charge != nil && l.Grant == nil && l.Head == nil:
		return l.Charge.Check()
	}
	return fmt.Errorf("a line of type %s must have its member of that name, and no other", l.Type)
}

// A Ledger is a ledger that was read whole and verified.
type Ledger struct {
	Lines []*Line
	Marks Marks
	// Size is the length of all whole lines, in bytes. Torn says that bytes without a newline follow: a crash cut an
	// append short before anything was released under it. Unended says that the last line is whole except for its
	// newline.
	Size    int64
	Torn    bool
	Unended bool
}

// Check reports the first line that breaks a rule of Allow, or brings a grant that could not come into use there. The
// error is a *LedgerError with the given name. Privatizers write no such line. A forger could, since the hashes have no
// key.
func (l *Ledger) Check(name string) error {
	before := l.newTally(nil)
	before.reading = true
	for i, line := range l.Lines {
		var err error
		switch {
		case line.Charge != nil:
			err = before.Allow(line.Charge, line.Time)
		case line.Grant != nil && before.use(line.Grant.ID).grant != nil:
			err = fmt.Errorf("grant %q is there a second time", line.Grant.ID)
		case line.Grant != nil:
			err = before.takes(line.Grant)
		}
		if err != nil {
			return &LedgerError{name, i + 1, err}
		}
		before.Add(line)
	}
	return nil
}

// Next returns a line that follows the ledger's last line: see Tally.Next.
func (l *Ledger) Next(at time.Time) *Line { return lineAfter(len(l.Lines), at) }

func lineAfter(lines int, at time.Time) *Line {
	return &Line{Version: LedgerVersion, Sequence: lines + 1, Time: at.UTC().Truncate(time.Second)}
}

// LastHash returns the hash of the last line, or Genesis.
func (l *Ledger) LastHash() string {
	if len(l.Lines) == 0 {
		return Genesis
	}
	return l.Lines[len(l.Lines)-1].Hash
}

// After returns the lines after the line with the given hash, or all lines for Genesis. found says whether that line
// exists.
func (l *Ledger) After(hash string) (lines []*Line, found bool) {
	if hash == Genesis {
		return l.Lines, true
	}
	i := slices.IndexFunc(l.Lines, func(line *Line) bool { return line.Hash == hash })
	if i < 0 {
		return nil, false
	}
	return l.Lines[i+1:], true
}

// Charges returns the charges, in order.
func (l *Ledger) Charges() []*Charge {
	var charges []*Charge
	for _, line := range l.Lines {
		if line.Charge != nil {
			charges = append(charges, line.Charge)
		}
	}
	return charges
}
