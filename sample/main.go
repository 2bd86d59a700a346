// Command sample draws the units of each training round from a corpus of documents, and says how it drew them. It
// stands behind the privacy wall; the amplification of privacy by sampling rests on its coins.
package main

import (
	_ "privpipe/pipelines/endpoint/transports"
	"privpipe/pipelines/filter"
)

var cli struct {
	filter.Common
	rounds
}

func main() {
	filter.Main(filter.Stage{
		Name:    "sample",
		Summary: "Draw the units of each training round.",
		Example: "sample --poisson 0.05 --rounds 40 docs.pp | estep lda --params params | …",
		Notes: "The coins come from a key of the operating system's generator. Which units a round holds, and how many, is " +
			"private: the output, the key of --secret and the state of --window stay behind the privacy wall.",
	}, &cli, &cli.Common)
}
