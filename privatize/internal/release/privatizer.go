// Package release sums a round's contributions, adds noise, and lets the result out once, after it is charged. See
// claim.md.
package release

import (
	"encoding/json"
	"math"
	"runtime"
	"sync"

	"privpipe/pipelines/event"
	"privpipe/privatize/internal/fixed"
	"privpipe/privatize/internal/noise"
)

// Terms are what a run's releases have in common. All of it is public.
type Terms struct {
	Dataset  string
	Run      string
	Unit     string       // event.Document or event.User
	Grant    *event.Grant // nil: no privacy, exact sums
	Layout   fixed.Layout
	Settings string // hash of the public settings of the contributions
}

// A Privatizer turns rounds of contributions into releases. It is not safe for concurrent use.
type Privatizer struct {
	terms Terms
	book  *book
	grid  fixed.Grid
	bound uint64 // clip bound of a unit, in steps; 0: none
	scale uint64 // σ of the noise, in steps; 0: none
	noise *noise.Gaussian
	round *round // nil: between rounds

	charge *event.Charge // of the open round
}

// noneGrid is the grid without a clip: 24 binary digits behind the point, so that a coordinate may be up to 2^16.
var noneGrid = fixed.Grid{PerUnit: 1 << 24}

// Open opens the ledger for a run. Close must be called at the end.
func Open(ledger string, terms Terms) (*Privatizer, error) {
	p := &Privatizer{terms: terms, grid: noneGrid}
	if g := terms.Grant; g != nil {
		if err := p.calibrate(g); err != nil {
			return nil, err
		}
	}
	book, err := openBook(ledger)
	if err != nil {
		return nil, err
	}
	p.book = book
	if terms.Grant != nil {
		if err := book.enter(terms.Grant); err != nil {
			book.close()
			return nil, err
		}
	}
	return p, nil
}

// calibrate takes the grid, the bound and the scale from a grant: scale = ⌈σ·bound⌉ for a noise multiplier of σ.
func (p *Privatizer) calibrate(g *event.Grant) error {
	if err := g.Check(); err != nil {
		return refuse("%v", err)
	}
	if g.Unit != p.terms.Unit {
		return refuse("the grant is for unit %s, the contributions are of unit %s", g.Unit, p.terms.Unit)
	}
	bits := fixed.BoundBits(g.NoiseMultiplier)
	p.grid, p.bound = fixed.ClipGrid(g.Clip, bits), 1<<bits
	if step := p.grid.Step(); !(step > 0 && step <= math.MaxFloat64) {
		return refuse("clip %v is outside the range of this mechanism", g.Clip)
	}
	scale := math.Ceil(math.Ldexp(g.NoiseMultiplier, bits)) // both exact in float64
	if scale < 1 || scale > noise.MaxScale {
		return refuse("noise multiplier %v is outside the range of this mechanism", g.NoiseMultiplier)
	}
	p.scale = uint64(scale)
	p.noise = noise.NewGaussian(p.scale)
	return nil
}

// Step is the value of one step, in the unit of the contributions.
func (p *Privatizer) Step() float64 { return p.grid.Step() }

// Bound is the clip bound of a unit in steps, 0 for none.
func (p *Privatizer) Bound() uint64 { return p.bound }

// Scale is σ of the noise in steps, 0 for none.
func (p *Privatizer) Scale() uint64 { return p.scale }

// Close frees the ledger.
func (p *Privatizer) Close() error { return p.book.close() }

// Begin begins a round. If the round is released already, it returns the stored cells: the caller passes them on and
// drops the round's contributions. It refuses what the grant does not allow.
func (p *Privatizer) Begin(number int, scheme event.Scheme) (stored []int64, err error) {
	charged := p.book.ledger.Find(p.terms.Run, number)
	if charged != nil {
		if charged.Settings != p.terms.Settings || charged.Dataset != p.terms.Dataset ||
			charged.Grant != p.grantID() || !scheme.Same(charged.Scheme) {
			return nil, refuse("round %d of run %s was released under other settings: use those, or a new grant and run", number, p.terms.Run)
		}
		p.charge = charged
		return p.book.stored(charged, p.terms.Layout.Cells())
	}
	if g := p.terms.Grant; g != nil {
		if err := p.allowed(g, number, scheme); err != nil {
			return nil, err
		}
	}
	// Checked before anything is drawn: a line that breaks a rule would make the ledger unreadable for good.
	p.charge = p.newCharge(number, scheme)
	if err := p.charge.Check(); err != nil {
		return nil, refuse("%v", err)
	}
	if err := p.composable(); err != nil {
		return nil, err
	}
	p.round = newRound(p.bound, p.terms.Layout.Cells())
	return nil, nil
}

// Scheme is how the units of the round that began last were sampled. Of a stored release it is the scheme that was charged:
// it names the coins that chose the units in it.
func (p *Privatizer) Scheme() event.Scheme { return p.charge.Scheme }

// composable refuses a charge that no accountant could compose with those of the ledger.
func (p *Privatizer) composable() error {
	if p.charge.Mechanism == event.None {
		return nil
	}
	for _, c := range p.book.ledger.Charges() {
		if c.Mechanism != event.None && (c.Adjacency != p.charge.Adjacency || c.Unit != p.charge.Unit) {
			return refuse("the ledger is for neighbours %s and unit %s, this run for %s and %s: it needs a ledger of its own",
				c.Adjacency, c.Unit, p.charge.Adjacency, p.charge.Unit)
		}
	}
	return nil
}

