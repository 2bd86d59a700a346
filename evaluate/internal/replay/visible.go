package replay

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// A file has a file's mode and content, as others than its owner see them.
type file struct {
	mode   fs.FileMode
	size   int
	sum    [sha256.Size]byte
	ledger *event.Ledger // nil for other files
}

// look returns the files below a folder that others may read, by their relative names, and all ledgers. A private
// stream is left out, whoever may read it: the shell makes such files with tee. So are names that match a pattern.
func look(home string, except []string) (map[string]file, error) {
	seen := make(map[string]file)
	return seen, filepath.WalkDir(home, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(home, name)
		if err != nil {
			return err
		}
		f := file{mode: info.Mode(), size: len(content), sum: sha256.Sum256(content)}
		if bytes.HasPrefix(content, []byte(`{"version":`)) {
			if l, err := event.ReadLedger(bytes.NewReader(content), relative); err == nil && l.Head() != nil {
				f.ledger = l
			}
		}
		open, err := public(home, relative)
		if h, unread := stream.HeaderOf(content); unread == nil && h.Side == wire.Side_PRIVATE {
			open = false
		}
		left := slices.ContainsFunc(except, func(pattern string) bool {
			matches, _ := filepath.Match(pattern, relative)
			return matches
		})
		if !left && (open || f.ledger != nil) {
			seen[relative] = f
		}
		return err
	})
}

// public says whether others than the owner may read a file below home, in each of its folders.
func public(home, name string) (bool, error) {
	for ; name != "."; name = filepath.Dir(name) {
		info, err := os.Stat(filepath.Join(home, name))
		if err != nil {
			return false, err
		}
		if info.Mode()&0o077 == 0 {
			return false, nil
		}
	}
	return true, nil
}
