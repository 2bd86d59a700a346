package words

import (
	"privpipe/mstep/learn"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model/publictext"
)

// Command is mstep words.
type Command struct {
	learn.Job
	Public string `placeholder:"FILE" help:"Take the frequencies of public text as a prior, from FILE of mstep public. estep words needs the same flag."`
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	vocab, err := c.Words(r, c.Public)
	if err != nil {
		return err
	}
	learner := New(len(vocab))
	if c.Public != "" {
		text, err := publictext.Open(c.Public, vocab)
		if err != nil {
			return err
		}
		learner = NewInformed(text)
	}
	return c.Learn(r, learner, vocab)
}
