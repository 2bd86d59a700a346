// Command sample draws the units of each training round from a corpus of documents, and states the sampling scheme. It
// stands behind the privacy wall. Amplification by sampling rests on the secrecy of its coins.
package main

import (
	"privpipe/pipelines/filter"
	_ "privpipe/pipelines/network"
	"privpipe/sample/command"
)

var cli struct {
	filter.Common
	command.Command
}

func main() {
	filter.Main(filter.Stage{
		Name:    "sample",
		Summary: "Draw the units of each training round.",
		Example: "sample --poisson 0.05 --rounds 40 docs.pp | estep lda --params params | …",
		Notes: "The coins, random choices of units, are computed from a key, which the operating system's generator " +
			"makes. The units of a round, and their number, are " +
			"private. Keep the output, the key of --secret and the state of --window behind the privacy wall.",
	}, &cli, &cli.Common)
}
