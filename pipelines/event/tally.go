package event

import "slices"

// A tally summarizes the lines so far, for Allow's rules. With it each line is read once, and not again for every later
// line.
type tally struct {
	head    *Head           // nil if the ledger has none
	spent   float64         // sum of costs in the measure of the head's filter, rounded up
	reading bool            // the lines come from a ledger that is read: see filtered
	hashes  map[string]*use // by the grant's hash
	lines   int             // number of counted lines
	charges int             // number of charges among them
	upTo    map[string]int  // number of charges up to a line, by the line's hash
	uses    map[string]*use // by the grant's id
	rounds  map[runRound]*Charge
	batches map[batch]bool
	throws  map[string]Scheme // by the name of secret coins
	noised  *Charge           // the first charge with noise

	// for each data set and each of its charges, the number of charges before it in the ledger
	datasets map[string][]int
	thrown   map[string]*Charge // the first charge of coins, by their name
}

// A use holds the charges of one grant so far.
type use struct {
	grant    *Grant // nil if no line has it
	releases int
	first    *Charge
	before   int     // number of the ledger's charges before first
	least    float64 // the least that each release costs by the ledger's filter; 0 before it is worked out
}

// A runRound names a round in a run. tally keeps each round's last charge.
type runRound struct {
	run   string
	round int
}

// A batch names the units of one sampled round: by the name of the coins, or by the whole scheme if the coins have no
// name.
type batch struct {
	scheme Scheme
	round  int
}

func batchOf(c *Charge) batch {
	if c.Scheme.Coins != "" {
		return batch{Scheme{Coins: c.Scheme.Coins}, c.Round}
	}
	return batch{c.Scheme, c.Round}
}

// tally returns the tally of all lines. Lines may only have been appended since the last call.
func (l *Ledger) tally() *tally {
	if l.counts == nil {
		l.counts = &tally{
			upTo: map[string]int{Genesis: 0}, uses: make(map[string]*use), rounds: make(map[runRound]*Charge),
			batches: make(map[batch]bool), throws: make(map[string]Scheme), hashes: make(map[string]*use),
			datasets: make(map[string][]int), thrown: make(map[string]*Charge),
		}
	}
	for _, line := range l.Lines[l.counts.lines:] {
		if l.counts.lines == 0 {
			l.counts.head = line.Head
		}
		l.counts.add(line)
	}
	return l.counts
}

func (t *tally) add(line *Line) {
	t.lines++
	if g := line.Grant; g != nil {
		if u := t.use(g.ID); u.grant == nil {
			u.grant = g
			if hash, err := g.Hash(); err == nil { // a grant that was read always has a hash
				t.hashes[hash] = u
			}
		}
	}
	if c := line.Charge; c != nil {
		t.datasets[c.Dataset] = append(t.datasets[c.Dataset], t.charges)
		t.charges++
		t.rounds[runRound{c.Run, c.Round}] = c
		t.batches[batchOf(c)] = true
		if c.Scheme.Secret && c.Scheme.Coins != "" {
			t.throws[c.Scheme.Coins] = c.Scheme
		}
		if c.Scheme.Coins != "" && t.thrown[c.Scheme.Coins] == nil {
			t.thrown[c.Scheme.Coins] = c
		}
		u := t.use(c.Grant)
		if u.releases++; u.first == nil {
			u.first, u.before = c, t.charges-1
		}
		if u.grant != nil {
			t.spent = spend(t.spent, max(u.grant.Cost, t.leastCost(u, c)))
		}
		if c.Mechanism != None && t.noised == nil {
			t.noised = c
		}
	}
	t.upTo[line.Hash] = t.charges
}

// use returns the use of the grant with this id.
func (t *tally) use(id string) *use {
	u := t.uses[id]
	if u == nil {
		u = new(use)
		t.uses[id] = u
	}
	return u
}

// after returns the number of charges after the first known charges. If dataset is empty, all charges count, otherwise
// only that data set's charges.
func (t *tally) after(known int, dataset string) int {
	if dataset == "" {
		return t.charges - known
	}
	of := t.datasets[dataset]
	first, _ := slices.BinarySearch(of, known)
	return len(of) - first
}
