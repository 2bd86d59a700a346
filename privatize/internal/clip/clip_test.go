package clip

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"privpipe/privatize/internal/fixed"
)

// check clips z and compares with the promises of L2, in big integers and without a root:
//
//   - within the bound nothing changes; else Σ z'² ≤ bound²,
//   - no coordinate changes its sign or grows,
//   - z' is z·bound/‖z‖, less up to two steps toward zero: z'²·‖z‖² ≤ z²·bound² < (|z'| + 2)²·‖z‖².
func check(t *testing.T, z []int64, bound uint64) {
	t.Helper()
	before := slices.Clone(z)
	L2(z, nil, bound)
	norm, limit := squares(before), square(new(big.Int).SetUint64(bound))
	if norm.Cmp(limit) <= 0 {
		if !slices.Equal(z, before) {
			t.Fatalf("within the bound %d, but %v became %v", bound, before, z)
		}
		return
	}
	if after := squares(z); after.Cmp(limit) > 0 {
		t.Fatalf("bound %d: Σ z² of %v is %v", bound, before, after)
	}
	for i, v := range before {
		if v >= 0 && (z[i] < 0 || z[i] > v) || v < 0 && (z[i] > 0 || z[i] < v) {
			t.Fatalf("bound %d: %d became %d", bound, v, z[i])
		}
		ideal := new(big.Int).Mul(square(big.NewInt(v)), limit)
		magnitude := new(big.Int).SetUint64(fixed.Magnitude(z[i]))
		least := new(big.Int).Mul(square(magnitude), norm)
		most := new(big.Int).Mul(square(magnitude.Add(magnitude, big.NewInt(2))), norm)
		if least.Cmp(ideal) > 0 || most.Cmp(ideal) <= 0 {
			t.Fatalf("bound %d: %d of %v became %d", bound, v, before, z[i])
		}
	}
}

func square(x *big.Int) *big.Int { return new(big.Int).Mul(x, x) }

func squares(z []int64) *big.Int {
	sum := new(big.Int)
	for _, v := range z {
		sum.Add(sum, square(big.NewInt(v)))
	}
	return sum
}

func TestL2(t *testing.T) {
	for _, c := range []struct {
		name  string
		z     []int64
		bound uint64
		want  []int64
	}{
		{"empty", nil, 1, nil},
		{"zero", []int64{0, 0}, 1, []int64{0, 0}},
		{"on the bound", []int64{3, -4}, 5, []int64{3, -4}},
		{"a step beyond", []int64{6}, 5, []int64{5}},
		{"3 : 4 : 5", []int64{-30, 40}, 5, []int64{-3, 4}},
		{"root is no integer", []int64{1, 1}, 1, []int64{0, 0}}, // ⌈√2⌉ = 2
		{"small next to huge", []int64{1, -fixed.Limit}, 1 << 20, []int64{0, -1<<20 + 1}},
		{"huge", []int64{fixed.Limit}, 1 << 20, []int64{1 << 20}},
		{"bound beyond all", []int64{fixed.Limit, -fixed.Limit}, math.MaxUint64, []int64{fixed.Limit, -fixed.Limit}},
	} {
		z := slices.Clone(c.z)
		within := slices.Equal(c.z, c.want)
		if got := WithinL2(z, nil, c.bound); got != within {
			t.Errorf("%s: %v is within %d: %v", c.name, z, c.bound, got)
		}
		if check(t, z, c.bound); !slices.Equal(z, c.want) {
			t.Errorf("%s: %v to %d gives %v, want %v", c.name, c.z, c.bound, z, c.want)
		}
	}
}

// TestL1 compares with quotients by hand, at the bound and one step beyond it.
func TestL1(t *testing.T) {
	for _, c := range []struct {
		name  string
		z     []int64
		bound uint64
		want  []int64
	}{
		{"zero", []int64{0, 0}, 1, []int64{0, 0}},
		{"on the bound", []int64{3, -4}, 7, []int64{3, -4}},
		{"a step beyond", []int64{3, -5}, 7, []int64{2, -4}}, // ⌊21/8⌋ and ⌊35/8⌋
		{"one coordinate, a step beyond", []int64{-8}, 7, []int64{-7}},
		{"a step beyond the least bound", []int64{1, 1}, 1, []int64{0, 0}},
		{"a step beyond the largest bound", []int64{1 << 20, -1}, 1 << 20, []int64{1<<20 - 1, 0}},
		{"far beyond", []int64{fixed.Limit, -fixed.Limit}, 10, []int64{5, -5}},
	} {
		z := slices.Clone(c.z)
		within := slices.Equal(c.z, c.want)
		if got := WithinL1(z, nil, c.bound); got != within {
			t.Errorf("%s: %v is within %d: %v", c.name, z, c.bound, got)
		}
		if L1(z, nil, c.bound); !slices.Equal(z, c.want) {
			t.Errorf("%s: %v to %d gives %v, want %v", c.name, c.z, c.bound, z, c.want)
		}
	}
}

