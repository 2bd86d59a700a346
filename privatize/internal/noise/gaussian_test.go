package noise

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	"math/bits"
	stdrand "math/rand"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// The statistical tests below draw from a fixed stream, so they give the same answer each time. With a fresh stream a
// right sampler would fail each of their comparisons with a probability of at most 10⁻⁶.
const (
	logFalseRejection = 13.816 // −ln 10⁻⁶
	normalQuantile    = 4.892  // P[|Z| > 4.892] = 10⁻⁶
)

// fixedStream returns a Gaussian whose random bits are ChaCha8 of a fixed key.
func fixedStream(scale uint64) *Gaussian {
	g := NewGaussian(scale)
	g.random = &source{reader: rand.NewChaCha8([32]byte{byte(scale), byte(scale >> 8), 1})}
	return g
}

// chiSquareLimit is above a χ² of that many degrees of freedom but with probability 10⁻⁶: Laurent and Massart, Adaptive
// estimation of a quadratic functional by model selection (2000), lemma 1.
func chiSquareLimit(degrees int) float64 {
	k := float64(degrees)
	return k + 2*math.Sqrt(k*logFalseRejection) + 2*logFalseRejection
}

// exactly returns P[x] of what Next gives, worked out from its table and its acceptance without a draw.
func exactly(g *Gaussian) func(x uint64) float64 {
	cumulative := g.table.cumulative()
	accepted := func(j int, u uint64) float64 { // and the draw (j, u), of either sign
		p := new(big.Int).Set(cumulative[j])
		if j > 0 {
			p.Sub(p, cumulative[j-1])
		}
		f, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(p), -256-g.shift).Float64()
		return f * math.Exp(-float64(u*(2*uint64(j)<<g.shift+u))/float64(2*g.scale*g.scale))
	}
	sum := -accepted(0, 0) / 2 // −0 is drawn again
	for j := range cumulative {
		inner := 0.0
		p := accepted(j, 0)
		for u := range uint64(1) << g.shift {
			inner += math.Exp(-float64(u*(2*uint64(j)<<g.shift+u)) / float64(2*g.scale*g.scale))
		}
		sum += p * inner
	}
	return func(x uint64) float64 {
		j := int(x >> g.shift)
		if j >= len(cumulative) {
			return 0
		}
		return accepted(j, x&(1<<g.shift-1)) / (2 * sum)
	}
}

func TestGolden(t *testing.T) {
	var golden struct {
		Rows []struct {
			Sigma     uint64
			PMF       map[string]float64
			UpperTail map[string]float64 `json:"upper_tail"`
		}
	}
	b, err := os.ReadFile("testdata/discrete_gaussian.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Rows) < 8 {
		t.Fatalf("%d rows", len(golden.Rows))
	}
	for _, row := range golden.Rows {
		p := exactly(NewGaussian(row.Sigma))
		for key, want := range row.PMF {
			near(t, "σ = %d, P[%d]", row.Sigma, number64(t, key), p(number64(t, key)), want)
		}
		for key, want := range row.UpperTail {
			sum := 0.0
			for x := number64(t, key) + 20*row.Sigma; x >= number64(t, key); x-- {
				sum += p(x) // the small ones first
			}
			near(t, "σ = %d, P[X ≥ %d]", row.Sigma, number64(t, key), sum, want)
		}
	}
}

func number64(t *testing.T, s string) uint64 {
	t.Helper()
	x, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func near(t *testing.T, format string, sigma, x uint64, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*want) {
		t.Errorf(format+" = %.17g, want %.17g", sigma, x, got, want)
	}
}

// chiSquare compares counts with probabilities; bins in which fewer than 10 are expected are counted together.
func chiSquare(counts []int, probabilities []float64, draws int) (statistic float64, degrees int) {
	pooledCount, pooled := 0, 0.0
	add := func(count int, expected float64) {
		statistic += (float64(count) - expected) * (float64(count) - expected) / expected
		degrees++
	}
	for i, p := range probabilities {
		if expected := p * float64(draws); expected >= 10 {
			add(counts[i], expected)
		} else {
			pooledCount, pooled = pooledCount+counts[i], pooled+expected
		}
	}
	if pooled > 1 {
		add(pooledCount, pooled)
	}
	return statistic, degrees - 1
}

