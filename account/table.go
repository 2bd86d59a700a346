package main

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"text/tabwriter"

	"privpipe/pipelines/event"
)

// table prints the report for people.
func (rep *report) table(b *bytes.Buffer) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	if rep.Filter != nil {
		rep.Filter.table(b)
	}
	fmt.Fprintf(w, "accountant\tε\tδ\torder\tneighbours\tunit\treleases\n")
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\n", rep.Accountant, rep.Epsilon, rep.Delta, orDash(rep.Order),
		dash(rep.Adjacency), dash(rep.Unit), rep.Releases)
	w.Flush()
	const claim = "\nwith the paper's sensitivity, sampling accounted as here: %s %s, which is not proven\n"
	switch {
	case rep.Claimed != nil:
		fmt.Fprintf(b, claim, "ε", *rep.Claimed)
	case rep.ClaimedDelta != nil:
		fmt.Fprintf(b, claim, "δ", *rep.ClaimedDelta)
	}
	if rep.PureEpsilon > 0 && !math.IsInf(float64(rep.Order), 1) {
		fmt.Fprintf(b, "\npure: ε %s at δ 0\n", rep.PureEpsilon)
	}
	if rep.SelectDelta > 0 {
		fmt.Fprintf(b, "\nselect: %s of δ is for words that one unit alone has\n", rep.SelectDelta)
	}
	if rep.DisjointDatasets {
		rep.datasets(b)
	}
	if rep.Budget != nil {
		rep.Budget.table(b)
	}
	fmt.Fprintf(w, "\nrun\tdata set\trounds\tmechanism\tnoise/sensitivity\tsampling\tamplified\n")
	for _, r := range rep.Runs {
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", quoted(r.Run), quoted(r.Dataset), r.Rounds, r.Mechanism, r.noise(),
			r.Scheme, map[bool]string{true: "yes", false: "no"}[r.Amplified])
	}
	if len(rep.Grants) > 0 {
		fmt.Fprintf(w, "\ngrant\treleases left\tbudget ε\tat δ\tε left\n")
		for _, g := range rep.Grants {
			budget, delta, left := "given noise", "-", "-"
			if g.Cost > 0 {
				budget = "filter"
			}
			if g.Epsilon > 0 {
				budget, delta = roundUp(g.Epsilon), fmt.Sprint(g.Delta)
				left = roundDown(float64(*g.EpsilonLeft))
			}
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", quoted(g.ID), g.ReleasesLeft, budget, delta, left)
		}
	}
	w.Flush()
	fmt.Fprintf(b, "\nrests on: %s\n", rep.Theorem)
	if rep.Torn {
		fmt.Fprint(b, tornNote)
	}
}

// datasets prints the losses of data sets for people.
func (rep *report) datasets(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n%s; ε and δ are the largest of theirs\n", disjointNote)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "data set\treleases\tε\tδ\n")
	for _, d := range rep.Datasets {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", quoted(d.Dataset), d.Releases, d.Epsilon, d.Delta)
	}
	w.Flush()
}

const tornNote = "note: the last line is torn, from a crash; nothing was released under it\n"

// quoted returns a name that may hold anything, as in a forged ledger, so that it cannot pass for cells or lines of a table.
func quoted(name string) string {
	if event.CheckName(name) != nil {
		return strconv.Quote(name)
	}
	return name
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func orDash(n number) string {
	switch {
	case n == 0:
		return "-"
	case math.IsInf(float64(n), 1):
		return "∞"
	}
	return fmt.Sprintf("%.4g", float64(n))
}
