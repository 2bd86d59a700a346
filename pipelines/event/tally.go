package event

import (
	"fmt"
	"maps"
	"time"
)

// A Tally sums up a ledger's lines for the rules of the next line. Its size follows from the ledger's
// grants, data sets, runs, settings and coins, and from the number of ranges that each run's rounds have. A run that
// charges its rounds in order, on lines that follow each other, has one range, however long it is.
type Tally struct {
	head     *Head              // nil if the ledger has none
	last     string             // hash of the last line
	lines    int                // number of lines
	charges  int                // number of charges among them
	datasets map[string]int     // number of charges of a data set
	spent    float64            // sum of costs in the measure of the head's filter, rounded up
	reading  bool               // the lines come from a ledger that is read: see filtered
	entering *Grant             // its line comes before its first charge; nil if all grants have lines
	uses     map[string]*use    // by the grant's id
	hashes   map[string]*use    // by the grant's hash
	upTo     map[string]*sofar  // by the hash of a line that a grant names; nil until the line comes
	charged  map[attempt]rounds // with the numbers of the lines
	under    map[terms]rounds   // charged under these terms
	draws    map[terms]rounds   // charged with draws, by run and data set
	batches  map[Scheme]rounds  // sampled rounds, by coins: see coinsOf
	throws   map[string]Scheme  // by the name of secret coins
	thrown   map[string]*Charge // the first charge of coins, by their name
	noised   *Charge            // the first charge with noise
}

// A use holds the charges of one grant so far.
type use struct {
	grant    *Grant // nil if no line has it
	releases int
	first    *Charge
	before   int     // number of the ledger's charges before first
	least    float64 // the least that each release costs by the ledger's filter; 0 before it is worked out
}

// A sofar is the number of charges up to a line.
type sofar struct {
	charges  int
	datasets map[string]int // of a data set
}

// An attempt names the rounds of a run that have a charge of this number, from 1.
type attempt struct {
	run    string
	number int
}

// All charges of one round have the same terms. The scheme is without the name of its coins.
type terms struct {
	run, settings, dataset, grant string
	scheme                        Scheme
}

func termsOf(c *Charge) terms {
	scheme := c.Scheme
	scheme.Coins = ""
	return terms{c.Run, c.Settings, c.Dataset, c.Grant, scheme}
}

// coinsOf names the coins that chose the units of a charge: by their name, or by the whole scheme if they have none.
// The units of a sampled round follow from its coins and its number.
func coinsOf(c *Charge) Scheme {
	if c.Scheme.Coins != "" {
		return Scheme{Coins: c.Scheme.Coins}
	}
	return c.Scheme
}

// Tally returns the tally of all lines. entering is a grant that may come into use after them, or nil.
func (l *Ledger) Tally(entering *Grant) *Tally {
	t := l.newTally(entering)
	for _, line := range l.Lines {
		t.Add(line)
	}
	return t
}

// newTally returns a tally without lines. It will know where the lines are that the grants name.
func (l *Ledger) newTally(entering *Grant) *Tally {
	t := &Tally{
		last: Genesis, entering: entering, datasets: make(map[string]int), uses: make(map[string]*use),
		hashes: make(map[string]*use), upTo: make(map[string]*sofar), charged: make(map[attempt]rounds),
		under: make(map[terms]rounds), draws: make(map[terms]rounds), batches: make(map[Scheme]rounds),
		throws: make(map[string]Scheme), thrown: make(map[string]*Charge),
	}
	for _, line := range l.Lines {
		if line.Grant != nil {
			t.upTo[line.Grant.Budget.After] = nil
		}
	}
	if entering != nil {
		t.upTo[entering.Budget.After] = nil
	}
	t.upTo[Genesis] = new(sofar)
	return t
}

