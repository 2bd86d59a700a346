package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/ledgers"
	"privpipe/account/internal/print"
	"privpipe/pipelines/chart"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
)

// CurveFile is the flag for a report's curves. The file's ending sets the format.
type CurveFile string

var curveEndings = []string{".svg", ".csv", ".json"}

// Check refuses a file with another ending, and a file that is also the report's output. It also refuses a report at a
// given ε, which has no curves.
func (f CurveFile) Check(epsilon *float64, output string) error {
	switch {
	case filepath.Ext(string(f)) == ".png":
		return chart.NoPNG("--curve")
	case f != "" && !slices.Contains(curveEndings, filepath.Ext(string(f))):
		return fmt.Errorf("--curve: %q must end in one of %s, which says in what form it is written", string(f),
			strings.Join(curveEndings, ", "))
	case f != "" && epsilon != nil:
		return errors.New("--curve shows ε at a δ: give --delta, not --epsilon")
	case f != "" && string(f) == output:
		return fmt.Errorf("--curve and --output are one file, %s", output)
	}
	return nil
}

// Draw returns the file's content for a ledger and its report, or nil if the flag was not given.
func (f CurveFile) Draw(ctx context.Context, rep *Report, ledger *event.Ledger,
	spent accountant.Spending) ([]byte, error) {
	if f == "" {
		return nil, nil
	}
	if err := endpoint.Distinct(ctx, string(f), rep.Ledger); err != nil {
		return nil, err
	}
	c, err := newCurves(ledger, spent, float64(rep.Delta))
	if err != nil {
		return nil, err
	}
	c.Ledger, c.Accountant, c.Adjacency, c.Unit = rep.Ledger, rep.Accountant, rep.Adjacency, rep.Unit
	c.DisjointDatasets = rep.DisjointDatasets
	return c.encode(filepath.Ext(string(f)))
}

// Write writes the content that Draw returned.
func (f CurveFile) Write(ctx context.Context, content []byte) error {
	if f == "" {
		return nil
	}
	return endpoint.WriteFile(ctx, string(f), wire.Side_PUBLIC, content)
}

// curves shows how the ledger's loss grew, and its present profile, and is the JSON form. Every loss is an upper bound.
type curves struct {
	Ledger     string `json:"ledger"`
	LastHash   string `json:"last_hash"` // hash of the ledger's last line
	Accountant string `json:"accountant"`
	Adjacency  string `json:"adjacency,omitempty"`
	Unit       string `json:"unit,omitempty"`
	// DisjointDatasets says, on trust, that data sets share no unit. Each loss is the largest over the data sets.
	DisjointDatasets bool         `json:"disjoint_datasets,omitempty"`
	Delta            print.Number `json:"delta"` // the δ of EpsilonOver
	// EpsilonOver is ε after a number of releases of the ledger. Between two points it is at most the next point's ε.
	EpsilonOver []releasesEpsilon `json:"epsilon_over_releases"`
	DeltaOver   []epsilonDelta    `json:"delta_over_epsilon"` // after all releases
	Budget      *epsilonDelta     `json:"budget,omitempty"`   // the total budget, unless the ledger has a filter
	// Unbounded is the number of the first release after which ε is ∞, 0 if there is none. NoNoise says that this
	// release is the first without noise.
	Unbounded int  `json:"unbounded_from,omitempty"`
	NoNoise   bool `json:"release_without_noise,omitempty"`

	turns []turn
}

type releasesEpsilon struct {
	Releases int          `json:"releases"`
	Epsilon  print.Number `json:"epsilon"`
}

type epsilonDelta struct {
	Epsilon print.Number `json:"epsilon"`
	Delta   print.Number `json:"delta"`
}

// A turn is a sequence of consecutive releases of one run.
type turn struct {
	run         string
	first, last int // numbers of the ledger's releases, from 1
}

func turns(charges []*event.Charge) (all []turn) {
	for i, c := range charges {
		if i == 0 || c.Run != charges[i-1].Run || c.Dataset != charges[i-1].Dataset {
			all = append(all, turn{c.Run, i + 1, i})
		}
		all[len(all)-1].last++
	}
	return all
}

// curvePoints limits the points on each curve, because each point costs a composition.
const curvePoints = 100

// stops returns the numbers of releases to compute ε for, in rising order. They are 0, 1, the end of each turn, evenly
// spaced numbers, the last release, and the numbers in must. If there are more turns than points, some turns are left
// out.
func stops(releases int, turns []turn, must ...int) []int {
	at := map[int]bool{0: true, min(1, releases): true, releases: true}
	for _, n := range must {
		at[n] = true
	}
	room := curvePoints - len(at) - 2 // two spare: one for the division's last part, one for rounding
	for i, every := 0, len(turns)/room+1; i < len(turns); i += every {
		at[turns[i].last] = true
	}
	even := curvePoints - len(at)
	for i := range even {
		at[releases*(i+1)/even] = true
	}
	return slices.Sorted(maps.Keys(at))
}

