package replay

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// An output is kept by the seeded build for each release, as JSON: the cells of a noisy sum, in steps.
type output struct {
	Output json.RawMessage `json:"output"`
}

// readOutputs reads the outputs of a run, by their names.
func readOutputs(folder string) (map[string]output, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	all := make(map[string]output)
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		var o output
		if err := json.Unmarshal(content, &o); err != nil {
			return nil, exit.Errorf(exit.Malformed, "%s: %w", entry.Name(), err)
		}
		name, err := url.PathUnescape(entry.Name())
		if err != nil {
			return nil, err
		}
		all[name] = o
	}
	return all, nil
}

// cells returns the cells of a noisy sum.
func (o output) cells() (cells []int64, err error) { return cells, json.Unmarshal(o.Output, &cells) }

// A claim is what a charge says of one release: how far its sum moves at most.
type claim struct {
	name    string // of the output
	charge  *event.Charge
	weights []float64 // of each cell in the square or in the sum of the norm
}

// claimsOf returns the claims of a ledger's charges, in their order. It refuses a charge without a claim.
func claimsOf(l *event.Ledger) (all []*claim, err error) {
	grants := make(map[string]*event.Grant)
	for _, line := range l.Lines {
		if line.Grant != nil {
			grants[line.Grant.ID] = line.Grant
		}
	}
	for _, c := range l.Charges() {
		if c.Sensitivity == 0 || c.Scale == 0 {
			return nil, exit.Errorf(exit.Refused,
				"the ledger claims no privacy for round %d of run %s, which was released", c.Round, c.Run)
		}
		if c.Mechanism != event.Gaussian && c.Mechanism != event.Laplace {
			return nil, exit.Errorf(exit.Usage, "a replay compares noisy sums, not releases of mechanism %s",
				c.Mechanism)
		}
		all = append(all, &claim{fmt.Sprintf("%s %d %d", c.Run, c.Round, c.Attempt), c, weights(grants[c.Grant])})
	}
	return all, nil
}

// weights returns how often each cell of the matrices of a grant counts. In L2, a cell off the diagonal of a symmetric
// matrix counts twice.
func weights(g *event.Grant) (all []float64) {
	for _, m := range g.Matrices {
		for row := range m.Rows {
			for column := range m.Columns {
				switch {
				case !m.Symmetric || column == row:
					all = append(all, 1)
				case column > row && g.Mechanism == event.Laplace:
					all = append(all, 1)
				case column > row:
					all = append(all, 2)
				}
			}
		}
	}
	return all
}

// moved returns by how much two releases differ: the square of the L2 norm, or the L1 norm for Laplace noise. Whole
// numbers below 2^53 are exact.
func (c *claim) moved(a, b output) (norm float64, err error) {
	x, err := a.cells()
	if err != nil {
		return 0, err
	}
	y, err := b.cells()
	if err != nil {
		return 0, err
	}
	if len(x) != len(c.weights) || len(y) != len(c.weights) {
		return math.Inf(1), nil
	}
	for i, weight := range c.weights {
		d := math.Abs(float64(x[i]) - float64(y[i]))
		if c.charge.Mechanism != event.Laplace {
			d *= d
		}
		norm += weight * d
	}
	return norm, nil
}

// together names the releases that one sensitivity covers: all of one epoch, if its rounds share no unit, and otherwise
// the release alone. If a sum is bounded as a whole, each round that has the unit may move.
func (c *claim) together() string {
	s := c.charge.Scheme
	if !s.Disjoint() || c.charge.Clipping == event.ClipBatch {
		return c.name
	}
	return fmt.Sprintf("%s of epoch %d of %s", c.charge.Run, s.EpochOf(c.charge.Round), s.Coins)
}

// share returns a norm over the sensitivity.
func (c *claim) share(norm float64) float64 {
	if c.charge.Mechanism != event.Laplace {
		norm = math.Sqrt(norm)
	}
	return norm / float64(c.charge.Sensitivity)
}
