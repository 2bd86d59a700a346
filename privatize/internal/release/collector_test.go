package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/privatize/internal/fixed"
	"privpipe/privatize/internal/unit"
)

// collector returns a Collector of a round that is open, and its terms.
func collector(t *testing.T, change ...func(*Terms)) *Collector {
	t.Helper()
	terms := newTerms(newGrant())
	for _, c := range change {
		c(&terms)
	}
	c, err := NewCollector(&terms)
	if err != nil {
		t.Fatal(err)
	}
	c.Open()
	return c
}

func clipping(mode string, bound float64) func(*Terms) {
	return func(terms *Terms) { terms.Grant.Clipping, terms.Grant.Clip = mode, bound }
}

// put adds a record of a unit, of all cells of the first matrix.
func put(c *Collector, unit, record string, values ...float32) error {
	var v fixed.Vector
	if err := c.Quantise(&v, 0, nil, nil, values, false); err != nil {
		return err
	}
	return c.Add(unit, record, wire.UnitDigest(unit), &v)
}

// sum returns the exact sum of a collector's round, in units of the contributions.
func sum(t *testing.T, c *Collector) []float64 {
	t.Helper()
	cells, _, err := c.Sum(c.round.taken)
	if err != nil {
		t.Fatal(err)
	}
	c.limit.batch(&fixed.Sum{Cells: cells})
	values := make([]float64, len(cells))
	for i, z := range cells {
		values[i] = float64(z) * c.Step()
	}
	return values
}

// near compares up to the truncation of three units to steps of 2^-19.
func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 0x1p-17 })
}

