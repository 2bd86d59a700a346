package page

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"privpipe/evaluate/internal/released"
	"privpipe/pipelines/chart"
	"privpipe/pipelines/event"
	"privpipe/pipelines/rounded"
)

// AddHistory adds the history of spending: the ledger's runs and, with a curve by account, ε over the releases.
func (p *Protection) AddHistory(ledger *event.Ledger, r *released.Report, curve *released.Curve) {
	if p.Overspent {
		p.Unplanned = unplanned(ledger)
	}
	type run struct {
		Spending
		last int // its last release among the ledger's, from 1
	}
	runs := make(map[[2]string]*run)
	n := 0
	for _, line := range ledger.Lines {
		c := line.Charge
		if c == nil {
			continue
		}
		n++
		key := [2]string{c.Dataset, c.Run}
		at := line.Time.UTC().Format(time.RFC3339)
		if runs[key] == nil {
			runs[key] = &run{Spending: Spending{Run: c.Run, Dataset: c.Dataset, First: at}}
		}
		runs[key].Releases++
		runs[key].Last, runs[key].last = at, n
	}
	var ordered []*run
	for _, x := range runs {
		ordered = append(ordered, x)
	}
	slices.SortFunc(ordered, func(a, b *run) int { return cmp.Compare(a.last, b.last) })
	for _, x := range ordered {
		if curve != nil {
			after := curve.After(x.last)
			if x.last == r.Releases {
				after = *r.Epsilon // the curve's point may be above it, by rounding
			}
			x.Epsilon = after.String()
			if b := r.Budget; b != nil && b.EpsilonLeft != nil && b.Delta == float64(*r.Delta) {
				x.Left = left(max(0, b.Epsilon-float64(after)))
			}
		}
		p.Runs = append(p.Runs, x.Spending)
	}
	if curve == nil || r.Releases == 0 || r.Epsilon.Infinite() {
		return
	}
	p.Chart = budgetChart(ledger, r, curve)
}

// budgetChart draws ε over the releases. ε must be finite.
func budgetChart(ledger *event.Ledger, r *released.Report, curve *released.Curve) *Chart {
	c := &Chart{ID: "budget", Title: "Privacy loss over the releases", XLabel: "releases, of all runs",
		YLabel: fmt.Sprintf("ε at δ = %s", *r.Delta)}
	epsilon := series{name: "spent", class: "first", steps: true}
	most := 0.0
	for _, p := range curve.Points {
		epsilon.x, epsilon.y = append(epsilon.x, float64(p.Releases)), append(epsilon.y, float64(p.Epsilon))
		most = max(most, float64(p.Epsilon))
	}
	c.Text = fmt.Sprintf("The privacy loss rises from 0 to ε %s over %d releases.", r.Epsilon, r.Releases)
	x := chart.Axis{Max: float64(r.Releases), Counts: true}
	all := []series{epsilon}
	if b := r.Budget; b != nil && b.Delta == float64(*r.Delta) {
		most = max(most, b.Epsilon)
		all = append(all, series{name: "budget ε " + rounded.Up(b.Epsilon), class: "limit", x: []float64{0, x.Max},
			y: []float64{b.Epsilon, b.Epsilon}})
		c.Text += fmt.Sprintf(" The budget is ε %s.", rounded.Up(b.Epsilon))
	}
	if most == 0 {
		most = 1
	}
	c.draw(x, chart.Axis{Max: most * 1.05}, all)
	c.Bands = bands(ledger, x)
	return c
}

// mostBands is the largest number of bands with room for their names.
const mostBands = 12

// bands returns the turns of runs. A turn is one run's releases that follow each other without another run's between
// them.
func bands(ledger *event.Ledger, x chart.Axis) (all []Band) {
	first, before := 0, ""
	charges := ledger.Charges()
	for i := 0; i <= len(charges); i++ {
		if i > 0 && (i == len(charges) || charges[i].Run != before) {
			from := x.At(float64(first), Left, Right)
			b := Band{X: from, Width: x.At(float64(i), Left, Right) - from}
			if fits := int(b.Width / 8); fits >= len([]rune(before)) {
				b.Name = before
			}
			all, first = append(all, b), i
		}
		if i < len(charges) {
			before = charges[i].Run
		}
	}
	if len(all) > mostBands {
		return nil
	}
	return all
}
