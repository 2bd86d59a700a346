package event

import (
	"math"
	"strings"
	"testing"
	"time"
)

// A next is a ledger and the charge that is to be its next line.
type next struct {
	ledger *Ledger
	grant  *Grant // on the second line
	charge *Charge
	at     time.Time

	entering *Grant
}

// headHash is the hash that enter gives the first line.
var headHash = strings.Repeat("a", 64)

// newNext returns a ledger with one grant for rounds under scheme. The ledger has the charge for the first round. The
// charge for the second round is not in the ledger yet. change changes the grant before it is charged.
func newNext(scheme Scheme, change func(*Grant)) *next {
	g := validGrant()
	g.Scheme, g.Budget = scheme, Budget{}
	g.Scheme.Coins = ""
	if scheme.Method == Fixed {
		g.Adjacency = ReplaceOne
	}
	change(g)
	n := &next{ledger: new(Ledger), grant: g, at: noon}
	n.enter(validHead())
	n.enter(g)
	n.enter(n.of(g, 1))
	n.charge = n.of(g, 2)
	return n
}

// of returns the charge of a round of a grant. Coins have a name where there are any.
func (n *next) of(g *Grant, round int) *Charge {
	scheme := g.Scheme
	if scheme.Method == Poisson || scheme.Method == Fixed || scheme.Method == Allocate {
		scheme.Coins = "coins"
	}
	c := g.Charge(round, scheme)
	c.Dataset, c.Run, c.Settings = "data", "run", "settings"
	return c
}

// enter appends a grant or a charge.
func (n *next) enter(content any) {
	line := n.ledger.Next(noon)
	line.Hash = strings.Repeat(string(rune('a'+len(n.ledger.Lines))), 64)
	switch v := content.(type) {
	case *Head:
		line.Type, line.Head = TypeHead, v
	case *Grant:
		line.Type, line.Grant = TypeGrant, v
	case *Charge:
		line.Type, line.Charge = TypeCharge, v
	}
	n.ledger.Lines = append(n.ledger.Lines, line)
}

// again makes the charge one more of the first round.
func (n *next) again() { n.charge = n.of(n.grant, 1); n.charge.Attempt = 2 }

// states makes both rounds windows of time, by the states of these names.
func (n *next) states(first, then string) {
	n.ledger.Lines[2].Charge.Scheme.Coins, n.charge.Scheme.Coins = first, then
}

// foreign enters another grant and makes the charge one by it.
func (n *next) foreign() *Grant {
	other := *n.grant
	other.ID = "g2"
	n.enter(&other)
	n.charge.Grant = other.ID
	return &other
}

// named returns the grant under another name.
func (n *next) named(id string) *Grant {
	other := *n.grant
	other.ID = id
	return &other
}

// old leaves out the head, as ledgers did once.
func (n *next) old() { n.ledger.Lines = n.ledger.Lines[1:] }

func (n *next) head() *Head { return n.ledger.Lines[0].Head }

// filter gives the ledger a filter, and the grant a cost.
func (n *next) filter(limit, cost float64) {
	n.head().Budget, n.head().Filter = &Limit{1, 1e-6}, &Filter{Measure: ZCDP, Limit: limit}
	n.grant.Cost = cost
}

// renyi gives the ledger a filter that counts what sampling amplifies, and the grant a cost.
func (n *next) renyi(limit, cost float64) {
	n.filter(limit, cost)
	n.head().Filter.Measure, n.head().Filter.Order = Renyi, 2
}

// beside charges another grant, and makes the charge one of a grant that was planned beside it after a line.
func (n *next) beside(after string) *Grant {
	beside, planned := n.foreign(), n.named("g3")
	n.ledger.Lines = n.ledger.Lines[:1] // without the first grant
	beside.Budget = Budget{Epsilon: 1, Delta: 1e-6, After: headHash}
	n.enter(beside)
	hash, err := beside.Hash()
	if err != nil {
		panic(err)
	}
	c := n.of(beside, 1)
	c.Run = "beside"
	n.enter(c)
	planned.Budget.After, planned.Budget.Beside = after, []string{hash}
	n.enter(planned)
	n.charge = n.of(planned, 1)
	return beside
}

// exact returns the charge of a release without privacy.
func (n *next) exact(unit string) *Charge {
	c := NoCharge(1, unit, n.grant.Scheme)
	c.Run = "exact"
	return c
}