// TestScale compares with exact quotients where they are next to whole numbers: with the rests 0 and norm − 1 in
// |v|·bound/norm, at norms of all sizes on both sides of 2^32.
func TestScale(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 200_000 {
		norm := 2 + random.Uint64()>>(2+random.IntN(61))
		if random.IntN(4) == 0 {
			norm = 1<<32 - 2 + random.Uint64N(4)
		}
		bound := 1 + random.Uint64()%min(norm-1, 1<<random.IntN(63))
		values := []uint64{norm, norm - 1, random.Uint64N(norm + 1)}
		n, b := new(big.Int).SetUint64(norm), new(big.Int).SetUint64(bound)
		if inverse := new(big.Int).ModInverse(b, n); inverse != nil {
			values = append(values, norm-inverse.Uint64()) // its rest is norm − 1
		}
		values = append(values, norm/new(big.Int).GCD(nil, nil, n, b).Uint64()) // its rest is 0
		for _, magnitude := range values {
			want := new(big.Int).SetUint64(magnitude)
			want.Quo(want.Mul(want, b), n)
			z := []int64{int64(magnitude), -int64(magnitude)}
			scale(z, bound, norm)
			if w := want.Int64(); z[0] != w || z[1] != -w {
				t.Fatalf("±%d at bound %d and norm %d became %v, want ±%d", magnitude, bound, norm, z, w)
			}
		}
	}
}

// Vectors as contributions are: thousands of coordinates of one size, a norm far over the bound or close to it.
func TestL2OfLongVectors(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{10, 5000} {
		for _, spread := range []int64{1, 100, 1 << 20, fixed.Limit} {
			z := make([]int64, n)
			for i := range z {
				z[i] = random.Int64N(2*spread+1) - spread
			}
			root := new(big.Int).Sqrt(squares(z)).Uint64()
			for _, bound := range []uint64{1, 1 << 20, root - 1, root, root + 1} {
				check(t, slices.Clone(z), max(1, bound))
			}
		}
	}
}

func FuzzL2(f *testing.F) {
	f.Add([]byte{}, uint64(1))
	f.Add(slices.Repeat([]byte{1}, 64), uint64(1<<20))
	f.Add(slices.Repeat([]byte{0xff}, 80), uint64(1))
	f.Add(slices.Repeat([]byte{0, 0, 0, 0, 0, 1, 0, 0}, 5), uint64(1<<41)) // five of Limit: √5·2^40 is over the bound
	f.Add(binary.LittleEndian.AppendUint64(nil, 1<<40), uint64(1<<40-1))
	f.Fuzz(func(t *testing.T, b []byte, bound uint64) {
		var z []int64
		for ; len(b) >= 8; b = b[8:] {
			v := int64(binary.LittleEndian.Uint64(b))
			z = append(z, v%(fixed.Limit+1))
		}
		check(t, slices.Clone(z), max(1, bound))
		check(t, z, max(1, bound%(1<<20)))
	})
}

func FuzzCeilSqrt(f *testing.F) {
	for _, r := range []uint64{0, 1, 2, 1 << 20, 1<<26 + 1, 1<<32 - 1, 94906267, 1<<53 + 1, 1<<61 + 1, 1<<63 - 1} {
		n := square(new(big.Int).SetUint64(r))
		for _, offset := range []int64{-1, 0, 1} { // squares and their neighbours
			if m := new(big.Int).Add(n, big.NewInt(offset)); m.Sign() >= 0 {
				f.Add(new(big.Int).Rsh(m, 64).Uint64(), m.Uint64())
			}
		}
	}
	f.Fuzz(func(t *testing.T, high, low uint64) {
		high %= 1 << 62
		n := new(big.Int).SetUint64(high)
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(low))
		root := ceilSqrt(high, low)
		r := new(big.Int).SetUint64(root)
		if square(r).Cmp(n) < 0 {
			t.Fatalf("⌈√%v⌉ is more than %d", n, root)
		}
		if root > 0 && square(r.Sub(r, big.NewInt(1))).Cmp(n) >= 0 {
			t.Fatalf("⌈√%v⌉ is less than %d", n, root)
		}
	})
}

