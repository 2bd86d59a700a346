package event

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// grantOfEach has a valid grant of each mechanism.
func grantOfEach() map[string]*Grant {
	grants := make(map[string]*Grant)
	for _, m := range []string{Gaussian, Laplace, Select, RandomizedResponse} {
		g := validGrant()
		g.Mechanism = m
		grants[m] = g
	}
	once := Scheme{Method: All, Rate: 1, Rounds: 1}
	s := grants[Select]
	s.MaxWords, s.Threshold, s.Scheme, s.Releases = 32, 5.5, once, 1
	s.Subject = Subject{}
	r := grants[RandomizedResponse]
	r.Adjacency, r.Clip, r.NoiseMultiplier = ReplaceOne, 0, 0
	r.MaxWords, r.Flip, r.Scheme, r.Releases = 32, 0.25, once, 1
	r.Model, r.Matrices = "", nil
	return grants
}

// TestGrantCheckMechanism breaks one rule of a mechanism each.
func TestGrantCheckMechanism(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	type change = func(*Grant)
	statistics := func(s ...Statistic) change { return func(g *Grant) { g.Statistics = s } }
	sums := map[string][]change{ // of gaussian and laplace
		"unknown claim": {func(g *Grant) { g.Claim = "mine" }},
		"flip, max_words and threshold": {
			func(g *Grant) { g.Flip = 0.5 }, func(g *Grant) { g.MaxWords = 1 }, func(g *Grant) { g.Threshold = 1 },
		},
		`statistic "a" is bounded, and no matrix`: {statistics(Statistic{"a", 1})},
		"unknown clipping":                        {func(g *Grant) { g.Clipping = "word" }},
		"clip must be":                            {func(g *Grant) { g.Clip = inf }, func(g *Grant) { g.Clip = -1 }},
		"noise multiplier must be": {func(g *Grant) { g.NoiseMultiplier = inf },
			func(g *Grant) { g.NoiseMultiplier = nan }},
		"no name, or occurs twice": {
			statistics(Statistic{"", 1}), statistics(Statistic{"a", 1}, Statistic{"b", 1}, Statistic{"a", 2}),
		},
		"bound of statistic a must": {
			statistics(Statistic{"a", 0}), statistics(Statistic{"a", nan}), statistics(Statistic{"a", inf}),
		},
		"": {
			func(*Grant) {}, statistics(Statistic{"topics", 0.25}), func(g *Grant) { g.Matrices = nil },
			func(g *Grant) { g.Matrices = nil; g.Statistics = []Statistic{{"a", 0.25}, {"b", 1e9}} },
			func(g *Grant) { g.Clipping, g.NonNegative, g.Claim = ClipUnitL1, true, PaperClaim },
			func(g *Grant) { g.Clipping = ClipProved },
		},
	}
	for mechanism, all := range map[string]map[string][]change{
		Gaussian: {"": {func(g *Grant) { g.Clipping = ClipUnit }, func(g *Grant) { g.Clipping = ClipBatch }}},
		Laplace: {
			// Their L1 norm is not bounded by the clip.
			"unknown clipping for laplace": {func(g *Grant) { g.Clipping = ClipUnit },
				func(g *Grant) { g.Clipping = ClipBatch }},
		},
		Select: {
			"do not belong to select": {
				func(g *Grant) { g.Clipping = ClipUnit }, func(g *Grant) { g.NonNegative = true },
				statistics(Statistic{"a", 1}),
				func(g *Grant) { g.Flip = 0.5 }, func(g *Grant) { g.Claim = PaperClaim },
				func(g *Grant) { g.Model = "m" }, func(g *Grant) { g.VocabularySize = 1 },
			},
			"clip of select must be 1": {func(g *Grant) { g.Clip = 2 }, func(g *Grant) { g.Clip = nan }},
			"needs adjacency":          {func(g *Grant) { g.Adjacency = ReplaceOne }},
			"releases once": {
				func(g *Grant) { g.Releases = 2 }, func(g *Grant) { g.Scheme = schemes()[All] },
				func(g *Grant) { g.Scheme = schemes()[Poisson] },
			},
			"most words of a unit": {
				func(g *Grant) { g.MaxWords = 0 }, func(g *Grant) { g.MaxWords = -1 },
				func(g *Grant) { g.MaxWords = MaxWordsLimit + 1 },
			},
			"threshold must be": {
				func(g *Grant) { g.Threshold = 0 }, func(g *Grant) { g.Threshold = nan },
				func(g *Grant) { g.Threshold = inf },
			},
			"noise multiplier must be": {func(g *Grant) { g.NoiseMultiplier = 0 }},
			"unknown claim":            {func(g *Grant) { g.Claim = "mine" }},
			"": {
				func(*Grant) {}, func(g *Grant) { g.Unit, g.MaxWords = User, MaxWordsLimit },
				func(g *Grant) { g.Version, g.Adjacency = 3, ReplaceNull },
			},
		},
		RandomizedResponse: {
			"do not belong to randomized-response": {
				func(g *Grant) { g.Clipping = ClipUnit }, func(g *Grant) { g.Clip = 1 },
				func(g *Grant) { g.NonNegative = true },
				statistics(Statistic{"a", 1}), func(g *Grant) { g.NoiseMultiplier = 1 },
				func(g *Grant) { g.Threshold = 1 },
				func(g *Grant) { g.Claim = PaperClaim }, func(g *Grant) { g.Model = "m" },
				func(g *Grant) { g.Matrices = []Matrix{{Name: "m", Rows: 1, Columns: 1}} },
			},
			"needs adjacency": {func(g *Grant) { g.Adjacency = AddRemove }, func(g *Grant) { g.Unit = User }},
			"releases once": {
				func(g *Grant) { g.Releases = 2 }, func(g *Grant) { g.Scheme = schemes()[All] },
				func(g *Grant) { g.Scheme = schemes()[Fixed] },
			},
			"most words of a unit": {func(g *Grant) { g.MaxWords = 0 },
				func(g *Grant) { g.MaxWords = MaxWordsLimit + 1 }},
			"flip must be in": {
				func(g *Grant) { g.Flip = 0 }, func(g *Grant) { g.Flip = nan },
				func(g *Grant) { g.Flip = math.Nextafter(0.5, 1) },
				func(g *Grant) { g.Flip = math.Nextafter(1.0/FlipSteps, 0) },
			},
			"": {
				func(*Grant) {}, func(g *Grant) { g.MaxWords = MaxWordsLimit }, func(g *Grant) { g.Flip = 0.5 },
				func(g *Grant) { g.Flip = 1.0 / FlipSteps },
			},
		},
	} {
		rules := []map[string][]change{all}
		if mechanism == Gaussian || mechanism == Laplace {
			rules = append(rules, sums)
		}
		for _, broken := range rules {
			for rule, changes := range broken {
				for _, change := range changes {
					g := grantOfEach()[mechanism]
					change(g)
					expect(t, g.Check(), rule)
				}
			}
		}
	}
}