// Add counts the next line.
func (t *Tally) Add(line *Line) {
	if t.lines == 0 {
		t.head = line.Head
	}
	t.lines, t.last = t.lines+1, line.Hash
	if line.Grant != nil {
		t.addGrant(line.Grant)
	}
	if line.Charge != nil {
		t.addCharge(line.Charge)
	}
	if _, named := t.upTo[line.Hash]; named {
		t.upTo[line.Hash] = &sofar{t.charges, maps.Clone(t.datasets)}
	}
}

func (t *Tally) addGrant(g *Grant) {
	u := t.use(g.ID)
	if u.grant != nil {
		return
	}
	u.grant = g
	if hash, err := g.Hash(); err == nil { // a grant that was read always has a hash
		t.hashes[hash] = u
	}
}

func (t *Tally) addCharge(c *Charge) {
	u := t.use(c.Grant)
	if u.releases++; u.first == nil {
		u.first, u.before = c, t.charges
	}
	if u.grant != nil {
		t.spent = spend(t.spent, max(u.grant.Cost, t.leastCost(u, c)))
	}
	t.charges++
	t.datasets[c.Dataset]++
	of := attempt{c.Run, max(1, c.Attempt)}
	t.charged[of] = t.charged[of].with(c.Round, t.lines)
	include(t.under, termsOf(c), c.Round)
	if c.Draws != 0 {
		include(t.draws, terms{run: c.Run, dataset: c.Dataset}, c.Round)
	}
	include(t.batches, coinsOf(c), c.Round)
	if coins := c.Scheme.Coins; coins != "" {
		if c.Scheme.Secret {
			t.throws[coins] = c.Scheme
		}
		if t.thrown[coins] == nil {
			t.thrown[coins] = c
		}
	}
	if c.Mechanism != None && t.noised == nil {
		t.noised = c
	}
}

// include adds a round to the set of that key.
func include[K comparable](sets map[K]rounds, key K, round int) {
	sets[key] = sets[key].with(round, round)
}

// Next returns a line that follows the last line, for Encode. Its time is in whole seconds, because a finer time would
// reveal how long the work on private data took.
func (t *Tally) Next(at time.Time) *Line { return lineAfter(t.lines, at) }

// Last returns the number and the hash of the last line, 0 and Genesis if there is none.
func (t *Tally) Last() Mark { return Mark{Sequence: t.lines, Hash: t.last} }

// LastHash returns the hash of the last line, or Genesis.
func (t *Tally) LastHash() string { return t.last }

// Charges returns the number of charges for a round of a run. The last of them has this number as its attempt.
func (t *Tally) Charges(run string, round int) int {
	n := 0
	for t.charged[attempt{run, n + 1}].has(round) {
		n++
	}
	return n
}

// Line returns the number of the line that has a round's charge of this number, from 1 on, or 0.
func (t *Tally) Line(run string, round, charge int) int {
	line, _ := t.charged[attempt{run, charge}].number(round)
	return line
}

// Begun says whether the run has a charge.
func (t *Tally) Begun(run string) bool { return len(t.charged[attempt{run, 1}]) > 0 }

// CheckRepeat refuses c as one more charge for a charged round, if the settings, data set, grant or sampling scheme of
// the two differ.
func (t *Tally) CheckRepeat(c *Charge) error {
	if t.under[termsOf(c)].has(c.Round) {
		return nil
	}
	return fmt.Errorf("round %d of run %s was released under other settings: use those, or a new grant and run",
		c.Round, c.Run)
}

// use returns the use of the grant with this id.
func (t *Tally) use(id string) *use {
	u := t.uses[id]
	if u == nil {
		u = new(use)
		t.uses[id] = u
	}
	return u
}

// after returns the number of charges after the first known charges. If dataset is empty, all charges count, otherwise
// only that data set's charges.
func (t *Tally) after(known *sofar, dataset string) int {
	if dataset == "" {
		return t.charges - known.charges
	}
	return t.datasets[dataset] - known.datasets[dataset]
}
