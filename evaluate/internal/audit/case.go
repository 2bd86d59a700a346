package audit

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"privpipe/pipelines/event"
)

// A place is where the canary stands in a round: one pair of neighbours. It has the round's contributions with the
// canary and without it, for each input.
type place struct {
	name          string
	with, without [][]contribution
	// within means that all units are within their bounds. Then the canary must move the sum by exactly its
	// contribution.
	within bool
}

// A kind is one case: a grant, its inputs, and the places of the canary. Particular faults show at particular places.
type kind struct {
	name   string
	terms  Terms
	places []place
	// refusable means that a privatizer may refuse the canary's round instead of releasing it.
	refusable bool
	// combined means that each input is first combined into a partial sum.
	combined bool
}

// These two cases have the caller's mechanism, adjacency and unit. Other cases have their own.
const (
	Neighbours     = "neighbours"
	DeliveredTwice = "delivered-twice"
)

// clip is the clip in all kinds. It is not 1, so that a wrong factor of the clip shows.
const clip = 3

// kinds returns the cases with neighbours in single rounds. Their grants have the noise multiplier of base, the
// caller's terms.
func kinds(base Terms) []kind {
	terms := func(mechanism, adjacency, unit string, change func(*Terms)) Terms {
		t := Terms{
			Mechanism: mechanism, Adjacency: adjacency, Unit: unit, NoiseMultiplier: base.NoiseMultiplier, clip: clip,
			layout: mixed(),
		}
		if change != nil {
			change(&t)
		}
		return t
	}
	clipping := func(how string) func(*Terms) { return func(t *Terms) { t.clipping = how } }
	sums := terms(event.Gaussian, event.AddRemove, event.Document, nil)
	users := terms(event.Gaussian, event.AddRemove, event.User, nil)
	exchanged := terms(event.Gaussian, event.ReplaceOne, event.Document, nil)
	positive := terms(event.Gaussian, event.ReplaceOne, event.Document, func(t *Terms) { t.nonNegative = true })
	batch := terms(event.Gaussian, event.AddRemove, event.Document, clipping(event.ClipBatch))
	l1 := terms(event.Gaussian, event.AddRemove, event.Document, clipping(event.ClipUnitL1))
	proved := terms(event.Gaussian, event.AddRemove, event.Document, clipping(event.ClipProved))
	factored := terms(event.Gaussian, event.AddRemove, event.Document, func(t *Terms) { t.factored = true })
	factoredUsers := terms(event.Gaussian, event.AddRemove, event.User, func(t *Terms) { t.factored = true })
	proof := terms(event.Gaussian, event.ReplaceOne, event.Document,
		func(t *Terms) { t.clipping, t.proved = event.ClipProved, 1.5 })
	counts := terms(event.Gaussian, event.ReplaceOne, event.Word, words(1, math.Sqrt2))
	increments := terms(event.Laplace, event.ReplaceOne, event.Word, words(4, 1))
	laplace := terms(event.Laplace, event.AddRemove, event.Document, nil)
	laplaceExchanged := terms(event.Laplace, event.ReplaceOne, event.Document, nil)
	base.clip, base.layout = clip, mixed()
	cells := base.layout
	single, all, off := cells.in("plain")[:1], cells.all(), cells.offDiagonal()
	diagonal, bounded := cells.in("symmetric"), cells.in("bounded")

	return []kind{
		{name: DeliveredTwice, terms: base, refusable: true, places: []place{base.twice("in one cell", single, 1)}},
		{name: "sums", terms: sums, places: []place{
			sums.canary("in one cell", single), sums.canary("in all cells", all), sums.canary("off the diagonal", off),
			sums.canary("on the diagonal", diagonal), sums.quiet("in all cells", all),
			sums.quiet("under a bound", bounded),
		}},
		{name: "users", terms: users, places: []place{
			users.records("in one cell", single), users.records("in all cells", all), users.quiet("in all cells", all),
		}},
		{name: "exchanged", terms: exchanged, places: []place{
			exchanged.canary("in one cell", single), exchanged.canary("in all cells", all),
			exchanged.canary("off the diagonal", off),
		}},
		{name: "non-negative", terms: positive, places: []place{
			positive.apart("in two cells", single, cells.in("plain")[1:2]),
			positive.apart("off the diagonal", off[:3], off[3:]),
			positive.canary("in one cell", single),
		}},
		{name: "batch", terms: batch,
			places: []place{batch.canary("in one cell", single), batch.canary("off the diagonal", off)}},
		{name: "l1", terms: l1, places: []place{
			l1.canary("in one cell", single), l1.canary("in all cells", all),
			l1.canary("in a cell off the diagonal", off[:1]),
		}},
		{name: "proved", terms: proved, refusable: true, places: []place{proved.canary("in all cells", all)}},
		{name: "sensitivity", terms: proof,
			places: []place{proof.opposite("in one cell", single), proof.opposite("in all cells", all)}},
		{name: "factored", terms: factored, places: []place{
			factored.canary("in one cell", single), factored.canary("in all cells", all),
			factored.quiet("in all cells", all),
			factored.quiet("under a bound", bounded),
		}},
		{name: "factored-users", terms: factoredUsers, places: []place{
			factoredUsers.records("in one cell", single), factoredUsers.records("in all cells", all),
			factoredUsers.quiet("in all cells", all),
		}},
		{name: "words", terms: counts, places: []place{
			counts.exchange("in two cells", map[int]float64{0: 1}, map[int]float64{9: 1}),
			counts.exchange("among others", map[int]float64{0: 3, 4: 1, 7: 2}, map[int]float64{0: 2, 4: 1, 7: 2, 8: 1}),
		}},
		{name: "increments", terms: increments, places: []place{
			increments.exchange("in four cells", map[int]float64{0: 1, 5: -1}, map[int]float64{1: 1, 6: -1}),
			increments.exchange("among others", map[int]float64{0: 1, 2: 2, 5: -1, 7: -2},
				map[int]float64{1: 1, 2: 2, 6: -1, 7: -2}),
		}},
		{name: "two-inputs", terms: sums, refusable: true, places: []place{sums.twice("in all cells", all, 2)}},
		{name: "partial-sums", terms: sums, combined: true, places: []place{
			sums.crowd("in one cell", single), sums.crowd("off the diagonal", off), sums.quiet("in all cells", all),
		}},
		{name: "two-sums", terms: sums, combined: true, refusable: true,
			places: []place{sums.twice("in all cells", all, 2)}},
		{name: "laplace", terms: laplace, places: []place{
			laplace.canary("in one cell", single), laplace.canary("in all cells", all),
			laplace.canary("off the diagonal", off),
			laplace.quiet("under a bound", bounded),
		}},
		{name: "laplace-exchanged", terms: laplaceExchanged, places: []place{
			laplaceExchanged.canary("in one cell", single), laplaceExchanged.canary("in all cells", all),
		}},
	}
}

