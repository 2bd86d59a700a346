// Package name names documents that come without a name, by what they hold. What it promises and why is in claim.md.
package name

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// maxPrefix leaves room behind a prefix: a name of the wire has 1,024 bytes.
const maxPrefix = 256

// CheckPrefix reports the rule that a prefix of names breaks.
func CheckPrefix(prefix string) error {
	if len(prefix) > maxPrefix || !utf8.ValidString(prefix) {
		return fmt.Errorf("must have at most %d bytes of UTF-8", maxPrefix)
	}
	return nil
}

// A Namer names documents by their contents. The name is the prefix and 32 hexadecimal digits of the content; from the second
// document of one content on "-2", "-3" and so on follow. It is not safe for concurrent use.
//
// It needs some 60 bytes of memory for each content, and as much again where a content comes again.
type Namer struct {
	b      []byte // the prefix, with room for the rest of a name behind it
	seen   map[Content]struct{}
	counts map[Content]uint64 // of documents, where there are two or more
}

// NewNamer returns a Namer of a prefix that passes CheckPrefix.
func NewNamer(prefix string) *Namer {
	b := append(make([]byte, 0, len(prefix)+2*len(Content{})+21), prefix...)
	return &Namer{b: b, seen: make(map[Content]struct{}), counts: make(map[Content]uint64)}
}

// Name returns the name of the next document of a content.
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
