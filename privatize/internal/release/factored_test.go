package release

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/privatize/internal/book"
	"privpipe/privatize/internal/fixed"
)

// An outer is a contribution to three matrices: a row for a 1 × 5 matrix, and factors for a 4 × 6 matrix and a
// symmetric 5 × 5 one. The factors for the 4 × 6 matrix are of some rows and all columns. The factors for the symmetric
// one are of some rows and columns.
type outer struct {
	unit, record  string
	plain         []float32
	rows          []uint32
	left, right   []float32
	corner        []uint32 // empty: all
	scale, factor []float32
}

var outers = []event.Matrix{{Name: "plain", Rows: 1, Columns: 5}, {Name: "product", Rows: 4, Columns: 6},
	{Name: "square", Rows: 5, Columns: 5, Symmetric: true}}

// randomOuter returns one whose products are float32.
func randomOuter(random *rand.Rand, unit, record string) outer {
	numbers := func(n int) []float32 {
		list := make([]float32, n)
		for i := range list {
			list[i] = float32(random.IntN(1<<10)-1<<9) / 64
		}
		return list
	}
	subset := func(n int) (list []uint32) {
		for i := range uint32(n) {
			if random.IntN(2) == 0 {
				list = append(list, i)
			}
		}
		return list
	}
	o := outer{unit: unit, record: record, plain: numbers(5), rows: subset(4), right: numbers(6), corner: subset(5)}
	extent := func(list []uint32, all int) int {
		if len(list) == 0 {
			return all
		}
		return len(list)
	}
	o.left = numbers(extent(o.rows, 4))
	o.scale, o.factor = numbers(extent(o.corner, 5)), numbers(extent(o.corner, 5))
	return o
}

// vector returns o on the grids of a collector, factored or cell by cell.
func (o outer) vector(c *Collector, factored bool) (*fixed.Vector, error) {
	v := new(fixed.Vector)
	errs := []error{c.Quantise(v, 0, nil, nil, o.plain, false)}
	if factored {
		errs = append(errs, c.Quantise(v, 1, o.rows, nil, slices.Concat(o.left, o.right), true),
			c.Quantise(v, 2, o.corner, o.corner, slices.Concat(o.scale, o.factor), true))
		return v, errors.Join(errs...)
	}
	for i, l := range o.left {
		row, line := uint32(i), []float32(nil)
		if len(o.rows) > 0 {
			row = o.rows[i]
		}
		for _, r := range o.right {
			line = append(line, l*r)
		}
		errs = append(errs, c.Quantise(v, 1, []uint32{row}, nil, line, false))
	}
	corner := o.corner
	if len(corner) == 0 {
		corner = []uint32{0, 1, 2, 3, 4}
	}
	for i, s := range o.scale {
		var line []float32
		for _, f := range o.factor[i:] {
			line = append(line, s*f)
		}
		errs = append(errs, c.Quantise(v, 2, corner[i:i+1], corner[i:], line, false))
	}
	return v, errors.Join(errs...)
}

func (o outer) put(t *testing.T, c *Collector, factored bool) error {
	t.Helper()
	v, err := o.vector(c, factored)
	if err != nil {
		t.Fatal(err)
	}
	return c.Add(o.unit, o.record, wire.UnitDigest(o.unit), v)
}

