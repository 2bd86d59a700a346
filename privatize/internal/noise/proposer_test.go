package noise

import (
	"encoding/binary"
	"math"
	"math/bits"
	"testing"
)

// word is the one that propose reads for j, u, the first digit of the acceptance and the sign. The last of its 22 bits
// for the table, which decide, are in the middle of j's.
func (p *proposer) word(j int, u, digit uint64, negative bool) []byte {
	from := uint64(0)
	if j > 0 {
		from = p.table.below[j-1]
	}
	r := (from+(p.table.below[j]-from)/2)>>42<<42 | digit<<25 | u
	if negative {
		r |= 1 << 41
	}
	return words(r)
}

func words(w ...uint64) (b []byte) {
	for _, x := range w {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

// digits are more random digits.
func digits(d ...uint16) (b []byte) {
	for _, x := range d {
		b = binary.LittleEndian.AppendUint16(b, x)
	}
	return b
}

// A scripted draw is what Next gives with the random bits of a script, all of which it must use.
type scripted struct {
	name   string
	script [][]byte
	want   int64
}

func checkScripted(t *testing.T, s Sampler, draws []scripted) {
	t.Helper()
	for _, c := range draws {
		var b []byte
		for _, part := range c.script {
			b = append(b, part...)
		}
		random := script(b)
		proposerOf(s).random = random
		if got := s.Next(); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
		if random.rest != 0 {
			t.Errorf("%s: %d random bytes were not asked for", c.name, random.rest)
		}
	}
}

// allScales are the ends of the range, and where w changes.
func allScales() []uint64 {
	scales := []uint64{1, 127, 130, 191, 192, 193, 1000, 3 << 29, MaxScale - 1, MaxScale}
	for power := 7; power < 31; power += 3 {
		scales = append(scales, 1<<power-1, 1<<power, 1<<power+1)
	}
	return scales
}

// u fits the bits below the digit, and w the bound that the proofs use.
func TestWidths(t *testing.T) {
	for _, scale := range allScales() {
		p := newProposer(scale, func(width uint64) law { return law{n: 1, d: 1} })
		width := uint64(1) << p.shift
		if width > 1<<25 || width > max(1, scale/64) || scale > 128*width {
			t.Errorf("scale %d: width %d", scale, width)
		}
	}
}

// With w = 1 a draw is one word, and 0 has either sign.
func TestNextOfWidthOne(t *testing.T) {
	for _, k := range kinds {
		s := k.make(100)
		p := proposerOf(s)
		checkScripted(t, s, []scripted{
			{k.name + ": zero", [][]byte{p.word(0, 0, 0, false)}, 0},
			{k.name + ": also zero", [][]byte{p.word(0, 0, 0, true)}, 0},
			{k.name + ": positive", [][]byte{p.word(3, 0, 0, false)}, 3},
			{k.name + ": negative", [][]byte{p.word(70, 0, 0, true)}, -70},
			{k.name + ": 22 bits tie", [][]byte{words(p.table.below[0]>>42<<42, 0)}, 0},
			{k.name + ": 22 bits tie, the others are above", [][]byte{words(p.table.below[0]>>42<<42, 1<<42-1)}, 1},
		})
	}
}

// Where the acceptance is not asked, it could not have said no, for each j of the table and the largest u; and where it
// is, its exponent is below 1 and nothing overflows.
func TestNextAsksWheneverItCouldReject(t *testing.T) {
	check := func(name string, scale uint64, j int, high, n, d, limit uint64) {
		t.Helper()
		if high != 0 || n >= d || d > 1<<63 {
			t.Fatalf("%s, scale %d, j = %d: exponent %d·2^64 + %d over %d", name, scale, j, high, n, d)
		}
		if digit, _ := bits.Div64(n>>48, n<<16, d); n > 0 && digit >= limit {
			t.Fatalf("%s, scale %d, j = %d: digit %d may reject, asked below %d", name, scale, j, digit, limit)
		}
	}
	for _, scale := range allScales() {
		g, l := NewGaussian(scale), NewLaplace(scale)
		u := uint64(1)<<g.shift - 1
		for j, limit := range g.reject {
			high, n := bits.Mul64(u, 2*uint64(j)<<g.shift+u)
			check("Gaussian", scale, j, high, n, 2*scale*scale, uint64(limit))
		}
		check("Laplace", scale, 0, 0, u, scale, l.reject)
		if len(g.reject) != len(g.table.below) {
			t.Fatalf("scale %d: %d limits for %d entries", scale, len(g.reject), len(g.table.below))
		}
		if high, _ := bits.Mul64(u, 2<<g.shift); high != 0 { // beyond the table
			t.Fatalf("scale %d: 2uw overflows", scale)
		}
		if math.MaxInt64>>g.shift < 1<<32 {
			t.Fatalf("scale %d: w·j overflows for a j that find can give", scale)
		}
	}
}
