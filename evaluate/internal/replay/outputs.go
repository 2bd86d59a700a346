package replay

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
)

// An output is kept by the seeded build for each release, as JSON. For a sum it is the noisy cells, in steps. For a
// vocabulary the votes of words are exact, since other words get other noise. A report is its bits.
type output struct {
	Exact  map[string]int64 `json:"exact"`
	Output json.RawMessage  `json:"output"`
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

// A claim of a charge bounds how far the sum of one release moves.
type claim struct {
	name    string // of the output
	charge  *event.Charge
	weights []float64 // of each cell of a sum, in the square or in the sum of the norm
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
		g := grants[c.Grant]
		switch {
		case g == nil:
			return nil, exit.Errorf(exit.Refused, "the ledger lacks the grant of round %d of run %s", c.Round, c.Run)
		case c.Mechanism == event.Objective, g.ReportWords > 0:
			return nil, exit.Errorf(exit.Usage, "a replay compares sums, vocabularies and reports with a bit for each "+
				"word, not weights and not reports of drawn words")
		}
		all = append(all, &claim{fmt.Sprintf("%s %d %d", c.Run, c.Round, c.Attempt), c, weights(g)})
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

// of returns the names of a release's outputs: its own, or one for each report.
func (c *claim) of(kept map[string]output) (names []string) {
	if c.charge.Mechanism != event.RandomizedResponse {
		if _, ok := kept[c.name]; ok {
			names = append(names, c.name)
		}
		return names
	}
	for name := range kept {
		if strings.HasPrefix(name, c.name+" ") {
			names = append(names, name)
		}
	}
	return names
}

// moved returns by how much two outputs differ: the square of the L2 norm, the L1 norm for Laplace noise, or the number
// of bits. Whole numbers below 2^53 are exact.
func (c *claim) moved(a, b output) (norm float64, err error) {
	switch c.charge.Mechanism {
	case event.Select:
		for word := range union(a.Exact, b.Exact) {
			d := float64(a.Exact[word] - b.Exact[word])
			norm += d * d
		}
		return norm, nil
	case event.RandomizedResponse:
		var x, y []byte
		if err := both(a, b, &x, &y); err != nil || len(x) != len(y) {
			return math.Inf(1), err
		}
		for i := range x {
			norm += float64(bits.OnesCount8(x[i] ^ y[i]))
		}
		return norm, nil
	}
	var x, y []int64
	if err := both(a, b, &x, &y); err != nil || len(x) != len(c.weights) || len(y) != len(c.weights) {
		return math.Inf(1), err
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

// both decodes two outputs.
func both[T any](a, b output, x, y *T) error {
	return cmp.Or(json.Unmarshal(a.Output, x), json.Unmarshal(b.Output, y))
}

// union returns the keys of two maps.
func union[V any](a, b map[string]V) map[string]V {
	all := make(map[string]V)
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
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
	if c.charge.Mechanism != event.Laplace && c.charge.Mechanism != event.RandomizedResponse {
		norm = math.Sqrt(norm)
	}
	return norm / float64(c.charge.Sensitivity)
}