// TestNoRule: a mechanism that this package has no rule for has no valid grant.
func TestNoRule(t *testing.T) {
	for _, name := range []string{None, "cauchy", ""} {
		g := validGrant()
		g.Mechanism = name
		expect(t, g.checkMechanism(), "no rule for the members of a grant for "+name)
	}
}

func TestBounding(t *testing.T) {
	for _, c := range []struct{ mechanism, clipping, want string }{
		{Gaussian, "", ClipUnit}, {Laplace, "", ClipUnitL1}, {Gaussian, ClipBatch, ClipBatch},
		{Laplace, ClipProved, ClipProved},
	} {
		if got := (&Grant{Mechanism: c.mechanism, Clipping: c.clipping}).Bounding(); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestSteps: the bound is a power of two up to 2^20, the scale is the multiplier times it, rounded up, and at most 2^30
// as long as the bound is more than one step.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		multiplier   float64
		bound, scale uint64
	}{
		{1, 1 << 20, 1 << 20},
		{1.5, 1 << 20, 3 << 19},
		{math.Nextafter(1, 0), 1 << 20, 1 << 20},   // rounded up
		{math.Nextafter(1, 2), 1 << 20, 1<<20 + 1}, // rounded up
		{1.0 / 3, 1 << 20, 349526},                 // ⌈2^20/3⌉
		{math.SmallestNonzeroFloat64, 1 << 20, 1},  // never no noise
		{math.Nextafter(1<<10, 0), 1 << 20, 1 << 30},
		{1 << 10, 1 << 19, 1 << 29},
		{math.Nextafter(1<<29, 0), 2, 1 << 30},
		{1 << 29, 1, 1 << 29},
		{1 << 30, 1, 1 << 30},
		{1<<30 + 0.5, 1, 1<<30 + 1},
		{1 << 62, 1, 1 << 62},
		{1 << 63, 1, 1 << 62}, // that no mechanism has noise of
		{math.MaxFloat64, 1, 1 << 62},
	} {
		bound, scale := (&Grant{Mechanism: Gaussian, NoiseMultiplier: c.multiplier}).Steps()
		if bound != c.bound || scale != c.scale {
			t.Errorf("multiplier %v: bound %d, scale %d, want %d, %d", c.multiplier, bound, scale, c.bound, c.scale)
		}
	}
	for flip, want := range map[float64]uint64{
		0.5: FlipSteps / 2, 0.25: FlipSteps / 4, 1.0 / FlipSteps: 1, 0.1: 429496730, // ⌈2^32/10⌉
		math.Nextafter(1.0/FlipSteps, 1): 2, math.Nextafter(0.5, 0): FlipSteps / 2,
	} {
		if bound, scale := (&Grant{Mechanism: RandomizedResponse, Flip: flip}).Steps(); bound != 0 || scale != want {
			t.Errorf("flip %v: bound %d, scale %d, want 0, %d", flip, bound, scale, want)
		}
	}
}