// sameBatch makes the charge one of the batch of the first round under another name of the run.
func (n *next) sameBatch() { n.charge = n.of(n.grant, 1); n.charge.Run = "other" }

// sameThrow makes the charge one of the same allocation by a grant that was planned after the first round, in another
// run.
func (n *next) sameThrow() {
	other := n.named("g2")
	if other.Budget.Epsilon != 0 {
		other.Budget.After = n.ledger.LastHash()
	}
	n.enter(other)
	n.charge = n.of(other, 2)
	n.charge.Run = "other"
}

// disjoint makes the ledger state that its data sets share no unit. The grant becomes one for the first data set. The
// ledger has a budget.
func (n *next) disjoint() {
	n.head().Budget, n.head().DisjointDatasets = &Limit{1, 1e-6}, true
	n.grant.Dataset = "data"
}

// other charges another grant for a data set, planned after the head, with coins of its own, and makes the charge its
// next.
func (n *next) other(dataset string) *Grant {
	n.charge = n.of(n.grant, 2)
	other := n.named("g2")
	other.Dataset = dataset
	n.enter(other)
	for round := 1; round <= 2; round++ {
		n.charge = n.of(other, round)
		n.charge.Dataset, n.charge.Run = dataset, "other"
		if n.charge.Scheme.Coins != "" {
			n.charge.Scheme.Coins = "others"
		}
		if round == 1 {
			n.enter(n.charge)
		}
	}
	return other
}

// third enters a grant for the first data set that was planned after all charges, and makes the charge one by it.
func (n *next) third() {
	third := n.named("g3")
	third.Budget.After = n.ledger.LastHash()
	n.enter(third)
	n.charge = n.of(third, 1)
	n.charge.Run, n.charge.Scheme.Coins = "third", "more"
}

