// Package book keeps the ledger and the stored releases. It charges each release once, before the release leaves. See
// claim.md.
package book

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"privpipe/pipelines/event"
)

// A Book is a ledger, open and locked, and the stored releases beside it. It is not safe for concurrent use.
type Book struct {
	// Now is the clock.
	Now func() time.Time

	path     string
	file     *os.File
	size     int64 // bytes of the ledger's lines
	tally    *event.Tally
	marks    event.Marks  // where find begins to read
	entering *event.Grant // the grant in use, if the ledger lacks it: its line comes with its first charge
}

// Open opens a ledger, locks it until the process ends, verifies every line, and takes the grant g into use. The ledger
// has the grant already, or gets it with the first charge: a run that is refused or has no rounds leaves no line.
// Without a grant, g is nil.
//
// Open truncates a torn last line: a crash kept that charge from being written whole, so nothing was released under it.
// A last line that lacks only its newline counts, and gets one. Open syncs the file that it read. A process that was
// killed between its write and its sync may have left lines only in memory. A replay under such a line must not outlive
// the line.
//
// Open never makes a ledger. Somebody decides to begin one (account ledger new). Otherwise a privatizer that is started
// in another folder would begin a second account of the same spending.
func Open(path string, g *event.Grant) (*Book, error) {
	// The stored releases are beside the file itself, even if path is a link to it.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, absent(path)
	}
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, locked(path)
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	b := &Book{Now: time.Now, path: path, file: file}
	ledger, err := event.ReadLedger(file, path)
	if err == nil {
		err = b.remembered(ledger)
	}
	if err == nil && ledger.CheckBegun() != nil {
		err = unbegun(path)
	}
	if err == nil {
		err = ledger.Check(path)
	}
	if err == nil {
		err = b.keep(ledger)
	}
	if err == nil && g != nil {
		err = b.use(g, ledger)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	b.tally, b.marks = ledger.Tally(b.entering), ledger.Marks
	return b, nil
}

// keep makes the ledger durable as it was read, without a torn line.
func (b *Book) keep(ledger *event.Ledger) error {
	b.size = ledger.Size
	if ledger.Torn {
		if err := b.file.Truncate(b.size); err != nil {
			return err
		}
	}
	if _, err := b.file.Seek(b.size, io.SeekStart); err != nil {
		return err
	}
	if ledger.Unended {
		n, err := b.file.WriteString("\n")
		if err != nil {
			return err
		}
		b.size += int64(n)
	}
	return errors.Join(b.file.Sync(), syncFolder(b.path))
}

// Close releases the ledger's lock.
func (b *Book) Close() error { return b.file.Close() }

// append writes a line and waits until it is durable. After an error the process must end: whether the ledger has the
// line is known only after the ledger is read again.
func (b *Book) append(line *event.Line) error {
	encoded, err := line.Encode(b.tally.LastHash())
	if err != nil {
		return err
	}
	if err := b.ours(); err != nil {
		return err
	}
	if _, err := b.file.Write(encoded); err != nil {
		return err
	}
	// The file is public. Its time must tell no more than its lines do. Only the file's owner can set the time.
	if err := os.Chtimes(b.path, line.Time, line.Time); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	if err := b.file.Sync(); err != nil {
		return err
	}
	b.tally.Add(line)
	b.size += int64(len(encoded))
	b.marks.Add(line, b.size)
	return b.ours()
}

// ours checks that the ledger's path still names the open file, and that the file has the length that this process
// knows. If an editor or a backup renamed another file over it, nobody would read the charges.
func (b *Book) ours() error {
	open, err := b.file.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(b.path)
	if err != nil {
		return err
	}
	if !os.SameFile(open, named) || named.Size() != b.size {
		return replaced(b.path)
	}
	return nil
}

// use takes the grant into use.
func (b *Book) use(g *event.Grant, ledger *event.Ledger) error {
	if err := g.Check(); err != nil {
		return Refuse("%v", err)
	}
	if err := g.Usable(); err != nil {
		return Refuse("the grant cannot be used: %v", err)
	}
	for _, line := range ledger.Lines {
		if line.Grant == nil || line.Grant.ID != g.ID {
			continue
		}
		known, err := json.Marshal(line.Grant)
		if err != nil {
			return err
		}
		given, err := json.Marshal(g)
		if err != nil {
			return err
		}
		if !bytes.Equal(known, given) {
			return Refuse("the grant was changed after its first use")
		}
		return nil
	}
	b.entering = g
	return nil
}

// enter appends the grant in use, if it is not in the ledger yet.
func (b *Book) enter(at time.Time) error {
	if b.entering == nil {
		return nil
	}
	line := b.tally.Next(at)
	line.Type, line.Grant = event.TypeGrant, b.entering
	if err := b.append(line); err != nil {
		return err
	}
	b.entering = nil
	return nil
}

// Allow refuses a charge that would break a rule of the ledger (event.Tally.Allow) as its next line, now. The charge's
// grant must be in use.
func (b *Book) Allow(c *event.Charge) error { return b.allow(c, b.Now()) }

func (b *Book) allow(c *event.Charge, at time.Time) error {
	if err := b.tally.Allow(c, at); err != nil {
		return Refuse("%v", err)
	}
	return nil
}
