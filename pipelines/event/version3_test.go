package event

import (
	"math"
	"strings"
	"testing"
)

// wordGrant is a valid grant of unit Word, for counts.
func wordGrant(mechanism string) *Grant {
	g := validGrant()
	g.Version, g.Mechanism, g.Adjacency, g.Unit = 3, mechanism, ReplaceOne, Word
	g.Scheme = Scheme{Method: All, Rate: 1, Rounds: 100}
	g.Clipping, g.Clip, g.Proved, g.NoiseMultiplier = ClipProved, 1, 2, 2
	if mechanism == Gaussian {
		g.Proved = 1.4142136
	}
	return g
}

// unboundedGrant is a valid grant that bounds nothing.
func unboundedGrant() *Grant {
	g := validGrant()
	g.Version, g.Clipping, g.Claim, g.Budget = 3, ClipUnbounded, PaperClaim, Budget{}
	return g
}

// provedGrant is a valid grant with a sensitivity of its own.
func provedGrant() *Grant {
	g := validGrant()
	g.Version, g.Adjacency, g.Clipping, g.Proved = 3, ReplaceOne, ClipProved, 1.118034
	return g
}

// TestGrantCheckNewer breaks one rule each of what came with version 3.
func TestGrantCheckNewer(t *testing.T) {
	type change = func(*Grant)
	allocated := validGrant()
	allocated.Scheme = Scheme{Method: Allocate, Rate: 0.25, Rounds: 8, Epochs: 2, Secret: true}
	symmetric := func(g *Grant) { g.Matrices = []Matrix{{"topics", 5, 9, false}, {"pairs", 3, 3, true}} }
	for name, c := range map[string]struct {
		valid  *Grant
		broken map[string][]change
	}{
		"proved": {provedGrant(), map[string][]change{
			"": {func(g *Grant) { g.Proved = 1 }, func(g *Grant) { g.Proved = 2 },
				func(g *Grant) { g.Mechanism = Laplace }, func(g *Grant) { g.Scheme = schemes()[Allocate] }},
			"must be in [1, 2]": {func(g *Grant) { g.Proved = 0.999 },
				func(g *Grant) { g.Proved = 2.001 }, func(g *Grant) { g.Proved = math.NaN() }},
			`only with clipping "proved"`: {func(g *Grant) { g.Clipping = "" },
				func(g *Grant) { g.Clipping = ClipBatch }, func(g *Grant) { g.Adjacency = AddRemove }},
			"do not belong to a grant of vers": {func(g *Grant) { g.Version = 2 }},
			"proved of one document":           {func(g *Grant) { g.Unit = User }},
			"rounds that share no unit and": {func(g *Grant) { g.Scheme = schemes()[Epoch] },
				func(g *Grant) { g.Scheme = schemes()[Allocate]; g.Scheme.Secret = false }},
		}},
		"word, laplace": {wordGrant(Laplace), map[string][]change{
			"": {func(g *Grant) { g.Draws = 10 }, func(g *Grant) { g.Clip = 2 }, symmetric,
				func(g *Grant) { g.Clipping, g.Proved, g.Claim, g.Budget = ClipUnbounded, 0, PaperClaim, Budget{} }},
			"which unit word needs": {func(g *Grant) { g.Clipping = "" }},
			"must be in [1, 2]":     {func(g *Grant) { g.Proved = 0 }},
			"moves sums by up to 2 times": {func(g *Grant) { g.Proved = 1.999 },
				func(g *Grant) { g.Clip, g.Proved = 2, 1.999 }},
			// 1 is half a step, taken for two
			"moves sums by up to 8 times": {func(g *Grant) {
				g.Clip, g.Proved, g.NoiseMultiplier = 2, 2,
					1<<30-1
			}},
			"needs adjacency": {func(g *Grant) { g.Adjacency = AddRemove },
				func(g *Grant) { g.Adjacency = ReplaceNull }, func(g *Grant) { g.Scheme = schemes()[Poisson] }},
			"statistics do not belong": {func(g *Grant) { g.Statistics = []Statistic{{"topics", 0.5}} }},
			"loss of draws": {func(g *Grant) { g.Draws = -1 },
				func(g *Grant) { g.Draws = math.Inf(1) }, func(g *Grant) { g.Draws = math.NaN() }},
			"do not belong to a grant of vers": {func(g *Grant) { g.Version = 2 }},
		}},
		"word, gaussian": {wordGrant(Gaussian), map[string][]change{
			"": {func(g *Grant) { g.Clip, g.Proved = 1.4142136, 1.41422 },
				func(g *Grant) { g.Clip, g.Proved = 2, 1 }},
			"symmetric matrix": {symmetric, func(g *Grant) { symmetric(g); g.Clip, g.Proved = 2, 2 }},
			"moves sums by up to 1.": {func(g *Grant) { g.Proved = 1.4142 }, func(g *Grant) { g.Clip = 1.4142135 },
				func(g *Grant) { g.Clip = 1.4142136 }},
		}},
		"unbounded": {unboundedGrant(), map[string][]change{
			"": {func(g *Grant) { g.Mechanism = Laplace },
				func(g *Grant) { g.Adjacency = ReplaceOne }, symmetric},
			"protects nobody": {func(g *Grant) { g.Claim = "" },
				func(g *Grant) { g.Budget = validGrant().Budget }, func(g *Grant) { g.Cost = 1 },
				func(g *Grant) { g.Proved = 1 }},
			"draws belong to unit word":        {func(g *Grant) { g.Draws = 1 }},
			"do not belong to a grant of vers": {func(g *Grant) { g.Version = 2 }},
		}},
		"select": {grantOfEach()[Select], map[string][]change{
			"sensitivity and draws do not": {func(g *Grant) { g.Proved = 1 }, func(g *Grant) { g.Draws = 1 }},
		}},
		"response": {grantOfEach()[RandomizedResponse], map[string][]change{
			"sensitivity and draws do not": {func(g *Grant) { g.Proved = 1 }, func(g *Grant) { g.Draws = 1 }},
			"": {func(g *Grant) { g.ReportWords = 1 },
				func(g *Grant) { g.ReportWords = g.MaxWords }},
			"(report_words) must be in [0, 32]": {func(g *Grant) { g.ReportWords = -1 },
				func(g *Grant) { g.ReportWords = g.MaxWords + 1 }},
			"do not belong to a grant of vers": {func(g *Grant) { g.Version, g.ReportWords = 2, 1 }},
		}},
		"epochs": {allocated, map[string][]change{
			"":                                 {func(g *Grant) { g.Releases = 3 }},
			"do not belong to a grant of vers": {func(g *Grant) { g.Version = 2 }},
			"divide the 8 rounds":              {func(g *Grant) { g.Scheme.Epochs = 3 }},
		}},
		"report_words of sums": {provedGrant(), map[string][]change{
			"report_words does not belong": {func(g *Grant) { g.ReportWords = 1 }},
		}},
		"report_words of select": {grantOfEach()[Select], map[string][]change{
			"report_words does not belong": {func(g *Grant) { g.ReportWords = 1 }},
		}},
	} {
		c.valid.Version = 3
		if err := c.valid.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for rule, changes := range c.broken {
			for i, change := range changes {
				g := *c.valid
				change(&g)
				if err := g.Check(); (rule == "") != (err == nil) || err != nil &&
					!strings.Contains(err.Error(), rule) {
					t.Errorf("%s, change %d: got error %v, want one about %q", name, i, err, rule)
				}
			}
		}
	}
}