// TestAllow: what may follow in a ledger, by the scheme of its rounds and with or without a budget, and the rule that
// anything else breaks.
func TestAllow(t *testing.T) {
	given := func(*Grant) {}
	budget := func(g *Grant) { g.Budget = Budget{Epsilon: 1, Delta: 1e-6, After: headHash} }
	epochs := func(g *Grant) { budget(g); g.Scheme.Epochs, g.Scheme.Rate = 2, 0.25 } // of 4 rounds each
	expires := func(g *Grant) { at := noon.Add(time.Hour); g.Expires = &at }
	for _, c := range []struct {
		name   string
		method string
		grant  func(*Grant)
		change func(*next)
		rule   string // "" for a charge that is allowed
	}{
		{"next round", All, given, func(*next) {}, ""},
		{"next round of a budget", Poisson, budget, func(*next) {}, ""},
		{"next disjoint round", Epoch, budget, func(*next) {}, ""},
		{"next named allocation", Allocate, budget, func(*next) {}, ""},
		{"next round of an epoch", Allocate, epochs, func(*next) {}, ""},
		{"next epoch", Allocate, epochs, func(n *next) { n.charge.Round = 5 }, ""},
		{"last round of the last epoch", Allocate, epochs, func(n *next) { n.charge.Round = 8 }, ""},
		{"beyond the last epoch", Allocate, epochs, func(n *next) { n.charge.Round = 9 },
			"round 9 is beyond the 8 rounds"},
		{"next epoch under other coins", Allocate, epochs,
			func(n *next) { n.charge.Round, n.charge.Scheme.Coins = 5, "others" }, "a second time"},
		{"one epoch of as many rounds", Allocate, epochs,
			func(n *next) { n.charge.Scheme.Epochs, n.charge.Scheme.Rate = 0, 0.125 },
			"was not sampled by allocate × 4 × 2"},
		{"more epochs", Allocate, epochs, func(n *next) { n.charge.Scheme.Epochs, n.charge.Scheme.Rate = 4, 0.5 },
			"was not sampled by allocate × 4 × 2"},
		{"epoch in another run", Allocate, epochs, func(n *next) { n.sameThrow(); n.charge.Round = 5 },
			"another run, data set or mechanism released rounds of this allocation"},
		{"no privacy", All, given, func(n *next) { n.charge = n.exact(Document) }, ""},

		{"run's name", All, given, func(n *next) { n.charge.Run = "../run" }, "run: name"},
		{"unknown grant", All, given, func(n *next) { n.charge.Grant = "g2" }, `grant "g2", which no earlier line has`},
		{"no grant", All, given, func(n *next) { n.charge.Grant = "" }, `grant "", which no earlier line has`},
		{"rule of its own", All, given, func(n *next) { n.charge = n.of(n.grant, 2); n.charge.Attempt = 1 },
			"attempt must be 0"},

		{"before expiry", All, expires, func(n *next) { n.at = noon.Add(time.Hour - 1) }, ""},
		{"at expiry", All, expires, func(n *next) { n.at = noon.Add(time.Hour) }, "has expired"},
		{"other scheme", All, given, func(n *next) { n.charge.Scheme = schemes()[Epoch] },
			"was not sampled by all × 8"},
		{"seeded", Poisson, given, func(n *next) { n.charge.Scheme.Secret = false },
			"was not sampled by poisson(0.25) × 8"},
		{"last round", All, given, func(n *next) { n.charge.Round = 8 }, ""},
		{"beyond it", All, given, func(n *next) { n.charge.Round = 9 }, "round 9 is beyond the 8 rounds"},
		{"used up", All, func(g *Grant) { g.Releases = 1 }, func(*next) {}, "all 1 releases of the grant are used"},
		{"used up by two runs", All, func(g *Grant) { g.Releases = 2 }, func(n *next) {
			n.sameBatch()
			n.enter(n.charge)
			n.charge = n.of(n.grant, 2)
			n.charge.Run = "third"
		}, "all 2 releases of the grant are used"},
		{"used up by two releases of a round", All, func(g *Grant) { g.Releases = 2 }, func(n *next) {
			n.again()
			n.enter(n.charge)
			n.charge = n.of(n.grant, 2)
		}, "all 2 releases of the grant are used"},
		{"as many as allowed", All, func(g *Grant) { g.Releases = 2 }, func(*next) {}, ""},

		{"less noise", All, given, func(n *next) { n.charge.Scale-- }, "not the one that its grant prescribes"},
		{"less sensitive", All, given, func(n *next) { n.charge.Sensitivity-- },
			"not the one that its grant prescribes"},
		{"other unit", All, given, func(n *next) { n.charge.Unit = User }, "not the one that its grant prescribes"},
		{"other adjacency", All, given, func(n *next) { n.charge.Adjacency = ReplaceOne },
			"not the one that its grant prescribes"},
		{"other mechanism", All, given, func(n *next) { n.charge.Mechanism = Laplace },
			"not the one that its grant prescribes"},
		{"no privacy by a grant", All, given, func(n *next) { n.charge = n.exact(Document); n.charge.Grant = "g1" },
			"not the one that its grant prescribes"},
		{"claim", All, given, func(n *next) { n.charge.Claimed = 1 }, "not the one that its grant prescribes"},

		{"other run", All, given, func(n *next) { n.charge.Run = "other" }, ""},
		{"disjoint, other run", Epoch, given, func(n *next) { n.charge.Run = "other" },
			`run run of data set "data" has begun`},
		{"disjoint, other data", Epoch, given, func(n *next) { n.charge.Dataset = "other" },
			`run run of data set "data" has begun`},
		{"disjoint, by another grant", Epoch, given, func(n *next) { n.foreign(); n.charge.Run = "other" }, ""},
		{"assigned again", Allocate, given, func(n *next) { n.charge.Scheme.Coins = "others" }, "a second time"},
		{"new coins", Poisson, budget, func(n *next) { n.charge.Scheme.Coins = "others" }, ""},
		{"windows", Epoch, budget, func(n *next) { n.states("state", "state") }, ""},
		{"windows of a new state", Epoch, given, func(n *next) { n.states("lost", "new") }, "a second time"},
		{"windows, then by hash", Epoch, given, func(n *next) { n.states("state", "") }, "a second time"},
		{"by hash, then windows", Epoch, given, func(n *next) { n.states("", "state") }, "a second time"},
		{"unnamed allocation", Allocate, given, func(n *next) { n.charge.Scheme.Coins = "" },
			"the allocation has no name"},

		{"round again", Poisson, given, (*next).again, ""},
		{"budget, round again", All, budget, (*next).again, "allows one release of a round"},
		{"batch again", Poisson, given, (*next).sameBatch, ""},
		{"budget, batch again", Poisson, budget, (*next).sameBatch, "round 1 of these coins was released before"},
		{"budget, fixed batch again", Fixed, budget, (*next).sameBatch, "round 1 of these coins was released before"},
		{"budget, allocation of another run", Allocate, budget, (*next).sameThrow,
			"another run, data set or mechanism released rounds of this allocation"},
		{"budget, allocation of other data", Allocate, budget,
			func(n *next) { n.sameThrow(); n.charge.Run, n.charge.Dataset = "run", "other" },
			"another run, data set or mechanism released rounds of this allocation"},
		{"budget, allocation of another mechanism", Allocate, budget, func(n *next) {
			n.sameThrow()
			n.charge.Run = "run"
			n.ledger.Lines[2].Charge.Mechanism = Laplace
		}, "another run, data set or mechanism released rounds of this allocation"},
		{"budget, allocation of its own", Allocate, budget,
			func(n *next) { n.sameThrow(); n.charge.Scheme.Coins = "others" }, ""},
		{"budget, going on with a run", Allocate, budget, func(n *next) { n.sameThrow(); n.charge.Run = "run" }, ""},
		{"allocation of another run", Allocate, given, (*next).sameThrow, ""},
		{"budget, all units again", All, budget, (*next).sameBatch, ""},
		{"foreign charge after the plan", All, budget, func(n *next) { n.foreign() }, "was planned without"},
		{"exact sums after the plan", All, budget, func(n *next) { n.enter(n.exact(Document)) }, "was planned without"},
		{"planned after it", All, budget, func(n *next) { n.foreign().Budget.After = n.ledger.Lines[2].Hash }, ""},
		{"planned for another ledger", All, budget, func(n *next) { n.grant.Budget.After = strings.Repeat("f", 64) },
			"planned for another ledger"},

		{"first says it is the second", All, given, func(n *next) { n.charge.Attempt = 2 },
			"charge 1 of round 2 of run run says it is number 2"},
		{"second says it is the first", All, given, func(n *next) { n.charge = n.of(n.grant, 1) },
			"charge 2 of round 1 of run run says it is number 1"},
		{"second says it is the third", All, given, func(n *next) { n.again(); n.charge.Attempt = 3 },
			"says it is number 3"},
		{"third", All, given, func(n *next) {
			n.again()
			n.enter(n.charge)
			c := *n.charge
			c.Attempt = 3
			n.charge = &c
		}, ""},
		{"again by another grant", All, given, func(n *next) { n.again(); n.foreign() }, "under other settings"},
		{"again of other data", All, given, func(n *next) { n.again(); n.charge.Dataset = "other" },
			"under other settings"},
		{"again in other settings", All, given, func(n *next) { n.again(); n.charge.Settings = "other" },
			"under other settings"},
		{"again by new coins", Poisson, given, func(n *next) { n.again(); n.charge.Scheme.Coins = "others" }, ""},

		{"entering", All, given, func(n *next) {
			n.foreign()
			n.ledger.Lines = n.ledger.Lines[:3]
			n.entering = n.named("g2")
		}, ""},
		{"another is entering", All, given, func(n *next) { n.charge.Grant = "g2"; n.entering = n.named("g3") },
			`grant "g2", which no`},
		{"entering, for another ledger", All, given, func(n *next) {
			n.charge.Grant, n.entering = "g2", n.named("g2")
			n.entering.Ledger = strings.Repeat("0", 32)
		}, "the grant is for another ledger"},
		{"names no ledger", All, given, func(n *next) { n.grant.Ledger = "" }, ""},
		{"budget that names no ledger", All, budget, func(n *next) { n.grant.Ledger = "" },
			"has a budget and names no ledger"},
		{"of an unbegun ledger", All, func(g *Grant) { budget(g); g.Ledger, g.Budget.After = "", Genesis },
			func(*next) {},
			"names no ledger"},
		{"of version 1", All, given,
			func(n *next) { n.grant.Version, n.grant.Ledger, n.grant.Subject = 1, "", Subject{} },
			"of version 1, which names no ledger"},
		{"old ledger and grant", All, given,
			func(n *next) { n.old(); n.grant.Version, n.grant.Ledger, n.grant.Subject = 1, "", Subject{} }, ""},
		{"old ledger, grant that names none", All, given, func(n *next) { n.old(); n.grant.Ledger = "" }, ""},
		{"exact sums in an old ledger", All, given, func(n *next) { n.old(); n.charge = n.exact(Document) }, ""},
		{"unnamed coins of a seed under a budget", Poisson, budget, func(n *next) {
			n.grant.Scheme.Secret, n.ledger.Lines[2].Charge.Scheme.Secret = false, false
			n.charge = n.of(n.grant, 2)
			n.charge.Scheme.Coins = ""
		}, ""},
		{"unnamed coins under an old grant with a budget", Poisson, budget, func(n *next) {
			n.old()
			n.grant.Version, n.grant.Ledger, n.grant.Subject, n.grant.Budget.After = 1, "", Subject{}, Genesis
			n.charge.Scheme.Coins = ""
		}, ""},
		{"coins of another data set in an old ledger", Poisson, given, func(n *next) {
			n.old()
			n.grant.Ledger, n.charge.Dataset = "", "other"
		}, ""},
		{"old ledger, grant for another", All, given, (*next).old, "the grant is for another ledger"},
		{"no matrices named", All, given, func(n *next) { n.grant.Matrices = nil }, "names no matrices"},

		{"beside a planned grant", All, budget, func(n *next) { n.beside(headHash) }, ""},
		{"beside a planned grant without a charge", All, budget, func(n *next) {
			beside, planned := n.named("g2"), n.named("g3")
			n.enter(beside)
			hash, _ := beside.Hash()
			planned.Budget.After, planned.Budget.Beside = strings.Repeat("c", 64), []string{hash} // the first charge
			n.enter(planned)
			n.charge = n.of(planned, 2)
			n.charge.Run, n.charge.Round = "beside", 1
		}, ""},
		{"beside one that is not the planned one", All, budget, func(n *next) { n.beside(headHash).Releases++ },
			"was planned without"},
		{"beside one that was used before the plan", All, budget, func(n *next) { n.beside(strings.Repeat("c", 64)) },
			"had been used by then"},

		{"beside one without a budget", All, budget, func(n *next) {
			beside := n.beside(headHash)
			beside.Budget = Budget{}
			hash, _ := beside.Hash()
			n.ledger.Lines[3].Grant.Budget.Beside = []string{hash}
		}, "has no budget of its own"},

		{"unnamed coins under a budget", Poisson, budget, func(n *next) { n.charge.Scheme.Coins = "" }, "have no name"},
		{"unnamed coins of given noise", Poisson, given, func(n *next) { n.charge.Scheme.Coins = "" }, ""},
		{"unnamed coins in a filter", Poisson, given, func(n *next) { n.filter(9, 1); n.charge.Scheme.Coins = "" },
			"have no name"},
		{"coins of another scheme", All, given, func(n *next) {
			g := n.foreign()
			g.Scheme = schemes()[Allocate]
			n.charge = n.of(g, 2)
			n.charge.Scheme.Coins = "coins"
			n.ledger.Lines[2].Charge.Scheme = schemes()[Poisson]
			n.ledger.Lines[2].Charge.Scheme.Coins = "coins"
		}, "under another sampling scheme"},
		{"coins of another scheme, of a later round first", All, given, func(n *next) {
			g := n.foreign()
			g.Scheme = schemes()[Allocate]
			n.charge = n.of(g, 2)
			n.charge.Scheme.Coins = "coins"
			n.ledger.Lines[2].Charge.Round = 3
			n.ledger.Lines[2].Charge.Scheme = schemes()[Poisson]
			n.ledger.Lines[2].Charge.Scheme.Coins = "coins"
		}, "under another sampling scheme"},
		{"data set's name", All, given, func(n *next) { n.charge.Dataset = strings.Repeat("x", 1025) },
			"at most 1024 bytes"},
		{"data set's letters", All, given, func(n *next) { n.charge.Dataset = "\xff" }, "must be UTF-8"},

		{"within the ledger's budget", All, budget, func(n *next) { n.head().Budget = &Limit{1, 1e-6} }, ""},
		{"ε above the ledger's budget", All, budget,
			func(n *next) { n.head().Budget = &Limit{math.Nextafter(1, 0), 1e-6} },
			"the ledger's own budget is ε 0.99"},
		{"δ above the ledger's budget", All, budget,
			func(n *next) { n.head().Budget = &Limit{1, math.Nextafter(1e-6, 0)} },
			"the ledger's own budget is"},
		{"no budget, where the ledger has one", All, given, func(n *next) { n.head().Budget = &Limit{1, 1e-6} },
			"the grant was planned without one"},
		{"exact sums, where the ledger has a budget", All, budget, func(n *next) {
			n.head().Budget, n.charge = &Limit{1, 1e-6}, n.exact(Document)
		}, "which exact sums would exceed"},

		{"within the filter", All, given, func(n *next) { n.filter(2.0001, 1) }, ""},
		{"above the filter", All, given, func(n *next) { n.filter(1.9999, 1) }, "takes the ledger's filter to 2.0"},
		{"third above the filter", All, given,
			func(n *next) { n.filter(2.5, 1); n.enter(n.charge); n.charge = n.of(n.grant, 3) },
			"takes the ledger's filter to 3.0"},
		{"at the filter's limit, which rounding up passes", All, given, func(n *next) { n.filter(2, 1) },
			"its limit is 2"},
		{"no cost for the filter", All, given, func(n *next) { n.filter(2, 0) }, "states no cost"},
		{"another batch in the filter", Poisson, given, func(n *next) { n.filter(9, 1) }, ""},
		{"batch again in the filter", Poisson, given, func(n *next) { n.filter(9, 1); n.sameBatch() },
			"of these coins was released before"},
		{"cost of half", All, given, func(n *next) { n.filter(9, 1./9) }, "costs 0.11"},
		{"cost a little less than it is", All, given, func(n *next) { n.filter(9, 0.995*2./9) }, "it costs 0.22"},
		{"cost of nothing", All, given, func(n *next) { n.filter(9, 1e-320) }, "it costs 0.22"},
		{"cost of a sample", Poisson, given, func(n *next) { n.renyi(20, 9) }, ""},
		{"cost of half of a sample", Poisson, given, func(n *next) { n.renyi(9, 0.0001) },
			"says that a release costs 0.0001 of the ledger's filter, it costs 0."},
		{"select in a filter", All, given, func(n *next) {
			g := n.foreign()
			g.Mechanism, g.MaxWords, g.Threshold, g.Clip, g.Subject = Select, 3, 3, 1, Subject{}
			g.Scheme, g.Releases = Scheme{Method: All, Rate: 1, Rounds: 1}, 1
			n.filter(9, 1)
			g.Cost = 1
			n.charge = n.of(g, 1)
			n.charge.Run = "select"
		}, "cannot count select"},
		{"exact sums in a filter", All, given, func(n *next) { n.filter(9, 1); n.charge = n.exact(Document) },
			"exact sums"},

		{"disjoint data sets", Poisson, budget, (*next).disjoint, ""},
		{"release from another than the grant's", Poisson, budget,
			func(n *next) { n.disjoint(); n.charge.Dataset = "other" },
			`the grant is for data set "data", the release is from "other"`},
		{"entering, of another data set", Poisson, budget, func(n *next) {
			n.disjoint()
			n.charge.Grant, n.charge.Run, n.charge.Dataset, n.charge.Scheme.Coins = "g2", "other", "other", "others"
			n.entering = n.named("g2")
		}, `the grant is for data set "data", the release is from "other"`},
		{"grant without a data set", Poisson, budget, func(n *next) { n.disjoint(); n.grant.Dataset = "" },
			"names none of them"},
		{"data set where they may share units", Poisson, budget, func(n *next) { n.grant.Dataset = "data" },
			"may share units"},
		{"data set in an old ledger", All, given, func(n *next) { n.old(); n.grant.Dataset = "data" },
			"for another ledger"},
		{"disjoint, an exchange", All, func(g *Grant) { budget(g); g.Adjacency = ReplaceOne }, (*next).disjoint,
			"only for neighbours add-remove"},
		{"disjoint, an empty unit", All, func(g *Grant) { budget(g); g.Version, g.Adjacency = 3, ReplaceNull },
			(*next).disjoint, ""},
		{"disjoint, a sample of fixed size", Fixed, budget, (*next).disjoint, "only for neighbours add-remove"},
		{"disjoint, given noise", All, given, (*next).disjoint, "the grant was planned without one"},
		{"disjoint, exact sums", All, budget, func(n *next) { n.disjoint(); n.charge = n.exact(Document) },
			"which exact sums would exceed"},
		{"disjoint, unnamed coins", Poisson, budget, func(n *next) { n.disjoint(); n.charge.Scheme.Coins = "" },
			"have no name"},
		{"another data set after the plan", Poisson, budget, func(n *next) { n.disjoint(); n.other("other") }, ""},
		{"after the plan of another data set", Poisson, budget, func(n *next) {
			n.disjoint()
			next := n.charge
			n.other("other")
			n.charge = next
		}, ""},
		{"the same data set after the plan", Poisson, budget, func(n *next) { n.disjoint(); n.other("data") },
			"was planned without"},
		{"planned after two data sets", Poisson, budget, func(n *next) { n.disjoint(); n.other("other"); n.third() },
			""},
		{"the same data set after a plan after two", Poisson, budget, func(n *next) {
			n.disjoint()
			second := n.charge
			n.other("other")
			n.third()
			third := n.charge
			n.enter(second)
			n.charge = third
		}, "was planned without"},
		{"coins of another data set", Poisson, budget, func(n *next) {
			n.disjoint()
			n.other("other")
			n.charge.Scheme.Coins = "coins"
		}, `these coins were charged for data set "data"`},
		{"throw of another data set", Allocate, budget, func(n *next) {
			n.disjoint()
			n.other("other")
			n.ledger.Lines = n.ledger.Lines[:4]
			n.charge.Scheme.Coins = "coins"
		}, "another run, data set or mechanism released rounds of this allocation"},
		{"state of another data set", Epoch, budget, func(n *next) {
			n.disjoint()
			n.states("state", "state")
			n.other("other")
			n.ledger.Lines = n.ledger.Lines[:4]
			n.charge.Scheme.Coins = "state"
		}, `these coins were charged for data set "data"`},
		{"by hash in two data sets", Epoch, budget, func(n *next) { n.disjoint(); n.other("other") }, ""},
		{"coins in two data sets that may share units", Poisson, given, func(n *next) { n.charge.Dataset = "other" },
			""},
		{"disjoint, beside a planned grant", All, budget, func(n *next) { n.disjoint(); n.beside(headHash) }, ""},
		{"beside one for another data set", All, budget, func(n *next) {
			n.disjoint()
			n.charge.Dataset = "other"
			beside := n.beside(headHash)
			beside.Dataset = "other"
			hash, _ := beside.Hash()
			n.ledger.Lines[2].Charge.Dataset = "other"
			n.ledger.Lines[3].Grant.Budget.Beside = []string{hash}
		}, "planned beside is for another data set"},

		{"other unit of all", All, given, func(n *next) { n.foreign().Unit, n.charge.Unit = User, User },
			"neighbours add-remove and unit document, this run for add-remove and user"},
		{"other neighbours", All, given, func(n *next) {
			g := n.foreign()
			g.Adjacency = ReplaceOne
			n.charge = n.of(g, 2)
		}, "this run for replace-one and document"},
		{"no privacy of other units", All, given, func(n *next) { n.charge = n.exact(User) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newNext(schemes()[c.method], c.grant)
			c.change(n)
			expect(t, n.ledger.Tally(n.entering).Allow(n.charge, n.at), c.rule)
		})
	}
}

