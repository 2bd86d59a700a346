// Command estep computes what each private document contributes to a round's statistics, given the parameters of the
// round before. It stands behind the privacy wall: all that it reads, but for parameters, and all that it writes is
// private.
package main

import (
	"privpipe/estep/lda"
	"privpipe/estep/words"
	_ "privpipe/pipelines/endpoint/transports"
	"privpipe/pipelines/filter"
)

// cli has a line for each model.
var cli struct {
	filter.Common
	LDA   lda.Command   `cmd:"" name:"lda" help:"Topics: latent Dirichlet allocation by variational Bayes."`
	Words words.Command `cmd:"" help:"Word frequencies alone: a private unigram, for a baseline and for denoising topics."`
}

func main() {
	filter.Main(filter.Stage{
		Name:    "estep",
		Summary: "Turn rounds of documents into contributions, or score held-out documents.",
		Example: "estep lda --params params < rounds > contributions",
		Notes: "With --params it answers every document of every round with one contribution, and waits for the parameters " +
			"of the round before. With --score or --infer it reads documents and a model file. The output is private.",
	}, &cli, &cli.Common)
}
