package book

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The file .last in the folder of the stored releases holds the hash of a line that the ledger has: that of the last
// charge, or of an earlier one if a crash came between. A ledger without that line was cut, removed or put back to an older
// state, and with it what was spent.

func (b *Book) lastPath() string { return filepath.Join(b.path+".releases", ".last") }

// remember writes the hash of the last line. It need not be durable: an older hash is one that the ledger has, too.
func (b *Book) remember() error {
	path := b.lastPath()
	if err := os.WriteFile(path+".tmp", []byte(b.ledger.LastHash()+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".tmp", path)
}

// remembered refuses a ledger that lacks the line that was remembered.
func (b *Book) remembered() error {
	os.Remove(b.lastPath() + ".tmp") // of a run that was killed
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
	hash, whole := strings.CutSuffix(string(content), "\n")
	if !whole {
		return nil // a power cut may leave a part of it
	}
	if _, found := b.ledger.After(hash); !found {
		return &Lost{b.path}
	}
	return nil
}
