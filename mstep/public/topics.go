package public

import (
	"gonum.org/v1/gonum/floats"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/model/publictext"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// TopicsCommand is mstep topics.
type TopicsCommand struct {
	Vocab  string `placeholder:"FILE" help:"Bring the topics to the words of FILE, the vocabulary of the documents; by default to the default vocabulary of tokenize."`
	Seeds  string `placeholder:"FILE" help:"Begin the model with topics of your own. A line of FILE, which must be public, has a name, a colon and words: refunds: refund refunds money back. Words that public text has beside them count, too. The public topics follow, for all else that documents are about."`
	Output string `short:"o" placeholder:"FILE" help:"Write the model to FILE; standard output by default."`
	Input  string `arg:"" placeholder:"FILE" help:"Public file of mstep public, such as pipelines/recipes/public/english.pp."`
	filter.Compress
}

// Help is kong's hook.
func (*TopicsCommand) Help() string {
	return `
The model has the topics of the first model of the public file. It costs no privacy, and estep --shares counts the
documents of each topic under it.`
}

// Run is kong's hook.
func (c *TopicsCommand) Run(r *filter.Run) error {
	if err := r.Check(c.Input, c.Vocab, c.Seeds); err != nil {
		return err
	}
	if err := endpoint.Distinct(r, c.Output, c.Input, c.Vocab, c.Seeds); err != nil {
		return err
	}
	vocab, err := vocabulary.OpenOrDefault(r, c.Vocab)
	if err != nil {
		return err
	}
	text, err := publictext.Open(r, c.Input, vocab)
	if err != nil {
		return err
	}
	if c.Seeds != "" {
		seeds, err := publictext.ReadSeeds(r, c.Seeds)
		if err != nil {
			return err
		}
		if text, err = text.Seed(seeds, c.Seeds); err != nil {
			return err
		}
	}
	if r.DryRun() {
		return nil
	}
	s := topicsOf(text)
	return modelfile.Write(r, c.Output, c.Compress.Compress, &wire.Header{
		Version: wire.Version, Kind: wire.Kind_PARAMETERS, Side: wire.Side_PUBLIC, Model: lda.Family.Name,
		Vocabulary: vocab.Hash(), VocabularySize: uint32(len(vocab)), Matrices: s.Matrices,
	}, vocab, 0, 0, s)
}

// topicsOf returns a model of round 0 with the text's first topics. A word's probability is its frequency times its
// lift. λ has the sum V in each topic.
func topicsOf(text *publictext.Text) *model.Snapshot {
	size := model.Size{Words: len(text.Frequencies), Components: text.First}
	lambda := make([]float64, 0, size.Words*size.Components)
	for k := range text.First {
		row := text.Lifts(k)
		floats.Mul(row, text.Frequencies)
		floats.Scale(float64(size.Words)/floats.Sum(row), row)
		lambda = append(lambda, row...)
	}
	s := lda.Snapshot(size, 0, lambda)
	text.PutDigest(s)
	text.PutNames(s, text.First)
	return s
}
