package coin

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// FuzzSmallest compares with a sort of all units. Numbers meet in their first bits, in the high word and in both.
func FuzzSmallest(f *testing.F) {
	f.Add(uint64(1), uint16(1), uint16(0), uint8(0))
	f.Add(uint64(2), uint16(100), uint16(50), uint8(60))
	f.Add(uint64(3), uint16(100), uint16(99), uint8(2))
	f.Add(uint64(4), uint16(1000), uint16(10), uint8(63))
	f.Fuzz(func(t *testing.T, seed uint64, units, draw uint16, shift uint8) {
		n := 1 + int(units)%2000
		size := 1 + int(draw)%n
		random := rand.New(rand.NewPCG(seed, 1))
		numbers := make([][3]uint64, n)
		for i := range numbers {
			high, low := random.Uint64(), random.Uint64()
			numbers[i] = [3]uint64{high >> (shift % 64) << (seed % 2 * 40), low >> (shift % 64), uint64(i)}
		}
		got := NewSet(n)
		smallest(got, n, size, func(unit int) (uint64, uint64) { return numbers[unit][0], numbers[unit][1] })
		want := NewSet(n)
		slices.SortFunc(numbers, func(a, b [3]uint64) int { return slices.Compare(a[:], b[:]) })
		for _, number := range numbers[:size] {
			want.Add(int(number[2]))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d of %d: got %b, want %b", size, n, got, want)
		}
	})
}