// TestClipping: what each way to clip makes of two units of norms 5 (L1 norm 7) and 1, at a clip of 2.
func TestClipping(t *testing.T) {
	for _, c := range []struct {
		mode string
		want []float64
	}{
		{event.ClipUnit, []float64{6. / 5, -8. / 5, 0, 0, 0, 1}},
		{event.ClipUnitL1, []float64{6. / 7, -8. / 7, 0, 0, 0, 1}},
		{event.ClipBatch, []float64{6 / math.Sqrt(26), -8 / math.Sqrt(26), 0, 0, 0, 2 / math.Sqrt(26)}},
	} {
		r := collector(t, clipping(c.mode, 2))
		for _, err := range []error{put(r, "a", "", 3, -4, 0, 0, 0, 0), put(r, "b", "", 0, 0, 0, 0, 0, 1)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := sum(t, r); !near(got, c.want) {
			t.Errorf("%s: %v, want %v", c.mode, got, c.want)
		}
	}
}

// TestProvedOffTheDiagonal: in an L2 bound that is taken for proved the cell off the diagonal counts twice, too, and no
// other. The clip is between the norms of a cell of 1 that counts once, and twice.
func TestProvedOffTheDiagonal(t *testing.T) {
	for cell := range 5 {
		r := collector(t, clipping(event.ClipProved, 1.2), symmetric)
		v := fixed.Vector{Cells: []int{cell}, Steps: []int64{int64(1 / r.Step())}}
		if err := r.Add("a", "", wire.UnitDigest("a"), &v); (err == nil) != (cell != 3) {
			t.Errorf("cell %d: %v", cell, err)
		}
	}
}

// TestBatchOnTheBound: the sum of a batch is clipped from one step beyond the bound on, as a unit is.
func TestBatchOnTheBound(t *testing.T) {
	r := collector(t, clipping(event.ClipBatch, 2))
	bound := int64(r.Bound())
	for beyond := range int64(3) {
		sum := fixed.Sum{Cells: []int64{0, bound + beyond, 0, 0, 0, 0}}
		if r.limit.batch(&sum); sum.Cells[1] != bound {
			t.Errorf("%d steps beyond the bound of %d it has %d", beyond, bound, sum.Cells[1])
		}
	}
}

// TestProved: a unit beyond the bound that its model is said to prove ends the round; one within it is left as it is.
func TestProved(t *testing.T) {
	laplace := func(terms *Terms) { terms.Grant.Mechanism = event.Laplace }
	for _, c := range []struct {
		name   string
		change []func(*Terms)
		values []float32
		holds  bool
	}{
		{"L2 norm 5", []func(*Terms){clipping(event.ClipProved, 5)}, []float32{3, -4, 0, 0, 0, 0}, true},
		{"L2 norm above 5", []func(*Terms){clipping(event.ClipProved, 5)}, []float32{3, -4.001, 0, 0, 0, 0}, false},
		{"L1 norm 7", []func(*Terms){clipping(event.ClipProved, 7), laplace}, []float32{3, -4, 0, 0, 0, 0}, true},
		{"L1 norm above 5", []func(*Terms){clipping(event.ClipProved, 5), laplace}, []float32{3, -4, 0, 0, 0, 0},
			false},
	} {
		r := collector(t, c.change...)
		err := put(r, "MARKER", "", c.values...)
		if c.holds {
			if got := sum(t, r); err != nil || !near(got, []float64{3, -4, 0, 0, 0, 0}) {
				t.Errorf("%s: %v, error %v", c.name, got, err)
			}
			continue
		}
		wantCode(t, err, 90)
		if strings.Contains(err.Error(), "MARKER") {
			t.Errorf("message quotes the unit: %v", err)
		}
	}
}

// TestNonNegative: negative coordinates count as 0, also in the norm, and in a user's total rather than in each record.
func TestNonNegative(t *testing.T) {
	nonNegative := func(terms *Terms) { terms.Grant.NonNegative, terms.Grant.Adjacency = true, event.ReplaceOne }
	r := collector(t, nonNegative)
	if err := put(r, "a", "", 3, -4, 0, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	if got := sum(t, r); !near(got, []float64{2, 0, 0, 0, 0, 0}) {
		t.Errorf("got %v", got)
	}
	r = collector(t, nonNegative, users)
	for _, err := range []error{put(r, "u", "1", 1, -4, 0, 0, 0, 0), put(r, "u", "2", 0, 5, 0, 0, 0, 0)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := sum(t, r); !near(got, []float64{1, 1, 0, 0, 0, 0}) {
		t.Errorf("got %v", got)
	}
}

func users(terms *Terms) { terms.Unit, terms.Grant.Unit = event.User, event.User }

// TestUsers: all records that one user has in a round are clipped together. They come in any order between other users'
// records.
func TestUsers(t *testing.T) {
	r := collector(t, users)
	for _, err := range []error{
		put(r, "u", "1", 3, 0, 0, 0, 0, 0), put(r, "v", "1", 0, 0, 1, 0, 0, 0), put(r, "u", "2", 0, -4, 0, 0, 0, 0),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := (Announced{2, 3, wire.UnitDigest("u") + wire.UnitDigest("v")}); r.round.taken != want {
		t.Errorf("took %+v, want %+v", r.round.taken, want)
	}
	if got := sum(t, r); !near(got, []float64{6. / 5, -8. / 5, 1, 0, 0, 0}) {
		t.Errorf("got %v", got)
	}
}

// TestStatistics: each matrix is on the scale of its bound, all are clipped together, and a symmetric one counts its
// cells off the diagonal twice.
func TestStatistics(t *testing.T) {
	terms := newTerms(newGrant(func(g *event.Grant) {
		g.Clip, g.Statistics = 1, []event.Statistic{{Name: "b", Bound: 0.25}}
	}))
	terms = shaped(terms, event.Matrix{Name: "a", Rows: 1, Columns: 1},
		event.Matrix{Name: "b", Rows: 2, Columns: 2, Symmetric: true})
	c, err := NewCollector(&terms)
	if err != nil {
		t.Fatal(err)
	}
	c.Open()
	var v fixed.Vector
	// a is 1 of 1; b is [¼ ½; ½ 0] of ¼, which is [1 2; 2 0]: a norm of √(1 + 1 + 2·4) = √10 in all.
	for _, err := range []error{
		c.Quantise(&v, 0, nil, nil, []float32{1}, false),
		c.Quantise(&v, 1, []uint32{0}, []uint32{0, 1}, []float32{0.25, 0.5}, false),
		c.Quantise(&v, 1, []uint32{1}, []uint32{1}, []float32{0}, false),
		c.Add("unit", "", 0, &v),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, n := sum(t, c), math.Sqrt(10); !near(got, []float64{1 / n, 1 / n, 2 / n, 0}) {
		t.Errorf("got %v", got)
	}
	if !slices.Equal(c.Bounds(), []float64{1, 0.25}) {
		t.Errorf("bounds %v", c.Bounds())
	}
	if err := c.Quantise(&v, 1, []uint32{1}, []uint32{0}, []float32{1}, false); err == nil {
		t.Error("a cell below the diagonal was taken")
	}
	// In L1 the cells off the diagonal count twice too, under Gaussian noise, since they get less noise: |1| + |1| +
	// 2·|2| = 6. Laplace noise hides the triangle as it is: 4.
	for mechanism, want := range map[string]float64{event.Gaussian: 6, event.Laplace: 4} {
		terms.Grant.Mechanism, terms.Grant.Clipping = mechanism, event.ClipUnitL1
		c, err := NewCollector(&terms)
		if err != nil {
			t.Fatal(err)
		}
		c.Open()
		v.Reset()
		for _, err := range []error{
			c.Quantise(&v, 0, nil, nil, []float32{1}, false),
			c.Quantise(&v, 1, []uint32{0}, []uint32{0, 1}, []float32{0.25, 0.5}, false),
			c.Add("unit", "", 0, &v),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := sum(t, c); !near(got, []float64{1 / want, 1 / want, 2 / want, 0}) {
			t.Errorf("%s: got %v", mechanism, got)
		}
	}
	terms.Grant.Statistics[0].Name = "c"
	_, err = NewCollector(&terms)
	wantCode(t, err, 83)
}

// symmetric makes the layout a plain matrix of two cells and a symmetric one of 2 × 2. The cell 3 is off the diagonal.
func symmetric(terms *Terms) {
	*terms = shaped(*terms, event.Matrix{Name: "plain", Rows: 1, Columns: 2},
		event.Matrix{Name: "symmetric", Rows: 2, Columns: 2, Symmetric: true})
}

// TestWhichCellsCountTwice: whatever cells a unit touches, and however its sum is bounded, the one off the diagonal
// counts twice and no other. Each unit sends 3 and 4 to two cells, at a clip of 1.
func TestWhichCellsCountTwice(t *testing.T) {
	for _, mode := range []string{event.ClipUnit, event.ClipBatch, event.ClipUnitL1} {
		for _, cells := range [][2]int{{0, 3}, {3, 4}, {2, 3}, {0, 2}, {1, 4}, {2, 4}} {
			c := collector(t, clipping(mode, 1), symmetric)
			var v fixed.Vector
			values, want, norm := [2]float64{3, 4}, make([]float64, 5), 0.0
			for i, cell := range cells {
				v.Cells, v.Steps = append(v.Cells, cell), append(v.Steps, int64(values[i]*(1<<20)))
				part := values[i]
				if mode != event.ClipUnitL1 {
					part *= part
				}
				if cell == 3 {
					part *= 2
				}
				norm += part
			}
			if mode != event.ClipUnitL1 {
				norm = math.Sqrt(norm)
			}
			for i, cell := range cells {
				want[cell] = values[i] / norm
			}
			if err := c.Add("unit", "", 0, &v); err != nil {
				t.Fatal(err)
			}
			if got := sum(t, c); !near(got, want) {
				t.Errorf("%s, cells %v: %v, want %v", mode, cells, got, want)
			}
		}
	}
}

// TestHugeUser: a user's total is brought within the range of the grid before the clip, cell by cell.
func TestHugeUser(t *testing.T) {
	r := collector(t, users)
	for i, values := range [][]float32{{1e30, 1e30, 0, 0, 0, 0}, {1e30, 0, 0, 0, 0, 0}, {0, 0, -1e30, 0, 0, 0}} {
		if err := put(r, "u", string(rune('a'+i)), values...); err != nil {
			t.Fatal(err)
		}
	}
	each := 2 / math.Sqrt(3)
	if got := sum(t, r); !near(got, []float64{each, each, -each, 0, 0, 0}) {
		t.Errorf("got %v", got)
	}
}

// TestNoiseOfSymmetric: variances are σ² on the diagonal and σ²/2 off it, within six standard deviations: a sound
// program fails with a probability below 1e-8, and here the stream is fixed.
func TestNoiseOfSymmetric(t *testing.T) {
	fixedStream(t)
	terms := newTerms(newGrant(func(g *event.Grant) { g.NoiseMultiplier = 3 }))
	const rows = 400
	terms = shaped(terms, symmetrics(20, rows)...)
	p := open(t, newLedger(t), terms)
	var squares [2]float64
	var count [2]int
	for i, z := range release(t, p, 1, poisson) {
		kind := 0
		if p.limit.twice[i] {
			kind = 1
		}
		squares[kind] += float64(z) * float64(z) / (3 << 20) / (3 << 20)
		count[kind]++
	}
	if count[0] != 20*rows || count[1] != 20*rows*(rows-1)/2 {
		t.Fatalf("%v cells", count)
	}
	for kind, want := range []float64{1, 0.5} {
		variance := squares[kind] / float64(count[kind])
		if math.Abs(variance/want-1) > 6*math.Sqrt(2/float64(count[kind])) {
			t.Errorf("variance %v of kind %d, want %v", variance, kind, want)
		}
	}
}

// TestPartialSums: sums of parts, with the units they hold, give the very sum of all.
func TestPartialSums(t *testing.T) {
	for _, mode := range []string{event.ClipUnit, event.ClipBatch} {
		units := [][]float32{{3, -4, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 1}, {1e30, 1, 2, 3, 4, 5}, {0, 0.1, 0.2, 0.3, 0, 0}}
		whole, root := collector(t, clipping(mode, 2)), collector(t, clipping(mode, 2))
		parts := [2]*Collector{collector(t, clipping(mode, 2)), collector(t, clipping(mode, 2))}
		for i, values := range units {
			for _, c := range []*Collector{whole, parts[i%2]} {
				if err := put(c, string(rune('a'+i)), "", values...); err != nil {
					t.Fatal(err)
				}
			}
		}
		var lastKeys []byte
		for _, part := range parts {
			taken := part.round.taken
			cells, members, err := part.Sum(taken)
			lastKeys = members.Keys()
			if err == nil {
				err = root.AddPart(lastKeys, taken.Records, taken.Digest, cells)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if got, want := sum(t, root), sum(t, whole); !slices.Equal(got, want) {
			t.Errorf("%s: parts give %v, want %v", mode, got, want)
		}
		root = collector(t)
		if err := root.AddPart(lastKeys, 2, 0, make([]int64, 6)); err != nil {
			t.Fatal(err)
		}
		wantCode(t, put(root, "d", "", 0, 0, 0, 0, 0, 0), 90)
	}
}

// TestTakes: partial sums of other steps, of another bound, or of a matrix that has another bound, are not added.
func TestTakes(t *testing.T) {
	c := collector(t, func(terms *Terms) { terms.Grant.Statistics = []event.Statistic{{Name: "matrix", Bound: 0.25}} })
	step, bound, bounds := c.Step(), c.Bound(), c.Bounds()
	if !c.Takes(step, bound, slices.Clone(bounds)) {
		t.Error("its own steps are refused")
	}
	other := slices.Clone(bounds)
	other[len(other)-1] = math.Nextafter(other[len(other)-1], 1)
	for what, taken := range map[string]bool{
		"another step":           c.Takes(math.Nextafter(step, 1), bound, bounds),
		"another bound":          c.Takes(step, bound+1, bounds),
		"a matrix's other bound": c.Takes(step, bound, other), "no bounds of matrices": c.Takes(step, bound, nil),
	} {
		if taken {
			t.Errorf("%s is taken", what)
		}
	}
}

// TestUserInTwoSources: a user of a partial sum is refused in contributions, and the other way round.
func TestUserInTwoSources(t *testing.T) {
	k := unit.KeyOf("u")
	for _, partFirst := range []bool{true, false} {
		r := collector(t, users)
		part := func() error { return r.AddPart(k[:], 1, 0, make([]int64, 6)) }
		record := func() error { return put(r, "u", "1", 1, 0, 0, 0, 0, 0) }
		first, second := part, record
		if !partFirst {
			first, second = record, part
		}
		if err := first(); err != nil {
			t.Fatal(err)
		}
		wantCode(t, second(), 90)
	}
}

// TestPartTooLarge: a partial sum cannot be larger than its units together, in the norm that bounds each. (That they
// were bounded one by one is for combine.) The bound is 2^20 steps.
func TestPartTooLarge(t *testing.T) {
	const bound = 1 << 20
	two := slices.Concat(keyBytes("a"), keyBytes("b"))
	for _, c := range []struct {
		mode  string
		keys  []byte
		cells []int64
		fits  bool
	}{
		{event.ClipUnit, two, []int64{2 * bound, 0, 0, 0, 0, 0}, true},
		{event.ClipUnit, two, []int64{2*bound + 1, 0, 0, 0, 0, 0}, false},
		{event.ClipUnit, two, []int64{2 * bound, -bound / 8, 0, 0, 0, 0}, false},
		{event.ClipUnitL1, two, []int64{bound, -bound, 0, 0, 0, 0}, true},
		{event.ClipUnitL1, two, []int64{bound, -bound, 1, 0, 0, 0}, false},
		{event.ClipProved, nil, []int64{0, 0, 0, 0, 0, 1}, false},
		{event.ClipProved, nil, make([]int64, 6), true},
		{event.ClipBatch, two, []int64{1 << 50, 0, 0, 0, 0, 0}, true}, // is brought within the bound as a whole
		{event.ClipBatch, nil, []int64{0, 0, 0, 0, 0, 1}, false},
		{event.ClipBatch, nil, make([]int64, 6), true},
	} {
		err := collector(t, clipping(c.mode, 2)).AddPart(c.keys, 2, 0, c.cells)
		if (err == nil) != c.fits {
			t.Errorf("%s: a part of %d units and %v: %v", c.mode, len(c.keys)/16, c.cells, err)
		}
	}
}

func keyBytes(name string) []byte {
	k := unit.KeyOf(name)
	return k[:]
}

// TestOverflow: sums beyond 64 bits end the round with exit code 90.
func TestOverflow(t *testing.T) {
	r := collector(t, clipping(event.ClipBatch, 2))
	if err := r.AddPart(keyBytes("a"), 1, 0, []int64{math.MaxInt64, 0, 0, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, r.AddPart(keyBytes("b"), 1, 0, []int64{1, 0, 0, 0, 0, 0}), 90)
	_, _, err := r.Sum(Announced{2, 2, 0})
	wantCode(t, err, 90)
}

// symmetrics returns so many symmetric matrices.
func symmetrics(count, rows int) (all []event.Matrix) {
	for i := range count {
		all = append(all, event.Matrix{Name: fmt.Sprint("m", i), Rows: rows, Columns: rows, Symmetric: true})
	}
	return all
}

// TestTooManyCells: a header alone must not take all memory.
func TestTooManyCells(t *testing.T) {
	terms := newTerms(newGrant())
	terms = shaped(terms, symmetrics(64, 1<<15)...)
	_, err := NewCollector(&terms)
	wantCode(t, err, 90)
}

// named is a scheme whose coins have a name.
func named() event.Scheme {
	s := poisson
	s.Coins = coins("a")
	return s
}

// TestRerun: a round that is released already and comes again with the same coins is answered with the stored release,
// if its exact sum is the same. If not, it is refused, or released again for a second charge.
func TestRerun(t *testing.T) {
	ledger := newLedger(t)
	p := open(t, ledger, newTerms(newGrant()))
	first := release(t, p, 1, named(), one)
	p.Close()
	again := func(respend bool, values ...float32) (cells []int64, replayed bool, err error) {
		terms := newTerms(newGrant())
		terms.AllowRespend = respend
		p := open(t, ledger, terms)
		defer p.Close()
		digest := take(t, p, 1, named(), contribution{"one", values})
		return p.Release(Announced{1, 1, digest})
	}
	for _, respend := range []bool{false, true} {
		if cells, replayed, err := again(respend, one.values...); err != nil || !replayed ||
			!slices.Equal(cells, first) {
			t.Errorf("the same sum gives %v, replayed %v, error %v", cells, replayed, err)
		}
	}
	before := read(t, ledger)
	cells, _, err := again(false, 0, 1, 0, 0, 0, 0)
	wantCode(t, err, 83)
	if cells != nil || !bytes.Equal(read(t, ledger), before) {
		t.Errorf("released %v, or charged", cells)
	}
	second, replayed, err := again(true, 0, 1, 0, 0, 0, 0)
	if err != nil || replayed || slices.Equal(second, first) {
		t.Fatalf("with leave: %v, replayed %v, error %v", second, replayed, err)
	}
	if all := charges(t, ledger); len(all) != 2 || all[0].Attempt != 0 || all[1].Attempt != 2 || all[1].Round != 1 {
		t.Errorf("charges %+v", all)
	}
	// The last release is the round's from now on; and the grant's two releases are used.
	if cells, replayed, err := again(false, 0, 1, 0, 0, 0, 0); err != nil || !replayed || !slices.Equal(cells, second) {
		t.Errorf("the second sum gives %v, replayed %v, error %v", cells, replayed, err)
	}
	_, _, err = again(true, 0, 0, 1, 0, 0, 0)
	wantCode(t, err, 83)
}

// TestSumIsPrivate: the digest of the exact sum is the owner's to read, and not in the ledger. Without it a rerun
// cannot be compared, and is refused.
func TestSumIsPrivate(t *testing.T) {
	ledger := newLedger(t)
	// Noise of 2^20 steps: with less, all six cells might stay what they were.
	terms := newTerms(newGrant(func(g *event.Grant) { g.NoiseMultiplier = 1 }))
	p := open(t, ledger, terms)
	release(t, p, 1, named(), contribution{"one", make([]float32, 6)})
	p.Close()
	path := storedRelease(ledger, "000000001.sum")
	digest := sha256.Sum256(make([]byte, 6*8))
	if kept := read(t, path); !bytes.Equal(kept, digest[:]) {
		t.Errorf("kept %x, want %x", kept, digest)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if bytes.Contains(read(t, ledger), []byte(hex.EncodeToString(digest[:]))) {
		t.Error("the ledger tells the sum")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	p = open(t, ledger, terms)
	units := take(t, p, 1, named(), contribution{"one", make([]float32, 6)})
	_, _, err := p.Release(Announced{1, 1, units})
	wantCode(t, err, 83)
}
