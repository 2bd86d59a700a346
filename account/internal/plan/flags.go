package plan

import (
	"cmp"
	"context"
	"crypto/rand"
	"strings"
	"time"

	"privpipe/account/internal/accountant"
	"privpipe/account/internal/ledgers"
	"privpipe/pipelines/event"
	"privpipe/pipelines/scheme"
)

// Flags describe the grant to plan. The commands have the groups of flags that belong to their kinds of releases.
type Flags struct {
	Budget
	Share
	Sampling
	Mechanism string
	Clipping  string
	Sums
	Words
	Claims
	Subject
	Neighbours
	Term

	ledger event.Ledger // a snapshot; without lines if no ledger is named
}

// Budget has the flags for what the releases may spend.
type Budget struct {
	Epsilon         float64  `group:"Budget" placeholder:"X" help:"Keep the whole ledger, this plan included, within this ε. Above 10 it protects little."`
	Delta           float64  `group:"Budget" placeholder:"X" help:"Set the δ of the guarantee, at most a tenth of one over the number of units. laplace and randomized-response need none."`
	NoiseMultiplier *float64 `group:"Budget" xor:"noise" placeholder:"X" help:"Use noise with a standard deviation of X times the clip; by default the least that keeps the budget."`
	Solve           string   `group:"Budget" enum:"noise,rounds,rate,epsilon,delta," default:"" placeholder:"WHAT" help:"Solve for the least noise, the most rounds, the largest rate of Poisson sampling, or the least epsilon or delta. By default noise, epsilon or delta, whichever is not given."`
	Ledger          string   `group:"Budget" placeholder:"FILE" help:"Plan for this ledger, from account ledger new. What it has spent counts; its own budget is the default. Without a ledger the plan is only a calculation: privatize refuses a budget that names no ledger."`
	Accountant      string   `group:"Budget" enum:"pld,renyi,rdp" default:"pld" help:"Use this accountant, one of ${enum}. rdp is renyi."`
}

// Share has the flags for a part of a ledger's budget, next to other grants of it.
type Share struct {
	More    float64  `group:"Budget" placeholder:"X" help:"Let ε of the ledger and --beside rise by at most X with this plan: for one run of many, such as one a night. ε never passes --epsilon, by default the ledger's own budget; exit code 83 if that is spent."`
	Beside  []string `group:"Budget" placeholder:"GRANT" help:"Count all releases of this grant, which was planned for the ledger and is not used yet. They may be charged before this plan's. May be repeated."`
	Part    float64  `group:"Budget" placeholder:"X" help:"For a ledger with a filter: let all releases of the grant cost at most this part of the filter's limit, such as 0.25."`
	Dataset string   `group:"Neighbours" placeholder:"NAME" help:"Plan for this data set, as in privatize --dataset. It is only for a ledger whose data sets share no unit; then only releases of this data set count."`
}

// Sampling has the flags for which units take part in which round.
type Sampling struct {
	scheme.Flags
	Rounds *int `group:"Scheme" short:"T" placeholder:"T" help:"Set the number of rounds T, and of releases; 1 by default. With --epochs, T rounds of each epoch."`
	Runs   int  `group:"Scheme" default:"1" placeholder:"N" help:"Allow N runs of all these rounds under the grant, such as one a week, each under a name of its own; 1 by default. Not for --allocate and --epoch."`
	Seeded bool `group:"Scheme" help:"Plan for sample --seed: the coins are known, so nothing is amplified."`
}

// Sums has the flags for sums of contributions.
type Sums struct {
	Clip        *float64    `group:"Mechanism" placeholder:"C" help:"Bound a unit's contribution to a round, in L2 or L1; 1 by default."`
	NonNegative bool        `group:"Mechanism" help:"Count negative coordinates as 0. Then exchanging a unit moves an L2 norm by less."`
	Statistic   []statistic `group:"Mechanism" sep:"none" placeholder:"NAME=BOUND" help:"Divide the matrix NAME by BOUND before the clip. May be repeated."`
	Statistics  string      `group:"Mechanism" placeholder:"FILE" help:"Read all matrices and their bounds from FILE, in lines NAME=RxC BOUND, as estep sbn --bounds prints them. It stands for a --matrix and a --statistic for each line."`
}

// Words has the flags for releases of the words themselves, once and from all units.
type Words struct {
	Flip        *float64 `group:"Budget" xor:"noise" placeholder:"P" help:"Report a bit wrong with this probability, for randomized-response; by default the least that keeps the budget."`
	MaxWords    int      `group:"Mechanism" placeholder:"N" help:"Count at most N words of a unit."`
	ReportWords int      `group:"Mechanism" placeholder:"K" help:"Report K words of each document, of which most are its own, instead of a bit for each word, for randomized-response: more is learned at the same ε of a document. About ε/log(10·V/N) of the V words is best; N is --max-words."`
	Threshold   float64  `group:"Mechanism" placeholder:"X" help:"Release words from this noisy weight on, for select; by default the least that a tenth of δ pays for."`
}

