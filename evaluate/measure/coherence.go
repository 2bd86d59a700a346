package measure

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"

	"privpipe/evaluate/internal/result"
	"privpipe/evaluate/internal/score"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// Coherence measures a model's topics on reference documents.
type Coherence struct {
	Reference string  `required:"" placeholder:"FILE" help:"Count words in the documents of FILE, which tokenize --public made over the model's vocabulary."`
	Top       int     `default:"10" help:"Compare this many words of each topic."`
	Relevance float64 `default:"0.6" zero:"" help:"Take the words of largest relevance with this λ (Sievert and Shirley 2014), in [0, 1], as evaluate topics does. 1: the likeliest words, as papers do."`
	ofModel   `set:"form=a table"`
}

// Help is kong's hook.
func (Coherence) Help() string {
	return "The words are those that evaluate topics prints. The last column says how many of them the " +
		"reference has. A topic with fewer than two has no coherence, null in JSON, and the mean leaves it out. " +
		"Of other words that no document has, NPMI counts -1 for each pair, C_V counts 0, " +
		"C_NPMI counts them as in one document, and UMass is that of gensim."
}

// Validate is kong's hook.
func (c *Coherence) Validate() error {
	return cmp.Or(checkTop(c.Top, 2), checkRelevance(c.Relevance))
}

// Run is kong's hook.
func (c *Coherence) Run(r *filter.Run) error {
	if err := r.Check(c.Model, c.Reference); err != nil {
		return err
	}
	topics, model, err := ReadTopics(r, c.Model, c.Relevance, c.Top, c.MaxCells)
	if err != nil {
		return err
	}
	wanted := endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_DOCUMENTS}}
	in, err := OpenReference(r, c.Reference, c.Model, wanted, model)
	if err != nil {
		return err
	}
	defer in.Close()
	warn(r, in.Header.Side, "reference documents", "a coherence")
	if r.DryRun() {
		return nil
	}
	r.Show(c.Output, in.meter.Line)
	values, err := Coherences(in, topics)
	if err != nil {
		return err
	}
	return c.Print(r, in.Header.Side, c.found(topics, values))
}

// OpenReference opens the documents on which a coherence is computed.
func OpenReference(ctx context.Context, name, of string, wanted endpoint.Wanted, model *wire.Header) (*Input,
	error) {
	in, err := Open(ctx, name, wanted)
	if err == nil && string(in.Header.Vocabulary) != string(model.Vocabulary) {
		in.Close()
		err = exit.Errorf(exit.Malformed, "%s and %s are over different vocabularies", name, of)
	}
	return in, err
}

// A CoherenceRow has the Coherences of one topic, or their means over topics.
type CoherenceRow struct {
	NPMI, CV, CNPMI, UMass float64
}

// A Coherent has one topic's Coherences. They are nil if the reference has fewer than two of the topic's words.
type Coherent struct {
	*CoherenceRow
	held int // words that the reference has
}

// Coherences returns each topic's Coherences in the documents of in.
func Coherences(in *Input, all []topic) ([]Coherent, error) {
	ids := make([][]uint32, len(all))
	var words []uint32
	for i, t := range all {
		for _, w := range t.Words {
			ids[i] = append(ids[i], uint32(w.id))
		}
		words = append(words, ids[i]...)
	}
	counter := score.NewCoherence(words)
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		words = wire.AppendIDs(words[:0], record.GetDocument().WordGaps)
		counter.Add(words)
		in.counted()
	}
	if counter.Documents() == 0 {
		return nil, exit.Errorf(exit.Malformed, "%s: no documents", in.Name())
	}
	values := make([]Coherent, len(all))
	for i, of := range ids {
		if values[i].held = len(counter.Held(of)); values[i].held >= 2 {
			values[i].CoherenceRow = &CoherenceRow{
				counter.NPMI(of), counter.CV(of), counter.CNPMI(of), counter.UMass(of),
			}
		}
	}
	return values, nil
}

// MeanCoherence returns the mean over the topics that have a coherence. held counts these topics.
func MeanCoherence(values []Coherent) (mean Coherent) {
	for _, x := range values {
		if x.CoherenceRow != nil {
			mean.held++
		}
	}
	if mean.held == 0 {
		return mean
	}
	mean.CoherenceRow = new(CoherenceRow)
	for _, x := range values {
		if x.CoherenceRow != nil {
			n := float64(mean.held)
			mean.NPMI, mean.CV = mean.NPMI+x.NPMI/n, mean.CV+x.CV/n
			mean.CNPMI, mean.UMass = mean.CNPMI+x.CNPMI/n, mean.UMass+x.UMass/n
		}
	}
	return mean
}

// numbers returns the Coherences by their names in JSON. They are null if there are none.
func (x Coherent) numbers(prefix string) map[string]any {
	all := map[string]any{prefix + "npmi": nil, prefix + "c_v": nil, prefix + "c_npmi": nil, prefix + "u_mass": nil}
	if of := x.CoherenceRow; of != nil {
		all[prefix+"npmi"], all[prefix+"c_v"] = of.NPMI, of.CV
		all[prefix+"c_npmi"], all[prefix+"u_mass"] = of.CNPMI, of.UMass
	}
	return all
}

func (c *Coherence) found(topics []topic, values []Coherent) *result.Result {
	mean := MeanCoherence(values)
	rows := make([]map[string]any, len(topics))
	for i, t := range topics {
		rows[i] = values[i].numbers("")
		rows[i]["topic"], rows[i]["words_in_reference"] = t.Topic, values[i].held
	}
	all := mean.numbers("mean_")
	all["top"], all["relevance"], all["topics"] = c.Top, c.Relevance, rows
	return &result.Result{JSON: all, Text: func(w io.Writer) { c.table(w, topics, values, mean) }}
}

func (c *Coherence) table(w io.Writer, topics []topic, values []Coherent, mean Coherent) {
	leading := "leading"
	if c.Relevance == byProbability {
		leading = "likeliest"
	}
	fmt.Fprintf(w, "topic\tNPMI of its %d %s words\tC_V\tC_NPMI\tUMass\tin the reference\n", c.Top, leading)
	line := func(name string, x Coherent, held string) {
		numbers := "-\t-\t-\t-"
		if of := x.CoherenceRow; of != nil {
			numbers = fmt.Sprintf("%.3f\t%.3f\t%.3f\t%.3f", of.NPMI, of.CV, of.CNPMI, of.UMass)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", name, numbers, held)
	}
	for i, t := range topics {
		line(strconv.Itoa(t.Topic), values[i], fmt.Sprintf("%d of %d", values[i].held, len(t.Words)))
	}
	line("mean", mean, fmt.Sprintf("of %d topics", mean.held))
}
