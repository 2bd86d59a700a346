package coin

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// A Seed is a source of choices that anyone who has it can repeat. It is for tests: sampling by it amplifies nothing.
// It computes a unit's number from the round and the unit's name, not as a sequence. So adding, removing or moving a
// unit changes no other unit's choice. Accounting for public coins rests on this: if two data sets differ in one unit,
// their rounds must differ only in this unit. This holds only if names do not depend on other units (SPEC.md §2.3).
type Seed uint64

// Number returns a unit's number in a round: 8 bytes of SHA-256. digest is the digest of the unit's name
// (wire.UnitDigest). Rounds are numbered as in Throw.Round.
func (s Seed) Number(round int, digest uint64) uint64 {
	b := append(make([]byte, 0, 64), "privpipe coin\n"...)
	b = binary.LittleEndian.AppendUint64(b, uint64(s))
	b = binary.LittleEndian.AppendUint64(b, uint64(round))
	b = binary.LittleEndian.AppendUint64(b, digest)
	sum := sha256.Sum256(b)
	return binary.LittleEndian.Uint64(sum[:])
}

// Name is the public name of the seed's choices for all rounds, in 32 hexadecimal digits.
func (s Seed) Name() string {
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("privpipe seed\n"), uint64(s)))
	return hex.EncodeToString(sum[:16])
}
