// Package command is the command line of estep: a line for each model.
package command

import (
	"privpipe/estep/blr"
	"privpipe/estep/clusters"
	"privpipe/estep/dpvi"
	"privpipe/estep/erm"
	"privpipe/estep/gibbs"
	"privpipe/estep/lda"
	"privpipe/estep/linear"
	"privpipe/estep/mean"
	"privpipe/estep/sbn"
	"privpipe/pipelines/filter"
)

type commands struct {
	filter.Common
	LDA          lda.Command            `cmd:"" name:"lda" help:"Train or apply topics: latent Dirichlet allocation by variational Bayes."`
	Gibbs        gibbs.Command          `cmd:"" help:"Train or apply topics: latent Dirichlet allocation by Gibbs sampling."`
	Collapsed    gibbs.CollapsedCommand `cmd:"" help:"Train topics by collapsed Gibbs sampling, without a guarantee: a baseline, and the mode of papers."`
	Words        mean.WordsCommand      `cmd:"" help:"Train word frequencies: a private unigram, for a baseline and for denoising topics."`
	Size         mean.SizeCommand       `cmd:"" help:"Contribute the size of each document, of rows of tokenize text --sizes: how many documents there are, and how much of them the vocabulary knows."`
	BLR          blr.Command            `cmd:"" name:"blr" help:"Train or apply a classifier of rows: Bayesian logistic regression by Pólya-Gamma variables."`
	DPVI         dpvi.Command           `cmd:"" name:"dpvi" help:"Train or apply a classifier of rows: logistic regression by clipped gradients, a baseline for blr."`
	ERM          erm.Command            `cmd:"" name:"erm" help:"Train or apply a classifier of rows: logistic regression whose objective is perturbed. A paper claims an ε of it, and nothing is proved."`
	Linear       linear.Command         `cmd:"" help:"Train or apply a regression of rows: Bayesian linear regression."`
	SBN          sbn.Command            `cmd:"" name:"sbn" help:"Train or apply a model of images: a sigmoid belief network by Pólya-Gamma variables."`
	Clusters     clusters.Command       `cmd:"" help:"Train or apply clusters of vectors, such as embeddings of documents: a mixture of Gaussians."`
	ClusterWords clusters.WordsCommand  `cmd:"" name:"cluster-words" help:"Contribute the words of the documents in released clusters."`
}

// Program is estep.
var Program = filter.Program{
	Stage: filter.Stage{
		Name:    "estep",
		Summary: "Turn rounds of documents into contributions, or score held-out documents.",
		Example: "estep lda --params params < rounds > contributions",
		Notes: "With --params, estep answers every document of every round with one contribution, after it has the " +
			"parameters " +
			"of the previous round. With --score or --infer, it reads documents and a model file; with --score also " +
			"models of many rounds. The output is private.",
	},
	New: func() filter.Commands { return new(commands) },
}
