package release

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
	"privpipe/privatize/internal/fixed"
	"privpipe/privatize/internal/unit"
)

// A delivery is something that comes to a round: a contribution, a record of one, or a partial sum.
type delivery struct {
	unit, record string
	values       []float32
	part         []string // its units, where it is a partial sum
	cells        []int64
}

func (d delivery) to(c *Collector) error {
	if d.part == nil {
		return put(c, d.unit, d.record, d.values...)
	}
	var keys []byte
	digest := uint64(0)
	for _, name := range d.part {
		keys = append(keys, keyBytes(name)...)
		digest += wire.UnitDigest(name)
	}
	return c.AddPart(keys, uint64(len(d.part)), digest, d.cells)
}

// TestRedelivery: what comes again is dropped if it is the very same, and refused if it is not. Every message quotes
// nobody.
func TestRedelivery(t *testing.T) {
	a := delivery{unit: "MARKER a", values: []float32{1, 0, 0, 0, 0, -1}}
	b := delivery{unit: "MARKER b", values: a.values}
	zero := delivery{unit: a.unit, values: make([]float32, 6)}
	large := delivery{unit: a.unit, values: []float32{3, 0, 0, 0, 0, 0}}
	larger := delivery{unit: a.unit, values: []float32{4, 0, 0, 0, 0, 0}}
	first := delivery{unit: a.unit, record: "1", values: a.values}
	second := delivery{unit: a.unit, record: "2", values: a.values}
	other := delivery{unit: a.unit, record: "1", values: large.values}
	two := delivery{part: []string{a.unit, b.unit}, cells: []int64{5, 0, 0, 0, 0, 0}}
	none := delivery{part: []string{}, cells: make([]int64, 6)}
	longer := func(d *delivery) { d.part = append(d.part, "c") }
	with := func(d delivery, change func(*delivery)) delivery {
		d.part, d.cells = slices.Clone(d.part), slices.Clone(d.cells)
		change(&d)
		return d
	}
	for _, c := range []struct {
		name  string
		users bool
		all   []delivery
		holds bool // else the last is refused
		taken uint64
	}{
		{"the same", false, []delivery{a, b, a, a, b}, true, 2},
		{"the same, of nothing", false, []delivery{zero, zero}, true, 1},
		{"nothing after something", false, []delivery{a, b, zero}, false, 0},
		{"something after nothing", false, []delivery{zero, b, a}, false, 0},
		{"what the clip makes the same", false, []delivery{large, larger}, false, 0},
		{"another record of a unit that has one", false, []delivery{first, second}, false, 0},
		{"a record again", true, []delivery{first, first, second, first, second}, true, 2},
		{"a record changed", true, []delivery{first, second, other}, false, 0},
		{"a part again", false, []delivery{two, none, two, none, two}, true, 2},
		{"a part of users again", true, []delivery{two, two}, true, 2},
		{"a part with other cells", false, []delivery{two, with(two, func(d *delivery) { d.cells[5]++ })}, false, 0},
		{"a part with fewer units", false, []delivery{two, with(two, func(d *delivery) { d.part = d.part[:1] })}, false,
			0},
		{"a part with more units", false, []delivery{two, with(two, longer)}, false, 0},
		{"a part with another unit", false, []delivery{two, with(two, func(d *delivery) { d.part[1] = "c" })}, false,
			0},
		{"a part that has a unit twice", false, []delivery{{part: []string{"c", "c"}, cells: make([]int64, 6)}}, false,
			0},
		{"a part, then its unit", false, []delivery{two, a}, false, 0},
		{"a unit, then a part with it", false, []delivery{a, two}, false, 0},
		{"a part, then its user", true, []delivery{two, first}, false, 0},
		{"a user, then a part with it", true, []delivery{first, two}, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			change := []func(*Terms){clipping(event.ClipUnit, 2)}
			if c.users {
				change = append(change, users)
			}
			r := collector(t, change...)
			for i, d := range c.all {
				err := d.to(r)
				if i < len(c.all)-1 || c.holds {
					if err != nil {
						t.Fatalf("delivery %d: %v", i, err)
					}
					continue
				}
				wantCode(t, err, 90)
				if strings.ContainsAny(err.Error(), "0123456789") || strings.Contains(err.Error(), "MARKER") {
					t.Errorf("message tells what is private: %v", err)
				}
				if again := d.to(r); again != err {
					t.Errorf("after a refusal: %v", again)
				}
				if again := c.all[0].to(r); again != err {
					t.Errorf("what came before, after a refusal: %v", again)
				}
				_, _, err = r.Sum(r.round.taken)
				wantCode(t, err, 90)
			}
			if c.holds && r.round.taken.Records != c.taken {
				t.Errorf("took %d records, want %d", r.round.taken.Records, c.taken)
			}
		})
	}
}

