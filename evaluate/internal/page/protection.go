package page

import (
	"fmt"
	"math"
	"strings"

	"privpipe/evaluate/internal/released"
	"privpipe/pipelines/event"
	"privpipe/pipelines/rounded"
)

// Protection is the ledger's statement about privacy.
type Protection struct {
	Epsilon, Delta string // rounded up, as account does
	Lead           string // the (ε, δ) at the top of the page: the filter's if the ledger has a filter
	Fixed          bool   // Lead holds only if all settings were fixed before the first release
	Part           string // δ in words, such as one part in 100,000; empty for 0
	Exact          string // ε in all digits
	Unit           string
	Left           string // the rest of the budget, rounded down; empty without a budget
	Budget         string
	Filtered       bool   // the ledger has a filter, so Epsilon and Delta hold only for settings fixed before
	Overspent      bool   // account says so
	Excess         string // which budget, and by how much, in a sentence; empty if account does not say it
	Unplanned      string // which grants with releases had no planned budget, in a sentence; empty for none
	Kept           bool   // there is a budget, and account says that none is overspent
	None           bool   // there is no bound
	Plain          string // the meaning of the guarantee, in a sentence; empty without a guarantee
	Vectors        bool   // the documents are vectors, which must each follow from one document alone
	Several        string // the guarantee for somebody with several units, in a sentence; empty if the unit is a user
	Little         string // says that ε is large; empty if it is not
	Sentences      []Sentence
	Theorems       []Sentence
	Trust          []string // further assumptions behind the guarantee
	Chart          *Chart   // ε over the releases; nil without a curve
	Used           float64  // the used share of the budget, in [0, 1]
	Runs           []Spending
}

// UsedPercent is Used in percent.
func (p *Protection) UsedPercent() float64 { return 100 * p.Used }

// A Sentence explains one term in plain words.
type Sentence struct{ Term, Text string }

// A Spending is the ledger's spending up to one run's last release.
type Spending struct {
	Run, Dataset  string
	Releases      int
	First, Last   string // days and times of its releases
	Epsilon, Left string // empty if unknown
}

// question says how neighbours differ. It is empty for an unknown unit or relation.
func question(unit, adjacency string) string {
	return map[[2]string]string{
		{event.Document, event.AddRemove}:   "whether a document was in the data",
		{event.Document, event.ReplaceOne}:  "which of two documents was in the data",
		{event.Document, event.ReplaceNull}: "whether a document of the data was a given one or empty",
		{event.User, event.AddRemove}:       "whether a user was in the data",
		{event.User, event.ReplaceOne}:      "which of two users was in the data",
		{event.User, event.ReplaceNull}:     "whether a user of the data had given documents or none",
		{event.Word, event.ReplaceOne}:      "which of two words stood at a place of a document",
	}[[2]string{unit, adjacency}]
}

// namesOf returns the unit's name, in singular and plural.
func namesOf(unit string) (one, many string, known bool) {
	switch unit {
	case event.Document, event.User, event.Word:
		return unit, unit + "s", true
	}
	return "unit", "units", false
}

// NewProtection returns the statements in a report by account.
func NewProtection(r *released.Report) *Protection {
	p := &Protection{
		Epsilon: r.Epsilon.String(), Delta: r.Delta.String(), Exact: fmt.Sprint(float64(*r.Epsilon)), Unit: r.Unit,
		None:     r.Epsilon.Infinite(),
		Filtered: r.Filter != nil,
	}
	if p.None {
		p.Exact = "∞"
	}
	p.Overspent = r.Overspent != nil && *r.Overspent
	if o := r.OverspentBudget; o != nil {
		p.Excess = excess(o)
	}
	p.Kept = r.Overspent != nil && !*r.Overspent && r.Budget != nil
	if d := float64(*r.Delta); d > 0 {
		p.Part = "one part in " + oneIn(d)
	}
	if b := r.Budget; b != nil {
		p.Budget = fmt.Sprintf("ε %s at δ %v", rounded.Up(b.Epsilon), b.Delta)
		if b.EpsilonLeft != nil {
			p.Left = left(float64(*b.EpsilonLeft))
		}
		if b.Delta == float64(*r.Delta) && r.Filter == nil {
			p.Used = min(1, float64(*r.Epsilon)/b.Epsilon)
		}
	}
	epsilon, delta := *r.Epsilon, *r.Delta
	if f := r.Filter; f != nil && !f.Epsilon.Infinite() {
		epsilon, delta = f.Epsilon, f.Delta
	} else {
		p.Fixed = f != nil
	}
	p.Lead = fmt.Sprintf("(%s, %s)", epsilon, delta)
	p.Sentences = sentences(r)
	p.Little = event.ProtectsLittle(float64(epsilon))
	if _, many, known := namesOf(r.Unit); known && r.Unit != event.User && !epsilon.Infinite() && r.Releases > 0 {
		p.Several = fmt.Sprintf("Whoever has several of the %s is protected less: for k of them ε is at most k·%s "+
			"(group privacy: Vadhan, The Complexity of Differential Privacy, 2017, lemma 2.2).", many, epsilon)
	}
	if question := question(r.Unit, r.Adjacency); question != "" && !p.None && r.Releases > 0 {
		p.Plain = fmt.Sprintf("Whoever must tell from all that was released %s, at even odds, is right at most %s of "+
			"the time. A blind guess is right half of the time.", question,
			guess(float64(epsilon), float64(delta)))
	}
	if p.None {
		return p // without a bound there is no theorem, and no trust to ask for
	}
	for _, name := range splitTheorems(r.Theorem) {
		p.Theorems = append(p.Theorems, Sentence{name, plainTheorem(name)})
	}
	p.Trust = trust(r)
	return p
}