// Small scales, number by number. The far tails are one bin together, of which at least one number is expected.
func TestNextOfSmallScales(t *testing.T) {
	const draws = 300_000
	for _, scale := range []uint64{1, 2, 3, 10, 63, 64, 127, 128, 129, 200} {
		g := fixedStream(scale)
		p := exactly(g)
		reach := 20 * int(scale)
		counts, probabilities := make([]int, 2*reach+1), make([]float64, 2*reach+1)
		for i := range probabilities {
			probabilities[i] = p(uint64(max(i-reach, reach-i)))
		}
		for range draws {
			counts[int(g.Next())+reach]++
		}
		if got, degrees := chiSquare(counts, probabilities, draws); got > chiSquareLimit(degrees) {
			t.Errorf("σ = %d: χ² = %.1f with %d degrees of freedom", scale, got, degrees)
		}
	}
}

// Large scales in bins of a quarter of the table's width, so that the law within a step of the table counts too. The
// sum of probabilities between two numbers is the normal integral between their middles, to a few 10⁻⁵ of itself here.
func TestNextOfLargeScales(t *testing.T) {
	const draws = 700_000
	for _, scale := range []uint64{1000, 1<<20 - 1, 1 << 20, MaxScale} {
		g := fixedStream(scale)
		width := int64(1) << max(0, g.shift-2)
		half := 6 * int64(scale) / width
		counts, probabilities := make([]int, 2*half), make([]float64, 2*half)
		for i := range probabilities {
			from := float64((int64(i)-half)*width) - 0.5
			probabilities[i] = normalBetween(from/float64(scale), (from+float64(width))/float64(scale))
		}
		for range draws {
			if i := floorDivide(g.Next(), width) + half; i >= 0 && i < 2*half {
				counts[i]++ // beyond 6σ lie 2·10⁻⁹
			}
		}
		if got, degrees := chiSquare(counts, probabilities, draws); got > chiSquareLimit(degrees) {
			t.Errorf("σ = %d: χ² = %.1f with %d degrees of freedom", scale, got, degrees)
		}
	}
}

// Within a step of the table, of σ/64, the lower half has 0.16 % more than the upper: what the acceptance is for. A bin
// of the test above is too small to show it; all halves together show it at 7 standard errors.
func TestHalvesOfAStep(t *testing.T) {
	const draws, scale = 5_000_000, 1 << 20
	g := fixedStream(scale)
	half := int64(1) << (g.shift - 1)
	lower, p := 0, 0.0
	for range draws {
		if x := g.Next(); max(x, -x)/half%2 == 0 {
			lower++
		}
	}
	for from := int64(0); from < 10*scale; from += 2 * half {
		p += 2 * normalBetween(float64(from)/scale, float64(from+half)/scale)
	}
	if z := (float64(lower) - p*draws) / math.Sqrt(draws*p*(1-p)); math.Abs(z) > normalQuantile {
		t.Errorf("lower halves are off by %.1f standard errors", z)
	}
}

func floorDivide(x, width int64) int64 {
	if x < 0 {
		return -((-x + width - 1) / width)
	}
	return x / width
}

// normalBetween is Φ(b) − Φ(a) without loss of digits in the tails.
func normalBetween(a, b float64) float64 {
	if a > 0 {
		a, b = -b, -a
	}
	return (math.Erfc(-b/math.Sqrt2) - math.Erfc(-a/math.Sqrt2)) / 2
}

// The mean, the variance and the sign. From σ = 10 on the moments are those of the normal distribution to all digits
// (testdata/discrete_gaussian.json): 0, σ², 3σ⁴, so that x² has variance 2σ⁴.
func TestMoments(t *testing.T) {
	const draws = 500_000
	for _, scale := range []uint64{10, 12345, 1 << 25, MaxScale} {
		g := fixedStream(scale)
		sum, squares, positive, zero := 0.0, 0.0, 0, 0
		for range draws {
			x := float64(g.Next()) / float64(scale)
			sum, squares = sum+x, squares+x*x
			if x > 0 {
				positive++
			}
			if x == 0 {
				zero++
			}
		}
		n := float64(draws)
		for name, z := range map[string]float64{
			"mean":     sum / math.Sqrt(n),
			"variance": (squares - n) / math.Sqrt(2*n),
			"sign":     (float64(positive) - (n-float64(zero))/2) / math.Sqrt((n-float64(zero))/4),
		} {
			if math.Abs(z) > normalQuantile {
				t.Errorf("σ = %d: %s is off by %.1f standard errors", scale, name, z)
			}
		}
	}
}

