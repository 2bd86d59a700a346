package release

import (
	"fmt"
	"math"
	"slices"

	"privpipe/pipelines/event"
	"privpipe/privatize/internal/book"
	"privpipe/privatize/internal/fixed"
	"privpipe/privatize/internal/unit"
)

// A Collector sums the contributions of rounds exactly, after it bounds each unit as the grant says. Only Quantise is
// safe for concurrent use.
type Collector struct {
	layout *fixed.Layout
	grids  []fixed.Grid // of each matrix
	bounds []float64    // of each matrix; nil: 1 for all
	step   float64      // value of one step where the bound is 1
	limit  limiter
	marker *marker
	user   bool // a unit may have several records
	grant  *event.Grant
	round  *round // nil: between rounds
	units  int    // of the round before: the next one has memory for as many
}

// noneGrid is the grid without a clip: 24 binary digits after the point, so that a coordinate may be up to 2^16.
var noneGrid = fixed.Grid{PerUnit: 1 << 24}

// maxCells bounds the cells of all matrices together: 16 GB of sums.
const maxCells = 1 << 31

// NewCollector returns a Collector for a run with these terms.
func NewCollector(terms *Terms) (*Collector, error) {
	g := terms.Grant
	if g != nil {
		if err := fits(g, terms); err != nil {
			return nil, err
		}
	} else if terms.Subject.Check() != nil {
		return nil, &book.Mismatch{Reason: "the stream names its model, vocabulary or matrices in a form that no " +
			"stage writes"}
	}
	layout := layoutOf(terms.Subject)
	if layout.Cells() > maxCells {
		return nil, &book.Mismatch{Reason: fmt.Sprintf("matrices of more than %d cells in all", maxCells)}
	}
	c := &Collector{layout: layout, grant: g, user: terms.Unit == event.User, step: noneGrid.Step(),
		marker: newMarker()}
	c.grids = slices.Repeat([]fixed.Grid{noneGrid}, layout.Matrices())
	if g == nil {
		return c, nil
	}
	bound, _ := g.Steps()
	c.limit = limiter{
		clipping: g.Bounding(), l1: g.Mechanism == event.Laplace, nonNegative: g.NonNegative,
		words: g.Unit == event.Word, bound: bound,
	}
	if !c.limit.l1 {
		// Laplace noise hides an L1 norm of the cells that get noise, which are only the upper triangle.
		c.limit.twice = layout.Twice()
	}
	return c, c.scale(terms)
}

// fits refuses contributions that the grant is not for. A release repeats the header of their stream, so the header
// must be public already. The grant is public.
func fits(g *event.Grant, terms *Terms) error {
	if err := g.Check(); err != nil {
		return book.Refuse("%v", err)
	}
	if g.Mechanism != event.Gaussian && g.Mechanism != event.Laplace {
		return book.Refuse("a grant for %s cannot be used for sums of contributions", g.Mechanism)
	}
	if g.Unit != terms.Unit && !(g.Unit == event.Word && terms.Unit == event.Document) { // documents carry words
		return book.Refuse("the grant is for unit %s, the contributions are of unit %s", g.Unit, terms.Unit)
	}
	if err := g.Subject.Fits(terms.Subject); err != nil {
		return book.Refuse("%v", err)
	}
	return nil
}

// layoutOf returns the layout for a subject's matrices.
func layoutOf(s event.Subject) *fixed.Layout {
	layout := new(fixed.Layout)
	for _, m := range s.Matrices {
		if m.Symmetric {
			layout.AppendSymmetric(m.Rows)
		} else {
			layout.Append(m.Rows, m.Columns)
		}
	}
	return layout
}

