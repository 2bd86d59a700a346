package mean

import (
	"privpipe/estep/job"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/publictext"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// WordsCommand is estep words.
type WordsCommand struct {
	job.Job
	Public string `placeholder:"FILE" group:"Contribution" help:"Divide the counts of each word by a scale that its frequency in public text says, from FILE of mstep public: rare words then get less noise than frequent ones. mstep words needs the same flag."`
	Vocab  string `placeholder:"FILE" group:"Contribution" help:"With --public: read the vocabulary of the documents from FILE; by default the default vocabulary of tokenize."`
}

// Run is kong's hook.
func (c *WordsCommand) Run(r *filter.Run) error {
	work := job.Work{Family: families.Words, New: func() model.EStep { return NewWords() }}
	if c.Public != "" {
		if err := r.Check(c.Public, c.Vocab); err != nil {
			return err
		}
		vocab, err := vocabulary.OpenOrDefault(r, c.Vocab)
		if err != nil {
			return err
		}
		text, err := publictext.Open(r, c.Public, vocab)
		if err != nil {
			return err
		}
		work.New = func() model.EStep { return NewScaledWords(text) }
		work.Public = &wire.Header{Vocabulary: vocab.Hash()}
	}
	return c.Do(r, work)
}
