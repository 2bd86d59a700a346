package coin

import (
	"encoding/binary"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"privpipe/sample/internal/corpus"
)

// counting is the secret of bytes 0, 1, …, 31.
func counting() (s Secret) {
	for i := range s {
		s[i] = byte(i)
	}
	return s
}

// unit is the key of bytes 0, 1, …, 15.
var unit = corpus.Key{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// TestThrow pins numbers and names, which a resumed run must find again, in whichever version. They are of Python's
// module hmac and of openssl enc -aes-256-ecb.
func TestThrow(t *testing.T) {
	for _, c := range []struct {
		purpose   string
		round     int
		unit      corpus.Key
		high, low uint64
	}{
		{"purpose", 0, corpus.Key{}, 0xd06f6941b76adec5, 0x7c0dc8ff393c466a},
		{"purpose", 1, corpus.Key{}, 0x9fcb2f57da1c099c, 0xe186c487fb901ac5},
		{"purpose", 1, unit, 0x5e1ad17b5181d46c, 0x38d4d61338cbcf30},
		{"purpose", 1 << 31, unit, 0x14e676d965d93fc6, 0x93b60b34b7ff9cf},
		{"", 1, unit, 0xe1dd5a7c958394fa, 0x543e1652b296b675},
	} {
		high, low := counting().Throw(c.purpose).Round(c.round)(&c.unit)
		if high != c.high || low != c.low {
			t.Errorf("%q, round %d, unit %x: got %x %x, want %x %x", c.purpose, c.round, c.unit, high, low, c.high,
				c.low)
		}
	}
	for purpose, want := range map[string]string{
		"purpose": "8055a07a0376a7b256d7a7d7037a28bd", "": "c6fdbc52c21a490b45af71abe9c5ec5f",
	} {
		if got := counting().Throw(purpose).Name(); got != want {
			t.Errorf("name of %q: got %s, want %s", purpose, got, want)
		}
	}
}

// TestThrowsAreIndependent compares the numbers of units in a round with the numbers under another round, purpose or
// secret. Both are uniform, and so is the difference in each bit. The false-rejection rate is 1e-6 each, and the
// secrets are fixed.
func TestThrowsAreIndependent(t *testing.T) {
	const units, alpha = 200_000, 1e-6
	other := counting()
	other[31] ^= 1
	first := counting().Throw("one").Round(1)
	for name, second := range map[string]Numbers{
		"nothing": func(*corpus.Key) (uint64, uint64) { return 0, 0 },
		"round":   counting().Throw("one").Round(2),
		"purpose": counting().Throw("two").Round(1),
		"secret":  other.Throw("one").Round(1),
	} {
		var ones [128]float64
		for i := range units {
			var key corpus.Key
			binary.LittleEndian.PutUint64(key[8:], uint64(i)) // as unlike hashes as can be
			high, low := first(&key)
			h, l := second(&key)
			for bit := range 64 {
				ones[bit] += float64((high ^ h) >> bit & 1)
				ones[64+bit] += float64((low ^ l) >> bit & 1)
			}
		}
		statistic := 0.0
		for _, n := range ones {
			statistic += (n - units/2) * (n - units/2) / (units / 4)
		}
		chi := distuv.ChiSquared{K: 128}
		if low, high := chi.Quantile(alpha/2), chi.Quantile(1-alpha/2); !(statistic >= low && statistic <= high) {
			t.Errorf("%s: got χ² = %v, want one in [%v, %v]", name, statistic, low, high)
		}
	}
}

// TestNamesAreDistinct: another purpose or another secret has another name, and none is where the other's purpose ends.
func TestNamesAreDistinct(t *testing.T) {
	names := make(map[string]bool)
	throws := []Throw{
		counting().Throw("a"), counting().Throw("a\n"), counting().Throw("\na"), counting().Throw("name\na"),
		counting().Throw("a\x00"), Secret{}.Throw("a"), NewSecret().Throw("a"), NewSecret().Throw("a"),
	}
	for _, throw := range throws {
		names[throw.Name()] = true
	}
	if len(names) != len(throws) {
		t.Errorf("%d throws have %d names", len(throws), len(names))
	}
}

// TestSeed pins the numbers of seeds: in a test that a seed repeats they must stay what they are, in whichever version.
func TestSeed(t *testing.T) {
	for _, c := range []struct {
		seed   Seed
		round  int
		digest uint64
		want   uint64 // by Python's struct and hashlib
	}{
		{0, 1, 0, 0x196424d8174003b9},
		{1, 1, 0xd24ec4f1a98c6e5b, 0x363bbbfb82bfe3cd},
		{1, 2, 0xd24ec4f1a98c6e5b, 0xceb9223e197a079d},
		{7, 0, 0xd24ec4f1a98c6e5b, 0xb74f3c702e33f647},
		{math.MaxUint64, 1 << 31, math.MaxUint64, 0x37cf1e112842a4d5},
	} {
		if got := c.seed.Number(c.round, c.digest); got != c.want {
			t.Errorf("number of unit %x in round %d by seed %d: got %x, want %x", c.digest, c.round, c.seed, got,
				c.want)
		}
	}
	if got, want := Seed(7).Name(), "07d9d0c5705368ccbd4ff14631ab2de4"; got != want {
		t.Errorf("name of seed 7: got %s, want %s", got, want)
	}
}

// BenchmarkRound is the time of a unit's number.
func BenchmarkRound(b *testing.B) {
	number := counting().Throw("bench").Round(1)
	for i := range b.N {
		var key corpus.Key
		binary.LittleEndian.PutUint64(key[:], uint64(i))
		number(&key)
	}
}