// Claims has the flags for what a paper says, or a proof about its sampler shows, of a contribution.
type Claims struct {
	Sensitivity float64 `group:"Mechanism" placeholder:"X" help:"Charge a sensitivity of X times the clip, from 1 to 2, by a proof for sums of rounded contributions: for --clipping proved and --adjacency replace-one, and not for --unit user."`
	Draws       float64 `group:"Mechanism" placeholder:"X" help:"Charge this pure ε each round, for the random draws that give a token its topic: for --unit word. Each round must then be released once, from round 1 on."`
	Claim       string  `group:"Mechanism" enum:"paper," default:"" help:"Also record the smaller sensitivity that a paper claims (paper). The proved sensitivity still counts."`
}

// Neighbours has the flags for what the guarantee is about.
type Neighbours struct {
	Unit      string `group:"Neighbours" enum:"document,user,word" default:"document" help:"Protect this privacy unit, one of ${enum}. Neighbours of unit word differ in one token of one document; the number of documents and their lengths are public."`
	Adjacency string `group:"Neighbours" enum:"add-remove,replace-one,replace-null," default:"" help:"Let neighbours differ by a unit more or less (add-remove, the default), by one exchanged (replace-one; implied by --fixed, --unit word and randomized-response), or by one exchanged for an empty one (replace-null: what a unit says is protected, and not that it is there; the number of units is public)."`
}

// Term has the flags for the grant itself.
type Term struct {
	Expires *time.Time `group:"Grant" placeholder:"TIME" help:"End the grant at this time, such as 2026-12-31T00:00:00Z; by default it does not end."`
	ID      string     `group:"Grant" placeholder:"NAME" help:"Set the id of the grant, and the name of its run; random by default."`
}

func (c *Flags) accountant() *accountant.Accountant { return accountant.Named(c.Accountant).OfLedger() }

// unknown returns the quantity to solve for. It is "" if nothing is solved for, as with given noise and no budget.
func (c *Flags) unknown() string {
	given := c.NoiseMultiplier != nil || c.Flip != nil
	switch {
	case c.filter() != nil && given:
		return ""
	case c.filter() != nil:
		return "noise"
	case c.Solve != "":
		return c.Solve
	case !given:
		return "noise"
	case c.Epsilon != 0:
		return "delta"
	case c.Delta != 0:
		return "epsilon"
	}
	return ""
}

func (c *Flags) filter() *event.Filter { return filterOf(&c.ledger) }

// rounds returns the number of rounds, or 1 if it is solved for.
func (c *Flags) rounds() int {
	if c.Rounds == nil {
		return 1
	}
	return *c.Rounds
}

func (c *Flags) runs() int { return cmp.Or(c.Runs, 1) }

// once says whether the mechanism releases once, from all units.
func (c *Flags) once() bool {
	return c.Mechanism == event.Select || c.Mechanism == event.RandomizedResponse
}

func (c *Flags) scheme() event.Scheme {
	flags := c.Flags
	if c.unknown() == "rate" {
		flags.Poisson = new(1.0)
	}
	return flags.Scheme(c.rounds(), !c.Seeded)
}

// problem returns the problem to complete a grant.
func (c *Flags) problem(ctx context.Context, grant *event.Grant) (Problem, error) {
	p := Problem{
		Grant: grant, Unknown: c.unknown(), Epsilon: c.Epsilon, Delta: c.Delta, More: c.More, Share: c.Part,
		Threshold: c.Threshold, Accountant: c.accountant(), Ledger: &c.ledger, Name: c.Ledger,
	}
	for _, name := range c.Beside {
		g, err := ledgers.ReadGrant(ctx, name)
		if err != nil {
			return p, err
		}
		p.Beside = append(p.Beside, &Beside{name, g})
	}
	return p, nil
}

// grant returns the grant that the flags describe, without the quantity to solve for.
func (c *Flags) grant() *event.Grant {
	g := &event.Grant{
		Version: event.GrantVersion, ID: c.ID, Created: time.Now().UTC().Truncate(time.Second),
		Dataset: c.Dataset, Mechanism: c.Mechanism, Adjacency: c.Adjacency, Unit: c.Unit,
		Clipping: c.Clipping, NonNegative: c.NonNegative, MaxWords: c.MaxWords, ReportWords: c.ReportWords,
		Threshold: c.Threshold, Claim: c.Claim,
		Proved: c.Sensitivity, Draws: c.Draws,
		Scheme: c.scheme(), Releases: c.runs() * c.AllRounds(c.rounds()), Expires: c.Expires,
	}
	if g.ID == "" {
		g.ID = strings.ToLower(rand.Text()[:12])
	}
	if g.Adjacency == "" {
		g.Adjacency = event.AddRemove
		if g.Scheme.Method == event.Fixed || g.Mechanism == event.RandomizedResponse || g.Unit == event.Word {
			g.Adjacency = event.ReplaceOne
		}
	}
	switch {
	case c.Clip != nil:
		g.Clip = *c.Clip
	case g.Mechanism != event.RandomizedResponse:
		g.Clip = 1
	}
	if head := c.ledger.Head(); head != nil {
		g.Ledger = head.ID
	}
	for _, s := range c.Statistic {
		g.Statistics = append(g.Statistics, event.Statistic(s))
	}
	if c.NoiseMultiplier != nil {
		g.NoiseMultiplier = *c.NoiseMultiplier
	}
	if c.Flip != nil {
		g.Flip = *c.Flip
	}
	return g
}
