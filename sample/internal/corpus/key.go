package corpus

import (
	"crypto/sha256"

	"privpipe/pipelines/wire"
)

// A Key identifies the name of a privacy unit, or the id of a document: the first 128 bits of its SHA-256 (SPEC.md §3.6). Unlike
// digests, keys of two names are different even if an adversary chooses the names: a collision takes some 2^64 hashes.
type Key [wire.KeySize]byte

// KeyOf returns the key of a name.
func KeyOf(name string) Key {
	sum := sha256.Sum256([]byte(name))
	return Key(sum[:])
}

// Document returns the key of a document, from the key of its unit and its id: the first 128 bits of the SHA-256 of their
// concatenation. Users may choose ids: documents of two units with the same id have different keys.
func (unit Key) Document(id string) Key {
	sum := sha256.Sum256(append(unit[:], id...))
	return Key(sum[:])
}
