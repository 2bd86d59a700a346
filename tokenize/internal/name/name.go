// Package name names documents without an id by a hash of their content. claim.md states and proves what the names
// promise.
package name

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// maxPrefix leaves room after a prefix, since a name in the wire format has at most 1,024 bytes.
const maxPrefix = 256

// CheckPrefix returns an error that states the rule if prefix breaks it.
func CheckPrefix(prefix string) error {
	if len(prefix) > maxPrefix || !utf8.ValidString(prefix) {
		return fmt.Errorf("must have at most %d bytes of UTF-8", maxPrefix)
	}
	return nil
}

// A Namer names documents by their contents. A name is the prefix and the content's 32 hexadecimal digits. The second
// document with the same content has the suffix "-2", the third "-3" and so on. A Namer is not safe for concurrent use.
//
// A content takes some 60 bytes of memory, and 60 more if it occurs more than once.
type Namer struct {
	b      []byte // the prefix, with room for the rest of each name
	seen   map[Content]struct{}
	counts map[Content]uint64 // the number of documents, where there are two or more
}

// NewNamer returns a Namer. The prefix must pass CheckPrefix.
func NewNamer(prefix string) *Namer {
	b := append(make([]byte, 0, len(prefix)+2*len(Content{})+21), prefix...)
	return &Namer{b: b, seen: make(map[Content]struct{}), counts: make(map[Content]uint64)}
}

// Name returns the name of the next document with content c.
func (n *Namer) Name(c Content) string {
	name := hex.AppendEncode(n.b, c[:])
	if _, again := n.seen[c]; !again {
		n.seen[c] = struct{}{}
		return string(name)
	}
	number := max(n.counts[c], 1) + 1
	n.counts[c] = number
	return string(strconv.AppendUint(append(name, '-'), number, 10))
}