// Two samples, one of ours and one of the plain twin, in bins of σ/4. With equal sizes (a−b)²/(a+b) adds up to χ².
func TestAgainstReference(t *testing.T) {
	const draws = 20_000
	for _, scale := range []int64{1, 5, 130, 1 << 20} {
		ours, theirs := fixedStream(uint64(scale)), reference{stdrand.New(stdrand.NewSource(scale))}
		width := max(1, scale/4)
		var a, b [49]float64
		bin := func(x int64) int { return int(min(max(floorDivide(x, width), -24), 24)) + 24 }
		for range draws {
			a[bin(ours.Next())]++
			b[bin(theirs.gaussian(scale))]++
		}
		statistic, bins := 0.0, 0
		for i := range a {
			if a[i]+b[i] >= 10 {
				statistic += (a[i] - b[i]) * (a[i] - b[i]) / (a[i] + b[i])
				bins++
			}
		}
		if statistic > chiSquareLimit(bins-1) {
			t.Errorf("σ = %d: χ² = %.1f with %d degrees of freedom", scale, statistic, bins-1)
		}
	}
}

func TestBernoulliExp(t *testing.T) {
	const draws = 200_000
	g := fixedStream(1)
	for _, c := range []struct{ n, d uint64 }{
		{0, 1}, {1, 1 << 40}, {1, 100}, {1, 3}, {9, 10}, {1<<63 - 1, 1 << 63}, {12345678901, 1 << 35},
	} {
		p := math.Exp(-float64(c.n) / float64(c.d))
		count := 0
		for range draws {
			if g.bernoulliExp(c.n, c.d, g.random.uint16()) {
				count++
			}
		}
		expected := p * draws
		if math.Abs(float64(count)-expected) > normalQuantile*math.Sqrt(expected*(1-p))+1 {
			t.Errorf("exp(−%d/%d): %d of %d, expected %.1f", c.n, c.d, count, draws, expected)
		}
	}
}

// FuzzBernoulli compares with the definition. The random digits stand for U = 0.d₁d₂…dₘ in base 2^16, and all ones
// after that, which is (D+1)/2^(16m) for the number D that the digits spell. U < n/d, but for U = n/d, where the digits
// of U are the smaller ones.
func FuzzBernoulli(f *testing.F) {
	f.Add(uint64(1), uint64(2), uint16(0x7fff), []byte{})
	f.Add(uint64(1), uint64(2), uint16(0x8000), []byte{0, 0})
	f.Add(uint64(1), uint64(3), uint16(0x5555), []byte{0x55, 0x55, 0x54, 0x55})
	f.Add(uint64(0), uint64(1), uint16(0), []byte{0, 0, 0, 0})
	f.Add(uint64(1<<63-1), uint64(1<<63), uint16(0xffff), []byte{0xff, 0xff, 0xff, 0xff, 0xfd, 0xff})
	f.Add(uint64(5), uint64(32768), uint16(10), []byte{0, 0})
	f.Fuzz(func(t *testing.T, n, d uint64, digit uint16, rest []byte) {
		d = max(1, d%(1<<63+1))
		n %= d
		rest = rest[:min(len(rest), 64)&^1]
		g := &Gaussian{random: script(rest)}
		g.random.reader = repeat(0xff)
		u := big.NewInt(int64(digit))
		for i := 0; i < len(rest); i += 2 {
			u.Lsh(u, 16).Or(u, big.NewInt(int64(binary.LittleEndian.Uint16(rest[i:]))))
		}
		u.Add(u, big.NewInt(1)).Mul(u, new(big.Int).SetUint64(d))
		limit := new(big.Int).SetUint64(n)
		limit.Lsh(limit, uint(16+8*len(rest)))
		if got, want := g.bernoulli(n, d, uint64(digit)), u.Cmp(limit) <= 0; got != want {
			t.Fatalf("Bernoulli(%d/%d) of %x %x is %v", n, d, digit, rest, got)
		}
	})
}

// What Next rests on for each j of the table and the largest u: the exponent is below 1, nothing overflows, and a first
// digit that is not asked about could not have rejected.
func TestNextAsksWheneverItCouldReject(t *testing.T) {
	scales := []uint64{1, 127, 130, 191, 192, 193, 1000, 3 << 29, MaxScale - 1, MaxScale}
	for power := 7; power < 31; power += 3 {
		scales = append(scales, 1<<power-1, 1<<power, 1<<power+1)
	}
	for _, scale := range scales {
		g := NewGaussian(scale)
		for j := range g.table.first {
			u := uint64(1)<<g.shift - 1
			high, n := bits.Mul64(u, 2*uint64(j)<<g.shift+u)
			d := 2 * scale * scale
			if high != 0 || n >= d || d > 1<<63 {
				t.Fatalf("σ = %d, j = %d: exponent %d·2^64 + %d over %d", scale, j, high, n, d)
			}
			if digit, _ := bits.Div64(n>>48, n<<16, d); n > 0 && digit >= uint64(g.reject[j]) {
				t.Fatalf("σ = %d, j = %d: digit %d may reject, asked below %d", scale, j, digit, g.reject[j])
			}
		}
	}
}

