package book

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"privpipe/pipelines/event"
)

// The stored release of round t of run r is the file LEDGER.releases/r/t, and t.2, t.3, … for its further attempts. It is
// what the round's charge names by its hash, and all of the round that is ever let out. No seed of the noise is kept.
//
// Beside it, t.sum is SHA-256 of what the release was drawn from. It is private: whoever knows all units but one could try
// out that one with it.

// Charge stores a release, which write writes, appends its charge, completed by the hash of the release, and returns when
// both are durable. The caller lets the release out afterwards, never before. write also returns SHA-256 of what the
// release was drawn from, for Again; after an error of it nothing is stored or charged. A charge that Allow refuses by now,
// as of a grant that expired since the round began, is refused: what was stored for it is never let out.
func (b *Book) Charge(c *event.Charge, write func(io.Writer) (sum [sha256.Size]byte, err error)) error {
	path := b.storedPath(c)
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	var sum [sha256.Size]byte
	hash := sha256.New()
	err := store(path, func(w io.Writer) (err error) {
		sum, err = write(io.MultiWriter(w, hash))
		return err
	})
	if err != nil {
		return err
	}
	err = store(path+".sum", func(w io.Writer) error {
		_, err := w.Write(sum[:])
		return err
	})
	if err != nil {
		return err
	}
	// The names of the files, of their folder and of the folder above are made durable too.
	if err := errors.Join(syncFolder(path), syncFolder(folder), syncFolder(filepath.Dir(folder))); err != nil {
		return err
	}
	c.Release = hex.EncodeToString(hash.Sum(nil))
	now := b.ledger.Next(b.Now()).Time
	if err := b.allow(c, now); err != nil {
		return err
	}
	line := b.ledger.Next(now)
	line.Type, line.Charge = event.TypeCharge, c
	// A charge that cannot be written leaves no grant behind.
	if _, err := line.Encode(b.ledger.LastHash()); err != nil {
		return err
	}
	if err := b.enter(now); err != nil {
		return err
	}
	line = b.ledger.Next(now)
	line.Type, line.Charge = event.TypeCharge, c
	if err := b.append(line); err != nil {
		return err
	}
	return b.remember()
}

func (b *Book) storedPath(c *event.Charge) string {
	return filepath.Join(b.path+".releases", c.StoredName())
}

// store writes a file under a temporary name, syncs it, and renames it. A file of this name from before is of a round that
// was never charged: nothing of it left, and it may be replaced.
func store(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path+".tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(file, 1<<16)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
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
	}
	return err
}

// sameSum says whether a charged release was drawn from what now has the digest sum.
func (b *Book) sameSum(c *event.Charge, sum [sha256.Size]byte) (bool, error) {
	known, err := os.ReadFile(b.storedPath(c) + ".sum")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && string(known) == string(sum[:]), err
}

// syncFolder makes the entry of path durable in its folder.
func syncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
