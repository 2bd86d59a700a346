package noise

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	stdrand "math/rand"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
)

// A kind is one of the two samplers, with what its tests need.
type kind struct {
	name string
	make func(scale uint64) Sampler
	// distribution is that of a scale; exponent is minus the logarithm of the acceptance of (j, u).
	distribution func(scale uint64) distribution
	exponent     func(scale, width, j, u uint64) float64
	reference    func(r reference, scale int64) int64
	golden       string
}

var kinds = []kind{
	{
		"Gaussian", func(scale uint64) Sampler { return NewGaussian(scale) }, discreteGaussian,
		func(scale, width, j, u uint64) float64 {
			return float64(u) * float64(2*width*j+u) / (2 * float64(scale) * float64(scale))
		},
		reference.gaussian, "testdata/discrete_gaussian.json",
	},
	{
		"Laplace", func(scale uint64) Sampler { return NewLaplace(scale) }, discreteLaplace,
		func(scale, _, _, u uint64) float64 { return float64(u) / float64(scale) },
		reference.laplace, "testdata/discrete_laplace.json",
	},
}

func proposerOf(s Sampler) *proposer {
	if g, ok := s.(*Gaussian); ok {
		return &g.proposer
	}
	return &s.(*Laplace).proposer
}

// fixedStream returns a source of ChaCha8 with a fixed key.
func fixedStream(key uint64) *source {
	seed := [32]byte{31: 1}
	binary.LittleEndian.PutUint64(seed[:], key)
	return &source{reader: rand.NewChaCha8(seed)}
}

// onFixedStream returns a sampler whose random bits are those of a fixed stream.
func (k kind) onFixedStream(scale uint64) Sampler {
	s := k.make(scale)
	proposerOf(s).random = fixedStream(scale)
	return s
}

// exactly returns P[x] of what Next gives, worked out from its law and its acceptance without a draw.
func (k kind) exactly(s Sampler, scale uint64) func(x uint64) float64 {
	p := proposerOf(s)
	width := uint64(1) << p.shift
	below := p.table.law.below(512)
	chance := func(j int) float64 { // of j, and either sign
		difference := new(big.Int).Set(below[j])
		if j > 0 {
			difference.Sub(difference, below[j-1])
		}
		f, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(difference), -513).Float64()
		return f
	}
	sum := 0.0
	for j := range below {
		inner := 0.0
		for u := range width {
			inner += math.Exp(-k.exponent(scale, width, uint64(j), u))
		}
		sum += 2 * chance(j) * inner
	}
	zero := chance(0)
	if p.shift > 0 {
		sum -= zero // −0 is drawn again
	} else {
		zero *= 2
	}
	return func(x uint64) float64 {
		switch j := x >> p.shift; {
		case x == 0:
			return zero / sum
		case j >= uint64(len(below)):
			return 0
		default:
			return chance(int(j)) * math.Exp(-k.exponent(scale, width, j, x&(width-1))) / sum
		}
	}
}

// What Next gives is exactly the distribution, and so are the distributions that the samples below are compared with.
func TestGolden(t *testing.T) {
	for _, k := range kinds {
		var golden struct {
			Rows []struct {
				Scale     uint64
				Variance  float64
				Fourth    float64 `json:"fourth_moment"`
				PMF       map[string]float64
				UpperTail map[string]float64 `json:"upper_tail"`
			}
		}
		b, err := os.ReadFile(k.golden)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &golden); err != nil {
			t.Fatal(err)
		}
		if len(golden.Rows) < 5 {
			t.Fatalf("%d rows", len(golden.Rows))
		}
		for _, row := range golden.Rows {
			near := func(what string, got, want, share float64) {
				t.Helper()
				if !(math.Abs(got-want) <= share*want) {
					t.Errorf("%s %d: %s = %.17g, want %.17g", k.name, row.Scale, what, got, want)
				}
			}
			p, d := k.exactly(k.make(row.Scale), row.Scale), k.distribution(row.Scale)
			near("variance", d.variance, row.Variance, 1e-12)
			near("fourth moment", d.fourth, row.Fourth, 1e-12)
			for key, want := range row.PMF {
				near("P["+key+"]", p(number(t, key)), want, 1e-12)
				if x := float64(number(t, key)); want > 1e-12 {
					near("P["+key+"] of the distribution", d.between(x, x+1), want, 1e-6)
				}
			}
			for key, want := range row.UpperTail {
				near("P[X ≥ "+key+"] of the distribution", d.upper(float64(number(t, key))), want, 1e-9)
			}
		}
	}
}