// TestFactoredSumsAreDenseSums: factored contributions have the same sum as the same cells, bit for bit. So do the sums
// of parts. This holds however units are bounded, and in whatever order their records come.
func TestFactoredSumsAreDenseSums(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, mechanism := range []string{"", event.Gaussian, event.Laplace} {
		for _, clipping := range []string{"", event.ClipUnit, event.ClipUnitL1, event.ClipBatch, event.ClipUnbounded} {
			for _, clip := range []float64{1, 40, 1e6} {
				for _, users := range []bool{false, true} {
					terms := shaped(newTerms(newGrant()), outers...)
					terms.Grant.Mechanism, terms.Grant.Clipping, terms.Grant.Clip = mechanism, clipping, clip
					terms.Grant.Statistics = []event.Statistic{{Name: "square", Bound: 0.75}}
					if clipping == event.ClipUnbounded {
						terms.Grant.Claim = event.PaperClaim
					}
					if users {
						terms.Unit, terms.Grant.Unit = event.User, event.User
					}
					if mechanism == "" {
						terms.Grant = nil
					} else if terms.Grant.Check() != nil {
						continue
					}
					name := fmt.Sprintf("%s %s %v, users %v", mechanism, clipping, clip, users)
					var all []outer
					for i := range 12 {
						unit := fmt.Sprint("unit", i)
						if users {
							unit = fmt.Sprint("unit", i%5)
						}
						all = append(all, randomOuter(random, unit, fmt.Sprint("record", i)))
					}
					var sums [3][]int64 // dense; factored in another order; some of each kind, in two parts
					for kind := range sums {
						c, err := NewCollector(&terms)
						if err != nil {
							t.Fatal(name, err)
						}
						c.Open()
						if kind == 1 {
							random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
						}
						half, _ := NewCollector(&terms)
						half.Open()
						for i, o := range all {
							to := c
							if kind == 2 && o.unit < "unit2" {
								to = half
							}
							if err := o.put(t, to, kind == 1 || kind == 2 && i%2 == 0); err != nil {
								t.Fatal(name, err)
							}
						}
						if kind == 2 {
							taken := half.round.taken
							cells, members, err := half.Sum(taken)
							if err == nil {
								err = c.AddPart(members.Keys(), taken.Records, taken.Digest, cells)
							}
							if err != nil {
								t.Fatal(name, err)
							}
						}
						if sums[kind], _, err = c.Sum(c.round.taken); err != nil {
							t.Fatal(name, err)
						}
					}
					for kind, got := range sums {
						if !slices.Equal(got, sums[0]) {
							t.Fatalf("%s: sum %d is %v, want %v", name, kind, got, sums[0])
						}
					}
				}
			}
		}
	}
}

// TestKeeps: where a limiter adds the cells of products without looking at them, it would have accepted and kept each
// of them. It does so for many units within the bound. No step of a bounded unit is above the most that it states.
func TestKeeps(t *testing.T) {
	// One product of one cell: the clip in steps is kept, and one step more is not.
	for _, symmetric := range []bool{false, true} {
		terms := shaped(newTerms(newGrant()), event.Matrix{Name: "one", Rows: 1, Columns: 1, Symmetric: symmetric})
		terms.Grant.Clip = 2
		c, err := NewCollector(&terms)
		if err != nil {
			t.Fatal(err)
		}
		for factor, want := range map[float32]bool{1.3: true, 1.41: true, 1.999: !symmetric, 2 + 1./(1<<19): false,
			2.3: false} {
			v := new(fixed.Vector)
			if err := c.Quantise(v, 0, []uint32{0}, []uint32{0}, []float32{factor, 1}, true); err != nil {
				t.Fatal(err)
			}
			// A symmetric matrix of one row has no cell that counts twice, but some might.
			if got := c.limit.keeps(v); got != want {
				t.Errorf("symmetric %v: %v at a clip of 2 is kept: %v", symmetric, factor, got)
			}
		}
	}
	terms := newTerms(newGrant(func(g *event.Grant) { g.Adjacency, g.Clipping = event.ReplaceOne, event.ClipProved }))
	c, err := NewCollector(&terms)
	if err != nil {
		t.Fatal(err)
	}
	v := new(fixed.Vector)
	if err := c.Quantise(v, 0, []uint32{0}, []uint32{0}, []float32{1, 1}, true); err != nil {
		t.Fatal(err)
	}
	for _, words := range []bool{false, true} {
		if c.limit.words = words; c.limit.keeps(v) == words {
			t.Errorf("words %v: kept %v", words, !words)
		}
	}
	if l := (limiter{clipping: event.ClipProved, words: true, bound: 5}); l.most() != fixed.Limit {
		t.Errorf("a document of words has steps of at most %d, and nothing bounds them", l.most())
	}

	random := rand.New(rand.NewPCG(9, 10))
	kept := make(map[string]int)
	for _, mechanism := range []string{event.Gaussian, event.Laplace} {
		for _, clipping := range []string{event.ClipUnit, event.ClipUnitL1, event.ClipProved, event.ClipBatch} {
			for _, nonNegative := range []bool{false, true} {
				terms := shaped(newTerms(newGrant()), outers...)
				terms.Grant.Mechanism, terms.Grant.Clipping, terms.Grant.NonNegative = mechanism, clipping, nonNegative
				if terms.Grant.Check() != nil {
					continue
				}
				for range 500 {
					terms.Grant.Clip = 10 * math.Exp2(8*random.Float64())
					c, err := NewCollector(&terms)
					if err != nil {
						t.Fatal(err)
					}
					v, err := randomOuter(random, "u", "").vector(c, true)
					if err != nil {
						t.Fatal(err)
					}
					var whole fixed.Vector
					expanded := v.Expand(&whole).Clone()
					bounded := expanded.Clone()
					err = c.limit.unit(bounded)
					for _, z := range bounded.Steps {
						if err == nil && fixed.Magnitude(z) > c.limit.most() {
							t.Fatalf("%s, %s: a step of %d, at most %d", mechanism, clipping, z, c.limit.most())
						}
					}
					switch same := err == nil && slices.Equal(bounded.Steps, expanded.Steps); {
					case c.limit.keeps(v) && !same:
						t.Fatalf("%s, %s, clip %v: %v is kept, and would be %v, %v", mechanism, clipping,
							terms.Grant.Clip, expanded.Steps, bounded.Steps, err)
					case c.limit.keeps(v):
						kept[fmt.Sprint(mechanism, clipping, nonNegative)]++
					}
				}
			}
		}
	}
	for _, clipping := range []string{event.ClipUnit, event.ClipProved} {
		if n := kept[fmt.Sprint(event.Gaussian, clipping, false)]; n < 50 {
			t.Errorf("%s: only %d of 500 units are added without a look at their cells", clipping, n)
		}
	}
}