// A document of 100 distinct words and 50 topics, over the bound and within it.
func BenchmarkL2(b *testing.B) {
	z := make([]int64, 5000)
	for i := range z {
		z[i] = rand.Int64N(1 << 20)
	}
	work := make([]int64, len(z))
	for name, bound := range map[string]uint64{"over": 1 << 20, "within": 1 << 30} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(8 * len(z)))
			for b.Loop() {
				copy(work, z)
				L2(work, nil, bound)
			}
		})
	}
}

// FuzzL1 compares with the promises of L1, in big integers.
func FuzzL1(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0, 1, 0, 255, 255, 255, 255, 255, 255, 255, 255}, uint64(7))
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, uint64(1<<20))
	f.Fuzz(func(t *testing.T, b []byte, bound uint64) {
		bound = 1 + bound%(1<<20)
		var z []int64
		for ; len(b) >= 8; b = b[8:] {
			z = append(z, int64(binary.LittleEndian.Uint64(b))>>23) // within ±2^40
		}
		before := slices.Clone(z)
		norm := int64(0) // of at most some thousand coordinates
		for _, v := range z {
			norm += int64(fixed.Magnitude(v))
		}
		if within := WithinL1(z, nil, bound); within != (norm <= int64(bound)) {
			t.Fatalf("norm %d within %d: %v", norm, bound, within)
		}
		L1(z, nil, bound)
		if norm <= int64(bound) {
			if !slices.Equal(z, before) {
				t.Fatalf("within the bound %d, but %v became %v", bound, before, z)
			}
			return
		}
		after := uint64(0)
		for i, v := range z {
			after += fixed.Magnitude(v)
			want := new(big.Int).Mul(big.NewInt(before[i]), new(big.Int).SetUint64(bound))
			if want.Quo(want, big.NewInt(norm)).Int64() != v { // truncated toward zero
				t.Fatalf("%d of norm %d became %d at a bound of %d", before[i], norm, v, bound)
			}
		}
		if after > bound {
			t.Fatalf("a norm of %d at a bound of %d", after, bound)
		}
	})
}

// TestL1OfLongVectors: a norm of more than 64 bits leaves nothing.
func TestL1OfLongVectors(t *testing.T) {
	z := make([]int64, 1<<24)
	for i := range z {
		z[i] = -fixed.Limit
	}
	if WithinL1(z, nil, 1<<20) {
		t.Error("2^64 is within 2^20")
	}
	L1(z, nil, 1<<20)
	if slices.ContainsFunc(z, func(v int64) bool { return v != 0 }) {
		t.Error("not all coordinates are 0")
	}
}

// TestTwice: a marked coordinate counts as two of its value.
func TestTwice(t *testing.T) {
	z := []int64{1 << 20, 1 << 20, -1 << 20}
	marks := []bool{false, true, true}
	if WithinL2(z, marks, 2344687) || !WithinL2(z, marks, 2344688) { // √5·2^20 = 2344687.2…
		t.Error("the norm of (1, 1, −1) with two marks is not √5")
	}
	L2(z, marks, 1<<20)
	for i, v := range z {
		if want := int64(468937); v != want && v != -want || (v < 0) != (i == 2) { // ⌊2^20/√5⌋ = 468937, with ⌈√5·2^20⌉
			t.Errorf("coordinate %d became %d", i, v)
		}
	}
	z = []int64{1 << 20, 1 << 20, -1 << 20}
	if WithinL1(z, marks, 5<<20-1) || !WithinL1(z, marks, 5<<20) {
		t.Error("the L1 norm of (1, 1, −1) with two marks is not 5")
	}
	L1(z, marks, 5<<10)
	if want := []int64{1 << 10, 1 << 10, -1 << 10}; !slices.Equal(z, want) {
		t.Errorf("became %v, want %v", z, want)
	}
}
