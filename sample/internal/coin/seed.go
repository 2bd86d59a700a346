package coin

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// A Seed is where choices come from that anyone who has it can repeat: for tests, without amplification. It gives numbers
// by the round and the unit's name, and not one after the other: then a unit more or less, or in another place, changes
// the choice of no other. What an accountant says of coins that are no secret rests on that: two data sets that differ in
// a unit must have rounds that differ in it alone. So they have only if names do not depend on other units (SPEC.md §2.3).
type Seed uint64

// Number returns the number of a unit, by the digest of its name (wire.UnitDigest), in a round: 8 bytes of SHA-256. That
// of round 0 is for what is thrown once for all rounds.
func (s Seed) Number(round int, digest uint64) uint64 {
	b := append(make([]byte, 0, 64), "privpipe coin\n"...)
	b = binary.LittleEndian.AppendUint64(b, uint64(s))
	b = binary.LittleEndian.AppendUint64(b, uint64(round))
	b = binary.LittleEndian.AppendUint64(b, digest)
	sum := sha256.Sum256(b)
	return binary.LittleEndian.Uint64(sum[:])
}

// Name is the public name of what a seed throws once for all rounds, in 32 hexadecimal digits.
func (s Seed) Name() string {
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("privpipe seed\n"), uint64(s)))
	return hex.EncodeToString(sum[:16])
}
