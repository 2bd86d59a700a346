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

// The stored release of round t of run r is the file LEDGER.releases/r/t. Its further attempts are t.2, t.3, and so on.
// The round's charge holds the file's hash, and nothing else about the round is ever let out. No seed of the noise is
// kept.
//
// Beside it, t.sum is the SHA-256 of the data that the release was drawn from. It is private: whoever knows all units
// except one could test guesses about that unit with it.

// Charge stores the release that write writes, and appends its charge, completed by the release's hash. It returns when
// both are durable. The caller lets the release out only after that.
//
// write also returns the SHA-256 of the data that the release was drawn from, for Again. After an error from write
// nothing is stored or charged. Charge asks Allow again, since the grant may have expired after the round began: if the
// charge is refused, its stored release is never let out.
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
	// The directory entries become durable, too: those for the files, for their folder and for the folder above.
	if err := errors.Join(syncFolder(path), syncFolder(folder), syncFolder(filepath.Dir(folder))); err != nil {
		return err
	}
	c.Release = hex.EncodeToString(hash.Sum(nil))
	now := b.tally.Next(b.Now()).Time
	if err := b.allow(c, now); err != nil {
		return err
	}
	line := b.tally.Next(now)
	line.Type, line.Charge = event.TypeCharge, c
	// A charge that cannot be written must leave no grant in the ledger.
	if _, err := line.Encode(b.tally.LastHash()); err != nil {
		return err
	}
	if err := b.enter(now); err != nil {
		return err
	}
	line = b.tally.Next(now)
	line.Type, line.Charge = event.TypeCharge, c
	if err := b.append(line); err != nil {
		return err
	}
	return b.remember()
}

func (b *Book) storedPath(c *event.Charge) string {
	return filepath.Join(b.path+".releases", c.StoredName())
}

// store writes a file under a temporary name, syncs it, and renames it. An older file with this name belongs to a round
// that was never charged: it was never let out, even in part, and may be replaced.
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

// sameSum tells whether a charged release was drawn from data with the digest sum.
func (b *Book) sameSum(c *event.Charge, sum [sha256.Size]byte) (bool, error) {
	known, err := os.ReadFile(b.storedPath(c) + ".sum")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && string(known) == string(sum[:]), err
}

// syncFolder makes path's directory entry durable.
func syncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
