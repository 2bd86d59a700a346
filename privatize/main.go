// Command privatize is the privacy wall: it turns private contributions into noisy releases, each charged to a ledger
// before it leaves. All that protects anyone in privpipe is in this folder; PRIVACY.md is the way in.
package main

import "privpipe/pipelines/filter"

var cli struct {
	filter.Common
	Gaussian gaussianCommand `cmd:"" default:"withargs" help:"Discrete Gaussian noise on exact sums of clipped contributions (the default)."`
	None     noneCommand     `cmd:"" help:"NO PRIVACY: exact sums, and an infinite charge in the ledger."`
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