// TestSensitivityOfProof: the charge has what the proof gives, in steps, rounded up; an unbounded one has none.
func TestSensitivityOfProof(t *testing.T) {
	const bound = 1 << 20
	for _, c := range []struct {
		g                    *Grant
		sensitivity, claimed uint64
		draws                float64
	}{
		{provedGrant(), 1172344, 0, 0}, // ⌈1.118034 · 2^20⌉
		{wordGrant(Laplace), 2 * bound, 0, 0},
		{func() *Grant { g := wordGrant(Laplace); g.Draws = 0.5; return g }(), 2 * bound, 0, 0.5},
		{wordGrant(Gaussian), 1482911, 0, 0}, // ⌈1.4142136 · 2^20⌉
		{func() *Grant { g := provedGrant(); g.Claim = PaperClaim; return g }(), 1172344, bound, 0},
		{unboundedGrant(), 0, bound, 0},
	} {
		charge := c.g.Charge(3, c.g.Scheme)
		charge.Run, charge.Dataset = "r", "d"
		if charge.Sensitivity != c.sensitivity || charge.Claimed != c.claimed || charge.Draws != c.draws ||
			charge.Unit != c.g.Unit {
			t.Errorf("%s of unit %s: sensitivity %d, claimed %d, draws %v", c.g.Clipping, c.g.Unit, charge.Sensitivity,
				charge.Claimed, charge.Draws)
		}
		if err := charge.Check(); err != nil {
			t.Errorf("%s of unit %s: %v", c.g.Clipping, c.g.Unit, err)
		}
	}
}

