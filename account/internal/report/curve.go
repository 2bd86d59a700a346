package report

import (
	"cmp"
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
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/wire"
)

// CurveFile is where the curves of a report go, as a flag; its ending says in what form.
type CurveFile string

var curveEndings = []string{".svg", ".png", ".csv", ".json"}

// Check refuses what has no curves, and no place for them: output is where the report goes. The report may be at a given ε.
func (f CurveFile) Check(epsilon *float64, output string) error {
	switch {
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

// Draw returns the content of the file for a ledger and its report; nil where the flag was not given.
func (f CurveFile) Draw(rep *Report, ledger *event.Ledger, spent accountant.Spending) ([]byte, error) {
	if f == "" {
		return nil, nil
	}
	if err := endpoint.Distinct(string(f), rep.Ledger); err != nil {
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

// Write writes what draw returned.
func (f CurveFile) Write(content []byte) error {
	if f == "" {
		return nil
	}
	return endpoint.WriteFile(string(f), wire.Side_PUBLIC, content)
}

// curves are how the loss of a ledger grew, and what it is now; and their JSON form. Every loss in them is an upper bound.
type curves struct {
	Ledger     string `json:"ledger"`
	LastHash   string `json:"last_hash"` // of the ledger's last line
	Accountant string `json:"accountant"`
	Adjacency  string `json:"adjacency,omitempty"`
	Unit       string `json:"unit,omitempty"`
	// DisjointDatasets says, on trust, that data sets share no unit: each loss is the largest of theirs.
	DisjointDatasets bool         `json:"disjoint_datasets,omitempty"`
	Delta            print.Number `json:"delta"` // of EpsilonOver
	// EpsilonOver is ε after so many releases of the ledger. In between it is at most that of the next.
	EpsilonOver []releasesEpsilon `json:"epsilon_over_releases"`
	DeltaOver   []epsilonDelta    `json:"delta_over_epsilon"` // after all of them
	Budget      *epsilonDelta     `json:"budget,omitempty"`   // the total budget, of a ledger without a filter
	// Unbounded is the first release after which ε is ∞, 0 for none; NoNoise says that it is the first without noise.
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

// A turn is releases of one run that follow each other.
type turn struct {
	run         string
	first, last int // releases of the ledger, from 1
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

// curvePoints is of how many points a curve is at most: each costs a composition.
const curvePoints = 100

// stops returns after how many releases ε is worked out, in rising order: after none and after the first, after the last of
// each turn, evenly in between and at the end, and at those that must be there. Of more turns than points some are left out.
func stops(releases int, turns []turn, must ...int) []int {
	at := map[int]bool{0: true, min(1, releases): true, releases: true}
	for _, n := range must {
		at[n] = true
	}
	room := curvePoints - len(at) - 2 // a part more than there are points, and rounding
	for i, every := 0, len(turns)/room+1; i < len(turns); i += every {
		at[turns[i].last] = true
	}
	even := curvePoints - len(at)
	for i := range even {
		at[releases*(i+1)/even] = true
	}
	return slices.Sorted(maps.Keys(at))
}

// newCurves works the curves out, all but what the report says of the ledger.
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
		// ε does not fall with a release; bounds of it might, by the little that they are above it.
		if i := len(c.EpsilonOver); i > 0 {
			e = math.Max(e, float64(c.EpsilonOver[i-1].Epsilon))
		}
		c.EpsilonOver = append(c.EpsilonOver, releasesEpsilon{n, print.Number(e)})
	}
	return c, c.addProfile(whole)
}

// findUnbounded finds the release after which ε is ∞, from where on it stays so, and returns after which releases ε must be
// known for that.
func (c *curves) findUnbounded(charges []*event.Charge, whole accountant.UpperProfile, epsilon func(n int) (float64, error)) ([]int, error) {
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

// addProfile adds the ε of falling δ, down to one that is far below the δ that matter. An accountant is thus never asked for
// a δ that nobody wants.
func (c *curves) addProfile(spent accountant.UpperProfile) error {
	const (
		same = 1e-9 // ε as good as equal
		near = 0.8  // to the δ of ε = 0: the ε of such a δ is tiny, and takes long to bound within a share of itself
	)
	add := func(epsilon, delta float64) {
		for last := len(c.DeltaOver) - 1; last >= 0 && epsilon <= float64(c.DeltaOver[last].Epsilon)+same; last-- {
			c.DeltaOver = c.DeltaOver[:last] // at more δ
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
		if math.IsInf(epsilon, 1) { // δ stays above, as for words that only one unit has
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

// addLevel adds the δ far beyond the last ε.
func (c *curves) addLevel(spent accountant.UpperProfile, add func(epsilon, delta float64)) error {
	beyond := cmp.Or(1.5*float64(c.DeltaOver[len(c.DeltaOver)-1].Epsilon), 1)
	delta, err := spent.Delta(beyond)
	add(beyond, delta)
	return err
}

// leastReach is the part of the δ that matter down to which δ over ε is shown.
const leastReach = 1e-3

// floor is the least δ to show.
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
