package corpus

import (
	"crypto/sha256"

	"privpipe/pipelines/wire"
)

// A Key identifies a privacy unit's name or a document's id: the first 128 bits of its SHA-256 (SPEC.md §3.6). Unlike
// digests, keys of two names are different even if an adversary chooses the names: a collision takes some 2^64 hashes.
type Key [wire.KeySize]byte

// KeyOf returns a name's key.
func KeyOf(name string) Key {
	sum := sha256.Sum256([]byte(name))
	return Key(sum[:])
}

// Document returns the key for the document id of this unit: the first 128 bits of the SHA-256 of unit key and id,
// concatenated. Users may choose ids: two units' documents with the same id have different keys.
func (unit Key) Document(id string) Key {
	sum := sha256.Sum256(append(unit[:], id...))
	return Key(sum[:])
}
