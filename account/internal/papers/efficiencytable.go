package papers

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
)

// paperTable3 is SUB-LDA's table 3 (NIPS, 100 topics, §5.4): α = 14 and ε(α) = 2.
var paperTable3 = []struct {
	gamma       float64
	rounds      int
	loss, total float64
}{
	{0.1, 92, 0.05, 4.6}, {0.3, 83, 0.73, 59.86}, {0.5, 70, 1.18, 82.6},
	{0.7, 66, 1.48, 97.86}, {0.9, 61, 1.63, 99.43}, {1, 42, 2, 84},
}

// table3 recomputes the paper's table. If delta is not nil, it adds the conversion to ε.
func table3(delta *float64) (a *efficiencyAnswer, err error) {
	const order, loss = 14, 2
	sigma := subLDASigma(order, loss)
	for _, paper := range paperTable3 {
		s := newStudy(order, sigma, paper.rounds, delta)
		if a == nil {
			a = s.answer()
		}
		row, err := s.row(paper.gamma)
		if err != nil {
			return nil, err
		}
		row.Claim = s.claim(paper.gamma)
		row.Claim.PrintedLoss, row.Claim.PrintedTotal = paper.loss, paper.total
		a.Rows = append(a.Rows, row)
	}
	a.table3 = true
	return a, nil
}

// setting writes the line above a table.
func (a *efficiencyAnswer) setting(b *bytes.Buffer) {
	fmt.Fprintf(b, "α %d, noise multiplier %s, ε(α) %s of an iteration that reads all words\n\n",
		a.Alpha, a.NoiseMultiplier, a.EpsilonAtOrder)
}

// Table prints the answer for people.
func (a *efficiencyAnswer) Table(b *bytes.Buffer) {
	if a.table3 {
		a.besidePaper(b)
		return
	}
	first := a.Rows[0]
	a.setting(b)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	head := "γ\tε_sub(α)\tI(γ)"
	if first.Rounds > 1 {
		head += fmt.Sprintf("\t%d·ε_sub(α)", first.Rounds)
	}
	if first.Epsilon != nil {
		head += fmt.Sprintf("\tε at δ %v", *first.Delta)
	}
	if first.Claim != nil {
		head += "\tclaim ε_sub(α)\tclaim I(γ)"
	}
	fmt.Fprintln(w, head)
	for _, row := range a.Rows {
		cells := []string{fmt.Sprintf("%.6g", row.Gamma), row.Loss.String(), exponential(row.LogEfficiency)}
		if row.Rounds > 1 {
			cells = append(cells, row.Total.String())
		}
		if row.Epsilon != nil {
			cells = append(cells, row.Epsilon.String())
		}
		if row.Claim != nil {
			cells = append(cells, claimed(row.Claim.Loss), claimedEfficiency(row.Claim.LogEfficiency))
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	w.Flush()
	a.adaptiveTable(b)
	fmt.Fprintf(b, "\nI is largest at γ0 = %.6g: it grows with γ, without lemma 4.1's extremum inside (0, 1)\n",
		*a.Extremum)
	if a.ClaimedExtremum != nil {
		fmt.Fprintf(b, "claim: I is largest at %.4f, for equation 3 without its last term; α/(α+1) is %.4f\n",
			*a.ClaimedExtremum, float64(a.Alpha)/float64(a.Alpha+1))
	}
	a.notes(b)
}

// adaptiveTable prints the rows for the rates V·γ.
func (a *efficiencyAnswer) adaptiveTable(b *bytes.Buffer) {
	if a.Rows[0].Adaptive == nil {
		return
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\nγ\trate V·γ\tε_sub(α)\tε of %d\tε of one\tε of one, lemma 5.1\n", a.Rows[0].Rounds)
	for _, row := range a.Rows {
		if v := row.Adaptive; v != nil {
			fmt.Fprintf(w, "%.6g\t%.6g\t%s\t%s\t%s\t%s\n", row.Gamma, v.Rate, v.Loss, v.Epsilon, v.Round, v.Lemma)
		}
	}
	w.Flush()
	fmt.Fprintf(b, "all at δ %v; bounds for rates that are fixed and public, claims for SUB-LDA's, which follow from "+
		"topics\n", *a.Rows[0].Delta)
}

// notes prints which numbers are bounds and for what, and what they leave out.
func (a *efficiencyAnswer) notes(b *bytes.Buffer) {
	fmt.Fprintf(b, "bounds: all rows except claims; neighbours: %s of a word; for noise on counts of only the "+
		"sampled words\n", a.Adjacency)
	if d := a.Draws; d != nil {
		fmt.Fprintf(b, "draws: ε_I %s of an iteration, pure, for a word replaced (HDP-LDA, thm. 3) and draws from "+
			"counts that\n"+
			"stay as they are in an iteration. With noise on counts of all words, which move by √2: Rényi %s of an\n"+
			"iteration, %s of all", d.Inherent, d.Loss, d.Total)
		if d.Epsilon != nil {
			fmt.Fprintf(b, "; ε %s at δ %v", d.Epsilon, *a.Rows[0].Delta)
		}
		fmt.Fprintln(b)
	} else {
		fmt.Fprintln(b, "not in it: what the topic draws lose, ε_I; --clip and --prior add it")
	}
	fmt.Fprintf(b, "\nrests on: %s\n", a.Theorem)
}

// besidePaper prints the paper's table beside the exact values.
func (a *efficiencyAnswer) besidePaper(b *bytes.Buffer) {
	a.setting(b)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	head := "γ\tT\tpaper ε_sub\tpaper T·ε_sub\twithout last term\tε_sub(α)\tT·ε_sub(α)"
	if a.Rows[0].Epsilon != nil {
		head += fmt.Sprintf("\tε at δ %v", *a.Rows[0].Delta)
	}
	fmt.Fprintln(w, head)
	for _, row := range a.Rows {
		fmt.Fprintf(w, "%v\t%d\t%v\t%v\t%s\t%s\t%s", row.Gamma, row.Rounds, row.Claim.PrintedLoss,
			row.Claim.PrintedTotal, claimed(row.Claim.Loss), row.Loss, row.Total)
		if row.Epsilon != nil {
			fmt.Fprintf(w, "\t%s", row.Epsilon)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	fmt.Fprintln(b, "\nclaims: the paper's columns, and equation 3 without its last term, which they agree with "+
		"except at γ = 1")
	a.notes(b)
}

// claimed prints a number by the paper's form, rounded to nearest because it is no bound.
func claimed(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.4g", *v)
}

func claimedEfficiency(log *float64) string {
	if log == nil {
		return "0"
	}
	return exponential(*log)
}

// exponential prints e^log to four digits, also where float64 cannot hold it.
func exponential(log float64) string {
	if v := math.Exp(log); v > 1e-300 && v < 1e300 {
		return fmt.Sprintf("%.4g", v)
	}
	exponent, fraction := math.Modf(log / math.Ln10)
	if fraction < 0 {
		exponent, fraction = exponent-1, fraction+1
	}
	digits := math.Pow(10, fraction)
	if digits >= 9.9995 { // %.3f would print 10
		digits, exponent = digits/10, exponent+1
	}
	return fmt.Sprintf("%.3fe%+.0f", digits, exponent)
}
