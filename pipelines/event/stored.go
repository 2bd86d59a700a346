package event

import (
	"fmt"
	"path/filepath"
	"strings"
)

// StoredName is where the release of a charge is kept, relative to the folder of its ledger's stored releases.
func (c *Charge) StoredName() string {
	name := fmt.Sprintf("%09d", c.Round)
	if c.Attempt > 0 {
		name += fmt.Sprintf(".%d", c.Attempt)
	}
	return filepath.Join(c.Run, name)
}

// LastName is a file in the folder of a ledger's stored releases. It holds the hash of the line of the last charge, or of an
// earlier one if a crash came between, and a newline. A ledger without that line was cut, removed or put back to an older
// state, and with it what was spent.
const LastName = ".last"

// HasLast says whether the ledger has the line that the content of such a file names. A part of a content, as a power cut may
// leave it, names none.
func (l *Ledger) HasLast(content []byte) bool {
	hash, whole := strings.CutSuffix(string(content), "\n")
	if !whole {
		return true
	}
	_, found := l.After(hash)
	return found
}
