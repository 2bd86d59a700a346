package audit

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"privpipe/evaluate/internal/replay"
	"privpipe/evaluate/internal/result"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/progress"
	"privpipe/pipelines/wire"
)

// Replay audits a pipeline with equal noise on neighbours.
type Replay struct {
	Bin          string   `required:"" placeholder:"FOLDER" help:"Run the programs in FOLDER. They must be of a seeded build."`
	Seed         uint64   `zero:"" default:"1" placeholder:"N" help:"Draw noise and coins from this seed."`
	Case         []string `sep:"none" placeholder:"NAME" help:"Run only the neighbour NAME, as the table names it; by default all."`
	Except       []string `sep:"none" placeholder:"FILE" help:"Do not compare FILE, a name or a pattern below the folder in which COMMAND runs, such as a lock with the number of a process."`
	Folder       string   `placeholder:"FOLDER" help:"Write temporary files to FOLDER. The default is in memory (/dev/shm) if possible."`
	Documents    string   `arg:"" name:"documents" placeholder:"DOCUMENTS" help:"The data set whose neighbours are made: documents of tokenize, or a text (.jsonl, .csv) with columns text, id, user and label."`
	Command      []string `arg:"" name:"command" passthrough:"" placeholder:"COMMAND" help:"The pipeline: a program and its arguments, such as a script."`
	result.Flags `set:"form=a table"`
	filter.Workers
}

// Help is kong's hook.
func (Replay) Help() string {
	return "Runs COMMAND on the documents and on their neighbours, with the same noise and coins each time. What " +
		"leaves the wall must then be the same, and the sum of each round must move by at most the sensitivity " +
		"that the ledger charges. No statistic is needed, so one run of each neighbour shows a violation.\n\n" +
		"The programs in --bin must be of a seeded build, which only a checkout makes: go run -tags seeded " +
		"./pipelines/testkit/seeded/seededbin BIN, where BIN has the shipped programs, makes a folder in BIN and " +
		"prints its name. It protects nobody. The command refuses other programs, since " +
		"no shipped program has noise from a seed. The seeded build also gives every neighbour the releases of the " +
		"first run, after each has got its noise. So all runs have one history, and later rounds depend on it " +
		"alone, as in the proof of adaptive composition.\n\n" +
		"COMMAND runs in an empty folder that has documents.pp, or documents.jsonl or documents.csv for a text. The " +
		"columns or members of a text must be called text, id, user and label, whatever --columns can name: under " +
		"another name an id stands twice where a neighbour has a twin, and tokenize refuses it. COMMAND finds " +
		"other files in $OLDPWD, the folder of the call. There it begins a ledger, plans, trains and writes all its " +
		"files:\n\n" +
		"  evaluate replay --bin BIN/seeded-… docs.pp -- ./pipeline.sh\n\n" +
		"The ledger says which data sets are neighbours. One unit goes (the first, the last, the longest, an empty " +
		"one, a twin, the one with most documents), comes or is exchanged. For unit word the word of a document with " +
		"one word is exchanged. Compared are the exit code, the lines " +
		"on standard error, standard output, and the files that others than the owner may read, by name, mode and " +
		"bytes. Private streams are left out. Ledgers are compared wherever they are. Time stands still, so lines " +
		"of ledgers are equal to the byte. A difference is a violation, and so is a sum that moves too far: then " +
		"the exit code is 83.\n\n" +
		"Exit code 90 means that COMMAND fails, or differs from itself on the same documents.\n\n" +
		"A replay can show that a pipeline is broken. It cannot show that a pipeline is sound: it tries one seed, " +
		"one history and some neighbours, and does not see what is wrong with the noise. The documents should be " +
		"public or made up, since a message may tell what differs."
}

// Validate is kong's hook.
func (c *Replay) Validate() error {
	for _, pattern := range c.Except {
		if _, err := filepath.Match(pattern, ""); err != nil {
			return fmt.Errorf("--except: %w, is %q", err, pattern)
		}
	}
	return nil
}

