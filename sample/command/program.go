package command

import "privpipe/pipelines/filter"

type commands struct {
	filter.Common
	Command
}

// Program is sample.
var Program = filter.Program{
	Stage: filter.Stage{
		Name:    "sample",
		Summary: "Draw the units of each training round.",
		Example: "sample --poisson 0.05 --rounds 40 docs.pp | estep lda --params params | …",
		Notes: "The coins, random choices of units, are computed from a key, which the operating system's generator " +
			"makes. The units of a round, and their number, are " +
			"private. Keep the output, the key of --secret and the state of --window behind the privacy wall.",
	},
	New: func() filter.Commands { return new(commands) },
}
