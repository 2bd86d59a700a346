// Command mstep turns releases into parameters and a model. It stands outside the privacy wall: everything it reads is
// public, so nothing that it does costs privacy.
package main

import (
	"privpipe/mstep/export"
	"privpipe/mstep/lda"
	"privpipe/mstep/words"
	_ "privpipe/pipelines/endpoint/transports"
	"privpipe/pipelines/filter"
)

// cli has a line for each model.
var cli struct {
	filter.Common
	LDA    lda.Command    `cmd:"" name:"lda" help:"Learn topics."`
	Words  words.Command  `cmd:"" help:"Learn word frequencies."`
	Export export.Command `cmd:"" help:"Write the topics of a model file for other programs."`
}

func main() {
	filter.Main(filter.Stage{
		Name:    "mstep",
		Outside: true,
		Summary: "Learn a model from releases.",
		Example: "mstep lda --topics 50 --vocab vocab.txt --params-out params -o model.pp < releases",
		Notes: "After each round the state is kept in a checkpoint beside the model, so that a run that was killed goes on " +
			"from there when the same pipeline is started again.",
	}, &cli, &cli.Common)
}