// TestFactoredAgain: a factored contribution that comes again is dropped, and another one of the unit refused, in
// whichever of its numbers it differs.
func TestFactoredAgain(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	first := randomOuter(random, "a", "")
	first.rows, first.left = []uint32{1, 2}, []float32{1, 2}
	first.corner, first.scale, first.factor = []uint32{1, 3}, []float32{1, 2}, []float32{3, 4}
	for name, change := range map[string]func(*outer){
		"the same":        func(*outer) {},
		"row":             func(o *outer) { o.rows = []uint32{1, 3} },
		"number of a row": func(o *outer) { o.left = []float32{1, 2.5} },
		"of a column":     func(o *outer) { o.right = slices.Concat([]float32{99}, o.right[1:]) },
		"fewer rows":      func(o *outer) { o.rows, o.left = o.rows[:1], o.left[:1] },
		"corner":          func(o *outer) { o.corner = []uint32{1, 4} },
		"plain":           func(o *outer) { o.plain = slices.Concat([]float32{99}, o.plain[1:]) },
		"split":           func(o *outer) { o.scale, o.factor = []float32{2, 1}, []float32{3, 4} },
	} {
		c := collector(t, func(terms *Terms) { *terms = shaped(*terms, outers...) })
		if err := first.put(t, c, true); err != nil {
			t.Fatal(err)
		}
		second := first
		change(&second)
		err := second.put(t, c, true)
		if mismatch := new(book.Mismatch); (name == "the same") != (err == nil) || err != nil &&
			!errors.As(err, &mismatch) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			if want := (Announced{1, 1, wire.UnitDigest("a")}); c.round.taken != want {
				t.Errorf("%s: taken %+v", name, c.round.taken)
			}
		}
	}
}

