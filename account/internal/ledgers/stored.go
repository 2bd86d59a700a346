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

// A lost is a charge without a stored release that this user can read.
type lost struct {
	Line       int // the first line is 1
	Path       string
	Unreadable bool
}

// CheckReleases compares the stored releases in folder with the ledger's charges. It returns the releases that do not
// exist or that this user may not read: an auditor may be another user than the privatizer. If a release differs from
// its charge, the error names the charge's line. CheckGrants must have checked the names of the runs.
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
			return nil, &event.LedgerError{Name: name, Line: i + 1,
				Err: fmt.Errorf("its release %s has another SHA-256", path)}
		}
	}
	return missing, nil
}

// LastOf returns the content of the file that names the last charge, in a folder of stored releases. It returns nil if
// the file does not exist. If this user may not read the file, the error is fs.ErrPermission.
func LastOf(folder string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(folder, event.LastName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

// sumOf returns a file's SHA-256, in hexadecimal.
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

// StoredFolder returns the folder with a ledger's stored releases. If the ledger is a link, the folder is beside the
// target.
func StoredFolder(ledger string) string {
	if target, err := filepath.EvalSymlinks(ledger); err == nil {
		ledger = target
	}
	return ledger + ".releases"
}
