package denoise

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// everyKernel runs a test with each kernel of this machine.
func everyKernel(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	if lacking := eachKernel(func(name string) { t.Run(name, test) }); len(lacking) > 0 {
		t.Logf("this machine cannot run %v", lacking)
	}
}

// mills returns R(z) and R′(z) as addMills gives them, from each lane.
func mills(t testing.TB, z float64) (ratio, derivative float64) {
	t.Helper()
	r, d := make([]float64, lanes), make([]float64, lanes)
	addMills(r, d, slices.Repeat([]float64{z}, lanes), make([]float64, lanes), 1, 1)
	for i := range lanes {
		if r[i] != r[0] || d[i] != d[0] {
			t.Fatalf("R(%v) is %v, R′ %v in different lanes", z, r, d)
		}
	}
	return r[0], d[0]
}

// integral returns R(z) = ∫ exp(zt − t²/2) dt over t ≥ 0, and R′(z)/R(z), the mean of t under that density, both by
// Simpson's rule.
func integral(z float64) (ratio, mean float64) {
	peak, width := max(z, 0), 1.0
	if z < -1 {
		width = -1 / z
	}
	from, to := max(0, peak-12*width), peak+40*width
	const n = 4000
	step := (to - from) / n
	top := z*peak - peak*peak/2
	for i := range n + 1 {
		weight := float64(2 + 2*(i%2))
		if i == 0 || i == n {
			weight = 1
		}
		t := from + float64(i)*step
		f := weight * step / 3 * math.Exp(z*t-t*t/2-top)
		ratio += f
		mean += t * f
	}
	return ratio * math.Exp(top), mean / ratio
}

func checkAt(t *testing.T, z float64) {
	t.Helper()
	ratio, derivative := mills(t, z)
	wantRatio, wantMean := integral(z)
	nearAt(t, "R", z, ratio, wantRatio, 1e-7)
	nearAt(t, "R′", z, derivative, wantMean*wantRatio, 1e-6)
}

// TestMills goes through z from −100 to 37, which has the ends of all rules.
func TestMills(t *testing.T) {
	everyKernel(t, func(t *testing.T) {
		for z := -100.0; z <= 37; z += 0.0371 {
			checkAt(t, z)
		}
		for _, z := range []float64{0, math.Copysign(0, -1), 5e-324, -5e-324, 1e-9, -1e-9, 37} {
			checkAt(t, z)
		}
	})
}

// FuzzMills: any z up to 37.
func FuzzMills(f *testing.F) {
	f.Add(-1e9)
	f.Add(-0.3)
	f.Add(36.9)
	f.Fuzz(func(t *testing.T, z float64) {
		if !(z >= -1e12 && z <= 37) {
			t.Skip()
		}
		checkAt(t, z)
	})
}

// TestFar: far below, R(−t) is 1/t and R′(−t) is 1/t², down to where 1/t² is no normal number.
func TestFar(t *testing.T) {
	everyKernel(t, func(t *testing.T) {
		for x := 1e7; x < 1e150; x *= 3 {
			ratio, derivative := mills(t, -x)
			nearAt(t, "R", -x, ratio, 1/x, 1e-6)
			nearAt(t, "R′", -x, derivative, 1/x/x, 2e-6)
		}
	})
}

// nearAt allows an error relative to want.
func nearAt(t *testing.T, what string, z, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s(%v) is %v, want %v", what, z, got, want)
	}
}

// FuzzKernels: each kernel gives the bits of the plain one, whatever the numbers, and adds to what is there.
func FuzzKernels(f *testing.F) {
	f.Add(uint64(1), 3.0, 1.0, 0.1, 0.3)
	f.Add(uint64(2), 30.0, 0.0, 1.0, 1.0)
	f.Add(uint64(3), 0.0, 1e30, 100.0, 1e-9)
	f.Add(uint64(4), 37.0, 1e-30, 1.0, 0.0)
	f.Fuzz(func(t *testing.T, seed uint64, scale, pull, inverse, weight float64) {
		random := rand.New(rand.NewPCG(seed, 0))
		n := lanes * (1 + random.IntN(9))
		numbers := func(of func() float64) []float64 {
			all := make([]float64, n)
			for i := range all {
				all[i] = of()
			}
			return all
		}
		ys := numbers(func() float64 { return min(scale*random.NormFloat64(), 37) })
		pulls := numbers(func() float64 { return math.Abs(pull) * random.ExpFloat64() })
		ratio, derivative := numbers(random.NormFloat64), numbers(random.NormFloat64)
		wantRatio, wantDerivative := slices.Clone(ratio), slices.Clone(derivative)
		plainAdd(wantRatio, wantDerivative, ys, pulls, math.Abs(inverse), weight)
		eachKernel(func(name string) {
			r, d := slices.Clone(ratio), slices.Clone(derivative)
			addMills(r, d, ys, pulls, math.Abs(inverse), weight)
			if !same(r, wantRatio) || !same(d, wantDerivative) {
				t.Errorf("%s: R %v, R′ %v, plain gives %v and %v", name, r, d, wantRatio, wantDerivative)
			}
		})
	})
}