// TestWordMovesSums: whatever words are exchanged, sums on the grid move by no more than the least sensitivity that is
// taken. The clip 2.4626… has products that are rounded down below a power of two, and up above it.
func TestWordMovesSums(t *testing.T) {
	for _, mechanism := range []string{Laplace, Gaussian} {
		for _, clip := range []float64{1, math.Sqrt2, 1.5, 2, 2.462602160661195, 3, 4} {
			for _, multiplier := range []float64{0.5, 3, 1 << 12, 1 << 26} {
				g := wordGrant(mechanism)
				g.Clip, g.NoiseMultiplier, g.Proved = clip, multiplier, 2
				if g.Check() != nil {
					continue
				}
				// The least that passes, by bisection.
				low, high := 1.0, 2.0
				for range 60 {
					if g.Proved = (low + high) / 2; g.Check() != nil {
						low = g.Proved
					} else {
						high = g.Proved
					}
				}
				g.Proved = high
				bound, _ := g.Steps()
				cells := 4
				if g.Counts() {
					cells = 2
				}
				most := 0.0
				for _, v := range movedCounts(float64(bound) / clip) { // a cell goes from v to v+1
					steps := math.Trunc((v+1)*(float64(bound)/clip)) - math.Trunc(v*(float64(bound)/clip))
					most = max(most, steps)
				}
				moved := most * float64(cells)
				if mechanism == Gaussian {
					moved = most * math.Sqrt(float64(cells))
				}
				if s := g.Sensitivity(bound); float64(s) < moved {
					t.Errorf("%s, clip %v, multiplier %v: a word moves sums by %v steps, sensitivity %d", mechanism,
						clip, multiplier, moved, s)
				}
			}
		}
	}
}

// movedCounts returns small counts, and those whose steps are next to a power of two up to 2^40.
func movedCounts(perUnit float64) (counts []float64) {
	for v := range 1000 {
		counts = append(counts, float64(v))
	}
	for power := 1.0; power <= 1<<40; power *= 2 {
		for near := -2.0; near <= 2; near++ {
			if v := math.Floor(power/perUnit) + near; v >= 0 && v < 1<<24 {
				counts = append(counts, v)
			}
		}
	}
	return counts
}

