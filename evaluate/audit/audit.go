package audit

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"privpipe/evaluate/internal/audit"
	"privpipe/evaluate/internal/result"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
)

// Audit has the audits.
type Audit struct {
	Privatize AuditPrivatize `cmd:"" default:"withargs" help:"Compute a lower bound on the privacy loss of a privatize binary, beside the claimed loss (the default)."`
	EStep     AuditEStep     `cmd:"" name:"estep" help:"Compute a lower bound on the loss of the topics that an estep binary draws, beside the loss that it states."`
}

// AuditPrivatize audits a privatize binary.
type AuditPrivatize struct {
	Binary          string   `required:"" placeholder:"PATH" help:"Audit the program at PATH. It must take the arguments of privatize."`
	Case            []string `placeholder:"NAME" help:"Run only the case NAME, one of those below; by default all."`
	NoiseMultiplier float64  `default:"1" help:"Ask in the grants for noise of this multiple of the clip, in [0.2, 10]."`
	Runs            int      `default:"1000" help:"Do this many runs of the case neighbours."`
	Rounds          int      `default:"10000" help:"Do this many rounds of each other case, 250 a run."`
	Mechanism       string   `enum:"gaussian,laplace" default:"gaussian" help:"Set the mechanism of neighbours, delivered-twice and --one-run: ${enum}. Other cases have their own."`
	Adjacency       string   `enum:"add-remove,replace-one,replace-null" default:"add-remove" help:"Set the neighbouring relation of the same cases: ${enum}."`
	Unit            string   `enum:"document,user" default:"document" help:"Set the privacy unit of the same cases: ${enum}."`
	Confidence      float64  `default:"0.95" help:"Make all bounds of all cases hold together with this confidence."`
	Delta           float64  `zero:"" default:"1e-5" help:"State ε at this δ."`
	OneRun          bool     `help:"Also audit a single run with many canaries; a coin for each puts it in or leaves it out."`
	Canaries        int      `default:"10000" help:"Put this many canaries into the run of --one-run."`
	Folder          string   `placeholder:"FOLDER" help:"Write temporary files to FOLDER. The default is in memory (/dev/shm) if possible, because a privatizer waits for the disk at each round."`
	result.Flags    `set:"form=a table"`
	filter.Workers
}

// Help is kong's hook.
func (c *AuditPrivatize) Help() string {
	return "Runs PATH MECHANISM --grant G --ledger L -o OUT IN… on neighbouring inputs that differ in one unit, the " +
		"canary, " +
		"and guesses from the releases which input it was. The error rates of the guesses give a lower bound on the " +
		"privacy " +
		"loss. For Gaussian noise the claimed loss is the Gaussian trade-off between the two error rates, by the " +
		"sensitivity " +
		"and scale in the ledger, and is stated as ε at --delta. For Laplace noise the claimed loss is ε.\n\n" +
		"The cases are: " + strings.Join(audit.Cases(), ", ") +
		". In neighbours each run is a process. In the other cases a " +
		"run has many rounds, each with or without the canary. The canary is where a fault would show: in one cell, " +
		"in all, " +
		"off the diagonal of a symmetric matrix, under a statistic's bound, in factored parts, in two inputs, in a " +
		"partial sum. In words " +
		"and increments one word is exchanged; the topics are given, so the claim is without the loss of their " +
		"draws, which audit estep bounds. These cases also " +
		"compare the spread of the noise, and the sum of a unit within its bound, with the ledger and the grant.\n\n" +
		"An audit can show that a privatizer is broken: if a bound is above the claim, or a rule is broken outright, " +
		"the exit " +
		"code is 83. It cannot show that a privatizer is sound: these inputs and this many rounds miss a leak of " +
		"another " +
		"kind, or a leak in one round of a thousand. A sound privatizer, whose noise is fresh in each round, fails " +
		"with probability at most 1 - CONFIDENCE, over all cases together."
}