// Cases returns the names of all cases, in the order of an audit.
func Cases() []string {
	names := []string{Neighbours}
	for _, k := range kinds(Terms{}) {
		names = append(names, k.name)
	}
	return names
}

// canary returns a place with a loud canary in some cells, and another unit in the same cells.
func (t Terms) canary(name string, cells []int) place {
	other := constant("other", 0, cells, beside)
	p := place{name: name, with: [][]contribution{{other, constant("canary", 0, cells, loud)}}}
	p.without = [][]contribution{{other}}
	if value := t.without(); value != 0 {
		p.without[0] = append(p.without[0], constant("canary", 0, cells, value))
	}
	return p
}

// quiet returns a place with a canary a little below its bound, and a smaller unit. If the unit is a user, the canary
// has three records.
func (t Terms) quiet(name string, cells []int) place {
	whole := t.within(cells, 0.9)
	other := constant("other", 0, cells, -whole/3)
	p := place{name: "quiet " + name, within: true, with: [][]contribution{{other}}, without: [][]contribution{{other}}}
	records := 1
	if t.Unit == event.User {
		records = 3
	}
	for r := range records {
		p.with[0] = append(p.with[0], constant("canary", r, cells, whole/float64(records)))
	}
	return p
}

// within returns a value for the given cells. A vector with this value in these cells, and 0 elsewhere, has the given
// norm in clips.
func (t Terms) within(cells []int, norm float64) float64 {
	v := make([]float64, len(t.layout.cells()))
	for _, i := range cells {
		v[i] = 1
	}
	return norm / t.layout.norm(v, t.l1(), !t.l1())
}

