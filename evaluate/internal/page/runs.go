package page

import (
	"fmt"
	"strings"
	"time"

	"privpipe/pipelines/event"
)

// A Learner says how mstep learned one run's model. EStep is the command behind estep if it is not the model's own; it
// needs no parameters.
type Learner struct{ Run, Flags, EStep string }

// NewRuns describes the ledger's runs in the order of their first charges, with the commands that repeat each run.
// needs says whether a model's E-step reads new parameters in each round.
func NewRuns(ledger *event.Ledger, needs func(model string) bool, of Learner) []Run {
	grants := make(map[string]*event.Grant)
	seen := make(map[[2]string]bool)
	var all []Run
	for _, line := range ledger.Lines {
		if line.Grant != nil {
			grants[line.Grant.ID] = line.Grant
		}
		c := line.Charge
		if c == nil || seen[[2]string{c.Dataset, c.Run}] {
			continue
		}
		seen[[2]string{c.Dataset, c.Run}] = true
		all = append(all, newRun(c, grants[c.Grant], needs, of))
	}
	return all
}

func newRun(c *event.Charge, g *event.Grant, needs func(string) bool, of Learner) Run {
	r := Run{Name: c.Run, Dataset: c.Dataset}
	row := func(name, value string) {
		if value != "" {
			r.Settings = append(r.Settings, Row{name, value})
		}
	}
	row("mechanism", c.Mechanism)
	if m := c.NoiseMultiplier(); m > 0 {
		row("noise, as a multiple of the sensitivity", fmt.Sprintf("%.6g", m))
	}
	row("sampling", c.Scheme.String())
	row("neighbours and unit", c.Adjacency+", "+c.Unit)
	if g == nil {
		row("grant", "none: released without a grant")
		return r
	}
	row("model", g.Model)
	for _, m := range g.Matrices {
		row("statistic", m.String())
	}
	if g.Clip > 0 {
		row("bound of a unit's contribution", fmt.Sprintf("%g, %s", g.Clip, clipping(g)))
	}
	for _, s := range g.Statistics {
		row("scale of "+s.Name, fmt.Sprintf("%g", s.Bound))
	}
	if g.MaxWords > 0 {
		row("most words of a unit", fmt.Sprint(g.MaxWords))
	}
	if g.Vocabulary != "" {
		row("vocabulary", fmt.Sprintf("%d words, SHA-256 %s", g.VocabularySize, g.Vocabulary))
	}
	row("grant", g.ID)
	row("planned", g.Created.UTC().Format(time.RFC3339))
	r.Commands = commands(c, g, needs, of)
	return r
}

func clipping(g *event.Grant) string {
	switch {
	case g.Clipping != "":
		return g.Clipping
	case g.Mechanism == event.Laplace:
		return "in L1"
	}
	return "in L2"
}

// commands returns the commands that repeat a run of sums with its grant's noise. It is empty for other mechanisms, and
// for a grant under a filter or with a proof.
func commands(c *event.Charge, g *event.Grant, needs func(string) bool, of Learner) string {
	if g.Mechanism != event.Gaussian && g.Mechanism != event.Laplace || g.Cost > 0 || g.Proved > 0 || g.Claim != "" ||
		g.Model == "" {
		return ""
	}
	sampling, grant := schemeFlags(g.Scheme), quoted(c.Run+".json")
	plan := []string{"account plan"}
	if g.Mechanism != event.Gaussian {
		plan = append(plan, "--mechanism "+g.Mechanism)
	}
	plan = append(plan, sampling, "--adjacency "+g.Adjacency, "--unit "+g.Unit,
		fmt.Sprintf("--clip %g --noise-multiplier %v", g.Clip, g.NoiseMultiplier))
	if g.Budget.Delta > 0 {
		plan = append(plan, fmt.Sprintf("--delta %v", g.Budget.Delta))
	}
	if g.Clipping != "" {
		plan = append(plan, "--clipping "+quoted(g.Clipping))
	}
	if g.NonNegative {
		plan = append(plan, "--non-negative")
	}
	for _, s := range g.Statistics {
		plan = append(plan, "--statistic "+quoted(fmt.Sprintf("%s=%g", s.Name, s.Bound)))
	}
	plan = append(plan, "--ledger run.ledger --model "+quoted(g.Model))
	for _, m := range g.Matrices {
		plan = append(plan, "--matrix "+quoted(matrixFlag(m)))
	}
	plan = append(plan, "--vocab vocab.txt -o "+grant)

	params, flags := "", ""
	train, step := "", quoted(g.Model)
	if of.Run == c.Run && of.EStep != "" {
		step = of.EStep
	} else if needs(g.Model) {
		params, flags = " --params params", " --params-out params"
		train = "mkfifo params\n"
	}
	if of.Run == c.Run {
		flags = of.Flags + flags
	}
	secret := ""
	if g.Scheme.Method == event.Poisson || g.Scheme.Method == event.Fixed || g.Scheme.Method == event.Allocate {
		secret = " --secret coins"
	}
	return strings.Join(plan, " \\\n  ") + "\n" + train +
		"sample " + strings.Replace(sampling, fmt.Sprintf("/%d", g.Scheme.Population), "", 1) + " --unit " +
		streamUnit(g.Unit) + secret + " documents.pp |\n" +
		"  estep " + step + params + " |\n" +
		"  privatize --grant " + grant + " --ledger run.ledger --dataset " + quoted(c.Dataset) + " |\n" +
		"  mstep " + quoted(g.Model) + " --vocab vocab.txt" + flags + " -o " + quoted(c.Run+".pp") + "\n"
}

// matrixFlag returns the value for account plan --matrix.
func matrixFlag(m event.Matrix) string {
	flag := fmt.Sprintf("%s=%dx%d", m.Name, m.Rows, m.Columns)
	if m.Symmetric {
		flag += ",symmetric"
	}
	return flag
}

// streamUnit returns the unit in streams. Streams carry documents if words are protected.
func streamUnit(unit string) string {
	if unit == event.Word {
		return event.Document
	}
	return unit
}

func schemeFlags(s event.Scheme) string {
	flags := map[string]string{
		event.All:      "--all",
		event.Poisson:  fmt.Sprintf("--poisson %v", s.Rate),
		event.Fixed:    fmt.Sprintf("--fixed %d/%d", s.Size, s.Population),
		event.Allocate: "--allocate",
		event.Epoch:    "--epoch",
	}[s.Method]
	if s.Epochs > 0 {
		flags += fmt.Sprintf(" --epochs %d", s.Epochs)
	}
	return fmt.Sprintf("%s --rounds %d", flags, s.EpochRounds())
}

// quoted quotes a name for a shell, if the name needs it.
func quoted(name string) string {
	safe := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_./=+-", c)
	}
	if name != "" && strings.IndexFunc(name, func(c rune) bool { return !safe(c) }) < 0 {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
