package words

import (
	"privpipe/mstep/learn"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/vocabulary"
)

// Command is mstep words.
type Command struct{ learn.Job }

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	if err := r.Check(c.Input, c.Vocab); err != nil {
		return err
	}
	vocab, err := vocabulary.OpenOrEnglish(c.Vocab)
	if err != nil {
		return err
	}
	return c.Learn(r, New(len(vocab)), vocab)
}