// newCurves computes the curves. The caller adds the fields that the report knows about the ledger.
func newCurves(ledger *event.Ledger, spent accountant.Spending, delta float64) (*curves, error) {
	charges := ledger.Charges()
	c := &curves{LastHash: ledger.LastHash(), Delta: print.Number(delta), turns: turns(charges)}
	if b := ledgers.Total(ledger); b != nil && b.Filter == nil {
		c.Budget = &epsilonDelta{print.Number(b.Epsilon), print.Number(b.Delta)}
	}
	epsilon := func(n int) (float64, error) {
		p, err := spent(charges[:n])
		if err != nil {
			return 0, err
		}
		return p.Epsilon(delta)
	}
	whole, err := spent(charges)
	if err != nil {
		return nil, err
	}
	must, err := c.findUnbounded(charges, whole, epsilon)
	if err != nil {
		return nil, err
	}
	for _, n := range stops(len(charges), c.turns, must...) {
		e := math.Inf(1)
		if c.Unbounded == 0 || n < c.Unbounded {
			if e, err = epsilon(n); err != nil {
				return nil, err
			}
		}
		// ε does not fall with a release. Its upper bounds might fall slightly, within their error.
		if i := len(c.EpsilonOver); i > 0 {
			e = math.Max(e, float64(c.EpsilonOver[i-1].Epsilon))
		}
		c.EpsilonOver = append(c.EpsilonOver, releasesEpsilon{n, print.Number(e)})
	}
	return c, c.addProfile(whole)
}

// findUnbounded finds the first release after which ε is ∞. From there on ε stays ∞. It returns the numbers of releases
// that the curve must show for this.
func (c *curves) findUnbounded(charges []*event.Charge, whole accountant.UpperProfile,
	epsilon func(n int) (float64, error)) ([]int, error) {
	last, err := whole.Epsilon(float64(c.Delta))
	if err != nil || !math.IsInf(last, 1) {
		return nil, err
	}
	c.Unbounded = sort.Search(len(charges), func(n int) bool {
		e, wrong := epsilon(n)
		err = errors.Join(err, wrong)
		return math.IsInf(e, 1)
	})
	c.NoNoise = charges[c.Unbounded-1].Mechanism == event.None
	return []int{c.Unbounded - 1, c.Unbounded}, err
}

// addProfile adds ε for falling δ, down to a δ far below the interesting ones. So an accountant is never asked for a δ
// that nobody wants.
func (c *curves) addProfile(spent accountant.UpperProfile) error {
	const (
		equal = 1e-9 // ε that differ by less count as equal
		near  = 0.8  // relative to the δ at ε = 0: nearer to it ε is tiny, and a relative bound on it takes long
	)
	add := func(epsilon, delta float64) {
		for last := len(c.DeltaOver) - 1; last >= 0 && epsilon <= float64(c.DeltaOver[last].Epsilon)+equal; last-- {
			c.DeltaOver = c.DeltaOver[:last] // drop points with a larger δ and no smaller ε
		}
		c.DeltaOver = append(c.DeltaOver, epsilonDelta{print.Number(epsilon), print.Number(delta)})
	}
	most, err := spent.Delta(0)
	if err != nil {
		return err
	}
	add(0, most)
	for i := range curvePoints {
		delta := math.Pow(c.floor(), float64(i+1)/curvePoints)
		if delta > near*most {
			continue
		}
		epsilon, err := spent.Epsilon(delta)
		if err != nil {
			return err
		}
		if math.IsInf(epsilon, 1) { // δ never gets this small, as for words that only one unit has
			return c.addLevel(spent, add)
		}
		add(epsilon, delta)
	}
	pure, err := spent.Epsilon(0)
	if err == nil && !math.IsInf(pure, 1) {
		add(pure, 0)
	}
	return err
}

// addLevel adds the δ at an ε far beyond the last one.
func (c *curves) addLevel(spent accountant.UpperProfile, add func(epsilon, delta float64)) error {
	beyond := cmp.Or(1.5*float64(c.DeltaOver[len(c.DeltaOver)-1].Epsilon), 1)
	delta, err := spent.Delta(beyond)
	add(beyond, delta)
	return err
}

// leastReach says how far below the interesting δ the curve of δ over ε goes.
const leastReach = 1e-3

// floor returns the least δ to show.
func (c *curves) floor() float64 {
	floor := 1e-9
	if c.Delta > 0 {
		floor = float64(c.Delta)
	}
	if c.Budget != nil && c.Budget.Delta > 0 {
		floor = math.Min(floor, float64(c.Budget.Delta))
	}
	return math.Max(floor*leastReach, accountant.LeastDelta)
}
