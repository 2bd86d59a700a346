package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/print"
	"privpipe/pipelines/chart"
	"privpipe/pipelines/endpoint"
)

// encode returns the curves in the format for a file ending.
func (c *curves) encode(ending string) ([]byte, error) {
	switch ending {
	case ".svg":
		return c.figure().SVG(), nil
	case ".csv":
		return c.csv()
	}
	b, err := json.MarshalIndent(c, "", "  ")
	return append(b, '\n'), err
}

// csv returns a table. Each row says that after a number of releases the ledger is (ε, δ)-differentially private.
func (c *curves) csv() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	// Print all digits, and infinity as readers of CSV know it.
	digits := func(n print.Number) string {
		if math.IsInf(float64(n), 1) {
			return "Inf"
		}
		return strconv.FormatFloat(float64(n), 'g', -1, 64)
	}
	row := func(curve string, releases int, epsilon, delta print.Number) {
		w.Write([]string{curve, strconv.Itoa(releases), digits(epsilon), digits(delta), c.Accountant, c.Adjacency,
			c.Unit})
	}
	w.Write([]string{"curve", "releases", "epsilon", "delta", "accountant", "adjacency", "unit"})
	for _, p := range c.EpsilonOver {
		row("epsilon_over_releases", p.Releases, p.Epsilon, c.Delta)
	}
	for _, p := range c.DeltaOver {
		row("delta_over_epsilon", c.releases(), p.Epsilon, p.Delta)
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// releases returns the ledger's number of releases.
func (c *curves) releases() int { return c.EpsilonOver[len(c.EpsilonOver)-1].Releases }

// figure draws the curves.
func (c *curves) figure() *chart.Figure {
	relation := "no release yet"
	if c.releases() > 0 {
		relation = fmt.Sprintf("neighbouring data sets: %s, privacy unit: %s", cmp.Or(c.Adjacency, "-"),
			cmp.Or(c.Unit, "-"))
	}
	if c.DisjointDatasets {
		relation += "; " + accountant.DisjointNote
	}
	name := c.Ledger
	if name == endpoint.Stdio {
		name = "standard input"
	}
	return &chart.Figure{
		Title: "Privacy loss of " + short(name, 80),
		Lines: []string{
			fmt.Sprintf("Upper bounds of (ε, δ), by the accountant %s; %s", c.Accountant, relation),
		},
		Panels: []chart.Panel{c.growth(), c.profile()},
	}
}

// growth returns the panel with ε over the releases.
func (c *curves) growth() chart.Panel {
	releases := c.releases()
	panel := chart.Panel{
		Title: fmt.Sprintf("ε of all releases so far, at δ = %s", c.Delta),
		X:     chart.Axis{Label: "releases, of all runs", Max: float64(max(1, releases)), Counts: true},
		Y:     chart.Axis{Label: fmt.Sprintf("ε at δ = %s (upper bound)", c.Delta)},
	}
	for _, t := range c.turns {
		panel.Bands = append(panel.Bands,
			chart.Band{Name: short(t.run, 24), From: float64(t.first - 1), To: float64(t.last)})
	}
	most := 0.0
	spent := chart.Curve{Name: fmt.Sprintf("spent: ε %s", c.EpsilonOver[len(c.EpsilonOver)-1].Epsilon),
		Kind: chart.Steps}
	for _, p := range c.EpsilonOver {
		if e := float64(p.Epsilon); !math.IsInf(e, 1) {
			spent.Points = append(spent.Points, chart.Point{X: float64(p.Releases), Y: e})
			most = e
		}
	}
	if c.Unbounded > 0 {
		why := "no bound at this δ"
		if c.NoNoise {
			why = "it has no noise"
		}
		panel.Curves = append(panel.Curves, chart.Curve{
			Name: fmt.Sprintf("ε is infinite from release %d on: %s", c.Unbounded, why), Kind: chart.Shade,
			Color:  chart.Alarm,
			Points: []chart.Point{{X: float64(c.Unbounded - 1)}, {X: float64(releases)}},
		})
	}
	if b := c.Budget; b != nil {
		name := fmt.Sprintf("budget: ε %v", float64(b.Epsilon))
		if b.Delta != c.Delta {
			name += fmt.Sprintf(", but at δ = %v", float64(b.Delta))
		}
		e := float64(b.Epsilon)
		most = math.Max(most, e)
		panel.Curves = append(panel.Curves, chart.Curve{
			Name: name, Kind: chart.Level, Color: chart.First,
			Points: []chart.Point{{Y: e}, {X: panel.X.Max, Y: e}},
		})
	}
	panel.Curves = append(panel.Curves, spent)
	if panel.Y.Max = 1.04 * most; most == 0 {
		panel.Y.Max = 1
	}
	return panel
}

// profile returns the panel with δ over ε.
func (c *curves) profile() chart.Panel {
	floor := c.floor()
	panel := chart.Panel{
		Title: fmt.Sprintf("δ over ε, of the whole ledger (releases: %d)", c.releases()),
		X:     chart.Axis{Label: "ε"},
		Y:     chart.Axis{Label: "δ (upper bound), logarithmic", Min: floor, Max: 1, Log: true},
	}
	spent := chart.Curve{Name: "spent", Kind: chart.Line}
	most := 0.0
	for _, p := range c.DeltaOver {
		// A δ of 0 is not on the logarithmic axis, so draw it below the panel.
		spent.Points = append(spent.Points, chart.Point{X: float64(p.Epsilon), Y: math.Max(float64(p.Delta), floor/10)})
		if p.Delta > 0 {
			most = float64(p.Epsilon)
		}
	}
	if c.Budget != nil {
		most = math.Max(most, float64(c.Budget.Epsilon))
	}
	if panel.X.Max = 1.04 * most; most == 0 {
		panel.X.Max = 1
	}
	if last := spent.Points[len(spent.Points)-1]; last.Y > 1.001*floor { // the last δ holds for larger ε, too
		spent.Points = append(spent.Points, chart.Point{X: panel.X.Max, Y: last.Y})
	}
	panel.Curves = append(panel.Curves, spent)
	if last := c.EpsilonOver[len(c.EpsilonOver)-1].Epsilon; c.Delta > 0 && !math.IsInf(float64(last), 1) {
		panel.Curves = append(panel.Curves, chart.Curve{
			Name: fmt.Sprintf("spent at δ = %s: ε %s", c.Delta, last), Kind: chart.Marks,
			Points: []chart.Point{{X: float64(last), Y: float64(c.Delta)}},
		})
	}
	if b := c.Budget; b != nil {
		panel.Curves = append(panel.Curves, chart.Curve{
			Name: fmt.Sprintf("budget: ε %v at δ = %v", float64(b.Epsilon), float64(b.Delta)), Kind: chart.Marks,
			Color:  chart.First,
			Points: []chart.Point{{X: float64(b.Epsilon), Y: math.Max(float64(b.Delta), floor)}},
		})
	}
	return panel
}

// short returns a name for a figure. A name with unprintable characters is quoted. A long name is shortened to its end.
func short(name string, most int) string {
	for _, r := range name {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			name = strconv.QuoteToASCII(name)
			break
		}
	}
	if runes := []rune(name); len(runes) > most {
		return "…" + string(runes[len(runes)-most+1:])
	}
	return name
}
