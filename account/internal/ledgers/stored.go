package ledgers

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"privpipe/pipelines/event"
)

// A lost is a charge without a stored release, or with one that this user may not read.
type lost struct {
	Line       int // from 1
	Path       string
	Unreadable bool
}

// CheckReleases compares the stored releases of a ledger in folder with its charges, and returns those that are not there or that this user
// may not read: an auditor may be another one than the privatizer's.
// The error for one that differs names the line of its charge. The names of runs are checked before: see checkGrants.
func CheckReleases(name string, ledger *event.Ledger, folder string) (missing []lost, err error) {
	for i, line := range ledger.Lines {
		c := line.Charge
		if c == nil {
			continue
		}
		path := filepath.Join(folder, c.StoredName())
		sum, err := sumOf(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, lost{i + 1, path, false})
		case errors.Is(err, fs.ErrPermission):
			missing = append(missing, lost{i + 1, path, true})
		case err != nil:
			return nil, err
		case sum != c.Release:
			return nil, &event.LedgerError{Name: name, Line: i + 1, Err: fmt.Errorf("its release %s has another SHA-256", path)}
		}
	}
	return missing, nil
}

// LastOf returns the content of the file in a folder of stored releases that names the last charge, nil if there is none. Where this user
// may not read it, the error is fs.ErrPermission.
func LastOf(folder string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(folder, event.LastName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

// sumOf returns the SHA-256 of a file, in hexadecimal.
func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// StoredFolder returns the folder of a ledger's stored releases, beside the file that a link leads to.
func StoredFolder(ledger string) string {
	if target, err := filepath.EvalSymlinks(ledger); err == nil {
		ledger = target
	}
	return ledger + ".releases"
}