// TestFactoredUsersStaySmall: what users contribute is kept as the numbers that came, not as the cells that they stand
// for.
func TestFactoredUsersStaySmall(t *testing.T) {
	const side, users = 1000, 200
	terms := shaped(newTerms(newGrant()), event.Matrix{Name: "m", Rows: side, Columns: side})
	terms.Unit, terms.Grant.Unit = event.User, event.User
	c, err := NewCollector(&terms)
	if err != nil {
		t.Fatal(err)
	}
	c.Open()
	values := slices.Repeat([]float32{0.05}, 2*side)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range users {
		var v fixed.Vector
		unit := fmt.Sprint("user/", i)
		if err := c.Quantise(&v, 0, nil, nil, values, true); err != nil {
			t.Fatal(err)
		}
		if err := c.Add(unit, "r", wire.UnitDigest(unit), &v); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	// cells would be 16,000 bytes a row
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > users*side*100 {
		t.Errorf("%d users of %d numbers each keep %d bytes", users, 2*side, grown)
	}
	cells, _, err := c.Sum(c.round.taken)
	if err != nil || cells[0] == 0 || cells[0] != cells[side*side-1] {
		t.Errorf("%v, cells %v and %v", err, cells[0], cells[side*side-1])
	}
}

// wordTerms are terms of unit word.
func wordTerms(mechanism string, clip float64) Terms {
	return newTerms(newGrant(func(g *event.Grant) {
		g.Mechanism, g.Adjacency, g.Unit, g.Scheme = mechanism, event.ReplaceOne, event.Word,
			event.Scheme{Method: event.All, Rate: 1, Rounds: 3}
		g.Clipping, g.Clip, g.Proved, g.Draws = event.ClipProved, clip, 2, 0.5
		g.NoiseMultiplier = 1
	}))
}

// TestWordsAreWhole: where the unit is the word, a document brings as many as it has, and no number that no count or
// increment is.
func TestWordsAreWhole(t *testing.T) {
	unboundedWords := wordTerms(event.Laplace, 1)
	unboundedWords.Grant.Clipping, unboundedWords.Grant.Proved = event.ClipUnbounded, 0
	unboundedWords.Grant.Claim = event.PaperClaim
	for name, c := range map[string]struct {
		terms  Terms
		values []float32
		fails  bool
	}{
		"counts of a long document": {wordTerms(event.Laplace, 1), []float32{1 << 20, 0, 3, 0, 0, 7}, false},
		"gaussian":                  {wordTerms(event.Gaussian, 1), []float32{90, 0, 3, 0, 0, 7}, false},
		"half a word":               {wordTerms(event.Laplace, 1), []float32{1, 0, 0.5, 0, 0, 0}, true},
		"a bit more than a word":    {wordTerms(event.Laplace, 1), []float32{1 + 0x1p-23, 0, 0, 0, 0, 0}, true},
		"fewer than none":           {wordTerms(event.Laplace, 1), []float32{1, 0, -1, 0, 0, 0}, true},
		"increments":                {wordTerms(event.Laplace, 2), []float32{1, 0, -1, 0, 0, 0}, false},
		"half an increment":         {wordTerms(event.Laplace, 2), []float32{1.5, 0, -1, 0, 0, 0}, true},
		"increments of gaussian":    {wordTerms(event.Gaussian, 1.5), []float32{4, 0, -4, 0, 0, 0}, false},
		"most":                      {wordTerms(event.Laplace, 1), []float32{1 << 24, 0, 0, 0, 0, 0}, false},
		"beyond float32":            {wordTerms(event.Laplace, 1), []float32{1<<24 + 2, 0, 0, 0, 0, 0}, true},
		"NaN":                       {wordTerms(event.Laplace, 1), []float32{float32(math.NaN()), 0, 0, 0, 0, 0}, true},
		"half a word, no bound":     {unboundedWords, []float32{0.5, 0, -1, 0, 0, 0}, false},
		"of a document":             {newTerms(newGrant()), []float32{1.5, 0, 0, 0, 0, 0}, false},
	} {
		collector, err := NewCollector(&c.terms)
		if err != nil {
			t.Fatal(name, err)
		}
		collector.Open()
		err = put(collector, "a", "", c.values...)
		if mismatch := new(book.Mismatch); (err != nil) != c.fails || err != nil && !errors.As(err, &mismatch) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && c.terms.Grant.Unit == event.Word {
			cells, _, _ := collector.Sum(collector.round.taken)
			bound, _ := c.terms.Grant.Steps()
			if want := fixed.ClipGrid(c.terms.Grant.Clip, bound).Quantise(float64(c.values[0])); cells[0] != want {
				t.Errorf("%s: %d steps, want %d: a document of unit word is not clipped", name, cells[0], want)
			}
		}
	}
	factored := wordTerms(event.Laplace, 1)
	collector, err := NewCollector(&factored)
	if err != nil {
		t.Fatal(err)
	}
	var v fixed.Vector
	if err := collector.Quantise(&v, 0, nil, nil, []float32{0.5, 1, 2, 1, 1}, true); err == nil {
		t.Error("a factor of half a word is taken")
	}
}

// TestWordsOfUsers: documents carry words, and users do not.
func TestWordsOfUsers(t *testing.T) {
	terms := wordTerms(event.Laplace, 1)
	terms.Unit = event.User
	if _, err := NewCollector(&terms); err == nil {
		t.Error("contributions of users are taken for those of words")
	}
}

// TestCheckRound: coupled contributions, and other draws than the grant is for, are refused, unless nothing is claimed.
func TestCheckRound(t *testing.T) {
	words, unbounded := wordTerms(event.Laplace, 1),
		newTerms(newGrant(func(g *event.Grant) { g.Clipping, g.Claim = event.ClipUnbounded, event.PaperClaim }))
	for name, c := range map[string]struct {
		terms   Terms
		draws   float64
		coupled bool
		fails   bool
	}{
		"plain":                     {newTerms(newGrant()), 0, false, false},
		"plain, coupled":            {newTerms(newGrant()), 0, true, true},
		"plain, draws":              {newTerms(newGrant()), 0.5, false, false},
		"words, draws":              {words, 0.5, false, false},
		"words, more draws":         {words, 0.75, false, true},
		"words, fewer draws":        {words, 0.25, false, true},
		"words, draws not stated":   {words, 0, false, true},
		"words, coupled":            {words, 0.5, true, true},
		"unbounded":                 {unbounded, 0, false, false},
		"unbounded, coupled":        {unbounded, 0, true, false},
		"unbounded, draws":          {unbounded, 1, true, false},
		"no grant, coupled":         {newTerms(nil), 0, true, false},
		"no grant, coupled, drawn":  {newTerms(nil), 3, true, false},
		"no grant, nothing of that": {newTerms(nil), 0, false, false},
	} {
		collector, err := NewCollector(&c.terms)
		if err != nil {
			t.Fatal(name, err)
		}
		err = collector.CheckRound(c.draws, c.coupled)
		if refused := new(book.Failure); (err != nil) != c.fails || err != nil && !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCoupledIsRefused: whatever is the unit and however it is bounded, coupled contributions need a grant that claims
// no bound.
func TestCoupledIsRefused(t *testing.T) {
	for _, unit := range []string{event.Document, event.User, event.Word} {
		for _, clipping := range []string{
			"", event.ClipUnit, event.ClipUnitL1, event.ClipBatch, event.ClipProved, event.ClipUnbounded,
		} {
			for _, mechanism := range []string{event.Gaussian, event.Laplace} {
				c := Collector{grant: &event.Grant{Unit: unit, Clipping: clipping, Mechanism: mechanism}}
				if err := c.CheckRound(0, true); (err == nil) != (clipping == event.ClipUnbounded) {
					t.Errorf("%s, %s, %q: %v", mechanism, unit, clipping, err)
				}
			}
		}
	}
}

// TestUnboundedIsCharged: a contribution without a bound is summed as it is. It is charged without a sensitivity, with
// the paper's sensitivity beside.
func TestUnboundedIsCharged(t *testing.T) {
	ledger := newLedger(t)
	p := open(t, ledger, newTerms(newGrant(func(g *event.Grant) {
		g.Clipping, g.Claim = event.ClipUnbounded,
			event.PaperClaim
	})))
	cells := release(t, p, 1, poisson, contribution{"a", []float32{200, 0, 0, 0, 0, -3}})
	if got := float64(cells[0]) * p.Step(); math.Abs(got-200) > 1e-3 {
		t.Errorf("a cell of 200 is released as %v", got)
	}
	charge := p.charge
	if charge.Sensitivity != 0 || charge.Claimed != 1<<20 || charge.Scale != 1 ||
		charge.Clipping != event.ClipUnbounded {
		t.Errorf("charged as %+v", charge)
	}
	huge := contribution{"a", []float32{1 << 23, 0, 0, 0, 0, 0}} // would saturate: a wrong sum
	if _, err := p.Begin(2, poisson); err != nil {
		t.Fatal(err)
	}
	if err := give(p, huge); err == nil {
		t.Error("a coordinate beyond the grid is summed")
	}
}

// TestDrawsAreCharged: the charge has the loss of the draws.
func TestDrawsAreCharged(t *testing.T) {
	terms := wordTerms(event.Laplace, 1)
	p := open(t, newLedger(t), terms)
	release(t, p, 1, terms.Grant.Scheme, contribution{"a", []float32{2, 0, 0, 0, 0, 3}})
	if c := p.charge; c.Draws != 0.5 || c.Unit != event.Word || c.Sensitivity != 2<<20 {
		t.Errorf("charged as %+v", c)
	}
}

// BenchmarkFactored takes the products of images of 784 pixels and 50 hidden units, as estep sbn makes them: a million
// cells of 2,059 numbers, checked for sameness, bounded and summed.
func BenchmarkFactored(b *testing.B) {
	const pixels, pairs = 784, 1275
	terms := shaped(newTerms(newGrant()), event.Matrix{Name: "gzz", Rows: pixels, Columns: pairs})
	terms.Grant.Clip = 250 // the bound that estep sbn --bounds prints: within it, nothing is clipped
	c, err := NewCollector(&terms)
	if err != nil {
		b.Fatal(err)
	}
	c.Open()
	values := slices.Repeat([]float32{0.2}, pixels+pairs)
	var v fixed.Vector
	n := 0
	for b.Loop() {
		unit := fmt.Sprint(n)
		n++
		v.Reset()
		if err := c.Quantise(&v, 0, nil, nil, values, true); err != nil {
			b.Fatal(err)
		}
		if err := c.Add(unit, "", wire.UnitDigest(unit), &v); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}