func number(t *testing.T, s string) uint64 {
	t.Helper()
	x, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// sampleSize is how many numbers of a sampler are compared with its distribution: so many that a scale that is 1 % too
// small is 7 standard errors off.
const sampleSize = 600_000

func TestSamples(t *testing.T) {
	for _, k := range kinds {
		for _, scale := range []uint64{1, 2, 10, 127, 128, 1000, 1<<20 - 1, MaxScale} {
			t.Run(k.name+strconv.FormatUint(scale, 10), func(t *testing.T) {
				t.Parallel()
				next := k.onFixedStream(scale).Next
				if faults := k.distribution(scale).faults(next, sampleSize); len(faults) > 0 {
					t.Errorf("fails %v", faults)
				}
			})
		}
	}
}

// The same comparisons refuse samplers that are wrong, each by the statistic that is for it.
func TestBrokenSamples(t *testing.T) {
	changed := func(change func(k kind, scale uint64, s Sampler) func() int64) func(kind, uint64) func() int64 {
		return func(k kind, scale uint64) func() int64 { return change(k, scale, k.onFixedStream(scale)) }
	}
	broken := []struct {
		name   string
		scales []uint64
		next   func(k kind, scale uint64) func() int64
		fault  string
	}{
		{"scale × 0.99", []uint64{100, 1 << 20}, func(k kind, scale uint64) func() int64 {
			return k.onFixedStream(scale * 99 / 100).Next
		}, "variance"},
		{"−0 counts", []uint64{1, 127}, changed(func(_ kind, _ uint64, s Sampler) func() int64 {
			p := proposerOf(s)
			p.table.law.half = false
			p.table = newTable(p.table.law)
			return s.Next
		}), "zero"},
		{"0 counts half", []uint64{10}, changed(func(_ kind, _ uint64, s Sampler) func() int64 {
			return func() int64 { // half of what 0 has is drawn again
				for {
					if x := s.Next(); x != 0 || proposerOf(s).random.uint16()%2 == 0 {
						return x
					}
				}
			}
		}), "zero"},
		{"51 % positive", []uint64{1 << 20}, changed(func(_ kind, _ uint64, s Sampler) func() int64 {
			return func() int64 {
				if x := s.Next(); x > 0 || proposerOf(s).random.uint16() >= 1<<16/50 {
					return x
				} else {
					return -x
				}
			}
		}), "sign"},
		{"each number twice", []uint64{100}, changed(func(_ kind, _ uint64, s Sampler) func() int64 {
			x, again := int64(0), true
			return func() int64 {
				if again = !again; !again {
					x = s.Next()
				}
				return x
			}
		}), "neighbours"},
		{"cut off at 3 deviations", []uint64{MaxScale}, changed(func(k kind, scale uint64, s Sampler) func() int64 {
			limit := int64(3 * math.Sqrt(k.distribution(scale).variance))
			return func() int64 { return min(max(s.Next(), -limit), limit) }
		}), "χ²"},
		{"rounded to twos", []uint64{2}, changed(func(_ kind, _ uint64, s Sampler) func() int64 {
			return func() int64 { return s.Next() / 2 * 2 }
		}), "Kolmogorov-Smirnov"},
		{"half a step too much", []uint64{10}, changed(func(_ kind, _ uint64, s Sampler) func() int64 {
			return func() int64 { return s.Next() + int64(proposerOf(s).random.uint16()&1) }
		}), "mean"},
	}
	for _, k := range kinds {
		for _, b := range broken {
			for _, scale := range b.scales {
				t.Run(k.name+strconv.FormatUint(scale, 10)+" "+b.name, func(t *testing.T) {
					t.Parallel()
					faults := k.distribution(scale).faults(b.next(k, scale), sampleSize)
					if !slices.Contains(faults, b.fault) {
						t.Errorf("passes %s: fails only %v", b.fault, faults)
					}
				})
			}
		}
	}
}

// lowerHalves returns how many standard errors the share of numbers in lower halves of the table's steps is off. Of
// σ/64 or t/64, a step's lower half has 0.16 % or 0.8 % more than the upper: what the acceptance is for. A bin of the
// tests above is too small to show it; all halves together show it at 7 standard errors or more.
func (k kind) lowerHalves(s Sampler, draws int) float64 {
	const scale = 1 << 20
	half := int64(1) << (proposerOf(s).shift - 1)
	lower := 0
	for range draws {
		if x := s.Next(); max(x, -x)/half%2 == 0 {
			lower++
		}
	}
	d := k.distribution(scale)
	p := d.between(0, float64(half)) + d.upper(1) - d.upper(float64(half))
	for from := 2 * half; from < 40*scale; from += 2 * half {
		p += 2 * d.between(float64(from), float64(from+half))
	}
	return (float64(lower) - p*float64(draws)) / math.Sqrt(float64(draws)*p*(1-p))
}

func TestHalvesOfAStep(t *testing.T) {
	const draws = 5_000_000
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			s := k.onFixedStream(1 << 20)
			if z := k.lowerHalves(s, draws); math.Abs(z) > normalQuantile {
				t.Errorf("lower halves are off by %.1f standard errors", z)
			}
			switch s := s.(type) { // and without the acceptance they are
			case *Gaussian:
				clear(s.reject)
			case *Laplace:
				s.reject = 0
			}
			if z := k.lowerHalves(s, draws); math.Abs(z) <= normalQuantile {
				t.Errorf("without the acceptance lower halves are off by %.1f standard errors", z)
			}
		})
	}
}