// same compares bits, and takes all numbers that are not a number for one.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
	})
}

// TestMillsIsWeighted: z is y − pull·inverse, and the weighted numbers are added.
func TestMillsIsWeighted(t *testing.T) {
	everyKernel(t, func(t *testing.T) {
		ratio, derivative := []float64{1, 2, 3, 4, 5, 6, 7, 8}, []float64{5, 6, 7, 8, 9, 10, 11, 12}
		y, pull := []float64{1, -1, 0.5, 2, 0, 3, -4, 0.2}, []float64{1, 2, 3, 0.25, 1, 0, 2, 9}
		addMills(ratio, derivative, y, pull, 0.5, 0.25)
		for i := range lanes {
			r, d := mills(t, y[i]-0.5*pull[i])
			if ratio[i] != float64(i+1)+0.25*r || derivative[i] != float64(i+5)+0.25*d {
				t.Errorf("number %d: %v and %v, want %v and %v", i, ratio[i], derivative[i], float64(i+1)+0.25*r,
					float64(i+5)+0.25*d)
			}
		}
	})
}

// TestLanes: a number does not depend on those beside it, whose rule may be the other one.
func TestLanes(t *testing.T) {
	everyKernel(t, func(t *testing.T) {
		for lane := range lanes {
			for _, of := range [][2]float64{{0.75, -2}, {-2, 0.75}, {20, -1e6}, {-1e6, 20}, {-3, -5}, {-5, -3}} {
				ratio, derivative, y := make([]float64, lanes), make([]float64, lanes),
					slices.Repeat([]float64{of[1]}, lanes)
				y[lane] = of[0]
				addMills(ratio, derivative, y, make([]float64, lanes), 1, 1)
				for i, z := range y {
					if r, d := mills(t, z); ratio[i] != r || derivative[i] != d {
						t.Errorf("R(%v) is %v, R′ %v beside others; alone %v and %v", z, ratio[i], derivative[i], r, d)
					}
				}
			}
		}
	})
}

// TestLengths: a kernel would read beyond the end.
func TestLengths(t *testing.T) {
	for _, n := range [][4]int{{8, 8, 8, 16}, {8, 8, 16, 8}, {8, 16, 8, 8}, {16, 8, 8, 8}, {12, 12, 12, 12}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("slices of %v numbers are taken", n)
				}
			}()
			addMills(make([]float64, n[0]), make([]float64, n[1]), make([]float64, n[2]), make([]float64, n[3]), 1, 1)
		}()
	}
	addMills(nil, nil, nil, nil, 1, 1)
}

// TestEachKernel: the kernel of this machine comes first, each is used in its turn, and afterwards the usual one.
func TestEachKernel(t *testing.T) {
	usual := chosen
	var names []string
	lacking := eachKernel(func(name string) {
		names = append(names, name)
		if chosen.name != name {
			t.Errorf("%s is used in place of %s", chosen.name, name)
		}
	})
	if len(names) == 0 || names[0] != usual.name || names[len(names)-1] != "plain" ||
		len(names)+len(lacking) != len(kernels) || chosen != usual {
		t.Errorf("kernels %v, lacking %v, and afterwards %s; usual is %s", names, lacking, chosen.name, usual.name)
	}
}

// TestConstants computes the polynomials again: the Chebyshev series of R(−t)/u in v = 16u − 3, cut at degree 7, and of
// t²·R′(−t) in v = 32x − 1, cut at degree 5.
func TestConstants(t *testing.T) {
	u := func(v float64) float64 { return (v + 3) / 16 }
	x := func(v float64) float64 { return (v + 1) / 32 }
	near := chebyshev(func(v float64) float64 { r, _ := fraction(1/u(v) - 4); return r / u(v) }, 7)
	far := chebyshev(func(v float64) float64 { _, d := fraction(1 / math.Sqrt(x(v))); return d / x(v) }, 5)
	for v := -1.0; v <= 1; v += 1.0 / 64 {
		nearAt(t, "R(−t)/u", v, horner(0, 7, u(v)), near(v), 1e-12)
		nearAt(t, "t²·R′(−t)", v, horner(8, 13, x(v)), far(v), 1e-12)
	}
	for i, row := range constants {
		if row != each(row[0]) {
			t.Errorf("lanes of constant %d differ: %v", i, row)
		}
	}
	if k := 1024 * float64(ln2High); math.Trunc(k*(1<<11)) != k*(1<<11) {
		t.Errorf("the first part of ln 2 has more than 21 bits")
	}
}

