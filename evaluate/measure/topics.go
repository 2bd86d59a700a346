package measure

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"privpipe/evaluate/internal/result"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/wire"
)

// Topics prints the words of topics.
type Topics struct {
	Top       int     `default:"10" help:"Print this many words of each topic."`
	Relevance float64 `default:"0.6" zero:"" help:"Rank words by relevance with this λ (Sievert and Shirley 2014), in [0, 1]. 1: by probability. 0: by how much more probable they are in the topic than in all topics together."`
	Clusters  string  `placeholder:"FILE" help:"The model has the words of clusters, of estep cluster-words. Print the shares of documents in FILE, a model of mstep clusters, and the names that estep clusters --score gives clusters."`
	JSON      bool    `name:"json" xor:"form" help:"Print JSON instead of a table: an object for each topic."`
	CSV       bool    `name:"csv" xor:"form" help:"Print CSV instead of a table: topic,share,rank,word,probability, own,public of a model with public text, name where topics have names, and cluster of --clusters."`
	Output    string  `short:"o" placeholder:"FILE" help:"Write the topics to FILE; standard output by default."`
	Model     string  `arg:"" help:"Model file of mstep lda."`
	filter.Cells
}

// Help is kong's hook.
func (Topics) Help() string {
	return "The largest topic is the first. Words are ranked by relevance, as on the page of evaluate report: common " +
		"words of the whole text " +
		"come later than by probability, so the probabilities beside the words need not fall. " +
		"Of a model with public text (mstep lda --public), the column own says how much of a topic is the " +
		"data's own: how much its words follow their own noisy counts, from 0 to 100 %, and not what was expected of " +
		"them. The column public says how " +
		"much else is of public text. The rest to 100 % is of the private word frequencies. Earlier rounds decided " +
		"which topic a word was counted in, and they began with public topics."
}

// Validate is kong's hook.
func (c *Topics) Validate() error {
	return cmp.Or(checkTop(c.Top, 1), checkRelevance(c.Relevance))
}

// checkRelevance checks the λ of --relevance.
func checkRelevance(lambda float64) error {
	if !(lambda >= 0 && lambda <= 1) {
		return fmt.Errorf("--relevance must be in [0, 1], is %v", lambda)
	}
	return nil
}

// A topic has a topic's share of the model, and its leading words.
type topic struct {
	Topic   int     `json:"topic"`             // from 0
	Cluster string  `json:"cluster,omitempty"` // its name in predictions
	Name    string  `json:"name,omitempty"`    // that a list of topics gave it
	Share   float64 `json:"share"`             // of the model's words, or of the documents in clusters
	*origin
	Words []word `json:"words"` // the most relevant first
}

// An origin is lda.Origin without its third share, which is the rest to 1. Models with public text have it for each
// topic.
type origin struct {
	Own    float64 `json:"own"`
	Public float64 `json:"public"`
}

type word struct {
	Word        string  `json:"word"`
	Probability float64 `json:"probability"`

	id int
}

// byProbability is the λ at which relevance ranks words by probability. Papers measure the likeliest words: diversity,
// for example (Dieng, Ruiz and Blei 2020, §6).
const byProbability = 1

// ReadTopics returns the topics in a model file, the largest first, each with its top words by relevance with λ. It
// also returns the model's header.
func ReadTopics(ctx context.Context, name string, lambda float64, top int,
	maxCells uint64) ([]topic, *wire.Header, error) {
	topics, err := modelfile.ReadTopics(ctx, name, maxCells)
	if err != nil {
		return nil, nil, err
	}
	return rank(topics, lambda, top), topics.Header, nil
}