// scale sets the grids. On a matrix's grid, the clip times the bound of its statistic is the bound in steps.
func (c *Collector) scale(terms *Terms) error {
	g := terms.Grant
	c.step = fixed.ClipGrid(g.Clip, c.limit.bound).Step()
	if len(g.Statistics) > 0 {
		c.bounds = slices.Repeat([]float64{1}, len(c.grids))
	}
	for _, s := range g.Statistics {
		i := slices.IndexFunc(terms.Subject.Matrices, func(m event.Matrix) bool { return m.Name == s.Name })
		if i < 0 {
			return book.Refuse("the grant bounds statistic %q, and the contributions have no matrix of that name",
				s.Name)
		}
		c.bounds[i] = s.Bound
	}
	for i := range c.grids {
		clip := g.Clip
		if c.bounds != nil {
			clip *= c.bounds[i]
		}
		c.grids[i] = fixed.ClipGrid(clip, c.limit.bound)
		if step := c.grids[i].Step(); !(step > 0 && step <= math.MaxFloat64 && c.step > 0) {
			return book.Refuse("clip %v is outside the range of this mechanism", clip)
		}
	}
	return nil
}

// Layout gives each cell of the contributions a number.
func (c *Collector) Layout() *fixed.Layout { return c.layout }

// Step is the value of one step, in the contributions' unit, in a matrix with the statistic bound 1.
func (c *Collector) Step() float64 { return c.step }

// Bounds returns, for each matrix, the value of its step divided by Step. nil means 1 for all.
func (c *Collector) Bounds() []float64 { return c.bounds }

// Bound is the clip bound in steps, 0 for none.
func (c *Collector) Bound() uint64 { return c.limit.bound }

// Open begins a round.
func (c *Collector) Open() { c.round = newRound(&c.limit, c.marker, c.layout.Cells(), c.units, c.user) }

// CheckRound refuses a round if its contributions were made in another way than the grant allows. draws is the pure
// loss of a token's own draws, as the round states it. coupled says that contributions of the round depend on one
// another.
func (c *Collector) CheckRound(draws float64, coupled bool) error {
	switch g := c.grant; {
	// Without a grant there is no privacy, and nothing is claimed.
	case g == nil:
	case coupled && g.Clipping != event.ClipUnbounded:
		return book.Refuse("the contributions of the round depend on one another: a bound on each contribution does " +
			"not bound what a unit changes")
	// Only unit word counts draws: other units hide their topics, so draws are no loss for them.
	case g.Unit == event.Word && draws != g.Draws:
		return book.Refuse("the round states another privacy loss of its draws than the grant, which states %v",
			g.Draws)
	}
	return nil
}

// Quantise appends a block to v on the grid of the block's matrix: see fixed.Vector.Add, and fixed.Vector.AddFactored.
// It changes nothing but v.
func (c *Collector) Quantise(v *fixed.Vector, matrix int, rows, columns []uint32, values []float32,
	factored bool) error {
	grid := noneGrid
	if matrix >= 0 && matrix < len(c.grids) { // for other numbers Add returns an error
		grid = c.grids[matrix]
	}
	if err := c.whole(values); err != nil {
		return err
	}
	if factored {
		return v.AddFactored(c.layout, grid, matrix, rows, columns, values)
	}
	return v.Add(c.layout, grid, matrix, rows, columns, values)
}

// Add adds one contribution to the open round: a unit's whole contribution or, where a unit may have several records,
// the contribution of one record. name is the unit's name, and digest the name's digest. v may be changed, and used
// again. A second delivery that is the same in every step is dropped. A different contribution of the same unit, or of
// the same record, is a *book.Mismatch.
func (c *Collector) Add(name, record string, digest uint64, v *fixed.Vector) error {
	return c.round.add(name, record, digest, v)
}

// Sum ends the open round and returns its exact sum and its units. It checks that the units are the announced ones. A
// part's sum is not yet bounded as a whole: see event.ClipBatch.
func (c *Collector) Sum(announced Announced) (cells []int64, members unit.Marks, err error) {
	r := c.round
	c.round, c.units = nil, len(r.seen)
	if err := r.close(announced); err != nil {
		return nil, nil, err
	}
	return r.sum.Cells, r.seen, nil
}
