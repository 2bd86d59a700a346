package calculate

import (
	"encoding/json"

	"privpipe/account/internal/plan"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// granted is where a plan's grant goes.
type granted struct {
	Output string `short:"o" group:"Grant" placeholder:"FILE" help:"Write the grant here; standard output by default."`
}

// write completes the grant of a plan, and writes it.
func (g granted) write(r *filter.Run, flags *plan.Flags) error {
	stop := saySlow(r.Log, usual)
	grant, err := flags.Make(r, r.Log)
	stop()
	if err != nil || r.DryRun() {
		return err
	}
	b, err := json.MarshalIndent(grant, "", "  ")
	if err != nil {
		return err
	}
	return endpoint.WriteFile(r, g.Output, wire.Side_PUBLIC, append(b, '\n'))
}

// PlanCommand is account plan, for sums of contributions.
type PlanCommand struct {
	plan.Budget
	plan.Sampling
	Mechanism string `group:"Mechanism" enum:"gaussian,laplace" default:"gaussian" help:"Use this mechanism, one of ${enum}. Releases of words have account plan-words."`
	Clipping  string `group:"Mechanism" enum:"unit,unit-l1,batch,proved," default:"" help:"Bound each unit in L2 (unit, the default) or in L1 (unit-l1, the default for laplace), the whole sum (batch), or nothing because the model proves the bound (proved)."`
	plan.Sums
	plan.Subject
	plan.Share
	plan.Neighbours
	plan.Term
	granted
}

func (c *PlanCommand) flags() *plan.Flags {
	return &plan.Flags{
		Budget: c.Budget, Share: c.Share, Sampling: c.Sampling, Mechanism: c.Mechanism, Clipping: c.Clipping,
		Sums: c.Sums, Subject: c.Subject, Neighbours: c.Neighbours, Term: c.Term,
	}
}

// Validate is kong's hook.
func (c *PlanCommand) Validate() error { return c.flags().Validate() }

// Run is kong's hook.
func (c *PlanCommand) Run(r *filter.Run) error { return c.write(r, c.flags()) }

// Moved is filter's hook.
func (*PlanCommand) Moved(flag string) string {
	switch flag {
	case "--flip", "--max-words", "--report-words", "--threshold", "--mechanism=select",
		"--mechanism=randomized-response":
		return "releases of words are account plan-words, with --mechanism select or randomized-response"
	case "--claim", "--sensitivity", "--draws":
		return "account plan-paper counts what a paper claims, and what is proved of its sampler"
	case "--mechanism=objective":
		return "no ε is proved of objective perturbation: estep erm makes one contribution, " +
			"and privatize none releases it"
	}
	return ""
}

// PlanWordsCommand is account plan-words, for words that are released once, from all units.
type PlanWordsCommand struct {
	plan.Budget
	Mechanism string `group:"Mechanism" required:"" enum:"select,randomized-response" placeholder:"NAME" help:"Use this mechanism: ${enum}."`
	plan.Words
	Vocab string `group:"Contributions" placeholder:"FILE" help:"Read the public vocabulary of the reports, for randomized-response; by default that of tokenize."`
	plan.Share
	plan.Neighbours
	plan.Term
	granted
}

func (c *PlanWordsCommand) flags() *plan.Flags {
	return &plan.Flags{
		Budget: c.Budget, Share: c.Share, Mechanism: c.Mechanism, Words: c.Words, Subject: plan.Subject{Vocab: c.Vocab},
		Neighbours: c.Neighbours, Term: c.Term,
	}
}

// Validate is kong's hook.
func (c *PlanWordsCommand) Validate() error {
	if c.Mechanism != event.Select && c.Mechanism != event.RandomizedResponse {
		return nil // kong then says which mechanisms there are
	}
	return c.flags().Validate()
}

// Run is kong's hook.
func (c *PlanWordsCommand) Run(r *filter.Run) error { return c.write(r, c.flags()) }

// PlanPaperCommand is account plan-paper, for sums as papers describe them.
type PlanPaperCommand struct {
	plan.Budget
	plan.Sampling
	Mechanism string `group:"Mechanism" enum:"gaussian,laplace" default:"gaussian" help:"Use this mechanism, one of ${enum}."`
	Clipping  string `group:"Mechanism" enum:"unit,unit-l1,batch,proved,unbounded," default:"" help:"Bound each unit in L2 (unit, the default) or in L1 (unit-l1, the default for laplace), the whole sum (batch), nothing because the model proves the bound (proved), or nothing at all, which protects nobody (unbounded: a paper as printed, with --claim paper)."`
	plan.Sums
	plan.Claims
	plan.Subject
	plan.Neighbours
	plan.Term
	granted
}

func (c *PlanPaperCommand) flags() *plan.Flags {
	return &plan.Flags{
		Budget: c.Budget, Sampling: c.Sampling, Mechanism: c.Mechanism, Clipping: c.Clipping, Sums: c.Sums,
		Claims: c.Claims, Subject: c.Subject, Neighbours: c.Neighbours, Term: c.Term,
	}
}

// Validate is kong's hook.
func (c *PlanPaperCommand) Validate() error { return c.flags().Validate() }

// Run is kong's hook.
func (c *PlanPaperCommand) Run(r *filter.Run) error { return c.write(r, c.flags()) }
