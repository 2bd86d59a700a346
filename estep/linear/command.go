package linear

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"privpipe/estep/job"
	"privpipe/estep/row"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
)

// Command is estep linear.
type Command struct {
	job.Job
	row.Bounded
	Least float64  `zero:"" required:"" placeholder:"Y" group:"Row" help:"Clamp responses to at least Y. The response of a row is its label, a decimal number. The range is public, from general knowledge and not from the data, and the same in training and prediction."`
	Most  float64  `zero:"" required:"" placeholder:"Y" group:"Row" help:"Clamp responses to at most Y."`
	Above *float64 `zero:"" placeholder:"Y" group:"Row" help:"With --score: predict the probability of a response above Y; evaluate auc reads it."`
}

// Validate is kong's hook.
func (c *Command) Validate() error {
	if err := c.Bounded.Check(); err != nil {
		return err
	}
	switch width := c.Most - c.Least; {
	case !(width > 0) || math.IsInf(width, 0):
		return fmt.Errorf("--least must be below --most, and both finite; they are %v and %v", c.Least, c.Most)
	case c.Above != nil && !c.Score:
		return errors.New("--above belongs to --score")
	}
	return nil
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	o := Options{RowNorm: c.RowNorm, Least: c.Least, Most: c.Most}
	work := job.Work{Family: families.Linear, New: func() model.EStep { return New(o) }}
	if c.Score {
		if c.Above == nil {
			return exit.Errorf(exit.Usage, "--score needs --above").
				WithHint("--infer prints the mean and the deviation of each response")
		}
		above := *c.Above
		work.New = func() model.EStep { return aboveModel{New(o), above} }
		work.Columns = []string{"above-" + strconv.FormatFloat(above, 'g', -1, 64)}
	}
	return c.Do(r, work)
}