func TestAgainstReference(t *testing.T) {
	const draws = 20_000
	for _, k := range kinds {
		for _, scale := range []int64{1, 5, 130, 1 << 20} {
			r := reference{stdrand.New(stdrand.NewSource(scale))}
			twoSamples(t, k.name, scale, draws, k.onFixedStream(uint64(scale)).Next,
				func() int64 { return k.reference(r, scale) })
		}
	}
}

func TestScaleOutOfRange(t *testing.T) {
	for _, k := range kinds {
		for _, scale := range []uint64{0, MaxScale + 1, math.MaxUint64} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s of scale %d: no panic", k.name, scale)
					}
				}()
				k.make(scale)
			}()
		}
	}
}

// Through the interface, as the privatizer calls it. The claim is 10 million draws a second.
func BenchmarkNext(b *testing.B) {
	for _, k := range kinds {
		for _, scale := range []uint64{1, 100, 1 << 20, MaxScale} {
			b.Run(k.name+"/"+strconv.FormatUint(scale, 10), func(b *testing.B) {
				s := k.make(scale)
				for b.Loop() {
					s.Next()
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "draws/s")
			})
		}
	}
}

// What a sampler costs to make, once in a run.
func BenchmarkNew(b *testing.B) {
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			for b.Loop() {
				k.make(127)
			}
		})
	}
}

// What the plain twins cost.
func BenchmarkReference(b *testing.B) {
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			r := reference{stdrand.New(stdrand.NewSource(1))}
			for b.Loop() {
				k.reference(r, 1<<20)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "draws/s")
		})
	}
}
