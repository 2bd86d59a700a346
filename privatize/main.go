// Command privatize is the privacy wall: it turns private contributions into noisy releases, each charged to a ledger
// before it leaves. All that protects anyone in privpipe is in this folder; PRIVACY.md is the way in.
package main

import (
	_ "privpipe/pipelines/endpoint/transports"
	"privpipe/pipelines/filter"
)

var cli struct {
	filter.Common
	Gaussian           gaussianCommand `cmd:"" default:"withargs" help:"Discrete Gaussian noise on exact sums of clipped contributions (the default)."`
	Laplace            laplaceCommand  `cmd:"" help:"Discrete Laplace noise on exact sums of contributions that are clipped in L1."`
	Combine            combineCommand  `cmd:"" help:"Private partial sums of bounded contributions, to be released elsewhere: they cost nothing and protect nobody."`
	Select             selectCommand   `cmd:"" help:"A vocabulary: the words whose noisy weight reaches a threshold."`
	RandomizedResponse responseCommand `cmd:"" help:"A report of each document's set of words, every bit wrong with some probability (the local model)."`
	None               noneCommand     `cmd:"" help:"NO PRIVACY: exact sums, and an infinite charge in the ledger. Of a public stream: exact sums, without a charge."`
}

func main() {
	filter.Main(filter.Stage{
		Name:    "privatize",
		Summary: "Turn private contributions into noisy releases, within a grant, each charged to a ledger first.",
		Example: "privatize --grant grant.json --ledger run.ledger < contributions > releases",
		Notes: "The grant is made by account plan. A round that is in the ledger already is answered with its stored " +
			"release, kept in LEDGER.releases; noise is never drawn twice under one charge. There is no seed. " +
			"privatize/PRIVACY.md states what is guaranteed, and against whom.",
	}, &cli, &cli.Common)
}
