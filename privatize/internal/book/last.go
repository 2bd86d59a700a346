package book

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"privpipe/pipelines/event"
)

// lastPath is the file that shows whether a ledger was truncated: see event.LastName.
func (b *Book) lastPath() string { return filepath.Join(b.path+".releases", event.LastName) }

// remember writes the last line's hash. The hash need not be durable: the ledger has an older hash, too.
func (b *Book) remember() error {
	path := b.lastPath()
	if err := os.WriteFile(path+".tmp", []byte(b.tally.LastHash()+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}

// absent is the error for a missing ledger: lost, if releases beside it were charged.
func absent(path string) error {
	if err := (&Book{path: path}).remembered(new(event.Ledger)); err != nil {
		return err
	}
	return unbegun(path)
}

// remembered refuses a ledger that lacks the line that was remembered.
func (b *Book) remembered(ledger *event.Ledger) error {
	os.Remove(b.lastPath() + ".tmp") // a killed run may have left it
	file, err := os.Open(b.lastPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, 1<<10))
	if err != nil {
		return err
	}
	if !ledger.HasLast(content) {
		return lost(b.path)
	}
	return nil
}