// TestRedeliveryAfterFailure: a contribution that could not be added is not there when it comes again.
func TestRedeliveryAfterFailure(t *testing.T) {
	r := collector(t, clipping(event.ClipProved, 1))
	for range 2 {
		wantCode(t, put(r, "a", "", 3, 0, 0, 0, 0, 0), 90)
	}
	_, _, err := r.Sum(Announced{1, 1, wire.UnitDigest("a")})
	wantCode(t, err, 90)
	r.Open() // another round has forgotten it
	if err := put(r, "a", "", 0.5, 0, 0, 0, 0, 0); err != nil {
		t.Error(err)
	}
}

// deliveries are what comes to a round of some units, each once.
func deliveries(random *rand.Rand, severalRecords bool) []delivery {
	values := func() []float32 {
		v := make([]float32, 6)
		for i := range v {
			v[i] = float32(random.IntN(9)-4) * 0.3
		}
		return v
	}
	var all []delivery
	for i := range 1 + random.IntN(6) {
		name := fmt.Sprint("unit ", i)
		switch kind := random.IntN(4); {
		case kind == 0:
			d := delivery{part: []string{name, name + "'"}, cells: make([]int64, 6)}
			d.cells[random.IntN(6)] = random.Int64N(100) - 50
			all = append(all, d)
		case severalRecords:
			for record := range 1 + random.IntN(3) {
				all = append(all, delivery{unit: name, record: fmt.Sprint(record), values: values()})
			}
		default:
			all = append(all, delivery{unit: name, values: values()})
		}
	}
	return all
}

// TestRedeliveryProperty: contributions come repeatedly and in any order. The round is the same as with each
// contribution once. If one of them comes changed once, however little, the round is refused: a sound program fails
// with a probability below 1e-12.
func TestRedeliveryProperty(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for trial := range 3000 {
		change := []func(*Terms){clipping([]string{event.ClipUnit, event.ClipUnitL1, event.ClipBatch}[trial%3], 1)}
		severalRecords := random.IntN(2) == 0
		if severalRecords {
			change = append(change, users)
		}
		once := deliveries(random, severalRecords)
		want := collector(t, change...)
		for _, d := range once {
			if err := d.to(want); err != nil {
				t.Fatal(err)
			}
		}
		taken := want.round.taken

		all := slices.Clone(once)
		for range random.IntN(10) {
			all = append(all, once[random.IntN(len(once))])
		}
		shuffle := func() { random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] }) }
		shuffle()
		got := collector(t, change...)
		for i, d := range all {
			if err := d.to(got); err != nil {
				t.Fatalf("trial %d: delivery %d: %v", trial, i, err)
			}
		}
		if got.round.taken != taken {
			t.Fatalf("trial %d: took %+v, want %+v", trial, got.round.taken, taken)
		}
		if a, b := sum(t, got), sum(t, want); !slices.Equal(a, b) {
			t.Fatalf("trial %d: the sum is %v, want %v", trial, a, b)
		}

		all = append(all, changed(random, once[random.IntN(len(once))]))
		shuffle()
		spoilt := collector(t, change...)
		for _, d := range all {
			_ = d.to(spoilt)
		}
		_, _, err := spoilt.Sum(taken)
		wantCode(t, err, 90)
	}
}

// changed returns d with a cell that is a little larger.
func changed(random *rand.Rand, d delivery) delivery {
	i := random.IntN(6)
	if d.part != nil {
		d.cells = slices.Clone(d.cells)
		d.cells[i]++
		return d
	}
	d.values = slices.Clone(d.values)
	d.values[i] += 0x1p-18 // four steps
	return d
}

