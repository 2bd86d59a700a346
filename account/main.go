// Command account plans privacy budgets and recomputes what a ledger has spent. It reads events, never data.
package main

import (
	"errors"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	_ "privpipe/pipelines/network"
)

var cli struct {
	filter.Common
	Ledger     ledgerCommands    `cmd:"" help:"Begin a ledger."`
	Plan       planCommand       `cmd:"" help:"Turn a budget into a grant for privatize."`
	Report     reportCommand     `cmd:"" help:"Print the (ε, δ) that a ledger has spent, and what is left."`
	Odometer   odometerCommand   `cmd:"" help:"Print what a ledger had spent after each run, and what was left."`
	Watch      watchCommand      `cmd:"" help:"Follow a ledger while it is charged: releases, ε of the budget, and when it ends."`
	Verify     verifyCommand     `cmd:"" help:"Check that a ledger is whole, keeps to its grants, and fits the stored releases."`
	Prune      pruneCommand      `cmd:"" help:"Remove stored releases that are no longer needed."`
	Export     exportCommand     `cmd:"" help:"Write the charges of a ledger as JSON, for other accountants and for --events."`
	Epsilon    epsilonCommand    `cmd:"" help:"Work out the ε of Gaussian noise or of a list of releases, without a ledger."`
	Delta      deltaCommand      `cmd:"" help:"Work out the δ of Gaussian noise or of a list of releases."`
	Noise      noiseCommand      `cmd:"" help:"Work out the least Gaussian noise for (ε, δ)."`
	Compare    compareCommand    `cmd:"" help:"Show all accountants, and what papers claim, in one table."`
	Efficiency efficiencyCommand `cmd:"" help:"Weigh the privacy loss of SUB-LDA against its sampling ratio."`
	Gibbs      gibbsCommand      `cmd:"" help:"Work out the pure ε of a Gibbs sampler's draws, noise and bits."`
	Shuffle    shuffleCommand    `cmd:"" help:"Work out the (ε, δ) of local reports where a trusted shuffler is stated."`
	Advise     adviseCommand     `cmd:"" help:"Suggest the number of topics for so many documents, words and ε."`
}

func main() {
	filter.Main(filter.Stage{
		Name:    "account",
		Outside: true,
		Summary: "Plan a privacy budget, recompute what a ledger has spent, verify it, or calculate losses.",
		Example: "account ledger new run.ledger && account plan --ledger run.ledger --epsilon 1 --delta 1e-6 " +
			"--poisson 0.05 --rounds 40 --model lda --matrix topics=50xV --vocab vocab.txt -o grant.json",
		Notes: "(ε, δ) is about one privacy unit more or less in the data (add-remove), unless a report says " +
			"otherwise. " +
			"By default plan and report use the accountant pld, privacy loss distributions; --accountant names " +
			"another. Printed ε and δ are rounded up, and what is left of a " +
			"budget is rounded down. JSON has all digits of these bounds.",
	}, &cli, &cli.Common)
}

// keeps refuses an output, or a summary, that is one of the inputs.
func keeps(output string, inputs ...string) error {
	return errors.Join(endpoint.Distinct(output, inputs...), endpoint.Distinct(cli.Summary, inputs...))
}