// newCharge returns the charge of a round, which lacks the hash of its release.
func (p *Privatizer) newCharge(number int, scheme event.Scheme) *event.Charge {
	charge := &event.Charge{
		Dataset: p.terms.Dataset, Run: p.terms.Run, Round: number, Grant: p.grantID(), Mechanism: event.None,
		Adjacency: event.AddRemove, Unit: p.terms.Unit, Scale: p.scale, Scheme: scheme, Settings: p.terms.Settings,
	}
	if g := p.terms.Grant; g != nil {
		charge.Mechanism, charge.Adjacency = g.Mechanism, g.Adjacency
		charge.Sensitivity = event.SensitivityFactor(g.Adjacency) * p.bound
	} else if scheme.Method == event.Fixed {
		charge.Adjacency = event.ReplaceOne
	}
	return charge
}

// allowed compares the next release with the grant.
func (p *Privatizer) allowed(g *event.Grant, number int, scheme event.Scheme) error {
	if g.Expired(p.book.now()) {
		return refuse("the grant has expired")
	}
	if !scheme.Same(g.Scheme) {
		return refuse("the round was sampled by %s, the grant is for %s", scheme, g.Scheme)
	}
	if err := p.planned(g, number, scheme); err != nil {
		return err
	}
	if number > g.Scheme.Rounds {
		return refuse("round %d is beyond the %d rounds of the grant's scheme", number, g.Scheme.Rounds)
	}
	if scheme.Method == event.Allocate && scheme.Coins == "" {
		return refuse("the allocation has no name: rounds of two of them could not be told apart")
	}
	releases := 0
	for _, c := range p.book.ledger.Charges() {
		if c.Grant != g.ID {
			continue
		}
		releases++
		if !scheme.Disjoint() {
			continue
		}
		// The grant counts on every unit being in one round of one throw. Under another name of the run or of the data
		// set a unit could be in a round a second time.
		if c.Run != p.terms.Run || c.Dataset != p.terms.Dataset {
			return refuse("this grant is for disjoint rounds, and run %s of data set %s has begun them", c.Run, c.Dataset)
		}
		if c.Scheme.Coins != scheme.Coins {
			return refuse("the units were thrown anew: a unit could be in two rounds of this grant")
		}
	}
	if releases >= g.Releases {
		return refuse("all %d releases of the grant are used", g.Releases)
	}
	return nil
}

// planned refuses what the plan behind a budget does not know of: charges of other grants, and a second release of a
// sampled batch, which loses more than one of a batch with coins of its own.
func (p *Privatizer) planned(g *event.Grant, number int, scheme event.Scheme) error {
	if g.Budget.Epsilon == 0 {
		return nil // the noise was given, no budget stands behind it
	}
	lines, found := p.book.ledger.After(g.Budget.After)
	if !found {
		return refuse("the grant was planned for another ledger")
	}
	for _, line := range lines {
		if line.Charge != nil && line.Charge.Grant != g.ID {
			return refuse("the ledger has charges that the grant was planned without: plan again, with --ledger, and train anew")
		}
	}
	for _, c := range p.book.ledger.Charges() {
		if scheme.Method == event.Poisson && c.Scheme == scheme && c.Round == number {
			return refuse("round %d of these coins was released before: sample anew", number)
		}
	}
	return nil
}

// Add adds the whole contribution of a unit to the open round. digest is the digest of its name. It takes v over.
func (p *Privatizer) Add(unit string, digest uint64, v *fixed.Vector) error {
	return p.round.add(unit, digest, v)
}

// Quantise appends a block to v on the grid of the run: see fixed.Vector.Add.
func (p *Privatizer) Quantise(v *fixed.Vector, matrix int, rows, columns []uint32, values []float32) error {
	return v.Add(&p.terms.Layout, p.grid, matrix, rows, columns, values)
}

// Release ends the open round: it checks that exactly the announced units contributed, adds the noise, stores the
// result, charges it, and returns it.
func (p *Privatizer) Release(units, digest uint64) ([]int64, error) {
	r := p.round
	p.round = nil
	if err := r.check(units, digest); err != nil {
		return nil, err
	}
	cells := r.sum.Cells
	if p.noise != nil {
		if err := addNoise(cells, p.noise); err != nil {
			return nil, err
		}
	}
	if err := p.book.charge(p.charge, cells); err != nil {
		return nil, err
	}
	return cells, nil
}

func (p *Privatizer) grantID() string {
	if p.terms.Grant == nil {
		return ""
	}
	return p.terms.Grant.ID
}

// addNoise adds independent noise to every cell, those that no unit touched included.
func addNoise(cells []int64, gaussian *noise.Gaussian) error {
	workers := runtime.GOMAXPROCS(0)
	share := (len(cells) + workers - 1) / workers
	errs := make([]error, workers)
	var group sync.WaitGroup
	for w := range workers {
		part := cells[min(w*share, len(cells)):min((w+1)*share, len(cells))]
		group.Go(func() {
			sum, random := fixed.Sum{Cells: part}, gaussian.Twin()
			for i := range part {
				if err := sum.Add(i, random.Next()); err != nil {
					errs[w] = err
					return
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// encoded is the JSON by which two grants are compared.
func encoded(g *event.Grant) ([]byte, error) { return json.Marshal(g) }
