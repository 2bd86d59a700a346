package noise

import (
	"encoding/binary"
	"math"
	"math/big"
	"testing"
)

// Each remainder stands for the same number of random numbers: multiple is the largest multiple of n, and numbers from
// it on are drawn again.
func TestUniform(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 7, 1 << 32, 1<<52 + 12345, 1<<63 - 1, 1 << 63, 1<<63 + 1, math.MaxUint64} {
		u := NewUniform()
		all := new(big.Int).Lsh(big.NewInt(1), 64)
		most := new(big.Int).Sub(all, new(big.Int).Mod(all, new(big.Int).SetUint64(n)))
		// 2^64 itself does not fit: for a power of two the multiple before it is right, too.
		if most.Cmp(all) == 0 {
			most.Sub(all, new(big.Int).SetUint64(n))
		}
		if most.Cmp(new(big.Int).SetUint64(multiple(n))) != 0 {
			t.Errorf("n = %d: limit %d, want %v", n, multiple(n), most)
		}
		for _, first := range []uint64{0, n - 1, multiple(n) - 1, multiple(n), math.MaxUint64} {
			var random [16]byte
			binary.LittleEndian.PutUint64(random[:], first)
			binary.LittleEndian.PutUint64(random[8:], 5) // after one that is refused
			want := first % n
			if first >= multiple(n) {
				want = 5 % n
			}
			u.random = script(random[:])
			if got := u.Below(n); got != want {
				t.Errorf("n = %d, random number %d: %d, want %d", n, first, got, want)
			}
		}
	}
}

func TestUniformIsTheOperatingSystems(t *testing.T) {
	if u := NewUniform(); u.random.reader != newSource().reader {
		t.Error("a Uniform does not read crypto/rand")
	}
}
