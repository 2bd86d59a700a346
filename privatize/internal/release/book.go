package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"privpipe/pipelines/event"
)

// A book is the ledger, open and locked, and the stored releases beside it.
//
// The stored release of round t of run r is the file LEDGER.releases/r/t: the noisy cells as little-endian int64. It is
// what the round's charge names by its hash, and all of the round that is ever let out. No seed of the noise is kept.
type book struct {
	path   string
	file   *os.File
	ledger *event.Ledger
	now    func() time.Time
}

// openBook opens or creates a ledger, takes its lock until the process ends, verifies every line, and cuts off a torn
// last line: a charge that a crash kept from being written whole, so nothing was released under it. What it read is made
// durable: a process that was killed between its write and its sync may have left lines that are in memory alone, and a
// replay under such a line must not outlive it.
func openBook(path string) (*book, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, &Locked{path}
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	ledger, err := event.ReadLedger(file, path)
	if err == nil && ledger.Torn {
		err = file.Truncate(ledger.Size)
	}
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		_, err = file.Seek(ledger.Size, 0)
	}
	if err == nil {
		err = syncFolder(path)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &book{path: path, file: file, ledger: ledger, now: time.Now}, nil
}

func (b *book) close() error { return b.file.Close() }

// append writes a line and waits until it is durable. After an error the process must end: whether the line is there
// is only known by reading the ledger again.
func (b *book) append(line *event.Line) error {
	encoded, err := line.Encode(b.ledger.LastHash())
	if err != nil {
		return err
	}
	if err := b.ours(); err != nil {
		return err
	}
	if _, err := b.file.Write(encoded); err != nil {
		return err
	}
	if err := b.file.Sync(); err != nil {
		return err
	}
	b.ledger.Lines = append(b.ledger.Lines, line)
	b.ledger.Size += int64(len(encoded))
	return b.ours()
}

// ours says whether the ledger of this name is still the file that is open, and as long as this process knows it. An
// editor or a backup that renames another file over it would let charges go where nobody reads them.
func (b *book) ours() error {
	open, err := b.file.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(b.path)
	if err != nil {
		return err
	}
	if !os.SameFile(open, named) || named.Size() != b.ledger.Size {
		return &Replaced{b.path}
	}
	return nil
}

// enter makes sure that the ledger has the grant, as it is.
func (b *book) enter(g *event.Grant) error {
	for _, line := range b.ledger.Lines {
		if line.Grant == nil || line.Grant.ID != g.ID {
			continue
		}
		known, err := encoded(line.Grant)
		if err != nil {
			return err
		}
		given, err := encoded(g)
		if err != nil {
			return err
		}
		if !bytes.Equal(known, given) {
			return refuse("the grant was changed after its first use")
		}
		return nil
	}
	line := b.ledger.Next(b.now())
	line.Type, line.Grant = event.TypeGrant, g
	return b.append(line)
}

// charge stores the noisy cells of a round, appends its charge, and returns when both are durable. The caller releases
// the cells afterwards, never before.
func (b *book) charge(c *event.Charge, cells []int64) error {
	stored := encodeCells(cells)
	sum := sha256.Sum256(stored)
	c.Release = hex.EncodeToString(sum[:])
	if err := b.store(c, stored); err != nil {
		return err
	}
	line := b.ledger.Next(b.now())
	line.Type, line.Charge = event.TypeCharge, c
	return b.append(line)
}

func (b *book) storedPath(c *event.Charge) string {
	return filepath.Join(b.path+".releases", c.Run, fmt.Sprintf("%09d", c.Round))
}

// store writes a stored release under a temporary name, syncs it, and renames it. A file of this name from before is of
// a round that was never charged: nothing of it left, and it may be replaced.
func (b *book) store(c *event.Charge, stored []byte) error {
	path := b.storedPath(c)
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path+".tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(stored)
	if err == nil {
		err = file.Sync()
	}
	if e := file.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err != nil {
		os.Remove(path + ".tmp")
		return err
	}
	// The file's name, its folder's and the folder above are made durable too.
	return errors.Join(syncFolder(path), syncFolder(folder), syncFolder(filepath.Dir(folder)))
}

// stored returns the cells of a round that was charged, as they were released.
func (b *book) stored(c *event.Charge, cells int) ([]int64, error) {
	stored, err := os.ReadFile(b.storedPath(c))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refuse("round %d of run %s is charged, but its stored release is gone; drawing it anew would release it twice",
			c.Round, c.Run)
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(stored)
	if hex.EncodeToString(sum[:]) != c.Release || len(stored) != 8*cells {
		return nil, refuse("the stored release of round %d of run %s is not the one that was charged", c.Round, c.Run)
	}
	return decodeCells(stored), nil
}

func encodeCells(cells []int64) []byte {
	b := make([]byte, 8*len(cells))
	for i, v := range cells {
		binary.LittleEndian.PutUint64(b[8*i:], uint64(v))
	}
	return b
}

func decodeCells(b []byte) []int64 {
	cells := make([]int64, len(b)/8)
	for i := range cells {
		cells[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return cells
}

// syncFolder makes the entry of path durable in its folder.
func syncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
