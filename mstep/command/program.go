// Package command is the command line of mstep: a line for each model.
package command

import (
	"privpipe/mstep/blr"
	"privpipe/mstep/clusters"
	"privpipe/mstep/dpvi"
	"privpipe/mstep/export"
	"privpipe/mstep/lda"
	"privpipe/mstep/linear"
	"privpipe/mstep/mean"
	"privpipe/mstep/public"
	"privpipe/mstep/reconstruct"
	"privpipe/mstep/sbn"
	"privpipe/mstep/shares"
	"privpipe/pipelines/filter"
)

type commands struct {
	filter.Common
	LDA         lda.Command          `cmd:"" name:"lda" help:"Learn topics."`
	Counts      lda.CountsCommand    `cmd:"" help:"Learn topics from sampled counts of words by topic, or from their increments."`
	Online      lda.OnlineCommand    `cmd:"" help:"Learn topics from batch after batch of documents."`
	LDAPaper    lda.PaperCommand     `cmd:"" name:"lda-paper" help:"Learn topics with the estimates that papers print."`
	Words       mean.WordsCommand    `cmd:"" help:"Learn word frequencies."`
	Choose      mean.ChooseCommand   `cmd:"" help:"Choose the most frequent words of a model of words, as the vocabulary of other models."`
	Size        mean.SizeCommand     `cmd:"" help:"Learn the size of a text, for account advise --size."`
	BLR         blr.Command          `cmd:"" name:"blr" help:"Learn a classifier of rows: Bayesian logistic regression."`
	DPVI        dpvi.Command         `cmd:"" name:"dpvi" help:"Learn a classifier of rows by gradients, a baseline for blr."`
	ERM         mean.ERMCommand      `cmd:"" name:"erm" help:"Take the weights of a classifier of rows from the round in which estep erm minimised a perturbed objective."`
	Linear      linear.Command       `cmd:"" help:"Learn a regression of rows: Bayesian linear regression."`
	SBN         sbn.Command          `cmd:"" name:"sbn" help:"Learn a model of images: a sigmoid belief network."`
	Clusters    clusters.Command     `cmd:"" help:"Learn clusters of vectors, such as embeddings of documents: a mixture of Gaussians."`
	Shares      shares.Command       `cmd:"" help:"Make a series of the topics of documents over time, with bands and alarms, of releases of estep --shares."`
	Follow      shares.FollowCommand `cmd:"" help:"Learn topics that keep their numbers, from releases of one window after another."`
	Topics      public.TopicsCommand `cmd:"" help:"Make a model of the topics of public text, without a release."`
	Public      public.Command       `cmd:"" help:"Make a public file, which mstep lda takes as a prior, of public text."`
	Reconstruct reconstruct.Command  `cmd:"" help:"Rebuild documents from reports of randomized response."`
	Export      export.Command       `cmd:"" help:"Write a model file for other programs."`
}

// Program is mstep.
var Program = filter.Program{
	Stage: filter.Stage{
		Name:    "mstep",
		Outside: true,
		Summary: "Learn a model from releases.",
		Example: "mstep lda --topics 50 --vocab vocab.txt --params-out params -o model.pp < releases",
		Notes: "After each round mstep writes its state to a checkpoint beside the model; see --checkpoint-every. If " +
			"a run is killed and the same pipeline " +
			"is started again, it resumes from the checkpoint.",
	},
	New: func() filter.Commands { return new(commands) },
}
