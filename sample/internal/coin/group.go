package coin

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"

	"privpipe/sample/internal/corpus"
)

// GroupRounds is the number of rounds in a group. Each round has 32 of the 128 bits in a unit's block.
const GroupRounds = 4

// GroupOf returns the group that has a round, from 0, and the round's place in the group, from 0. Rounds count from 1.
func GroupOf(round int) (group, place int) {
	return (round - 1) / GroupRounds, (round - 1) % GroupRounds
}

// A Group throws coins with one probability for all rounds of one group. One block of AES gives a unit's coins in all
// these rounds. A Group is not safe for concurrent use.
type Group struct {
	throw     Throw
	group     int
	threshold Threshold
	blocks    cipher.Block
	block     []byte // the current unit's; its memory is used again
}

// Group returns the coins with probability p for the given group, from 0.
func (t Throw) Group(group int, p float64) *Group {
	return &Group{t, group, NewThreshold(p), t.cipher("group", group), make([]byte, aes.BlockSize)}
}

// Falls throws the coins of at most 64 units. Bit i of falls[place] says whether the coin of units[i] falls in the
// round at that place. A coin falls if its 32 bits and the 64 bits of more, as one number, are below the threshold
// (claim.md, Groups).
func (g *Group) Falls(units []corpus.Key) (falls [GroupRounds]uint64) {
	var falls0, falls1, falls2, falls3 uint64 // in registers
	high := g.threshold.high
	for i := range units[:min(len(units), 64)] {
		g.blocks.Encrypt(g.block, units[i][:])
		low, upper := binary.LittleEndian.Uint64(g.block), binary.LittleEndian.Uint64(g.block[8:])
		n0, n1, n2, n3 := uint64(uint32(low)), low>>32, uint64(uint32(upper)), upper>>32
		// No branch, since the processor would often predict it wrong. Both sides are at most 2^32, so bit 63 of their
		// difference says which is less.
		falls0 |= (n0 - high) >> 63 << (i & 63)
		falls1 |= (n1 - high) >> 63 << (i & 63)
		falls2 |= (n2 - high) >> 63 << (i & 63)
		falls3 |= (n3 - high) >> 63 << (i & 63)
		if n0 == high || n1 == high || n2 == high || n3 == high {
			for place, n := range [...]uint64{n0, n1, n2, n3} {
				if n == high && g.more(place, &units[i]) < g.threshold.low {
					falls[place] |= 1 << i
				}
			}
		}
	}
	return [...]uint64{falls[0] | falls0, falls[1] | falls1, falls[2] | falls2, falls[3] | falls3}
}

// more returns the 64 bits that decide a tie in the round at place. They come from a block under a key for this round
// alone.
func (g *Group) more(place int, unit *corpus.Key) uint64 {
	block := make([]byte, aes.BlockSize)
	g.throw.cipher("tie", g.group*GroupRounds+place+1).Encrypt(block, unit[:])
	return binary.LittleEndian.Uint64(block)
}
