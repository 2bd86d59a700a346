// Package unit distinguishes privacy units, so that each counts once. See claim.md.
package unit

import (
	"bytes"
	"crypto/sha256"
	"maps"
	"slices"
)

// KeySize is the number of bytes in a Key.
const KeySize = 16

// A Key stands for a name: the first 128 bits of its SHA-256. Keys take little memory, whatever the names.
type Key [KeySize]byte

// KeyOf returns a name's key.
func KeyOf(name string) Key {
	sum := sha256.Sum256([]byte(name))
	return Key(sum[:KeySize])
}

// A Set is a set of keys.
type Set map[Key]struct{}

// Add adds a key, and reports whether it was new.
func (s Set) Add(k Key) bool {
	before := len(s)
	s[k] = struct{}{}
	return len(s) > before
}

// A Mark stands for a key's contribution. When the key comes again, the mark distinguishes a repeated contribution from
// a different one.
type Mark struct{ High, Low uint64 }

// Marks are a set of keys, each with the mark of its first contribution.
type Marks map[Key]Mark

// Add adds a key with its mark, and reports whether it was new. If it was not, first is the mark that the key keeps.
func (m Marks) Add(k Key, mark Mark) (first Mark, fresh bool) {
	if first, known := m[k]; known {
		return first, false
	}
	m[k] = mark
	return mark, true
}

// Keys returns the bytes of all keys, in ascending order of keys.
func (m Marks) Keys() []byte {
	sorted := slices.SortedFunc(maps.Keys(m), func(a, b Key) int { return bytes.Compare(a[:], b[:]) })
	all := make([]byte, 0, KeySize*len(sorted))
	for _, k := range sorted {
		all = append(all, k[:]...)
	}
	return all
}