// TestDrawsFromTheFirstRound: under a grant with draws, a round needs the charge of the round before, of the same run
// and data set and with draws, and is released once.
func TestDrawsFromTheFirstRound(t *testing.T) {
	drawn := func(g *Grant) {
		*g = *wordGrant(Laplace)
		g.Draws, g.Budget = 0.5, Budget{}
	}
	const before = "depends on the draws of all rounds before it"
	all := Scheme{Method: All, Rate: 1, Rounds: 100}
	for name, c := range map[string]struct {
		change func(*next)
		rule   string // "": allowed
	}{
		"next": {func(*next) {}, ""},
		"first of another run": {func(n *next) { n.charge = n.of(n.grant, 1); n.charge.Run = "other" },
			""},
		"second of another run":             {func(n *next) { n.charge.Run = "other" }, before},
		"one is missing":                    {func(n *next) { n.charge = n.of(n.grant, 3) }, before},
		"after the missing one":             {func(n *next) { n.enter(n.charge); n.charge = n.of(n.grant, 3) }, ""},
		"first of another data set":         {func(n *next) { n.ledger.Lines[2].Charge.Dataset = "other" }, before},
		"first without draws":               {func(n *next) { n.ledger.Lines[2].Charge.Draws = 0 }, before},
		"first again":                       {(*next).again, "allows one release of a round"},
		"without draws, one may be missing": {func(n *next) { n.grant.Draws = 0; n.charge = n.of(n.grant, 7) }, ""},
	} {
		n := newNext(all, drawn)
		c.change(n)
		err := n.ledger.Tally(nil).Allow(n.charge, n.at)
		if (err == nil) != (c.rule == "") || err != nil && !strings.Contains(err.Error(), c.rule) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestChargeCheckNewer breaks one rule each of what charges have since ledger version 2.
func TestChargeCheckNewer(t *testing.T) {
	word, unbounded := validCharge(1), validCharge(1)
	word.Unit, word.Adjacency, word.Clipping, word.Draws, word.Scheme = Word, ReplaceOne, ClipProved, 0.5,
		Scheme{Method: All, Rate: 1, Rounds: 9}
	unbounded.Clipping, unbounded.Sensitivity, unbounded.Claimed = ClipUnbounded, 0, 1<<20
	type change = func(*Charge)
	wordNone, wordUnbounded := *word, *word
	wordNone.Mechanism, wordNone.Clipping, wordNone.Scale, wordNone.Sensitivity = None, "", 0, 0
	wordUnbounded.Clipping, wordUnbounded.Sensitivity, wordUnbounded.Claimed = ClipUnbounded, 0, 1<<20
	for valid, broken := range map[*Charge]map[string][]change{
		&wordNone: {}, &wordUnbounded: {},
		word: {
			"draws belong":  {func(c *Charge) { c.Unit = Document }},
			"loss of draws": {func(c *Charge) { c.Draws = -1 }},
			"unit word needs": {func(c *Charge) { c.Clipping = "" }, func(c *Charge) { c.Adjacency = AddRemove },
				func(c *Charge) { c.Scheme = schemes()[Poisson] }},
			"needs a scale, and": {func(c *Charge) { c.Sensitivity = 0 }},
		},
		unbounded: {
			"needs a claimed_sensitivity": {func(c *Charge) { c.Claimed = 0 }},
			"needs a scale, and":          {func(c *Charge) { c.Sensitivity = 1 }, func(c *Charge) { c.Scale = 0 }},
		},
	} {
		if err := valid.Check(); err != nil {
			t.Error(err)
		}
		for rule, changes := range broken {
			for i, change := range changes {
				c := *valid
				change(&c)
				if err := c.Check(); err == nil || !strings.Contains(err.Error(), rule) {
					t.Errorf("change %d: got error %v, want one about %q", i, err, rule)
				}
			}
		}
	}
}

// TestLinesOfVersions: a ledger of version 1 is read, and goes on in version 2. What came with version 2 stands in no
// older line.
func TestLinesOfVersions(t *testing.T) {
	ledger, b := new(Ledger), []byte(nil)
	add := func(version int, fill func(*Line)) error {
		line := ledger.Next(noon)
		line.Version = version
		fill(line)
		encoded, err := line.Encode(ledger.LastHash())
		if err == nil {
			b = append(b, encoded...)
			ledger.Lines = append(ledger.Lines, line)
		}
		return err
	}
	grant := func(g *Grant) func(*Line) { return func(l *Line) { l.Type, l.Grant = TypeGrant, g } }
	charge := func(c *Charge) func(*Line) { return func(l *Line) { l.Type, l.Charge = TypeCharge, c } }
	old := validGrant()
	old.Version = 2
	newer := wordGrant(Laplace)
	newer.ID = "g3"
	worded := newer.Charge(1, newer.Scheme)
	worded.Run, worded.Dataset = "w", "d"
	unbounded := unboundedGrant().Charge(1, validGrant().Scheme)
	unbounded.Run, unbounded.Dataset = "u", "d"
	epochs := validCharge(1)
	epochs.Run, epochs.Scheme = "e",
		Scheme{Method: Allocate, Rate: 0.25, Rounds: 8, Epochs: 2, Secret: true, Coins: "c"}
	empty := validCharge(1)
	empty.Run, empty.Adjacency = "n", ReplaceNull
	for i, step := range []struct {
		version int
		fill    func(*Line)
		fails   bool
	}{
		{1, grant(old), false}, {1, charge(validCharge(1)), false},
		{1, grant(newer), true}, {1, charge(worded), true}, {1, charge(unbounded), true}, {1, charge(epochs), true},
		{1, charge(empty), true},
		{2, grant(newer), false}, {2, charge(worded), false}, {2, charge(unbounded), false}, {2, charge(epochs), false},
		{1, charge(validCharge(2)), false},
	} {
		if err := add(step.version, step.fill); (err != nil) != step.fails {
			t.Errorf("line %d of version %d: %v", i, step.version, err)
		}
	}
	got, err := read(b)
	if err != nil || len(got.Lines) != 7 {
		t.Fatalf("%d lines, %v", len(got.Lines), err)
	}
}

// TestLeastCost: a release's least cost is its cost by the theorems that leastCost cites. The arithmetic for the costs
// of samples is in account. account/internal/ledgers compares these costs with it.
func TestLeastCost(t *testing.T) {
	const multiplier = 2
	all, public := Scheme{Method: All, Rate: 1, Rounds: 2}, Scheme{Method: Poisson, Rate: 0.5, Rounds: 2}
	secret := Scheme{Method: Poisson, Rate: 0.5, Rounds: 2, Secret: true}
	allocation := Scheme{Method: Allocate, Rate: 0.5, Rounds: 2, Secret: true}
	for name, c := range map[string]struct {
		filter    Filter
		mechanism string
		scheme    Scheme
		least     float64
	}{
		"zcdp":              {Filter{Measure: ZCDP}, Gaussian, secret, 1. / 8},
		"zcdp, laplace":     {Filter{Measure: ZCDP}, Laplace, secret, 1. / 8}, // ε²/2 of ε = 1/2
		"gdp":               {Filter{Measure: GDP}, Gaussian, secret, 1. / 4},
		"renyi":             {Filter{Measure: Renyi, Order: 6}, Gaussian, all, 6. / 8},
		"renyi, by a seed":  {Filter{Measure: Renyi, Order: 6}, Gaussian, public, 6. / 8},
		"renyi, allocation": {Filter{Measure: Renyi, Order: 6}, Gaussian, allocation, 6. / 8},
	} {
		charge := &Charge{Mechanism: c.mechanism, Sensitivity: 1 << 20, Scale: multiplier << 20, Scheme: c.scheme}
		if least := c.filter.leastCost(charge); !(math.Abs(least-c.least) < 1e-12) {
			t.Errorf("%s: the least cost is %v, want %v", name, least, c.least)
		}
	}
}

// TestWhatAFilterCounts: zcdp and renyi count all noise except in select, gdp counts Gaussian noise only.
func TestWhatAFilterCounts(t *testing.T) {
	for mechanism, counted := range map[string]map[string]bool{
		ZCDP:  {Gaussian: true, Laplace: true, RandomizedResponse: true},
		Renyi: {Gaussian: true, Laplace: true, RandomizedResponse: true},
		GDP:   {Gaussian: true},
	} {
		for _, name := range []string{Gaussian, Laplace, Select, RandomizedResponse} {
			f := Filter{Measure: mechanism, Order: 2, Limit: 1}
			if err := f.covers(&Charge{Mechanism: name}); (err == nil) != counted[name] {
				t.Errorf("%s counts %s: %v", mechanism, name, err)
			}
		}
	}
}

// TestFilterDoesNotCountDraws: a filter adds up what releases cost, and has no cost of draws.
func TestFilterDoesNotCountDraws(t *testing.T) {
	g := wordGrant(Laplace)
	g.Cost, g.Budget = 10, Budget{}
	for _, draws := range []float64{0, 0.5} {
		g.Draws = draws
		c := g.Charge(1, g.Scheme)
		err := (&Filter{Measure: ZCDP, Limit: 100}).covers(c)
		if (err != nil) != (draws > 0) {
			t.Errorf("draws %v: %v", draws, err)
		}
	}
}

// TestUnboundedInABudget: a ledger with a budget, or with a filter, takes no charge without a bound.
func TestUnboundedInABudget(t *testing.T) {
	g := unboundedGrant()
	for _, head := range []*Head{
		{ID: g.Ledger, Budget: &Limit{Epsilon: 1, Delta: 1e-6}},
		{ID: g.Ledger, Budget: &Limit{Epsilon: 1, Delta: 1e-6}, Filter: &Filter{Measure: ZCDP, Limit: 100}},
	} {
		ledger := new(Ledger)
		line := ledger.Next(noon)
		line.Type, line.Head = TypeHead, head
		if _, err := line.Encode(Genesis); err != nil {
			t.Fatal(err)
		}
		ledger.Lines = append(ledger.Lines, line)
		c := g.Charge(1, g.Scheme)
		c.Run, c.Dataset, c.Scheme.Coins = "r", "d", strings.Repeat("0", 32)
		if err := ledger.Tally(g).Allow(c, noon); err == nil {
			t.Errorf("head %+v allows it", head)
		}
	}
	plain := new(Ledger)
	line := plain.Next(noon)
	line.Type, line.Head = TypeHead, &Head{ID: g.Ledger}
	if _, err := line.Encode(Genesis); err != nil {
		t.Fatal(err)
	}
	plain.Lines = append(plain.Lines, line)
	c := g.Charge(1, g.Scheme)
	c.Run, c.Dataset, c.Scheme.Coins = "r", "d", strings.Repeat("0", 32)
	if err := plain.Tally(g).Allow(c, noon); err != nil {
		t.Errorf("a ledger without a budget: %v", err)
	}
}
