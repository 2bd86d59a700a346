package coin

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"privpipe/sample/internal/corpus"
)

// pinned are a unit's numbers in groups, of 32 bits a round, and the 64 that decide a tie in each. A resumed run must
// find them again, in whichever version. They are of Python's module hmac and of openssl enc -aes-256-ecb.
var pinned = []struct {
	purpose       string
	group         int
	numbers, more [GroupRounds]uint64
}{
	{"purpose", 0, [4]uint64{0x62dd27c4, 0x1e3fe72f, 0x72f28d9e, 0xa2c851b9},
		[4]uint64{0xc66bc85e6c3b21fc, 0xd06765394f1abe9c, 0x3728dbfabb43cb9a, 0x451ed15b7d95ecd9}},
	{"purpose", 1, [4]uint64{0xd323348a, 0x9bee6225, 0xf6b15d4f, 0x6fd7eac9},
		[4]uint64{0x1eaa95d9d42ca408, 0xc1e8b02184ba02d7, 0xe86e656ccfbee102, 0xbad33ab4c73a62bf}},
	{"other", 0, [4]uint64{0x9584dce8, 0xf5eb14ac, 0xb34f06cf, 0xe7679730},
		[4]uint64{0x41a2267d62e8fa90, 0xc7319d4384550c80, 0xd26663fa25c11d4a, 0xc281e7b097b6336b}},
	{"purpose", 1<<29 - 1, [4]uint64{0x7393bf43, 0xd317f0b0, 0xb521fb0a, 0xf0f81670},
		[4]uint64{0xaf6a2ded1f9dd47c, 0x4131987e547c2849, 0xcf78e06e657b507f, 0xef807ae06a0cfa31}},
}

// TestGroup throws the coins of one unit by all thresholds near its pinned numbers of 96 bits, of each place: those
// that tie, and those one beside them. The coins of the other places are known, too. The unit is the first, one in the
// middle or the last of 64.
func TestGroup(t *testing.T) {
	for _, c := range pinned {
		for place, number := range c.numbers {
			more := c.more[place]
			for _, threshold := range []Threshold{
				{number, 0}, {number, more - 1}, {number, more}, {number, more + 1}, {number, 1<<64 - 1},
				{number + 1, 0}, {number - 1, 1<<64 - 1},
				{0, 0}, {1 << 32, 0},
			} {
				for _, at := range []int{0, 1, 31, 63} {
					units := make([]corpus.Key, 64)
					units[at] = unit
					group := counting().Throw(c.purpose).Group(c.group, 0)
					group.threshold = threshold
					falls := group.Falls(units)
					for other, bits := range falls {
						n, m := c.numbers[other], c.more[other]
						want := n < threshold.high || n == threshold.high && m < threshold.low
						if got := bits>>at&1 != 0; got != want {
							t.Errorf("%q, group %d, place %d of unit %d by the threshold %x: falls is %v, want %v",
								c.purpose, c.group, other, at, threshold, got, want)
						}
					}
				}
			}
		}
	}
}

// TestGroupOf: every round has one place in one group, and four rounds in a row fill a group.
func TestGroupOf(t *testing.T) {
	for round, want := range map[int][2]int{1: {0, 0}, 2: {0, 1}, 4: {0, 3}, 5: {1, 0}, 8: {1, 3}, 9: {2, 0},
		1 << 31: {1<<29 - 1, 3}} {
		if group, place := GroupOf(round); group != want[0] || place != want[1] {
			t.Errorf("round %d: got place %d of group %d, want place %d of group %d", round, place, group, want[1],
				want[0])
		}
	}
}

// TestCoinsAreIndependent: one unit's coins are independent in the rounds of one group, in the next group, by another
// purpose and by another secret. Each of the 2^7 outcomes is as frequent as the rate says. The false-rejection rate is
// 1e-6 each, and the secrets are fixed.
func TestCoinsAreIndependent(t *testing.T) {
	const blocks, alpha = 20_000, 1e-6
	other := counting()
	other[31] ^= 1
	for _, p := range []float64{0.5, 0.2} {
		first, next := counting().Throw("one").Group(0, p), counting().Throw("one").Group(1, p)
		purpose, secret := counting().Throw("two").Group(0, p), other.Throw("one").Group(0, p)
		var outcomes [1 << 7]float64
		units := make([]corpus.Key, 64)
		for block := range blocks {
			for i := range units {
				binary.LittleEndian.PutUint64(units[i][8:], uint64(64*block+i)) // as unlike hashes as can be
			}
			coins := first.Falls(units)
			all := append(slices.Clone(coins[:]), next.Falls(units)[0], purpose.Falls(units)[0], secret.Falls(units)[0])
			for i := range units {
				outcome := 0
				for _, falls := range all {
					outcome = outcome<<1 | int(falls>>i&1)
				}
				outcomes[outcome]++
			}
		}
		statistic := 0.0
		for outcome, n := range outcomes {
			want := float64(64 * blocks)
			for coin := range 7 {
				want *= []float64{1 - p, p}[outcome>>coin&1]
			}
			statistic += (n - want) * (n - want) / want
		}
		chi := distuv.ChiSquared{K: 1<<7 - 1}
		if low, high := chi.Quantile(alpha/2), chi.Quantile(1-alpha/2); !(statistic >= low && statistic <= high) {
			t.Errorf("rate %v: got χ² = %v, want one in [%v, %v]", p, statistic, low, high)
		}
	}
}

// TestUnitsOfAGroup: what a unit gets does not depend on how many others there are, nor on its place among them. A coin
// of probability 1 always falls, and one of 0 never.
func TestUnitsOfAGroup(t *testing.T) {
	units := make([]corpus.Key, 64)
	for i := range units {
		units[i][3] = byte(i)
	}
	for _, p := range []float64{0, 0.3, 1} {
		group := counting().Throw("x").Group(3, p)
		all := group.Falls(units)
		for n := range 65 {
			part := group.Falls(units[64-n:])
			for place, falls := range part {
				if want := all[place] >> (64 - n) & (1<<n - 1); falls != want {
					t.Errorf("p = %v, the last %d units, place %d: got %b, want %b", p, n, place, falls, want)
				}
				if count := bits.OnesCount64(falls); p == 1 && count != n || p == 0 && count != 0 {
					t.Errorf("p = %v, place %d: %d coins of %d fall", p, place, count, n)
				}
			}
		}
	}
}

// TestUsesAreDistinct: the keys of numbers, groups, ties and names are different, whatever their rounds.
func TestUsesAreDistinct(t *testing.T) {
	keys := make(map[string]bool)
	for _, use := range []string{"name", "round", "group", "tie"} {
		for round := range 20 {
			keys[fmt.Sprintf("%x", counting().Throw("p").derive(use, round))] = true
		}
	}
	if len(keys) != 80 {
		t.Errorf("80 uses have %d keys", len(keys))
	}
}