// TestAllowOfResponses: the sensitivity of randomized responses follows from their grant. Under a grant of version 1
// the sensitivity may be less than the grant's most, because the vocabulary may be small.
func TestAllowOfResponses(t *testing.T) {
	for _, c := range []struct {
		version int
		rules   map[uint64]string // by the sensitivity
	}{
		{1, map[uint64]string{0: "needs a scale", 7: "", 32: "", 33: "not the one that its grant prescribes"}},
		{2, map[uint64]string{0: "not the one that its grant prescribes", 19: "not the one that its grant prescribes",
			20: ""}},
	} {
		g := validGrant()
		g.Mechanism, g.Adjacency, g.Clip, g.NoiseMultiplier, g.Flip, g.MaxWords = RandomizedResponse, ReplaceOne, 0, 0,
			0.25, 16
		g.Scheme, g.Releases = Scheme{Method: All, Rate: 1, Rounds: 1}, 1
		g.Version, g.Ledger, g.Budget, g.Subject = c.version, "", Budget{}, Subject{}
		if c.version == 2 {
			g.VocabularySize = 20
		}
		n := &next{ledger: new(Ledger)}
		n.enter(g)
		for bits, rule := range c.rules {
			charge := n.of(g, 1)
			charge.Sensitivity = bits
			expect(t, n.ledger.Tally(nil).Allow(charge, noon), rule)
		}
	}
}
