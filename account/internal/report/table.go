package report

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"text/tabwriter"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
	"privpipe/pipelines/rounded"
)

// Table prints the report for people.
func (rep *Report) Table(b *bytes.Buffer) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	if rep.Filter != nil {
		rep.Filter.table(b)
	}
	fmt.Fprintf(w, "accountant\tε\tδ\torder\tneighbours\tunit\treleases\n")
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\n", rep.Accountant, rep.Epsilon, rep.Delta, print.Order(rep.Order),
		cmp.Or(rep.Adjacency, "-"), cmp.Or(rep.Unit, "-"), rep.Releases)
	w.Flush()
	if weak := event.ProtectsLittle(float64(rep.Epsilon)); weak != "" {
		fmt.Fprintf(b, "\n%s\n", weak)
	}
	if rep.Unit == event.Word {
		fmt.Fprint(b, "\nof one word; one document of n words: n times as much where it is pure\n")
	}
	rep.groups(b)
	const claim = "\nwith the paper's sensitivity, sampling accounted as here: %s %s, which is not proven\n"
	switch {
	case rep.Claimed != nil:
		fmt.Fprintf(b, claim, "ε", *rep.Claimed)
	case rep.ClaimedDelta != nil:
		fmt.Fprintf(b, claim, "δ", *rep.ClaimedDelta)
	}
	if len(rep.Papers) > 0 {
		fmt.Fprint(b, "\nwhat papers compute for these rounds, which is no bound:\n")
		for _, p := range rep.Papers {
			fmt.Fprintf(w, "%s\tε %s\n", p.Paper, p.Epsilon)
		}
		w.Flush()
	}
	if rep.PureEpsilon > 0 && !math.IsInf(float64(rep.Order), 1) {
		fmt.Fprintf(b, "\npure: ε %s at δ 0\n", rep.PureEpsilon)
	}
	if rep.SelectDelta > 0 {
		fmt.Fprintf(b, "\nselect: %s of δ is for words that only one unit has\n", rep.SelectDelta)
	}
	if rep.DisjointDatasets {
		rep.datasets(b)
	}
	if rep.Budget != nil {
		rep.Budget.table(b)
	}
	fmt.Fprintf(w, "\nrun\tdata set\trounds\tmechanism\tnoise/sensitivity\tsampling\tamplified\n")
	for _, r := range rep.Runs {
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", print.Quoted(r.Run), print.Quoted(r.Dataset), r.Rounds,
			r.Mechanism, r.Noise(), r.Scheme, map[bool]string{true: "yes", false: "no"}[r.Amplified])
	}
	if len(rep.Grants) > 0 {
		fmt.Fprintf(w, "\ngrant\treleases left\tbudget ε\tat δ\tε left\n")
		for _, g := range rep.Grants {
			budget, delta, left := "given noise", "-", "-"
			if g.Cost > 0 {
				budget = "filter"
			}
			if g.Epsilon > 0 {
				budget, delta = rounded.Up(g.Epsilon), fmt.Sprint(g.Delta)
				left = rounded.Down(float64(*g.EpsilonLeft))
			}
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", print.Quoted(g.ID), g.ReleasesLeft, budget, delta, left)
		}
	}
	w.Flush()
	fmt.Fprintf(b, "\nrests on: %s\n", rep.Theorem)
	if rep.Torn {
		fmt.Fprint(b, tornNote)
	}
}

// datasets prints the losses of data sets for people.
func (rep *Report) datasets(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n%s; ε and δ are the largest of theirs\n", accountant.DisjointNote)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "data set\treleases\tε\tδ\n")
	for _, d := range rep.Datasets {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", print.Quoted(d.Dataset), d.Releases, d.Epsilon, d.Delta)
	}
	w.Flush()
}

const tornNote = "note: the last line is torn, from a crash; nothing was released under it\n"
