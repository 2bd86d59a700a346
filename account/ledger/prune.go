package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"text/tabwriter"

	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/print"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// PruneCommand is account prune.
type PruneCommand struct {
	Runs   []string `name:"run" env:"PRIVPIPE_ACCOUNT_PRUNE_RUN" placeholder:"NAME" help:"Remove the stored releases of this run. May be repeated."`
	UsedUp bool     `help:"Remove the stored releases of all grants that have no release left."`
	print.Flags
	Ledger string `arg:"" help:"Ledger of privatize. Nobody may write to it meanwhile."`
}

// Help is the text that --help adds for this command.
func (PruneCommand) Help() string {
	return "Removes stored releases beside a ledger, after the models of their runs are made. privatize keeps each " +
		"release, so that a round that is asked for again gets the same bytes. privatize refuses a removed release " +
		"for good (exit code 83): its charge stays, and no second noise is drawn. The ledger does not change. " +
		"--dry-run prints on standard output what would be removed."
}

// Validate is kong's hook.
func (c *PruneCommand) Validate() error {
	if len(c.Runs) == 0 && !c.UsedUp {
		return errors.New("which: --run NAME, or --used-up")
	}
	return nil
}

// A pruned counts what was removed from one run.
type pruned struct {
	Run      string `json:"run"`
	Releases int    `json:"releases"`
	Bytes    int64  `json:"bytes"`
}

// Run is kong's hook.
func (c *PruneCommand) Run(r *filter.Run) error {
	// privatize holds this lock while it works. Without the lock, a release that is stored and not yet charged could be
	// removed.
	if err := endpoint.CheckKept("ledger", c.Ledger); err != nil { // a FIFO would be waited for
		return err
	}
	file, err := os.Open(c.Ledger)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return exit.Errorf(exit.Locked, "%s: a privatizer holds this ledger", c.Ledger)
	} else if err != nil {
		return err
	}
	ledger, err := ledgers.Read(r, c.Ledger)
	if err != nil {
		return err
	}
	for _, run := range c.Runs {
		if !slices.ContainsFunc(ledger.Charges(), func(charge *event.Charge) bool { return charge.Run == run }) {
			return exit.Errorf(exit.Usage, "--run %s: %s has no charge of it", run, c.Ledger)
		}
	}
	removed := prunedRuns{}
	for _, charge := range c.chosen(ledger) {
		n := slices.IndexFunc(removed, func(p *pruned) bool { return p.Run == charge.Run })
		if n < 0 {
			n, removed = len(removed), append(removed, &pruned{Run: charge.Run})
		}
		if err := removed[n].remove(filepath.Join(ledgers.StoredFolder(c.Ledger), charge.StoredName()),
			r.DryRun()); err != nil {
			return err
		}
	}
	content, err := c.Content(removed, "  ")
	if err != nil {
		return err
	}
	if r.DryRun() {
		c.Output = "" // it writes no file
	}
	return endpoint.WriteFile(r, c.Output, wire.Side_PUBLIC, content)
}

type prunedRuns []*pruned

// chosen returns the charges to remove stored releases for.
func (c *PruneCommand) chosen(ledger *event.Ledger) (chosen []*event.Charge) {
	left := make(map[string]int) // releases that a grant may still make
	for _, line := range ledger.Lines {
		switch {
		case line.Grant != nil:
			left[line.Grant.ID] += line.Grant.Releases
		case line.Charge != nil:
			left[line.Charge.Grant]--
		}
	}
	for _, charge := range ledger.Charges() {
		if slices.Contains(c.Runs, charge.Run) || c.UsedUp && charge.Grant != "" && left[charge.Grant] <= 0 {
			chosen = append(chosen, charge)
		}
	}
	return chosen
}

// remove removes a stored release and its digest file, and counts them if they existed.
func (p *pruned) remove(path string, dry bool) error {
	for _, name := range []string{path, path + ".sum"} {
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && !dry {
			err = os.Remove(name)
		}
		if err != nil {
			return err
		}
		p.Bytes += info.Size()
		if name == path {
			p.Releases++
		}
	}
	return nil
}

// Table prints for people what was removed, or would be removed.
func (removed prunedRuns) Table(b *bytes.Buffer) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "run\tstored releases\tMB")
	for _, p := range removed {
		fmt.Fprintf(w, "%s\t%d\t%.1f\n", print.Quoted(p.Run), p.Releases, float64(p.Bytes)/1e6)
	}
	w.Flush()
}
