package main

import (
	"bytes"
	"fmt"
	"math"

	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
	"privpipe/pipelines/filter"
)

type adviseCommand struct {
	Documents float64 `required:"" placeholder:"D" help:"Number of documents, a public number or a guess."`
	Words     float64 `required:"" placeholder:"N" help:"Number of different words of a document that the vocabulary has, on average: a public number or a guess."`
	Epsilon   float64 `required:"" placeholder:"X" help:"ε of the whole training."`
	print.Flags
}

func (adviseCommand) Help() string {
	return `Suggests a number of topics for lda.sh, and says how good the model may become. The product D·N·ε decides both. The rule was fitted to
trainings on Reddit posts without public text, which pipelines/recipes/TOPICS.md lists. With public text a model is better than the advice
says: pipelines/recipes/PUBLIC.md has numbers. Nothing is read and nothing is charged. A number that was counted
in private text makes the advice private, too: use public numbers.`
}

// Validate is kong's hook.
func (c *adviseCommand) Validate() error {
	if !(c.Documents >= 1 && c.Documents <= 1e12) {
		return fmt.Errorf("--documents must be a number from 1 to 1e12, is %v", c.Documents)
	}
	if !(c.Words >= 1 && c.Words <= 1e6) {
		return fmt.Errorf("--words must be a number from 1 to 1e6, is %v", c.Words)
	}
	if err := event.CheckEpsilon(c.Epsilon); err != nil {
		return fmt.Errorf("--%w", err)
	}
	return nil
}

// The rule is that of pipelines/recipes/TOPICS.md: a topic for so many pairs of a document and a word, times ε.
const (
	pairsOfTopic = 3e5
	fewestTopics = 5
	mostPairs    = 14e6 // beyond it no training was measured
)

// grades say what to expect from so many pairs, times ε.
var grades = []struct {
	from     float64
	expected string
}{
	{0, "no better than that of word frequencies: wants more or longer documents, or more ε"},
	{1.5e6, "up to 5 % below that of word frequencies"},
	{3e6, "2 to 10 % below that of word frequencies"},
	{1e7, "10 to 20 % below that of word frequencies"},
}

// Advice is its JSON form.
type advice struct {
	Topics     int     `json:"topics"`
	Pairs      float64 `json:"pairs"` // of a document and a word, times ε
	Perplexity string  `json:"perplexity"`
	Measured   bool    `json:"measured"` // trainings of so many pairs, or more, were measured
}

func (c *adviseCommand) advise() advice {
	a := advice{Pairs: c.Documents * c.Words * c.Epsilon}
	a.Measured = a.Pairs <= mostPairs
	topics := math.Max(fewestTopics, math.Min(a.Pairs, mostPairs)/pairsOfTopic)
	digit := math.Pow(10, math.Max(0, math.Floor(math.Log10(topics))-1)) // two digits: the rule has no more
	a.Topics = int(math.Round(topics/digit) * digit)
	for _, g := range grades {
		if a.Pairs >= g.from {
			a.Perplexity = g.expected
		}
	}
	return a
}

// Run is kong's hook.
func (c *adviseCommand) Run(r *filter.Run) error {
	a := c.advise()
	return c.Print(r, a, func(b *bytes.Buffer) {
		fmt.Fprintf(b, "topics      %d\nperplexity  %s\nbecause     D·N·ε is %.1f million\nmeasured    without public text; with it models are better\n", a.Topics, a.Perplexity, a.Pairs/1e6)
		if !a.Measured {
			fmt.Fprintln(b, "beware      nothing larger than 14 million was measured: more topics may pay")
		}
	})
}
