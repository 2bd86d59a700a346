package event

import (
	"fmt"
	"path/filepath"
	"strings"
)

// StoredName returns the path of the charge's stored release, relative to the folder of the ledger's stored releases.
func (c *Charge) StoredName() string {
	name := fmt.Sprintf("%09d", c.Round)
	if c.Attempt > 0 {
		name += fmt.Sprintf(".%d", c.Attempt)
	}
	return filepath.Join(c.Run, name)
}

// LastName names a file in the folder of a ledger's stored releases. The file holds the hash of the last charge's line
// and a newline. After a crash the hash may belong to an earlier charge. A ledger without that line was truncated,
// removed or restored from a backup, and the charges after that point are lost.
const LastName = ".last"

// HasLast says whether the ledger has the line that a LastName file names. content is the file's content. An incomplete
// content, as after a power cut, names no line, and HasLast is then true.
func (l *Ledger) HasLast(content []byte) bool {
	hash, whole := strings.CutSuffix(string(content), "\n")
	if !whole {
		return true
	}
	_, found := l.After(hash)
	return found
}
