package sbn

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"privpipe/estep/job"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// Command is estep sbn.
type Command struct {
	job.Job
	Sweeps  int  `default:"5" placeholder:"N" group:"Image" help:"Update the hidden units of each image in N sweeps (default 5), from their prior on."`
	NoCount bool `group:"Image" help:"Leave out the statistic count, for runs where the number of images is public: those of --adjacency replace-one or replace-null. mstep sbn --images says the number."`
	Mean    bool `group:"Image" help:"With --score: predict pixels from the means of the hidden units; by default from a draw of the units, by public coins of the image."`
	Bounds  bool `group:"Bounds" help:"Print the shapes and bounds of the statistics for --hidden units and --pixels, for account plan --statistics, and read nothing."`
	Hidden  int  `placeholder:"K" group:"Bounds" help:"Number of hidden units, for --bounds. A run learns it from the parameters."`
	Pixels  int  `placeholder:"J" group:"Bounds" help:"Number of pixels, for --bounds."`
}

// maxSweeps is far above any number of sweeps that still changes something.
const maxSweeps = 1000

// Validate is kong's hook.
func (c *Command) Validate() error {
	switch {
	case c.Sweeps < 1 || c.Sweeps > maxSweeps:
		return fmt.Errorf("--sweeps must be in [1, %d], is %d", maxSweeps, c.Sweeps)
	case c.Mean && !c.Score:
		return errors.New("--mean belongs to --score")
	case !c.Bounds && (c.Hidden != 0 || c.Pixels != 0):
		return errors.New("--hidden and --pixels belong to --bounds")
	case !c.Bounds:
		return nil
	case c.Score || c.Infer || c.Params != "" || c.Model != "":
		return errors.New("--bounds reads nothing: it does not go with --score, --infer, --params and --model")
	case c.Hidden < 1 || c.Hidden > families.MaxHidden:
		return fmt.Errorf("--hidden must be in [1, %d], is %d", families.MaxHidden, c.Hidden)
	case c.Pixels < 1 || c.Pixels > wire.MaxVocabulary ||
		uint64(c.Pixels)*uint64(c.Hidden*(c.Hidden+1)/2) > wire.MaxCells:
		return fmt.Errorf("--pixels must be positive, and gzz have at most %d cells: %d pixels are out of range",
			wire.MaxCells, c.Pixels)
	}
	return nil
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	family := families.SBN
	if c.NoCount {
		family = families.SBNUncounted
	}
	if c.Bounds {
		if r.DryRun() {
			return nil
		}
		return endpoint.WriteFile(r, c.Output, wire.Side_PUBLIC,
			bounds(family, model.Size{Words: c.Pixels, Components: c.Hidden}))
	}
	o := Options{Sweeps: c.Sweeps, Count: !c.NoCount, Mean: c.Mean}
	pixels := func(words vocabulary.Words, _ model.Size) vocabulary.Words { return words }
	return c.Do(r, job.Work{Family: family, New: func() model.EStep { return New(o) }, ColumnsOf: pixels})
}

// bounds returns lines for account plan --statistics.
func bounds(family *model.Family, size model.Size) []byte {
	var b bytes.Buffer
	all := families.SBNBounds(size)[:len(family.Statistics(size))]
	const least = 1e-7 // the clip is rounded up to a multiple of least
	clip := math.Ceil(math.Sqrt(float64(len(all)))/least) * least
	fmt.Fprintf(&b, "# Statistics of an image in model sbn: matrix and bound. With --clip %.7f none is ever clipped.\n",
		clip)
	if len(all) == len(families.SBNBounds(size)) {
		fmt.Fprintf(&b, "# For --adjacency add-remove.\n")
	} else {
		fmt.Fprintf(&b, "# For --adjacency replace-one --clipping proved --sensitivity 1.\n")
	}
	for _, s := range all {
		fmt.Fprintf(&b, "%s=%dx%d %v\n", s.Name, s.Rows, s.Columns, s.Norm)
	}
	return b.Bytes()
}