// fraction returns R(−t) and R′(−t) by the continued fraction R(−t) = 1/(t + 1/(t + 2/(t + 3/(t + …)))) (DLMF §7.9), or
// for small t by erfc.
func fraction(t float64) (ratio, derivative float64) {
	if t <= 1 {
		ratio = math.Sqrt(math.Pi/2) * math.Erfc(t/math.Sqrt2) * math.Exp(t*t/2)
		return ratio, 1 - t*ratio
	}
	rest := t
	for n := 4000.0; n >= 2; n-- {
		rest = t + n/rest
	}
	return 1 / (t + 1/rest), 1 / rest / (t + 1/rest)
}

// TestError: the relative errors are as mills_plain.go states them, from z = −10⁶ to 37.
func TestError(t *testing.T) {
	everyKernel(t, func(t *testing.T) {
		check := func(z, ofRatio, ofDerivative float64) {
			ratio, derivative := mills(t, z)
			r, d := fraction(math.Abs(z))
			if z > 0 {
				r = math.Sqrt(2*math.Pi)*math.Exp(z*z/2) - r
				d = 1 + z*r
			}
			nearAt(t, "R", z, ratio, r, ofRatio)
			nearAt(t, "R′", z, derivative, d, ofDerivative)
		}
		for z := 0.0; z < 4; z += 1.0 / 1024 {
			check(-z, 2.5e-8, 4.4e-7)
			check(z, 3e-8, 3e-8)
		}
		for x := 0.0; x <= 1.0/16; x += 1.0 / (1 << 16) {
			check(-min(1/math.Sqrt(x), 1e6), 3e-8, 5e-7)
		}
		for z := 4.0; z <= 37; z += 1.0 / 64 {
			check(z, 3e-8, 3e-8)
		}
	})
}

// chebyshev returns the Chebyshev series of f, cut at a degree. The coefficients are by the orthogonality on nodes
// (DLMF §3.11(ii)).
func chebyshev(f func(v float64) float64, degree int) func(v float64) float64 {
	const nodes = 400
	series := make([]float64, degree+1)
	for i := range nodes {
		angle := math.Pi * (float64(i) + 0.5) / nodes
		y := f(math.Cos(angle))
		for j := range series {
			series[j] += 2.0 / nodes * y * math.Cos(float64(j)*angle)
		}
	}
	series[0] /= 2
	return func(v float64) (sum float64) {
		for j, c := range series {
			sum += c * math.Cos(float64(j)*math.Acos(v))
		}
		return sum
	}
}

// BenchmarkAdd is the time of a number, under each kernel: around 0, where each vector has all rules, and far below.
func BenchmarkAdd(b *testing.B) {
	const n = 1024
	random := rand.New(rand.NewPCG(1, 2))
	y, pull, ratio, derivative := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range y {
		y[i], pull[i] = random.NormFloat64(), 1+random.ExpFloat64()
	}
	for where, inverse := range map[string]float64{"around 0": 1, "far below": 20} {
		eachKernel(func(name string) {
			b.Run(where+"/"+name, func(b *testing.B) {
				for b.Loop() {
					addMills(ratio, derivative, y, pull, inverse, 1e-9)
				}
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/n*1e9, "ns/number")
			})
		})
	}
}

// TestBits: the bits are the same on every machine. The hash comes from an amd64 with AVX2. CI compares an arm64, too:
// its compiler would join a product and a sum in one rounding if it could.
func TestBits(t *testing.T) {
	everyKernel(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		n := 1 << 12
		y, pull, ratio, derivative := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			y[i], pull[i] = 37-float64(50*random.Float64()), 3*random.Float64()
		}
		for _, inverse := range []float64{0.1, 1, 30} {
			addMills(ratio, derivative, y, pull, inverse, 0.3)
		}
		hash := fnv.New64a()
		for i := range n {
			binary.Write(hash, binary.LittleEndian, []float64{ratio[i], derivative[i]})
		}
		if got := hash.Sum64(); got != 0x4e7c49ea3ad6c360 {
			t.Errorf("the hash of the bits is %#x", got)
		}
	})
}

// eachKernel calls do for each kernel that this machine runs, and addMills uses the kernel during the call. The
// machine's usual kernel comes first. It returns the names of the kernels that the machine lacks instructions for. It
// must not run beside addMills.
func eachKernel(do func(name string)) (lacking []string) {
	usual := chosen
	defer func() { chosen = usual }()
	for i := range kernels {
		if !kernels[i].runs {
			lacking = append(lacking, kernels[i].name)
			continue
		}
		chosen = &kernels[i].kernel
		do(kernels[i].name)
	}
	return lacking
}
