package calculate

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"

	"privpipe/account/internal/print"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
)

// AdviseCommand is account advise.
type AdviseCommand struct {
	Documents     *float64 `placeholder:"D" help:"Number of documents, a public number or a guess."`
	Words         *float64 `placeholder:"N" help:"Number of different words of a document that the vocabulary has, on average: a public number or a guess."`
	Dimension     *int     `placeholder:"V" help:"Advise on clusters for clusters.sh, of vectors with this many numbers, in place of topics."`
	Epsilon       float64  `required:"" placeholder:"X" help:"ε of the whole training. Above 10 it protects little."`
	WithoutPublic bool     `help:"Advise for lda.sh --public none, which trains without public text."`
	sizeFlags
	print.Flags
}

// Help is the text that --help adds for this command.
func (AdviseCommand) Help() string {
	return `Suggests a number of topics for lda.sh, and says how good the model may become, and with which coins and
rounds lda.sh --documents D trains. The product D·N·ε decides the first two. A perplexity is compared with that of the
word frequencies that one release with the whole ε would give. The rules were fitted to trainings that
pipelines/recipes/TOPICS.md lists. Nothing is charged. A number that was counted in private text makes the advice
private, too: use public numbers, or --size, which was released.

With --dimension it suggests a number of clusters for clusters.sh with a TEXT: the most for which the noise on a mean
has a norm of at most 0.25, in the embeddings that were measured about half of the distance of a mean from the mean of
all vectors, and a cluster has 200 documents at least. At ε = 1 the noise decides: 100 numbers want some 380 documents a
cluster, and 384 numbers some 740. Without a TEXT there is less noise, by a factor of √2. Fewer dimensions
have less noise, too.`
}

// Validate is kong's hook.
func (c *AdviseCommand) Validate() error {
	clusters := c.Dimension != nil
	switch {
	case clusters && (c.Words != nil || c.WithoutPublic):
		return errors.New("--dimension is for vectors, and does not go with --words and --without-public")
	case clusters && c.Size == "" && c.Documents == nil:
		return errors.New("--dimension wants --documents or --size")
	case clusters && !(*c.Dimension >= 1 && *c.Dimension <= 1e6):
		return fmt.Errorf("--dimension must be a number from 1 to 1e6, is %d", *c.Dimension)
	case c.Size != "" && (c.Documents != nil || c.Words != nil):
		return errors.New("--size has the numbers of --documents and --words")
	case c.Size == "" && !clusters && (c.Documents == nil || c.Words == nil):
		return errors.New("wants --documents and --words, or --size")
	case c.Size == "" && !(*c.Documents >= 1 && *c.Documents <= 1e12):
		return fmt.Errorf("--documents must be a number from 1 to 1e12, is %v", *c.Documents)
	case c.Size == "" && !clusters && !(*c.Words >= 1 && *c.Words <= 1e6):
		return fmt.Errorf("--words must be a number from 1 to 1e6, is %v", *c.Words)
	}
	if err := c.sizeFlags.check(); err != nil {
		return err
	}
	if err := event.CheckEpsilon(c.Epsilon); err != nil {
		return fmt.Errorf("--%w", err)
	}
	return nil
}

// A rule suggests a number of topics from the product D·N·ε: documents, times different words per document, times ε.
// The rules are in pipelines/recipes/TOPICS.md.
type rule struct {
	topics       func(pairs float64) float64
	fewestTopics float64
	fewest, most float64 // least and largest D·N·ε among the measured trainings
	grades       []grade
}

// A grade compares the expected perplexity with the perplexity of word frequencies from one release with the whole ε.
type grade struct {
	from     float64 // least D·N·ε of this grade
	expected string
	words    bool // releasing the word frequencies is the better use of ε
}

// coins returns the defaults of lda.sh for --documents: the number of rounds, and the probability that a coin puts a
// document into a round.
func coins(documents, epsilon float64) (rate float64, rounds int) {
	if epsilon <= 1 && documents >= 20000 {
		return 0.125, 128
	}
	return 0.25, 64
}

// withPublicText is the rule of lda.sh with the public text that comes with it. At D·N·ε of one million it suggests 15
// topics. The number grows with the square root.
var withPublicText = rule{
	topics:       func(pairs float64) float64 { return 15 * math.Sqrt(pairs/1e6) },
	fewestTopics: 10, fewest: 1.7e4, most: 5.2e7,
	grades: []grade{
		{0, "no better than that of word frequencies: lda.sh --words-only releases these with the whole ε", true},
		{1e5, "from 6 % above to 15 % below that of word frequencies", false},
		{1e6, "10 to 20 % below that of word frequencies", false},
		{3e6, "15 to 25 % below that of word frequencies", false},
		{1e7, "20 to 30 % below that of word frequencies", false},
	},
}

