package coin

import (
	"slices"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/sample/internal/corpus"
)

// A drawing says which units, of those with the given names, are in a round.
type drawing func(t *testing.T, scheme event.Scheme, names []string, round int) map[string]bool

// drawings are by each kind of coins.
var drawings = map[string]drawing{
	"seed": func(t *testing.T, scheme event.Scheme, names []string, round int) map[string]bool {
		digests, keys := named(names)
		c, err := NewSeeded(scheme, digests, keys, 7)
		return members(t, c, err, names, round)
	},
	"secret": func(t *testing.T, scheme event.Scheme, names []string, round int) map[string]bool {
		return drawnBy(t, secret(7).Throw(Purpose(scheme, "", event.Document, nil)), scheme, names, round)
	},
}

func drawnBy(t *testing.T, throw Throw, scheme event.Scheme, names []string, round int) map[string]bool {
	t.Helper()
	digests, keys := named(names)
	c, err := NewChooser(scheme, digests, keys, throw)
	return members(t, c, err, names, round)
}

func named(names []string) (digests []uint64, keys []corpus.Key) {
	for _, name := range names {
		digests, keys = append(digests, wire.UnitDigest(name)), append(keys, corpus.KeyOf(name))
	}
	return digests, keys
}

func members(t *testing.T, c *Chooser, err error, names []string, round int) map[string]bool {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	set, members := c.Round(round), make(map[string]bool)
	for i, name := range names {
		if set.Has(i) {
			members[name] = true
		}
	}
	return members
}

// beyond returns how many members of a are not in b.
func beyond(a, b map[string]bool) (n int) {
	for name := range a {
		n += index(!b[name])
	}
	return n
}

func equal(a, b map[string]bool) bool { return beyond(a, b)+beyond(b, a) == 0 }

func letters(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = string(rune('一' + i))
	}
	return names
}

// TestNeighbours: a unit more, in front of all others, changes the choice of no other; one unit exchanged for another
// exchanges at most one member of a round of a fixed size, and does so; and the order of the units is nothing.
func TestNeighbours(t *testing.T) {
	const units, rounds = 1000, 20
	names := letters(units)
	more := append([]string{"one more"}, names...)
	exchanged := append(more[:1:1], names[1:]...)
	reversed := slices.Clone(names)
	slices.Reverse(reversed)
	for by, draw := range drawings {
		for _, scheme := range []event.Scheme{
			poisson(0.5), fixed(100, units), disjoint(event.Allocate, rounds), disjoint(event.Epoch, rounds),
			epochs(4, rounds/4),
		} {
			joined, changed := 0, 0
			for round := 1; round <= rounds; round++ {
				before := draw(t, scheme, names, round)
				if !equal(before, draw(t, scheme, reversed, round)) {
					t.Errorf("%s by %s: round %d depends on the order of units", scheme, by, round)
				}
				if scheme.Method == event.Fixed {
					after := draw(t, scheme, exchanged, round)
					if left, came := beyond(before, after), beyond(after, before); left != came || left > 1 {
						t.Errorf("%s by %s: round %d loses %d members and gains %d", scheme, by, round, left, came)
					} else {
						changed += left
					}
					continue
				}
				after := draw(t, scheme, more, round)
				if after[more[0]] {
					joined++
					delete(after, more[0])
				}
				if !equal(before, after) {
					t.Errorf("%s by %s: a unit more changes others in round %d", scheme, by, round)
				}
			}
			if scheme.Method == event.Fixed && changed == 0 {
				// with a probability of 0.8^20 by other coins
				t.Errorf("%s by %s: the unit was never exchanged", scheme, by)
			}
			if scheme.Disjoint() && joined != max(1, scheme.Epochs) || scheme.Method == event.Poisson && joined == 0 {
				t.Errorf("%s by %s: the unit joined %d rounds", scheme, by, joined)
			}
		}
	}
}

// TestEqualDigests: names with the same XXH64 are found at once. A round with a fixed size holds one of two such units.
// Their names decide which one, and their places do not.
func TestEqualDigests(t *testing.T) {
	digests := []uint64{7, 7}
	keys := []corpus.Key{corpus.KeyOf("a"), corpus.KeyOf("b")}
	for range 2 {
		c, err := NewSeeded(fixed(1, 2), digests, keys, 7)
		if err != nil {
			t.Fatal(err)
		}
		// The first 8 bytes of SHA-256 end in ca for "a" and in 4a for "b": as a little-endian number b's is the
		// smaller.
		if set := c.Round(1); keys[index(set.Has(1))] != corpus.KeyOf("b") {
			t.Errorf("of %x the round holds the other", keys)
		}
		slices.Reverse(keys)
	}
}

// TestThrowsAreTheirPurposes: the same secret and purpose draw the same rounds under the same name; another secret,
// run, unit or scheme draws others, under another name. Two draws of 500 or so of 1000 units agree with a probability
// below 2^-900.
func TestThrowsAreTheirPurposes(t *testing.T) {
	names := letters(1000)
	scheme := poisson(0.5)
	throw := secret(1).Throw(Purpose(scheme, "run", event.Document, nil))
	first := drawnBy(t, throw, scheme, names, 1)
	if again := secret(1).Throw(Purpose(scheme, "run", event.Document, nil)); throw.Name() != again.Name() ||
		!equal(first, drawnBy(t, again, scheme, names, 1)) {
		t.Error("the same secret and purpose draw another round, or under another name")
	}
	if equal(first, drawnBy(t, throw, scheme, names, 2)) {
		t.Error("round 2 is round 1")
	}
	others := map[string]Throw{
		"secret": secret(2).Throw(Purpose(scheme, "run", event.Document, nil)),
		"run":    secret(1).Throw(Purpose(scheme, "run2", event.Document, nil)),
		"no run": secret(1).Throw(Purpose(scheme, "", event.Document, nil)),
		"rule":   secret(1).Throw(Purpose(scheme, "run", event.Document, []byte{2})),
		"unit":   secret(1).Throw(Purpose(scheme, "run", event.User, nil)),
	}
	for what, change := range map[string]func(*event.Scheme){
		"method":     func(s *event.Scheme) { s.Method = event.Fixed },
		"rate":       func(s *event.Scheme) { s.Rate = 0.25 },
		"rounds":     func(s *event.Scheme) { s.Rounds++ },
		"size":       func(s *event.Scheme) { s.Size++ },
		"population": func(s *event.Scheme) { s.Population++ },
	} {
		other := scheme
		change(&other)
		others[what] = secret(1).Throw(Purpose(other, "run", event.Document, nil))
	}
	for what, other := range others {
		if other.Name() == throw.Name() {
			t.Errorf("another %s has the same name", what)
		}
		if equal(first, drawnBy(t, other, scheme, names, 1)) {
			t.Errorf("another %s draws the same round", what)
		}
	}
}
