package event

import "slices"

// A tally is what the rules of Allow ask of the lines so far, so that each line is looked at once and not again for every
// one behind it.
type tally struct {
	head    *Head           // nil: the ledger has none
	spent   float64         // of the head's filter, rounded up
	hashes  map[string]*use // by the hash of the grant
	lines   int             // that are counted
	charges int             // among them
	upTo    map[string]int  // charges up to the line of a hash
	uses    map[string]*use // by the id of the grant
	rounds  map[runRound]*Charge
	batches map[batch]bool
	throws  map[string]Scheme // of secret coins, by their name
	noised  *Charge           // the first one with noise

	datasets  map[string][]int  // how many charges of the ledger stand before each of a data set
	thrownFor map[string]string // the data set of coins, by their name
}

// A use is what a grant was used for.
type use struct {
	grant    *Grant // nil: no line has it
	releases int
	first    *Charge
	before   int // charges of the ledger before the first
}

// A runRound names a round, of which the last charge counts.
type runRound struct {
	run   string
	round int
}

// A batch names the units of a round, if coins chose them: by the name of the coins, or by all of the scheme if they have
// none.
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

// tally returns the tally of all lines, to which none was added but at the end.
func (l *Ledger) tally() *tally {
	if l.counts == nil {
		l.counts = &tally{
			upTo: map[string]int{Genesis: 0}, uses: make(map[string]*use), rounds: make(map[runRound]*Charge),
			batches: make(map[batch]bool), throws: make(map[string]Scheme), hashes: make(map[string]*use),
			datasets: make(map[string][]int), thrownFor: make(map[string]string),
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
			if hash, err := g.Hash(); err == nil { // of a grant that was read it always has one
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
		if _, thrown := t.thrownFor[c.Scheme.Coins]; c.Scheme.Coins != "" && !thrown {
			t.thrownFor[c.Scheme.Coins] = c.Dataset
		}
		u := t.use(c.Grant)
		if u.releases++; u.first == nil {
			u.first, u.before = c, t.charges-1
		}
		if u.grant != nil {
			t.spent = spend(t.spent, u.grant.Cost)
		}
		if c.Mechanism != None && t.noised == nil {
			t.noised = c
		}
	}
	t.upTo[line.Hash] = t.charges
}

// use returns the use of a grant.
func (t *tally) use(id string) *use {
	u := t.uses[id]
	if u == nil {
		u = new(use)
		t.uses[id] = u
	}
	return u
}

// behind returns how many charges follow the first so many, and add to what a plan for a data set counts: all of them where the
// plan names none, else those of its data set.
func (t *tally) behind(known int, dataset string) int {
	if dataset == "" {
		return t.charges - known
	}
	of := t.datasets[dataset]
	first, _ := slices.BinarySearch(of, known)
	return len(of) - first
}
