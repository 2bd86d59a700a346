package corpus

import (
	"crypto/sha256"

	"privpipe/pipelines/wire"
)

// A Key stands for the name of a privacy unit, or for the id of a document: the first 128 bits of its SHA-256 (SPEC.md
// §3.6). Unlike digests, keys of two names are different even where somebody chooses the names: to find two of one key takes
// some 2^64 hashes.
type Key [wire.KeySize]byte

// KeyOf returns the key of a name.
func KeyOf(name string) Key {
	sum := sha256.Sum256([]byte(name))
	return Key(sum[:])
}

// Document returns the key of a document by that of its unit and its id: the first 128 bits of the SHA-256 of one behind the
// other. Users may choose ids: the documents of two units that have one id have two keys.
func (unit Key) Document(id string) Key {
	sum := sha256.Sum256(append(unit[:], id...))
	return Key(sum[:])
}
