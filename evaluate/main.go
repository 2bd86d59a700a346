// Command evaluate says how good a model is, and how private a privatizer. It reads scored records and model files, never
// a second copy of the inference, and runs a privatizer as a black box.
package main

import (
	_ "privpipe/pipelines/endpoint/transports"
	"privpipe/pipelines/filter"
)

var cli struct {
	filter.Common
	Perplexity perplexityCommand `cmd:"" help:"Held-out perplexity, from estep --score."`
	Topics     topicsCommand     `cmd:"" help:"The words of each topic of a model."`
	Coherence  coherenceCommand  `cmd:"" help:"NPMI coherence of a model's topics on reference documents."`
	Audit      auditCommand      `cmd:"" help:"A lower bound on the privacy loss of a privatize binary, beside the claimed one."`
}

func main() {
	filter.Main(filter.Stage{
		Name:    "evaluate",
		Summary: "Say how good a model is, or how private a privatizer.",
		Example: "tokenize text --vocab vocab.txt held.jsonl | estep lda --score --model model.pp | evaluate perplexity",
		Notes: "A number computed from private held-out documents is itself a function of them and no budget covers it: " +
			"publish it only if their owners agreed, or use public documents. A model file alone costs nothing to look at.\n\n" +
			"Perplexity is as if each word were chosen from so many at random. Beside the model's stand those of its own word " +
			"frequencies, which are noisy too, or of those that estep --score --unigram names, and of the vocabulary's size.",
	}, &cli, &cli.Common)
}