// opposite returns a place with a canary that is replaced by its negative. Both are within the clip. They are as far
// apart as the proof allows.
func (t Terms) opposite(name string, cells []int) place {
	value := t.within(cells, t.proved/2)
	return place{
		name: name, within: true,
		with:    [][]contribution{{constant("canary", 0, cells, value)}},
		without: [][]contribution{{constant("canary", 0, cells, -value)}},
	}
}

// words returns a change of terms for the unit word: to counts of words (clip 1), or to increments of counts.
// Exchanging one word moves their sum by proved clips. Its draws lose a little privacy in each round.
func words(clip, proved float64) func(*Terms) {
	return func(t *Terms) {
		t.clipping, t.clip, t.proved, t.draws = event.ClipProved, clip, proved, 0.25
		t.layout = layout{{name: "counts", rows: 2, columns: 5, bound: 1}}
	}
}

// exchange returns a place with one document. with and without are its counts in the topics' cells, before and after
// one of its words was exchanged.
func (t Terms) exchange(name string, with, without map[int]float64) place {
	document := func(counts map[int]float64) [][]contribution {
		c := contribution{unit: "canary", cells: slices.Sorted(maps.Keys(counts))}
		for _, cell := range c.cells {
			c.values = append(c.values, counts[cell]/t.clip)
		}
		return [][]contribution{{c}}
	}
	return place{name: name, within: true, with: document(with), without: document(without)}
}

// records returns a place with a canary that has three loud records.
func (t Terms) records(name string, cells []int) place {
	p := t.canary(name, cells)
	for r := 1; r < 3; r++ {
		p.with[0] = append(p.with[0], constant("canary", r, cells, loud))
	}
	return p
}

// apart returns a place with a canary that is replaced by a canary in other cells. No value is negative.
func (t Terms) apart(name string, cells, others []int) place {
	return place{
		name:    name,
		with:    [][]contribution{{constant("canary", 0, cells, loud)}},
		without: [][]contribution{{constant("canary", 0, others, loud)}},
	}
}

// twice returns a place that delivers the canary's record twice, in one input or in two. A privatizer that counts the
// record twice loses more privacy than it claims.
func (t Terms) twice(name string, cells []int, inputs int) place {
	p := t.canary(name, cells)
	if inputs == 1 {
		p.with[0] = append(p.with[0], p.with[0][1])
		return p
	}
	p.with = append(p.with, []contribution{constant("another", 0, cells, beside), p.with[0][1]})
	p.without = append(p.without, append([]contribution{p.with[1][0]}, p.without[0][1:]...))
	return p
}

// crowded is the number of other units in a crowd. A crowd's partial sum may be larger than one unit.
const crowded = 30

// crowd returns a place with a canary among nearly empty units, in one of two inputs. The canary exceeds the bound on
// one unit. It does not exceed the bound on all units in its input together.
func (t Terms) crowd(name string, cells []int) place {
	p := place{name: name, with: [][]contribution{nil, nil}, without: [][]contribution{nil, nil}}
	for i := range crowded {
		some := constant(fmt.Sprintf("other %d", i), 0, cells, 1e-3)
		for _, side := range [][][]contribution{p.with, p.without} {
			side[i%2] = append(side[i%2], some)
		}
	}
	p.with[0] = append(p.with[0], constant("canary", 0, cells, t.within(cells, crowded/2-1)))
	return p
}

// inputs returns the largest number of inputs at any place. Places with fewer inputs leave the others empty.
func (k *kind) inputs() int {
	most := 0
	for _, p := range k.places {
		most = max(most, len(p.with))
	}
	return most
}

// exact returns the exact sums in a place's round, with the canary or without it, in clips.
func (t Terms) exact(inputs [][]contribution) []float64 {
	var round []contribution
	for _, in := range inputs {
		round = append(round, in...)
	}
	return t.sum(round)
}