func rank(of *modelfile.Topics, lambda float64, top int) []topic {
	topics, overall := make([]topic, of.Number), modelfile.Overall(of.Cells, len(of.Words))
	total := 0.0
	for k := range topics {
		row := of.Row(k)
		topics[k].Topic = k
		if of.Names != nil {
			topics[k].Name = of.Names[k]
		}
		if of.Origins != nil {
			topics[k].origin = &origin{of.Origins[k].Own, of.Origins[k].Public}
		}
		for _, l := range row {
			topics[k].Share += l
		}
		total += topics[k].Share
		for _, id := range modelfile.RankingOf(row, overall).Best(lambda, top) {
			topics[k].Words = append(topics[k].Words, word{of.Words[id], row[id] / topics[k].Share, id})
		}
	}
	for k := range topics {
		topics[k].Share /= total
	}
	slices.SortStableFunc(topics, largest)
	return topics
}

// Run is kong's hook.
func (c *Topics) Run(r *filter.Run) error {
	topics, _, err := ReadTopics(r, c.Model, c.Relevance, c.Top, c.MaxCells)
	if err == nil && c.Clusters != "" {
		err = c.ofClusters(r, topics)
	}
	if err != nil || r.DryRun() {
		return err
	}
	var b bytes.Buffer
	switch {
	case c.JSON:
		e := json.NewEncoder(&b)
		for _, t := range topics {
			if err := e.Encode(t); err != nil {
				return err
			}
		}
	case c.CSV:
		if err := writeCSV(&b, topics); err != nil {
			return err
		}
	default:
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		heading := ""
		if named(topics) {
			heading = "name\t"
		}
		if topics[0].origin != nil {
			heading += "own\tpublic\t"
		}
		words := "words by relevance, with their probabilities"
		if c.Relevance == byProbability {
			words = "words and their probabilities"
		}
		first := "topic"
		if c.Clusters != "" {
			first = "cluster"
		}
		fmt.Fprintf(w, "%s\tshare\t%s%s\n", first, heading, words)
		for _, t := range topics {
			fmt.Fprintf(w, "%s\t%.1f%%\t", cmp.Or(t.Cluster, strconv.Itoa(t.Topic)), 100*t.Share)
			if named(topics) {
				fmt.Fprintf(w, "%s\t", t.Name)
			}
			if t.origin != nil {
				fmt.Fprintf(w, "%.0f%%\t%.0f%%\t", 100*t.Own, 100*t.Public)
			}
			for i, x := range t.Words {
				if i > 0 {
					fmt.Fprint(w, "  ")
				}
				fmt.Fprintf(w, "%s %s", x.Word, modelfile.PrintProbability(x.Probability))
			}
			fmt.Fprintln(w)
		}
		w.Flush()
		if topics[0].origin != nil {
			b.WriteString("own: how much of the topic follows the text’s own noisy counts; " +
				"public: how much else follows public text\n")
		}
	}
	return result.Write(r, wire.Side_PUBLIC, c.Output, b.Bytes())
}

// largest orders topics by their shares, the largest first.
func largest(a, b topic) int { return cmp.Compare(b.Share, a.Share) }

// named reports whether a topic has a name.
func named(topics []topic) bool {
	return slices.ContainsFunc(topics, func(t topic) bool { return t.Name != "" })
}

// number formats a number for CSV.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

func writeCSV(w io.Writer, topics []topic) error {
	out := csv.NewWriter(w)
	columns := []string{"topic", "share", "rank", "word", "probability"}
	if topics[0].origin != nil {
		columns = append(columns, "own", "public")
	}
	if named(topics) {
		columns = append(columns, "name")
	}
	if topics[0].Cluster != "" {
		columns = append(columns, "cluster")
	}
	if err := out.Write(columns); err != nil {
		return err
	}
	for _, t := range topics {
		for i, x := range t.Words {
			row := []string{strconv.Itoa(t.Topic), number(t.Share), strconv.Itoa(i + 1), x.Word, number(x.Probability)}
			if t.origin != nil {
				row = append(row, number(t.Own), number(t.Public))
			}
			if named(topics) {
				row = append(row, t.Name)
			}
			if t.Cluster != "" {
				row = append(row, t.Cluster)
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}
