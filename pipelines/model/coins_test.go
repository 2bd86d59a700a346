package model

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"privpipe/pipelines/exit"
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
		"other names": {&wire.Document{Id: "b", User: "v", Label: "m", WordGaps: d.WordGaps, Counts: d.Counts},
			"length", true},
		"no names":    {&wire.Document{WordGaps: d.WordGaps, Counts: d.Counts}, "length", true},
		"another use": {d, "half", false},
		"other words": {&wire.Document{WordGaps: []uint32{0, 301}, Counts: d.Counts}, "length", false},
		"more of one": {&wire.Document{WordGaps: d.WordGaps, Counts: []uint32{1, 3}}, "length", false},
		"no words":    {&wire.Document{}, "length", false},
		"no counts":   {&wire.Document{WordGaps: d.WordGaps}, "length", false},
	} {
		if same := (&Coins{Document: c.document}).Public(c.use).Uint64() == want; same != c.same {
			t.Errorf("%s: the same coins is %v", what, same)
		}
	}
}

// TestValues: documents of other real numbers have other coins.
func TestValues(t *testing.T) {
	seen := make(map[uint64]bool)
	for _, d := range []*wire.Document{
		{}, {WordGaps: []uint32{1}, Values: []byte("1234")}, {WordGaps: []uint32{1}, Values: []byte("1235")},
		{WordGaps: []uint32{2}, Values: []byte("1234")},
	} {
		seen[(&Coins{Document: d}).Public("length").Uint64()] = true
	}
	if len(seen) != 4 {
		t.Errorf("%d of 4 documents have coins of their own", len(seen))
	}
}

// TestSecret: numbers are the same for the same key, use, scope and names, and others where one of them is another,
// however the names are cut. What the document says does not matter.
func TestSecret(t *testing.T) {
	first := func(key, use, scope, user, id string, counts ...uint32) uint64 {
		d := &wire.Document{Id: id, User: user, WordGaps: make([]uint32, len(counts)), Counts: counts}
		random, err := (&Coins{Document: d, Key: []byte(key), Scope: scope}).Secret(use)
		if err != nil {
			t.Fatal(err)
		}
		return random.Uint64()
	}
	if _, err := (&Coins{Document: new(wire.Document)}).Secret("use"); exit.Code(err) != exit.Internal ||
		!strings.Contains(err.Error(), "must set Keyed in job.Work") {
		t.Errorf("without a key: %v", err)
	}
	want := first("key", "use", Scope("run", 1), "user", "id")
	if first("key", "use", Scope("run", 1), "user", "id", 3) != want {
		t.Error("the words change the numbers")
	}
	seen := map[uint64]string{want: "the first"}
	for what, got := range map[string]uint64{
		"key":            first("keY", "use", Scope("run", 1), "user", "id"),
		"use":            first("key", "usE", Scope("run", 1), "user", "id"),
		"run":            first("key", "use", Scope("ruN", 1), "user", "id"),
		"round":          first("key", "use", Scope("run", 2), "user", "id"),
		"user":           first("key", "use", Scope("run", 1), "useR", "id"),
		"id":             first("key", "use", Scope("run", 1), "user", "iD"),
		"round by 64":    first("key", "use", Scope("run", 65), "user", "id"),
		"round by 65536": first("key", "use", Scope("run", 65537), "user", "id"),
		"cut":            first("key", "use", Scope("run", 1), "useri", "d"),
		"run of a digit": first("key", "use", Scope("1\nrun", 1), "user", "id"),
	} {
		if other, known := seen[got]; known {
			t.Errorf("another %s has the numbers of %s", what, other)
		}
		seen[got] = what
	}
}
