package page

import (
	"fmt"
	"strings"
)

// Conclusions are what a reader may conclude from the page, and what not. Each is one sentence.
type Conclusions struct{ May, Not []string }

// Conclusions returns the conclusions, for readers who know no statistics.
func (p *Page) Conclusions() Conclusions {
	var c Conclusions
	switch {
	case p.Topics != nil && p.Topics.Plural:
		c.topics(p)
	case p.Topics != nil:
		c.May = []string{"How often words stand in the text as a whole, about."}
		c.Not = []string{"That a word is more frequent than another, where both are close: the numbers have noise."}
	case p.Coefficients != nil:
		c.May = []string{"Which features go with the positive class in the data as a whole, and how strongly, about."}
		c.Not = []string{"That a feature is the cause of anything: a coefficient says what goes together."}
	default:
		return c
	}
	if p.Protection != nil && !p.Protection.None && p.Protection.Little == "" {
		if one, _, known := namesOf(p.Protection.Unit); known {
			c.Not = append(c.Not, fmt.Sprintf("Anything about one %s: the noise is there to hide that.", one))
		}
	}
	return c
}

func (c *Conclusions) topics(p *Page) {
	noun := p.Topics.Noun()
	c.May = []string{
		"What the text as a whole is about. The leading words of a " + noun +
			" set it apart from the rest of the text.",
		"About how much of the text a topic takes. Shares count words, not documents and not people.",
	}
	if p.Topics.Clusters {
		c.May[1] = "About how many of the documents a cluster has. Shares count documents, not words and not people."
	}
	if d := p.Topics.Doubt; d != nil {
		c.May = append(c.May, fmt.Sprintf("That a word with ✓ (under “The words of each %s”) does stand in the "+
			"text. The chance that any ✓ is wrong is at most %s, if this run was not chosen among several.",
			noun, percent(d.Alpha)))
	}
	if p.Perplexity != nil && len(p.Perplexity.Rounds) > 0 && p.Perplexity.Last().Poor() {
		c.Not = append(c.Not, "Much, from these "+noun+"s: they predict other text no better than word frequencies do.")
	}
	if few := p.Topics.borrowed(); few != "" {
		c.Not = append(c.Not, "Much from "+few+": less than half of that is this text’s own. "+
			"The rest follows public text and the frequencies of single words.")
	}
	c.Not = append(c.Not,
		"That one "+noun+" is larger than another, or one word more typical, where both are close. "+
			"The numbers have noise on purpose: another run gives others.",
		"That nobody writes of what is missing here. What few people write of is lost in the noise.",
		"Whether people praise or blame, and why. A "+noun+" says what they write of, not what they think of it.",
	)
}

// borrowed names the topics with less than half from the data's own counts. It is empty if there are none.
func (t *Topics) borrowed() string {
	var names []string
	for _, topic := range t.All {
		if topic.Origin != nil && topic.Origin.Own < 0.5 {
			names = append(names, "“"+topic.Name()+"”")
		}
	}
	const most = 5
	if more := len(names) - most; more > 0 {
		names = append(names[:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