// A draw is words for Next: U, then u, the first digit of the acceptance, and the sign.
func (g *Gaussian) draw(j int, u, digit uint64, negative bool) []byte {
	first := uint64(0)
	if j > 0 {
		first = g.table.first[j-1] + 1
	}
	r := u | digit<<40
	if negative {
		r |= 1 << 63
	}
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, first), r)
}

// digits are more random digits.
func digits(d ...uint16) (b []byte) {
	for _, x := range d {
		b = binary.LittleEndian.AppendUint16(b, x)
	}
	return b
}

// Each branch of Next. At σ = 128 the width is 2; x = 3 is j = 1 and u = 1, with the exponent 1·(2·2·1 + 1)/(2·128²) =
// 5/32768, of which the first digit in base 2^16 is 10 and the others 0. The largest exponent of j = 1 is below
// 12/32768, with the digit 24.
func TestNextTakesEachBranch(t *testing.T) {
	g := NewGaussian(128)
	last := len(g.table.first) - 1
	ones := uint64(1<<64 - 1)
	tail := binary.LittleEndian.AppendUint64(nil, ones) // the first word of U, and as it ties, the others
	for range words - 1 {
		tail = binary.LittleEndian.AppendUint64(tail, ones)
	}
	tail = append(tail, g.draw(0, 0, 0xffff, true)[8:]...)
	for _, c := range []struct {
		name   string
		script [][]byte
		want   int64
	}{
		{"digit not asked about", [][]byte{g.draw(1, 1, 25, false)}, 3},
		{"digit fails the first trial", [][]byte{g.draw(1, 1, 24, false)}, 3},
		{"negative", [][]byte{g.draw(1, 1, 25, true)}, -3},
		{"u = 0 has exponent 0", [][]byte{g.draw(1, 0, 0, false), digits(1)}, 2},
		{"zero", [][]byte{g.draw(0, 0, 0xffff, false)}, 0},
		{"−0 is drawn again", [][]byte{g.draw(0, 0, 0xffff, true), g.draw(2, 0, 0xffff, true)}, -4},
		{"second trial fails at 1/2: rejected", [][]byte{
			g.draw(1, 1, 3, true), digits(0xffff),
			g.draw(2, 1, 0xffff, false),
		}, 5},
		{"second trial fails at 5/32768: rejected", [][]byte{
			g.draw(1, 1, 3, true), digits(0, 11),
			g.draw(0, 1, 0xffff, false),
		}, 1},
		{"third trial fails: accepted", [][]byte{g.draw(1, 1, 3, true), digits(0, 0, 0xffff)}, -3},
		{"fourth trial fails: rejected", [][]byte{
			g.draw(1, 1, 3, true), digits(0, 0, 0, 0, 0xffff),
			g.draw(3, 0, 0xffff, false),
		}, 6},
		{"first digits equal: the second fails", [][]byte{g.draw(1, 1, 10, false), digits(1)}, 3},
		{"two digits equal: the third fails", [][]byte{g.draw(1, 1, 10, false), digits(0, 1)}, 3},
		{"last of the table", [][]byte{tail}, int64(-2 * last)},
	} {
		var b []byte
		for _, part := range c.script {
			b = append(b, part...)
		}
		g.random = script(b)
		if got := g.Next(); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
		if g.random.rest != 0 {
			t.Errorf("%s: %d random bytes were not asked for", c.name, g.random.rest)
		}
	}
}

func TestScaleOutOfRange(t *testing.T) {
	for _, scale := range []uint64{0, MaxScale + 1, math.MaxUint64} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("σ = %d: no panic", scale)
				}
			}()
			NewGaussian(scale)
		}()
	}
}

func BenchmarkNext(b *testing.B) {
	for _, scale := range []uint64{1, 100, 1 << 20, MaxScale} {
		b.Run(strconv.FormatUint(scale, 10), func(b *testing.B) {
			g := NewGaussian(scale)
			for b.Loop() {
				g.Next()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "draws/s")
		})
	}
}

// What the plain twin costs.
func BenchmarkReference(b *testing.B) {
	r := reference{stdrand.New(stdrand.NewSource(1))}
	for b.Loop() {
		r.gaussian(1 << 20)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "draws/s")
}