// TestBothHalvesOfAMark: a second contribution is dropped only if both halves of its mark are those of the first.
func TestBothHalvesOfAMark(t *testing.T) {
	for name, change := range map[string]func(*unit.Mark){
		"none": func(*unit.Mark) {},
		"high": func(m *unit.Mark) { m.High ^= 1 << 40 },
		"low":  func(m *unit.Mark) { m.Low ^= 2 },
	} {
		c := collector(t, clipping(event.ClipUnit, 2))
		var v fixed.Vector
		if err := c.Quantise(&v, 0, nil, nil, []float32{1, 0, 0, 0, 0, 0}, false); err != nil {
			t.Fatal(err)
		}
		first := c.marker.contribution("", &v)
		change(&first)
		c.round.seen.Add(unit.KeyOf("a"), first)
		if err := c.round.take("a", "", 1, &v); (err == nil) != (name == "none") {
			t.Errorf("%s half changed: %v", name, err)
		}
	}
}

// TestMark: a contribution's mark follows from its cells, its steps and its record, whatever was marked before. Where
// one of them differs, so does the mark, except for a probability below 2^-61 each.
func TestMark(t *testing.T) {
	m := newMarker()
	base := fixed.Vector{Cells: []int{3, 7, 8}, Steps: []int64{1, -fixed.Limit, 0}}
	mark := m.contribution("", &base)
	for name, v := range map[string]fixed.Vector{
		"another step":     {Cells: []int{3, 7, 8}, Steps: []int64{2, -fixed.Limit, 0}},
		"another sign":     {Cells: []int{3, 7, 8}, Steps: []int64{1, fixed.Limit, 0}},
		"another cell":     {Cells: []int{3, 6, 8}, Steps: []int64{1, -fixed.Limit, 0}},
		"steps exchanged":  {Cells: []int{3, 7, 8}, Steps: []int64{-fixed.Limit, 1, 0}},
		"one more of none": {Cells: []int{3, 7, 8, 9}, Steps: []int64{1, -fixed.Limit, 0, 0}},
		"one less of none": {Cells: []int{3, 7}, Steps: []int64{1, -fixed.Limit}},
		"nothing":          {},
	} {
		if m.contribution("", &v) == mark {
			t.Errorf("%s: the same mark", name)
		}
	}
	// Both halves tell two contributions apart. A key below 2^23, which comes once in 2^41 draws, would leave the high
	// half as it is.
	sign := fixed.Vector{Cells: []int{3, 7, 8}, Steps: []int64{1, fixed.Limit, 0}}
	if other := m.contribution("", &sign); other.High == mark.High || other.Low == mark.Low {
		t.Errorf("half of the mark is the same: %x and %x", other, mark)
	}
	if m.contribution("record", &base) == mark {
		t.Error("another record: the same mark")
	}
	m.contribution("", &fixed.Vector{Cells: make([]int, 5000), Steps: make([]int64, 5000)}) // draws more keys
	if m.contribution("", &base) != mark {
		t.Error("the same contribution has another mark")
	}
	if newMarker().contribution("", &base) == mark {
		t.Error("two collectors have the same keys")
	}
	if mark.Low&1 != 0 || m.part(nil, 0, 0, nil).Low&1 != 1 {
		t.Error("a contribution could have the mark of a part")
	}
	part := m.part(keyBytes("a"), 1, 2, []int64{3, 4})
	for name, other := range map[string]bool{
		"unit":    m.part(keyBytes("b"), 1, 2, []int64{3, 4}) == part,
		"records": m.part(keyBytes("a"), 2, 2, []int64{3, 4}) == part,
		"digest":  m.part(keyBytes("a"), 1, 3, []int64{3, 4}) == part,
		"cells":   m.part(keyBytes("a"), 1, 2, []int64{4, 3}) == part,
	} {
		if other {
			t.Errorf("part of another %s: the same mark", name)
		}
	}
	if m.part(keyBytes("a"), 1, 2, []int64{3, 4}) != part {
		t.Error("the same part has another mark")
	}
}

// BenchmarkMark is of a contribution of 500 cells, as in BenchmarkSums of privatize.
func BenchmarkMark(b *testing.B) {
	v := fixed.Vector{Cells: make([]int, 500), Steps: make([]int64, 500)}
	m := newMarker()
	for b.Loop() {
		m.contribution("", &v)
	}
}