// Run is kong's hook.
func (c *Replay) Run(r *filter.Run) error {
	bin, err := filepath.Abs(c.Bin)
	if err == nil {
		err = replay.CheckSeeded(bin)
	}
	if err != nil {
		return err
	}
	command := c.Command
	if command[0] == "--" {
		command = command[1:]
	}
	if len(command) == 0 {
		return exit.Errorf(exit.Usage, "COMMAND is missing")
	}
	if strings.Contains(command[0], "/") {
		if command[0], err = executable("COMMAND", command[0]); err != nil {
			return err
		}
	}
	if r.DryRun() {
		if replay.IsText(c.Documents) {
			return r.Check(c.Documents)
		}
		return endpoint.CheckStream(r, c.Documents, replayable)
	}
	from, err := os.Getwd()
	if err != nil {
		return err
	}
	data, err := c.read(r)
	if err != nil {
		return err
	}
	meter := &progress.Meter{Name: "evaluate"}
	r.Show(c.Output, meter.Line)
	auditor := &replay.Auditor{
		Bin: bin, Seed: c.Seed, Command: command, From: from, Folder: temporary(c.Folder), Cases: c.Case,
		Except: c.Except, Workers: c.N(), Patience: time.Minute, Status: func(format string, args ...any) {
			r.Status(format, args...)
			meter.Say(fmt.Sprintf(format, args...), "")
		},
	}
	relation, results, err := auditor.Audit(r, data)
	if err != nil {
		return err
	}
	if err := c.Print(r, wire.Side_PUBLIC, &result.Result{
		JSON: map[string]any{"seed": c.Seed, "adjacency": relation.Adjacency, "unit": relation.Unit,
			"neighbours": results},
		Text: func(w io.Writer) { printReplays(w, relation, results) },
	}); err != nil {
		return err
	}
	return violations(strings.Join(command, " "), results)
}

// replayable are the streams that have neighbours.
var replayable = endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}, Values: true, Whole: true}

// mostText is the largest text, in bytes: a replay keeps it in memory, and copies it for each run.
const mostText = 1 << 28

// read reads the data set.
func (c *Replay) read(r *filter.Run) (*replay.Data, error) {
	if replay.IsText(c.Documents) {
		content, err := endpoint.ReadFile(r, c.Documents, mostText)
		if err != nil {
			return nil, err
		}
		return replay.ReadText(c.Documents, content)
	}
	in, h, err := endpoint.OpenStream(r, c.Documents, replayable)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return replay.ReadStream(h, in.Reader)
}

// violations returns an error if results contradict a claim.
func violations[R interface{ Broken() string }](name string, results []R) error {
	var broken []string
	for _, result := range results {
		if why := result.Broken(); why != "" {
			broken = append(broken, why)
		}
	}
	if len(broken) > 0 {
		return exit.Errorf(exit.Refused, "%s breaks its claim: %s", name, strings.Join(broken, "; "))
	}
	return nil
}

func printReplays(w io.Writer, relation replay.Relation, results []*replay.Result) {
	fmt.Fprintf(w, "neighbour\t%s\tmoved\tverdict\n", strings.Join(replay.Checks, "\t"))
	for _, r := range results {
		fmt.Fprintf(w, "%s\t", r.Neighbour)
		verdict := "within the claim"
		for _, check := range replay.Checks {
			cell := "same"
			if check == replay.Sums {
				cell = "bounded"
			}
			if r.Found(check) {
				cell, verdict = "DIFFER", "BROKEN"
			}
			fmt.Fprintf(w, "%s\t", cell)
		}
		fmt.Fprintf(w, "%.3f\t%s\n", r.Moved, verdict)
	}
	fmt.Fprintf(w, "Neighbours differ by %s of a %s. Sums move by a share of their sensitivity.\n",
		relation.Adjacency, relation.Unit)
}
