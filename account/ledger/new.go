// Package ledger has the commands of account that begin, read, check, watch and prune a ledger.
package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"privpipe/account/internal/ledgers"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
)

// Commands are account ledger …
type Commands struct {
	New newCommand `cmd:"" help:"Begin a ledger with an id of its own, and perhaps a budget that no plan may exceed."`
}

type newCommand struct {
	Epsilon  float64  `group:"Budget" placeholder:"X" help:"Refuse all that would take the whole ledger above this ε, which protects little above 10. By default only the grants bound it."`
	Delta    *float64 `zero:"" group:"Budget" placeholder:"X" help:"Set the δ of that budget; 0, the default, is for a ledger of pure mechanisms only."`
	Filter   string   `group:"Filter" enum:"zcdp,gdp,renyi," default:"" placeholder:"MEASURE" help:"Allow settings that are chosen after earlier releases have been seen: add up the costs of all releases in one measure (zcdp, gdp or renyi), up to the limit that keeps the budget. Only renyi counts the amplification by sampling. By default settings must be chosen beforehand."`
	Order    float64  `group:"Filter" placeholder:"X" help:"Set the order of the filter renyi. By default it is the order that leaves the most for Gaussian noise without sampling."`
	Disjoint bool     `name:"disjoint-datasets" help:"Trust that data sets share no unit: each unit belongs to one data set for good, by a rule that looks at this unit only. Nobody can check it. Then ε is the largest of the data sets, not the sum, and each plan is for one --dataset. Needs --epsilon, neighbours that differ by a unit more or less or by an empty one, and no filter."`
	Ledger   string   `arg:"" output:"" help:"File to make. A file that exists is refused."`
}

// Help is the text that --help adds for this command.
func (newCommand) Help() string {
	return `
A ledger is begun once, and kept. privatize makes no ledger, so a job that runs in a wrong folder stops. A grant is
planned for one ledger (account plan --ledger), and refused for every other.

  account ledger new --epsilon 3 --delta 1e-6 run.ledger

Give --disjoint-datasets only if nobody has units in two data sets, as with hospitals that share no patient. It stays
in the ledger for good, and every report says that it is taken on trust.`
}

// Validate is kong's hook.
func (c *newCommand) Validate() error {
	switch {
	case c.Ledger == endpoint.Stdio || endpoint.IsTopic(c.Ledger):
		return fmt.Errorf("the ledger must be a file, is %s", c.Ledger)
	case c.Epsilon == 0 && (c.Delta != nil || c.Filter != ""):
		return errors.New("--delta and --filter belong to a budget: give --epsilon")
	case c.Disjoint && (c.Epsilon == 0 || c.Filter != ""):
		return errors.New("--disjoint-datasets needs a budget, and no filter: give --epsilon, and no --filter")
	case c.Filter != "" && c.limit().Delta == 0:
		return errors.New("--filter needs --delta")
	case c.Order != 0 && c.Filter != event.Renyi:
		return errors.New("--order belongs to --filter renyi")
	case c.Order != 0 && !(c.Order > 1):
		return fmt.Errorf("--order must be above 1, is %v", c.Order)
	case c.Epsilon == 0:
		return nil
	}
	return c.limit().Check()
}

// limit returns the budget that the flags set.
func (c *newCommand) limit() event.Limit {
	limit := event.Limit{Epsilon: c.Epsilon}
	if c.Delta != nil {
		limit.Delta = *c.Delta
	}
	return limit
}

// Run is kong's hook.
func (c *newCommand) Run(r *filter.Run) error {
	head, err := c.head()
	if err != nil {
		return err
	}
	if weak := event.ProtectsLittle(c.Epsilon); weak != "" {
		r.Log.Warn(weak)
	}
	content, err := event.NewLedger(head, time.Now())
	if err != nil {
		return err
	}
	if _, err := os.Lstat(c.Ledger); err == nil {
		return alreadyThere(r, c.Ledger)
	}
	// Releases that were charged to an earlier ledger of this name are still known to whoever has seen them.
	last := filepath.Join(c.Ledger+".releases", event.LastName)
	// no permission to look: they may exist
	if _, err := os.Lstat(last); err == nil || errors.Is(err, fs.ErrPermission) {
		return exit.Errorf(exit.Refused, "refused: %s is gone, and releases beside it were charged to it", c.Ledger).
			WithHint("restore its newest copy; without that copy its data set counts as spent")
	}
	if r.DryRun() {
		return nil
	}
	return create(r, c.Ledger, content)
}

// head returns the content of the ledger's first line, from the flags.
func (c *newCommand) head() (*event.Head, error) {
	head := event.NewHead()
	if c.Epsilon == 0 {
		return head, nil
	}
	limit := c.limit()
	head.Budget, head.DisjointDatasets = &limit, c.Disjoint
	if c.Filter == "" {
		return head, nil
	}
	var err error
	head.Filter, err = ledgers.NewFilter(c.Filter, c.Order, limit)
	return head, err
}

func alreadyThere(ctx context.Context, path string) error {
	err := exit.Errorf(exit.Refused, "refused: %s is there already: a ledger is begun once", path)
	if size, known := endpoint.Size(ctx, path); known && size == 0 {
		return err.WithHint("it is empty: if no run has charged it, remove it first")
	}
	return err.WithHint("go on with account plan --ledger")
}

// create makes a file with the given content. The file is whole and durable, or absent. An existing file is not
// replaced.
func create(ctx context.Context, path string, content []byte) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(content)
	err = errors.Join(err, temporary.Chmod(0o644), temporary.Sync(), temporary.Close())
	if err != nil {
		return err
	}
	// Unlike a rename, a link fails if another process has made the ledger in the meantime.
	if err := os.Link(temporary.Name(), path); errors.Is(err, fs.ErrExist) {
		return alreadyThere(ctx, path)
	} else if err != nil {
		return err
	}
	now := time.Now().Truncate(time.Second) // the lines have whole seconds, too
	return errors.Join(os.Chtimes(path, now, now), endpoint.SyncFolder(path))
}