// TestStepsNeverTooLittleNoise: in exact arithmetic, scale/bound is at least the multiplier, and less than one step
// more.
func TestStepsNeverTooLittleNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		m := math.Ldexp(1+r.Float64(), r.IntN(90)-45)
		bound, scale := (&Grant{Mechanism: Gaussian, NoiseMultiplier: m}).Steps()
		want := new(big.Rat).Mul(new(big.Rat).SetFloat64(m), new(big.Rat).SetUint64(bound))
		got := new(big.Rat).SetUint64(scale)
		over := new(big.Rat).Sub(got, want)
		if over.Sign() < 0 || over.Cmp(big.NewRat(1, 1)) >= 0 {
			t.Fatalf("multiplier %v: scale %d over bound %d", m, scale, bound)
		}
		if bound > 1 && scale > 1<<30 || bound > 1<<20 || bound&(bound-1) != 0 {
			t.Fatalf("multiplier %v: bound %d, scale %d", m, bound, scale)
		}
	}
}

// TestCeilSqrt compares with the exact root of package big, around squares and powers of two, where rounding goes
// wrong.
func TestCeilSqrt(t *testing.T) {
	check := func(x uint64) {
		t.Helper()
		floor := new(big.Int).Sqrt(new(big.Int).SetUint64(x)).Uint64()
		want := floor
		if floor*floor < x {
			want++
		}
		if got := ceilSqrt(x); got != want {
			t.Fatalf("⌈√%d⌉ is %d, not %d", x, want, got)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for x := range uint64(1000) {
		check(x)
	}
	for range 10_000 {
		root := r.Uint64N(3_037_000_499) + 1 // whose square is at most 2^63
		root >>= r.IntN(31)
		if square := root * root; square > 1 {
			check(square - 1)
			check(square)
			check(square + 1)
		}
	}
	check(1 << 63)
	check(1<<63 - 1)
}

// TestOffDiagonalScale: the least whole number s with s² ≥ σ²/2.
func TestOffDiagonalScale(t *testing.T) {
	for _, c := range [][2]uint64{
		{0, 0}, {1, 1}, {2, 2}, {3, 3}, {7, 5}, {10, 8}, {1 << 20, 741456}, // ⌈2^19.5⌉ = ⌈741455.2⌉
		{1 << 30, 759250125}, {1 << 31, 1518500250}, // ⌈2^29.5⌉ = ⌈759250124.99⌉, ⌈2^30.5⌉ = ⌈1518500249.99⌉
	} {
		if got := OffDiagonalScale(c[0]); got != c[1] {
			t.Errorf("scale %d: %d off the diagonal, want %d", c[0], got, c[1])
		}
	}
	const most = 1<<32 - 1
	s := new(big.Int).SetUint64(OffDiagonalScale(most))
	twice := func(s *big.Int) *big.Int { return new(big.Int).Lsh(new(big.Int).Mul(s, s), 1) }
	square := new(big.Int).Exp(big.NewInt(most), big.NewInt(2), nil)
	if twice(s).Cmp(square) < 0 || twice(new(big.Int).Sub(s, big.NewInt(1))).Cmp(square) >= 0 {
		t.Errorf("scale %d: %v off the diagonal", uint64(most), s)
	}
}

// TestCharge: what a grant charges for a round, in steps.
func TestCharge(t *testing.T) {
	selects := func(threshold uint64) Charge {
		return Charge{Adjacency: AddRemove, Sensitivity: 1 << 20, Scale: 3 << 19, Threshold: threshold, MaxWords: 32}
	}
	for name, c := range map[string]struct {
		mechanism string
		change    func(*Grant)
		want      Charge // except for what is the grant's own
	}{
		"gaussian": {Gaussian, func(*Grant) {}, Charge{Adjacency: AddRemove, Sensitivity: 1 << 20, Scale: 3 << 19}},
		"a paper's batch": {
			Gaussian, func(g *Grant) { g.Clipping, g.Claim, g.NonNegative = ClipBatch, PaperClaim, true },
			Charge{Adjacency: AddRemove, Clipping: ClipBatch, Sensitivity: 1482911, Claimed: 1 << 20, Scale: 3 << 19},
		},
		"laplace": {
			Laplace, func(g *Grant) { g.Adjacency, g.NonNegative = ReplaceOne, true },
			Charge{Adjacency: ReplaceOne, Sensitivity: 2 << 20, Scale: 3 << 19},
		},
		"select":                    {Select, func(*Grant) {}, selects(11 << 19)},
		"select, between two steps": {Select, func(g *Grant) { g.Threshold = 3 + 0x1p-21 }, selects(3<<20 + 1)},
		"select, least threshold":   {Select, func(g *Grant) { g.Threshold = math.SmallestNonzeroFloat64 }, selects(1)},
		"select, largest threshold": {Select, func(g *Grant) { g.Threshold = math.MaxFloat64 }, selects(1 << 62)},
		"randomized-response, of 3 words": {
			RandomizedResponse, func(*Grant) {}, Charge{Adjacency: ReplaceOne, Sensitivity: 3, Scale: FlipSteps / 4},
		},
		"randomized-response, of 100 words": {
			RandomizedResponse, func(g *Grant) { g.VocabularySize = 100 },
			Charge{Adjacency: ReplaceOne, Sensitivity: 64, Scale: FlipSteps / 4},
		},
		"randomized-response, 5 words drawn": {
			RandomizedResponse, func(g *Grant) { g.Version, g.ReportWords = 3, 5 },
			Charge{Adjacency: ReplaceOne, Sensitivity: 5, Scale: FlipSteps / 4}, // of 3 words, too
		},
	} {
		g := grantOfEach()[c.mechanism]
		c.change(g)
		c.want.Round, c.want.Grant, c.want.Unit, c.want.Mechanism, c.want.Scheme = 1, "g1", Document, c.mechanism,
			g.Scheme
		if got := g.Charge(1, g.Scheme); *got != c.want {
			t.Errorf("%s:\n%+v, want\n%+v", name, *got, c.want)
		}
	}
}
