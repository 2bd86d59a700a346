// Command privatize is the privacy wall: it turns private contributions into noisy releases, each charged to a ledger
// before it leaves. This folder holds all code that protects people. PRIVACY.md states the claim.
package main

import (
	"privpipe/pipelines/filter"
	_ "privpipe/pipelines/network/topics"
	"privpipe/privatize/command"
)

var cli struct {
	filter.Common
	Gaussian           command.Gaussian           `cmd:"" default:"withargs" help:"Add discrete Gaussian noise to sums of clipped contributions, and release the noisy sums (the default)."`
	Laplace            command.Laplace            `cmd:"" help:"Add discrete Laplace noise to sums of contributions clipped in L1, and release the noisy sums."`
	Combine            command.Combine            `cmd:"" help:"Add up bounded contributions into private partial sums, for another privatize to release. The partial sums are private: nothing is charged."`
	Select             command.Select             `cmd:"" help:"Release a vocabulary: the words whose noisy weight reaches a threshold."`
	RandomizedResponse command.RandomizedResponse `cmd:"" help:"Report each document's set of words, with every bit wrong with some probability, or a few of its words (the local model)."`
	None               command.None               `cmd:"" help:"NO PRIVACY: release exact sums, for an infinite charge in the ledger. A public stream costs nothing."`
}

func main() {
	filter.Main(filter.Stage{
		Name:    "privatize",
		Summary: "Turn private contributions into noisy releases, within a grant, each charged to a ledger first.",
		Example: "privatize --grant grant.json --ledger run.ledger < contributions > releases",
		Notes: "account plan makes the grant. A round that the ledger has already charged is answered with its " +
			"stored release, kept in LEDGER.releases. Noise is never drawn twice under one charge. There is no seed. " +
			"privatize/PRIVACY.md states what is guaranteed, and against whom.",
	}, &cli, &cli.Common)
}
