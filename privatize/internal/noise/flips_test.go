package noise

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// flipsOfFixedStream returns a Bernoulli whose random bits are ChaCha8 of a fixed key.
func flipsOfFixedStream(n uint64) *Bernoulli {
	b := NewBernoulli(n)
	b.random = &source{reader: rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 24), 2})}
	return b
}

// plainly compares the uniform number in bits i of the words with n/2^32, as a whole.
func plainly(n uint64, words []uint64, i int) bool {
	u := uint64(0)
	for _, w := range words {
		u = u<<1 | w>>i&1
	}
	return u < n
}

// Every bit is what comparing 32 digits at once says, so it has the probability n/2^32 if the words are uniform.
func FuzzFlips(f *testing.F) {
	f.Add(uint32(1), []byte{})
	f.Add(uint32(1<<31), []byte{0xff})
	f.Add(uint32(0x40000000), []byte{1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add(uint32(0x2aaaaaab), []byte("some random bytes, and then some more of them"))
	f.Fuzz(func(t *testing.T, steps uint32, random []byte) {
		n := uint64(steps)%(FlipSteps/2) + 1
		random = append(random[:min(len(random), 256)], make([]byte, 256-min(len(random), 256))...)
		words := make([]uint64, 32)
		for i := range words {
			words[i] = binary.LittleEndian.Uint64(random[8*i:])
		}
		b := NewBernoulli(n)
		b.random = script(random)
		got := b.next()
		for i := range 64 {
			if want := plainly(n, words, i); got>>i&1 == 1 != want {
				t.Fatalf("n = %d: bit %d is %v, want %v", n, i, !want, want)
			}
		}
	})
}

// Where U and p agree in all digits but the last ones, those decide; U = p is not below p.
func TestFlipsAtTheBoundary(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 0x12345678, 0x40000000, 0x7fffffff, 1 << 31} {
		for lane, u := range []uint64{n - 1, n, n + 1, 0, FlipSteps - 1} {
			random := make([]byte, 256)
			for digit := range 32 {
				// The other bits of a word are 1: they are decided early, and must not be touched again.
				word := ^uint64(0) &^ (1 << lane)
				word |= u >> (31 - digit) & 1 << lane
				binary.LittleEndian.PutUint64(random[8*digit:], word)
			}
			b := NewBernoulli(n)
			b.random = script(random)
			want := uint64(0)
			if u < n {
				want = 1 << lane
			}
			if got := b.next(); got != want {
				t.Errorf("n = %d, U = %d: bits %x, want %x", n, u, got, want)
			}
		}
	}
}

func TestFlipsOutOfRange(t *testing.T) {
	for _, n := range []uint64{0, FlipSteps/2 + 1, FlipSteps, math.MaxUint64} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("n = %d makes a Bernoulli", n)
				}
			}()
			NewBernoulli(n)
		}()
	}
}

func TestFlipsAreTheOperatingSystems(t *testing.T) {
	if b := NewBernoulli(1); b.random.reader != newSource().reader {
		t.Error("a Bernoulli does not read crypto/rand")
	}
}

// flipDraws is how many times flipFaults draws the bits of 256 positions.
const flipDraws = 40_000

// flipFaults draws 256 bits again and again and compares, by χ², with independent bits of probability p: how often each
// position is 1, how many are 1 in a draw, and how often neighbours, and bits 64 apart, are 1 together. A right sampler
// fails each of the five comparisons with a probability of at most 10⁻⁶.
func flipFaults(fill func([]uint64), p float64) (faults []string) {
	const positions = 256
	ones, near, far := make([]int, positions), make([]int, positions), make([]int, positions)
	inDraw := make([]int, positions+1)
	words := make([]uint64, positions/64)
	for range flipDraws {
		fill(words)
		sum := 0
		for i := range positions {
			if words[i/64]>>(i%64)&1 == 0 {
				continue
			}
			sum++
			ones[i]++
			if j := (i + 1) % positions; words[j/64]>>(j%64)&1 == 1 {
				near[i]++
			}
			if j := (i + 64) % positions; words[j/64]>>(j%64)&1 == 1 {
				far[i]++
			}
		}
		inDraw[sum]++
	}
	each := func(what string, counts []int, p float64) {
		statistic := 0.0
		for _, count := range counts {
			difference := float64(count) - flipDraws*p
			statistic += difference * difference / (flipDraws * p * (1 - p))
		}
		if statistic > chiSquareLimit(len(counts)) {
			faults = append(faults, what)
		}
	}
	each("ones of a position", ones, p)
	// Pairs that share a bit are not independent of each other: only such that share none are compared together.
	for parity := range 2 {
		var pairs []int
		for i := parity; i < positions; i += 2 {
			pairs = append(pairs, near[i])
		}
		each("neighbours", pairs, p*p)
	}
	each("bits 64 apart", slices.Concat(far[:64], far[128:192]), p*p)
	if statistic, degrees := chiSquare(inDraw, binomial(positions, p), flipDraws); statistic > chiSquareLimit(degrees) {
		faults = append(faults, "ones of a draw")
	}
	return faults
}

// binomial returns the probabilities of 0, …, n ones of n independent bits.
func binomial(n int, p float64) []float64 {
	probabilities := make([]float64, n+1)
	for k := range probabilities {
		all, _ := math.Lgamma(float64(n + 1))
		chosen, _ := math.Lgamma(float64(k + 1))
		others, _ := math.Lgamma(float64(n - k + 1))
		probabilities[k] = math.Exp(all - chosen - others + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	}
	return probabilities
}

func TestFlips(t *testing.T) {
	for _, p := range []float64{0.5, 0.25, 0.1, 0.375, 1.0 / 3} {
		n := uint64(math.Ceil(p * FlipSteps))
		if faults := flipFaults(flipsOfFixedStream(n).Fill, p); len(faults) > 0 {
			t.Errorf("p = %v: %v", p, faults)
		}
	}
}

// The test above finds what it is for.
func TestBrokenFlips(t *testing.T) {
	const n = FlipSteps / 3
	for name, broken := range map[string]func(words []uint64){
		"a little too often": flipsOfFixedStream(n + n/100).Fill,
		"one position never": spoil(n, func(words []uint64) { words[1] &^= 1 << 7 }),
		"words twice":        spoil(n, func(words []uint64) { words[2] = words[1] }),
		"words turned":       spoil(n, func(words []uint64) { words[3] = bits.RotateLeft64(words[0], 1) }),
		"neighbours alike":   spoil(n, func(words []uint64) { words[0] = words[0] & 0x5555555555555555 * 3 }),
	} {
		if faults := flipFaults(broken, 1.0/3); len(faults) == 0 {
			t.Errorf("%s: not found", name)
		}
	}
}

// spoil returns a Fill whose words are changed after they were drawn.
func spoil(n uint64, change func([]uint64)) func([]uint64) {
	b := flipsOfFixedStream(n)
	return func(words []uint64) {
		b.Fill(words)
		change(words)
	}
}

func BenchmarkFlips(b *testing.B) {
	for name, n := range map[string]uint64{"quarter": FlipSteps / 4, "any": 0x12345679} {
		b.Run(name, func(b *testing.B) {
			flips, words := NewBernoulli(n), make([]uint64, 125)
			for b.Loop() {
				flips.Fill(words)
			}
			b.ReportMetric(float64(b.N)*8000/b.Elapsed().Seconds()/1e6, "Mbit/s")
		})
	}
}