// Validate is kong's hook.
func (c *AuditPrivatize) Validate() error {
	switch {
	case !(c.NoiseMultiplier >= 0.2 && c.NoiseMultiplier <= 10):
		return fmt.Errorf("--noise-multiplier must be in [0.2, 10], is %v", c.NoiseMultiplier)
	case c.Runs < audit.LeastRuns:
		return fmt.Errorf("--runs must be at least %d, is %d", audit.LeastRuns, c.Runs)
	case c.Rounds < audit.LeastRounds:
		return fmt.Errorf("--rounds must be at least %d, is %d", audit.LeastRounds, c.Rounds)
	case c.Canaries < 2 || c.Canaries > audit.MostCanaries:
		return fmt.Errorf("--canaries must be in [2, %d], is %d", audit.MostCanaries, c.Canaries)
	}
	if err := checkConfidence(c.Confidence); err != nil {
		return err
	}
	if err := checkCases(c.Case, audit.Cases()); err != nil {
		return err
	}
	return event.CheckDelta(c.Delta)
}

// Run is kong's hook.
func (c *AuditPrivatize) Run(r *filter.Run) error {
	binary, err := executable("--binary", c.Binary)
	if err != nil {
		return err
	}
	if r.DryRun() {
		return nil
	}
	meter := &progress.Meter{Name: "evaluate"}
	r.Show(c.Output, meter.Line)
	auditor := &audit.Auditor{
		Binary: binary, Folder: temporary(c.Folder), Cases: c.Case, Runs: c.Runs, Rounds: c.Rounds, Workers: c.N(),
		Confidence: c.Confidence, Delta: c.Delta, Status: func(format string, args ...any) {
			r.Status(format, args...)
			meter.Say(fmt.Sprintf(format, args...), "")
		},
		Terms: audit.Terms{Mechanism: c.Mechanism, Adjacency: c.Adjacency, Unit: c.Unit,
			NoiseMultiplier: c.NoiseMultiplier},
	}
	if c.OneRun {
		auditor.Canaries = c.Canaries
	}
	results, err := auditor.Audit(r)
	if err != nil {
		return err
	}
	return conclude(r, &c.Flags, c.Binary, results, map[string]any{
		"mechanism": c.Mechanism, "adjacency": c.Adjacency, "unit": c.Unit, "noise_multiplier": c.NoiseMultiplier,
		"confidence": c.Confidence,
	})
}

// executable returns the absolute path of the program that a flag names, because the program runs in another folder.
func executable(flag, name string) (string, error) {
	binary, err := exec.LookPath(name)
	if err == nil {
		binary, err = filepath.Abs(binary)
	}
	if err != nil {
		return "", exit.Errorf(exit.Missing, "%s: %w", flag, err)
	}
	return binary, nil
}

// conclude prints the results of auditing a binary, and settings in JSON. It returns an error if they contradict a
// claim.
func conclude(ctx context.Context, flags *result.Flags, binary string, results []*audit.Result,
	settings map[string]any) error {
	settings["experiments"] = results
	text := func(w io.Writer) { printResults(w, results, settings["confidence"]) }
	if err := flags.Print(ctx, wire.Side_PUBLIC, &result.Result{JSON: settings, Text: text}); err != nil {
		return err
	}
	return violations(binary, results)
}

// temporary returns a folder for temporary files: the folder of --folder, else a writable folder in memory, else "",
// which stands for the system's folder.
func temporary(asked string) string {
	if asked != "" {
		return asked
	}
	const memory = "/dev/shm"
	probe, err := os.MkdirTemp(memory, "privpipe-audit-")
	if err != nil {
		return ""
	}
	os.Remove(probe)
	return memory
}

func printResults(w io.Writer, results []*audit.Result, confidence any) {
	fmt.Fprintf(w, "experiment\truns\trounds\tclaimed ε\tε at least\tat δ\tverdict\tby\n")
	for _, r := range results {
		claimed, least, delta := "-", "-", "-"
		if r.Bound != nil {
			claimed, least = fmt.Sprintf("%.3f", r.Bound.ClaimedEpsilon), fmt.Sprintf("%.3f", r.Bound.Epsilon)
			delta = fmt.Sprint(r.Bound.Delta)
		}
		verdict := "within the claim"
		if r.Broken() != "" {
			verdict = "BROKEN"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\n", r.Experiment, r.Runs, r.Rounds, claimed, least, delta,
			verdict, r.Note)
	}
	fmt.Fprintf(w, "A claimed ε covers the rounds that the statistic of the bound uses. All bounds hold together "+
		"with confidence %v.\n", confidence)
}
