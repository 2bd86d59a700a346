// Package command is the command line of account.
package command

import (
	"privpipe/account/calculate"
	"privpipe/account/ledger"
	"privpipe/pipelines/filter"
)

type commands struct {
	filter.Common
	Ledger     ledger.Commands             `cmd:"" help:"Begin a ledger."`
	Plan       calculate.PlanCommand       `cmd:"" help:"Turn a budget into a grant for privatize, which then releases noisy sums."`
	PlanWords  calculate.PlanWordsCommand  `cmd:"" help:"Turn a budget into a grant for a release of words: a vocabulary, or documents that leave their authors."`
	PlanPaper  calculate.PlanPaperCommand  `cmd:"" help:"Turn a budget into a grant for a paper's method, with what it claims and what is proved of it."`
	Report     ledger.ReportCommand        `cmd:"" help:"Print the (ε, δ) that a ledger has spent, and what is left."`
	Odometer   ledger.OdometerCommand      `cmd:"" help:"Print what a ledger had spent after each run, and what was left."`
	Watch      ledger.WatchCommand         `cmd:"" help:"Follow a ledger while it is charged: releases, ε of the budget, and when it ends."`
	Verify     ledger.VerifyCommand        `cmd:"" help:"Check that a ledger is whole, keeps to its grants, and fits the stored releases."`
	Prune      ledger.PruneCommand         `cmd:"" help:"Remove stored releases that are no longer needed."`
	Export     ledger.ExportCommand        `cmd:"" help:"Write the charges of a ledger as JSON, for other accountants and for --events."`
	Evidence   ledger.EvidenceCommand      `cmd:"" help:"Write what is filed about a ledger: a page by NIST SP 800-226, an entry of a register, an event of OpenLineage."`
	Epsilon    calculate.EpsilonCommand    `cmd:"" help:"Work out the ε of Gaussian noise or of a list of releases, without a ledger."`
	Delta      calculate.DeltaCommand      `cmd:"" help:"Work out the δ of Gaussian noise or of a list of releases."`
	Noise      calculate.NoiseCommand      `cmd:"" help:"Work out the least Gaussian noise for (ε, δ)."`
	Compare    calculate.CompareCommand    `cmd:"" help:"Show all accountants, and what papers claim, in one table."`
	Efficiency calculate.EfficiencyCommand `cmd:"" help:"Weigh the privacy loss of SUB-LDA against its sampling ratio."`
	Gibbs      calculate.GibbsCommand      `cmd:"" help:"Work out the pure ε of a Gibbs sampler's draws, noise and bits."`
	Shuffle    calculate.ShuffleCommand    `cmd:"" help:"Work out the (ε, δ) of local reports where a trusted shuffler is stated."`
	Advise     calculate.AdviseCommand     `cmd:"" help:"Suggest the number of topics, or of clusters of vectors, for so many documents and ε."`
}

// Program is account.
var Program = filter.Program{
	Stage: filter.Stage{
		Name:    "account",
		Outside: true,
		Summary: "Plan a privacy budget, recompute what a ledger has spent, verify it, or calculate losses.",
		Example: "account ledger new run.ledger && account plan --ledger run.ledger --epsilon 1 --delta 1e-6 " +
			"--poisson 0.05 --rounds 40 --model lda:50 --vocab vocab.txt -o grant.json",
		Notes: "(ε, δ) is about one privacy unit more or less in the data (add-remove), unless a report says " +
			"otherwise. By default plan and report use the accountant pld, privacy loss distributions; --accountant " +
			"names another. Printed ε and δ are rounded up, and what is left of a budget is rounded down. JSON has " +
			"all digits of these bounds.",
	},
	New: func() filter.Commands { return new(commands) },
}
