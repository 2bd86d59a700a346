package model

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"privpipe/pipelines/wire"
)

// TestCoins: the seed is SHA-256 of bytes that are written out here, so that other versions throw the same coins.
func TestCoins(t *testing.T) {
	d := &wire.Document{Id: "a", User: "u", Label: "l", WordGaps: []uint32{0, 300}, Counts: []uint32{1, 2}}
	// 300 is 0xac 0x02 as a varint (Protocol Buffers, Encoding).
	sum := sha256.Sum256([]byte("privpipe coins\nlength\n\x00\x01\xac\x02\x02"))
	want := rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16])).Uint64()
	if got := (&Coins{Document: d}).Public("length").Uint64(); got != want {
		t.Errorf("first number %x, want %x", got, want)
	}
	for what, c := range map[string]struct {
		document *wire.Document
		use      string
		same     bool
	}{
		"other names": {&wire.Document{Id: "b", User: "v", Label: "m", WordGaps: d.WordGaps, Counts: d.Counts}, "length", true},
		"no names":    {&wire.Document{WordGaps: d.WordGaps, Counts: d.Counts}, "length", true},
		"another use": {d, "half", false},
		"other words": {&wire.Document{WordGaps: []uint32{0, 301}, Counts: d.Counts}, "length", false},
		"more of one": {&wire.Document{WordGaps: d.WordGaps, Counts: []uint32{1, 3}}, "length", false},
		"no words":    {&wire.Document{}, "length", false},
	} {
		if same := (&Coins{Document: c.document}).Public(c.use).Uint64() == want; same != c.same {
			t.Errorf("%s: the same coins is %v", what, same)
		}
	}
}
