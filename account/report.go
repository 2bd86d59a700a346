package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"text/tabwriter"

	"privpipe/account/internal/compose"
	"privpipe/account/internal/renyi"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

type reportCommand struct {
	Delta   *float64 `xor:"given" placeholder:"X" help:"Report ε at this δ. By default the δ of the ledger's first grant."`
	Epsilon *float64 `xor:"given" placeholder:"X" help:"Report δ at this ε."`
	JSON    bool     `name:"json" help:"Print JSON, not a table."`
	Output  string   `short:"o" placeholder:"FILE" help:"Where the report goes; standard output by default."`
	Ledger  string   `arg:"" help:"Ledger of privatize."`
}

// Validate is kong's hook.
func (c *reportCommand) Validate() error {
	switch {
	case c.Delta != nil:
		return event.CheckDelta(*c.Delta)
	case c.Epsilon != nil:
		return event.CheckEpsilon(*c.Epsilon)
	}
	return nil
}

// theorem is what the reported number rests on.
const theorem = "Rényi composition (Mironov 2017, prop. 1); sampled Gaussian (Mironov, Talwar, Zhang 2019, §3.3); " +
	"discrete Gaussian and conversion (Canonne, Kamath, Steinke 2020, prop. 12)"

// A report is what account report prints, and its JSON form.
type report struct {
	Ledger     string        `json:"ledger"`
	Accountant string        `json:"accountant"`
	Epsilon    number        `json:"epsilon"`
	Delta      number        `json:"delta"`
	Order      number        `json:"order,omitempty"`
	Adjacency  string        `json:"adjacency,omitempty"`
	Unit       string        `json:"unit,omitempty"`
	Theorem    string        `json:"theorem"`
	Releases   int           `json:"releases"`
	Torn       bool          `json:"torn_last_line,omitempty"`
	Runs       []runReport   `json:"runs"`
	Grants     []grantReport `json:"grants"`
}

// A runReport is the charges of one run that have all in common but the round.
type runReport struct {
	Dataset         string       `json:"dataset"`
	Run             string       `json:"run"`
	Rounds          int          `json:"rounds"`
	Mechanism       string       `json:"mechanism"`
	NoiseMultiplier number       `json:"noise_multiplier"`
	Scheme          event.Scheme `json:"scheme"`
	Amplified       bool         `json:"amplified"`
}

// A grantReport is what is left of a grant.
type grantReport struct {
	ID           string  `json:"id"`
	ReleasesLeft int     `json:"releases_left"`
	Epsilon      float64 `json:"epsilon,omitempty"`
	Delta        float64 `json:"delta,omitempty"`
	EpsilonLeft  number  `json:"epsilon_left"`
}

// number prints infinities, which JSON has not, as strings.
type number float64

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(n), 0) || math.IsNaN(float64(n)) {
		return json.Marshal(n.String())
	}
	return json.Marshal(float64(n))
}

func (n number) String() string { return roundUp(float64(n)) }

// Run is kong's hook.
func (c *reportCommand) Run(r *filter.Run) error {
	ledger, err := readLedger(c.Ledger)
	if err != nil {
		return err
	}
	rep, err := c.report(ledger)
	if err != nil || r.DryRun() {
		return err
	}
	var b bytes.Buffer
	if c.JSON {
		e := json.NewEncoder(&b)
		e.SetIndent("", "  ")
		if err := e.Encode(rep); err != nil {
			return err
		}
	} else {
		rep.table(&b)
	}
	return endpoint.WriteFile(c.Output, wire.Side_PUBLIC, b.Bytes())
}

func (c *reportCommand) report(ledger *event.Ledger) (*report, error) {
	charges := ledger.Charges()
	composition, err := compose.New(charges)
	if err != nil {
		return nil, &event.LedgerError{Name: c.Ledger, Line: len(ledger.Lines), Err: err}
	}
	rep := &report{
		Ledger: c.Ledger, Accountant: "renyi", Theorem: theorem, Releases: composition.Releases, Torn: ledger.Torn,
		Adjacency: composition.Adjacency, Unit: composition.Unit,
	}
	curve := composition.Curve()
	if c.Epsilon != nil {
		delta, order := renyi.Delta(curve, *c.Epsilon)
		rep.Epsilon, rep.Delta, rep.Order = number(*c.Epsilon), number(delta), number(order)
	} else {
		delta := firstDelta(ledger)
		if c.Delta != nil {
			delta = *c.Delta
		}
		if delta == 0 && !composition.None {
			return nil, exit.Errorf(exit.Usage, "--delta is needed: no grant of %s states one", c.Ledger)
		}
		rep.Epsilon, rep.Delta = number(math.Inf(1)), number(delta)
		if !composition.None {
			epsilon, order := renyi.Epsilon(curve, delta)
			rep.Epsilon, rep.Order = number(epsilon), number(order)
		}
	}
	if composition.None {
		rep.Order, rep.Theorem = 0, "nothing: a release without noise has no bound"
	}
	rep.Runs = runs(charges)
	rep.Grants = grants(ledger, curve)
	return rep, nil
}