// excess says which budget is overspent and by how much.
func excess(o *released.Overspending) string {
	whose, of := "the ledger's own budget", "What was released"
	if o.Grant != "" {
		whose = "the budget that grant " + o.Grant + " was planned for"
	}
	if o.Dataset != "" {
		of += " of data set " + o.Dataset
	}
	much := " ε has no bound."
	if !o.Epsilon.Infinite() {
		much = fmt.Sprintf(" That is ε %s too much.", rounded.Up(float64(o.Epsilon)-o.Budget))
	}
	return fmt.Sprintf("%s costs ε %s at δ %v, and %s is ε %s.%s", of, o.Epsilon, o.Delta, whose, rounded.Up(o.Budget),
		much)
}

// unplanned names the grants that have releases and were given their noise instead of a budget. No plan counts their
// releases.
func unplanned(ledger *event.Ledger) string {
	releases := make(map[string]int)
	for _, c := range ledger.Charges() {
		releases[c.Grant]++
	}
	var all []string
	for _, line := range ledger.Lines {
		if g := line.Grant; g != nil && g.Budget.Epsilon == 0 && releases[g.ID] > 0 {
			all = append(all, fmt.Sprintf("%s (releases: %d)", g.ID, releases[g.ID]))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "Grants with given noise, which no plan had counted: " + strings.Join(all, ", ") + "."
}

// sentences returns one sentence each about the protected unit, the neighbours, ε and δ.
func sentences(r *released.Report) []Sentence {
	if r.Releases == 0 {
		return []Sentence{{"Nothing was released",
			"The ledger charges no release, so nothing about the data has left."}}
	}
	if r.Epsilon.Infinite() {
		return []Sentence{{"ε = ∞: nothing is protected",
			"A release without enough noise stands in the ledger. These releases may tell anything " +
				"about anyone in the data, and the noise of other releases does not change that."}}
	}
	one, many, _ := namesOf(r.Unit)
	hidden := "whether it was in the data at all"
	if r.Adjacency == event.ReplaceOne {
		hidden = "which one was there"
	}
	protected := map[string]string{
		event.Document: "Each single document is protected: " + hidden + ", and all that it says.",
		event.User: "Each single user is protected with all of the user's documents together: " +
			strings.Replace(hidden, "it", "the user", 1) +
			", and all that the documents say.",
		event.Word: "Each single word of a document is protected; which documents there are, and how long, counts as " +
			"known.",
	}
	if r.Adjacency == event.ReplaceNull {
		known := fmt.Sprintf(" That the %s was in the data counts as known, and so does the number of all %s.", one,
			many)
		protected = map[string]string{
			event.Document: "Of each single document, all that it says is protected." + known,
			event.User:     "Of each single user, all that the user's documents say together is protected." + known,
		}
	}
	all := []Sentence{{"Protected unit: one " + one, protected[r.Unit]}}
	relation := map[string]string{
		event.AddRemove: fmt.Sprintf("The guarantee compares any two data sets of which one has one %s more than "+
			"the other.", one),
		event.ReplaceOne: fmt.Sprintf("The guarantee compares any two data sets of equally many %s that differ in "+
			"one %s.", many, one),
		event.ReplaceNull: fmt.Sprintf("The guarantee compares any two data sets of equally many %s, of which one "+
			"has an empty %s where the "+
			"other has any.", many, one),
	}[r.Adjacency]
	all = append(all, Sentence{"Neighbouring data sets: " + r.Adjacency, relation})
	e, d := float64(*r.Epsilon), float64(*r.Delta)
	all = append(all, Sentence{"ε ≤ " + r.Epsilon.String(), fmt.Sprintf(
		"No outcome is more than %s times as likely with one data set as with its neighbour, apart from δ.",
		rounded.Up(math.Exp(e)))})
	if r.Unit == event.Document {
		all = append(all, Sentence{"Several documents of one person",
			"Together, k documents have at most k·ε, with δ·(e^(k·ε) − 1)/(e^ε − 1). " +
				"A person who wrote many is protected less than one who wrote one."})
	}
	if d == 0 {
		return append(all, Sentence{"δ = 0", "The guarantee has no exception: it is pure differential privacy."})
	}
	return append(all, Sentence{"δ ≤ " + r.Delta.String(),
		"The probability of an outcome may exceed that factor times the other by at most δ, " +
			"one part in " + oneIn(d) + "."})
}

// guess returns the largest probability that a guess between two neighbours is right, if both are equally probable
// beforehand. It is (e^ε + δ)/(1 + e^ε), the sum of both conditions in Kairouz, Oh and Viswanath, The Composition
// Theorem for Differential Privacy (2015), theorem 2.1. It is printed as a percentage, rounded up.
func guess(epsilon, delta float64) string {
	p := 1 - (1-delta)/(1+math.Exp(epsilon))
	return fmt.Sprintf("%.1f\u00a0%%", math.Ceil(min(1, p)*1000-1e-9)/10)
}

// oneIn prints 1/δ, rounded down to three digits.
func oneIn(delta float64) string {
	n := math.Floor(1/delta*(1+1e-12) + 1e-9)
	if unit := math.Pow(10, math.Floor(math.Log10(n))-2); unit > 1 {
		n = math.Floor(n/unit) * unit
	}
	text := fmt.Sprintf("%.0f", n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// splitTheorems splits account's list of theorems at the semicolons that stand outside parentheses.
func splitTheorems(list string) (names []string) {
	depth, from := 0, 0
	for i, c := range list {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ';' && depth == 0:
			names = append(names, strings.TrimSpace(list[from:i]))
			from = i + 1
		}
	}
	if last := strings.TrimSpace(list[from:]); last != "" {
		names = append(names, last)
	}
	return names
}

// plain has a sentence for each of account's theorems. Term is the beginning of the theorem's name.
var plain = []Sentence{
	{"composition of dominating pairs",
		"The losses of all releases are added up as whole distributions, not only by their worst cases."},
	{"connecting the dots", "Where a computer rounds these distributions, it rounds to the safe side."},
	{"sampled Gaussian", "A round reads only a secret random sample, so a release says less about any one unit than " +
		"if the round read all."},
	{"sampled Laplace", "A round reads only a secret random sample, so a release says less about any one unit than " +
		"if the round read all."},
	{"sampling without replacement",
		"A round reads only a secret random sample of fixed size, which costs less than reading all."},
	{"amplification", "A round reads only a secret random sample, which costs less than reading all."},
	{"discrete Gaussian as continuous", "Noise in whole steps, as it was drawn, costs no more than the noise of the " +
		"textbook formula, with an allowance that is counted."},
	{"discrete Laplace as continuous",
		"Noise in whole steps, as it was drawn, costs no more than the noise of the textbook formula."},
	{"discrete Gaussian", "Each number was released with Gaussian noise in whole steps, whose loss is known exactly."},
	{"analytic Gaussian", "Each number was released with Gaussian noise, whose loss is known exactly."},
	{"Gaussian", "Each number was released with Gaussian noise, whose loss is known exactly."},
	{"Laplace", "Each number was released with Laplace noise, whose loss is known exactly."},
	{"randomized response", "Single answers were turned over at random before they were released."},
	{"threshold of select", "A word was released only if its noisy weight exceeded a threshold, so a word that one " +
		"unit alone has stays hidden, apart from δ."},
	{"parallel composition", "The losses of data sets that share no unit do not add up: the largest counts."},
	{"moments accountant", "The losses of all releases are added up by their moments."},
	{"linear composition", "The losses of all releases are added."},
	{"strong composition", "The losses of many releases add up to less than their sum, but for a part of δ."},
}

func plainTheorem(name string) string {
	for _, s := range plain {
		if strings.HasPrefix(name, s.Term) {
			return s.Text
		}
	}
	return "A published theorem that the accountant uses."
}

// trust lists the assumptions behind the guarantee, beyond its theorems.
func trust(r *released.Report) []string {
	all := []string{
		"privatize ran as it was built, on a machine whose random numbers are secret; its files PRIVACY.md and " +
			"CHECKING.md say how to check it.",
		"Nothing but these releases left the privacy wall: LEAKS.md lists other ways out.",
		"This model was made from these releases only. Its scores were computed from public documents and from it, " +
			"those of earlier rounds from " +
			"earlier models of its run. No file proves that.",
	}
	if r.Filter != nil {
		all = append(all, fmt.Sprintf("ε %s at δ %s holds if all settings were fixed before the first release. "+
			"Whatever the order, the ledger's "+
			"filter guarantees ε %s at δ %s (%s).", r.Epsilon, r.Delta, r.Filter.Epsilon, r.Filter.Delta,
			r.Filter.Theorem))
	} else {
		all = append(all, "All settings were fixed before the first release.")
	}
	if r.DisjointDatasets {
		all = append(all, "The data sets of the ledger share no unit.")
	}
	if r.SelectDelta > 0 {
		all = append(all, fmt.Sprintf("%s of δ is for words that one unit alone has.", r.SelectDelta))
	}
	if r.Claimed != nil {
		all = append(all, fmt.Sprintf("A paper's sensitivities would give ε %s. That is the paper's claim, and is "+
			"not proven.", r.Claimed))
	}
	return all
}

// left prints the remaining budget, rounded down. It prints 0 without decimals.
func left(epsilon float64) string {
	if text := rounded.Down(epsilon); text != "0.0000" {
		return text
	}
	return "0"
}
