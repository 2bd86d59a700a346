// Command sample draws the units of each training round from a corpus of documents, and says how it drew them. It
// stands behind the privacy wall; the amplification of privacy by sampling rests on its coins.
package main

import "privpipe/pipelines/filter"

var cli struct {
	filter.Common
	rounds
}

func main() {
	filter.Main(filter.Stage{
		Name:    "sample",
		Summary: "Draw the units of each training round.",
		Example: "sample --poisson 0.05 --rounds 40 docs.pp | estep lda --params params | …",
		Notes: "The coins come from the operating system. Which units a round holds, and how many, is private: the output " +
			"stays behind the privacy wall.",
	}, &cli, &cli.Common)
}