// withoutPublicText is the rule of lda.sh --public none. The number of topics is proportional to D·N·ε.
var withoutPublicText = rule{
	topics:       func(pairs float64) float64 { return pairs / 3e5 },
	fewestTopics: 5, fewest: 0, most: 1.4e7,
	grades: []grade{
		{0, "no better than that of word frequencies: wants more or longer documents, or more ε", true},
		{1.5e6, "up to 5 % below that of word frequencies", false},
		{3e6, "2 to 10 % below that of word frequencies", false},
		{1e7, "10 to 20 % below that of word frequencies", false},
	},
}

// An advice is the answer, and its JSON form.
type advice struct {
	Topics     int     `json:"topics"`
	Rate       float64 `json:"rate"`
	Rounds     int     `json:"rounds"`
	Pairs      float64 `json:"pairs"` // D·N·ε
	Perplexity string  `json:"perplexity"`
	WordsOnly  bool    `json:"words_only"` // the word frequencies alone are the better use of ε
	Measured   bool    `json:"measured"`   // D·N·ε is within the range of the measured trainings

	Size *textSize `json:"size,omitempty"`

	rule  rule
	users bool // the privacy unit is a user
}

func (c *AdviseCommand) advise(documents, words float64) *advice {
	r := withPublicText
	if c.WithoutPublic {
		r = withoutPublicText
	}
	a := &advice{Pairs: documents * words * c.Epsilon, rule: r, users: c.Unit == "user"}
	a.Rate, a.Rounds = coins(documents, c.Epsilon)
	a.Measured = a.Pairs >= r.fewest && a.Pairs <= r.most
	topics := math.Max(r.fewestTopics, r.topics(math.Min(a.Pairs, r.most)))
	digit := math.Pow(10, math.Max(0, math.Floor(math.Log10(topics))-1)) // two digits: the rule has no more
	a.Topics = int(math.Round(topics/digit) * digit)
	for _, g := range r.grades {
		if a.Pairs >= g.from {
			a.Perplexity, a.WordsOnly = g.expected, g.words
		}
	}
	return a
}

// writeUnits prints a released number of documents, or of users.
func writeUnits(b *bytes.Buffer, documents noisy, users bool) {
	if users {
		fmt.Fprintf(b, "users       at least %v and at most %v\n", noisy{documents.Value / 2, documents.Noise / 2},
			documents)
		return
	}
	fmt.Fprintf(b, "documents   %v\n", documents)
}

// Table prints the advice for people.
func (a *advice) Table(b *bytes.Buffer) {
	if text := a.Size; text != nil {
		writeUnits(b, text.Documents, a.users)
		fmt.Fprintf(b, "empty       %v\nwords       %v\ncoverage    %v\n", text.Empty, text.Words, text.Coverage)
	}
	fmt.Fprintf(b, "topics      %d\nrounds      %d, each of documents with probability %v\nperplexity  %s\n"+
		"because     D·N·ε is %.2g million\n",
		a.Topics, a.Rounds, a.Rate, a.Perplexity, a.Pairs/1e6)
	if a.WordsOnly {
		b.WriteString("instead     lda.sh --words-only, for whoever wants to predict words\n")
	}
	if a.Pairs > a.rule.most {
		fmt.Fprintf(b, "beware      nothing larger than %.0f million was measured: more topics may pay\n",
			a.rule.most/1e6)
	}
	if a.Pairs < a.rule.fewest {
		fmt.Fprintf(b, "beware      nothing smaller than %.2g million was measured\n", a.rule.fewest/1e6)
	}
}

// Run is kong's hook.
func (c *AdviseCommand) Run(r *filter.Run) error {
	if c.Dimension != nil && c.Size == "" {
		return answer(r, c.Flags, func() (*clusterAdvice, error) {
			return adviseClusters(*c.Documents, *c.Dimension, c.Epsilon)
		})
	}
	if c.Size == "" {
		return c.Print(r, c.advise(*c.Documents, *c.Words))
	}
	text, err := readSize(r, c.Size)
	if err != nil {
		return err
	}
	if c.Dimension != nil {
		err = c.adviseVectors(r, text)
	} else {
		a := c.advise(max(1, text.Documents.Value), max(1, text.Words.Value))
		a.Size = text
		err = c.Print(r, a)
	}
	if err != nil {
		return err
	}
	if faults, hints := c.faults(text); len(faults) > 0 {
		return exit.Errorf(exit.Refused, "not worth the budget: %s", strings.Join(faults, "; ")).
			WithHint("%s", strings.Join(hints, "; "))
	}
	return nil
}

// adviseVectors prints the advice on clusters for as many vectors as were released, and forgets what is said of their
// features as of words.
func (c *AdviseCommand) adviseVectors(r *filter.Run, size *textSize) error {
	a, err := adviseClusters(max(1, size.Documents.Value), *c.Dimension, c.Epsilon)
	if err != nil {
		return err
	}
	a.Size, a.users = &size.Documents, c.Unit == "user"
	size.Words, size.Coverage = noisy{1, math.MaxFloat64}, noisy{1, math.MaxFloat64}
	return c.Print(r, a)
}
