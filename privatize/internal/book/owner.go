package book

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"privpipe/privatize/internal/claims"
)

// ownerName is a file in the folder of the stored releases. It holds a name and a newline. The name distinguishes this
// ledger's claims from the claims of other ledgers.
const ownerName = ".owner"

// Owner returns the name under which this ledger claims releases: 128 random bits in hexadecimal. The name is drawn at
// the first call and durable when Owner returns, so that a restarted privatizer owns its earlier claims. Before you use
// a copy of the ledger, remove the file from the copy: see package claims.
func (b *Book) Owner() (string, error) {
	path := filepath.Join(b.path+".releases", ownerName)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		content, err = newOwner(path)
	}
	if err != nil {
		return "", err
	}
	owner, whole := strings.CutSuffix(string(content), "\n")
	if !whole || claims.CheckOwner(owner) != nil {
		return "", fail(90, "%s: not the name of an owner of claims. If you remove the file, the ledger gets a new "+
			"name. Rounds that were claimed under the old name, and not charged, are then refused", path)
	}
	return owner, errors.Join(syncFolder(path), syncFolder(filepath.Dir(path)))
}

// newOwner draws an owner's name and writes it to a file.
func newOwner(path string) (content []byte, err error) {
	var name [claims.OwnerSize]byte
	rand.Read(name[:]) // never fails
	content = []byte(hex.EncodeToString(name[:]) + "\n")
	return content, store(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
