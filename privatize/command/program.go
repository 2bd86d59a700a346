package command

import "privpipe/pipelines/filter"

type commands struct {
	filter.Common
	Gaussian           Gaussian           `cmd:"" default:"withargs" help:"Add discrete Gaussian noise to sums of clipped contributions, and release the noisy sums (the default)."`
	Laplace            Laplace            `cmd:"" help:"Add discrete Laplace noise to sums of contributions clipped in L1, and release the noisy sums."`
	Combine            Combine            `cmd:"" help:"Add up bounded contributions into private partial sums, for another privatize to release. The partial sums are private: nothing is charged."`
	Select             Select             `cmd:"" help:"Release a vocabulary: the words whose noisy weight reaches a threshold."`
	RandomizedResponse RandomizedResponse `cmd:"" help:"Report each document's set of words, with every bit wrong with some probability, or a few of its words (the local model)."`
	None               None               `cmd:"" help:"NO PRIVACY: release exact sums, for an infinite charge in the ledger. A public stream costs nothing."`
}

// Program is privatize.
var Program = filter.Program{
	Stage: filter.Stage{
		Name:    "privatize",
		Summary: "Turn private contributions into noisy releases, within a grant, each charged to a ledger first.",
		Example: "privatize --grant grant.json --ledger run.ledger < contributions > releases",
		Notes: "account plan makes the grant. A round that the ledger has already charged is answered with its " +
			"stored release, kept in LEDGER.releases. Noise is never drawn twice under one charge. There is no seed. " +
			"privatize/PRIVACY.md states what is guaranteed, and against whom.",
	},
	New: func() filter.Commands { return new(commands) },
}
