// Package command is the command line of evaluate.
package command

import (
	"privpipe/evaluate/audit"
	"privpipe/evaluate/measure"
	"privpipe/evaluate/report"
	"privpipe/pipelines/filter"
)

type commands struct {
	filter.Common
	Perplexity measure.Perplexity `cmd:"" help:"Compute the held-out perplexity from the scores of estep --score."`
	AUC        measure.AUC        `cmd:"" name:"auc" help:"Measure a classifier by the predictions of estep --score: area under the ROC curve, log loss and calibration."`
	Classes    measure.Classes    `cmd:"" help:"Measure predictions of classes: accuracy, macro F1 and the confusion of classes."`
	Clusters   measure.Clusters   `cmd:"" help:"Measure clusters of documents beside their labels: NMI, AMI, ARI and purity; and the silhouettes of vectors."`
	Pixels     measure.Pixels     `cmd:"" help:"Measure the reconstruction of images: the share of right pixels, beside baselines, and a picture."`
	Converged  measure.Converged  `cmd:"" help:"Find the round from which the held-out perplexity hardly changes, on public documents."`
	Topics     measure.Topics     `cmd:"" help:"Print the words of each topic of a model."`
	Coherence  measure.Coherence  `cmd:"" help:"Compute the coherence of a model's topics on reference documents: NPMI, and C_V, C_NPMI and UMass as gensim does with whole documents as windows."`
	Diversity  measure.Diversity  `cmd:"" help:"Compute how many of the likeliest words of a model's topics are different."`
	Compare    measure.Compare    `cmd:"" help:"Match the topics of two models, and print how far apart they are."`
	Report     report.Report      `cmd:"" help:"Write a report on a model and its ledger as one HTML page."`
	Series     report.Series      `cmd:"" help:"Write topics over time, of mstep shares, as one HTML page."`
	Chart      report.Chart       `cmd:"" help:"Draw a CSV of curves as SVG, in the look of all figures."`
	Attack     audit.Attack       `cmd:"" help:"Attack the privacy of documents."`
	Audit      audit.Audit        `cmd:"" help:"Compute a lower bound on the privacy loss of a privatize or estep binary, beside the claimed loss."`
	Replay     audit.Replay       `cmd:"" help:"Run a pipeline of a seeded build on neighbouring data sets with equal noise, and compare all that leaves the wall."`
}

// Program is evaluate.
var Program = filter.Program{
	Stage: filter.Stage{
		Name:    "evaluate",
		Summary: "Measure the quality of a model or the privacy of a privatizer.",
		Example: "tokenize text --vocab vocab.txt held.jsonl | estep lda --score --model model.pp | evaluate " +
			"perplexity",
		Notes: "No budget covers a number that is computed from private held-out documents: publish it only if their " +
			"owners agreed, or use public documents. Reading a model file costs no privacy.\n\n" +
			"A perplexity of N means that the model predicts as well as a uniform choice among N words. Beside the " +
			"model's " +
			"perplexity stand the unigram baseline's and the uniform distribution's, which is the size of the " +
			"vocabulary. The " +
			"baseline is the word frequencies of estep --score --unigram. Without these it is the model's own " +
			"frequencies, brought to what one release of word frequencies with the whole budget is expected to " +
			"give, if mstep lda knew the noise of that. The plug-in " +
			"perplexity predicts the words that the topic shares were inferred from; it is comparable only with " +
			"other plug-in perplexities.",
	},
	New: func() filter.Commands { return new(commands) },
}