func firstDelta(ledger *event.Ledger) float64 {
	for _, line := range ledger.Lines {
		if line.Grant != nil && line.Grant.Budget.Delta > 0 {
			return line.Grant.Budget.Delta
		}
	}
	return 0
}

// runs groups charges, in the order of the ledger.
func runs(charges []*event.Charge) []runReport {
	reports := []runReport{}
	at := make(map[runReport]int)
	for _, c := range charges {
		key := runReport{
			Dataset: c.Dataset, Run: c.Run, Mechanism: c.Mechanism, NoiseMultiplier: number(c.NoiseMultiplier()),
			Scheme: c.Scheme, Amplified: c.Mechanism != event.None && compose.Rate(c.Scheme, c.Adjacency) < 1,
		}
		key.Scheme.Coins = "" // a run that was resumed has several
		i, ok := at[key]
		if !ok {
			i = len(reports)
			at[key] = i
			reports = append(reports, key)
		}
		reports[i].Rounds++
	}
	return reports
}

// grants says what is left of each grant: releases, and the part of its ε that the whole ledger has not spent.
func grants(ledger *event.Ledger, curve renyi.Curve) []grantReport {
	reports := []grantReport{}
	for _, line := range ledger.Lines {
		g := line.Grant
		if g == nil {
			continue
		}
		used := 0
		for _, c := range ledger.Charges() {
			if c.Grant == g.ID {
				used++
			}
		}
		rep := grantReport{ID: g.ID, ReleasesLeft: g.Releases - used, Epsilon: g.Budget.Epsilon, Delta: g.Budget.Delta}
		if g.Budget.Epsilon > 0 {
			spent, _ := renyi.Epsilon(curve, g.Budget.Delta)
			rep.EpsilonLeft = number(math.Max(0, g.Budget.Epsilon-spent))
		}
		reports = append(reports, rep)
	}
	return reports
}

func (rep *report) table(b *bytes.Buffer) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "accountant\tε\tδ\torder\tneighbours\tunit\treleases\n")
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\n\n", rep.Accountant, rep.Epsilon, rep.Delta, orDash(rep.Order),
		dash(rep.Adjacency), dash(rep.Unit), rep.Releases)
	fmt.Fprintf(w, "run\tdata set\trounds\tmechanism\tnoise/sensitivity\tsampling\tamplified\n")
	for _, r := range rep.Runs {
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%.6g\t%s\t%s\n", r.Run, r.Dataset, r.Rounds, r.Mechanism, float64(r.NoiseMultiplier),
			r.Scheme, map[bool]string{true: "yes", false: "no"}[r.Amplified])
	}
	if len(rep.Grants) > 0 {
		fmt.Fprintf(w, "\ngrant\treleases left\tbudget ε\tat δ\tε left\n")
		for _, g := range rep.Grants {
			budget, delta, left := "given noise", "-", "-"
			if g.Epsilon > 0 {
				budget, delta, left = fmt.Sprint(g.Epsilon), fmt.Sprint(g.Delta), fmt.Sprintf("%.4f", math.Floor(float64(g.EpsilonLeft)*1e4)/1e4)
			}
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", g.ID, g.ReleasesLeft, budget, delta, left)
		}
	}
	w.Flush()
	fmt.Fprintf(b, "\nrests on: %s\n", rep.Theorem)
	if rep.Torn {
		fmt.Fprintln(b, "note: the last line is torn, from a crash; nothing was released under it")
	}
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func orDash(n number) string {
	if n == 0 || math.IsNaN(float64(n)) {
		return "-"
	}
	return fmt.Sprintf("%.4g", float64(n))
}
