package publictext

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
)

// A Seed is a topic that its user named, and words that stand for it.
type Seed struct {
	Name  string
	Words []string
}

// mostName is the largest number of bytes in a name.
const mostName = 100

// ReadSeeds reads a public list of topics: a line has a name, a colon, and words with spaces between. Empty lines and
// lines that begin with # are left out.
func ReadSeeds(ctx context.Context, name string) ([]Seed, error) {
	const most = 1 << 20
	text, err := endpoint.ReadFile(ctx, name, most)
	if err != nil {
		return nil, err
	}
	var seeds []Seed
	known := make(map[string]bool)
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		topic, words, _ := strings.Cut(line, ":")
		s := Seed{strings.TrimSpace(topic), strings.Fields(strings.ToLower(words))}
		bad := lda.CheckName(s.Name) != nil || len(s.Name) > mostName || !utf8.ValidString(words)
		if bad || len(s.Words) == 0 || known[s.Name] {
			return nil, exit.Errorf(exit.Malformed,
				"%s: line %d: must be a name of at most %d bytes, which no line before has, a colon, and words", name,
				number, mostName)
		}
		known[s.Name], seeds = true, append(seeds, s)
	}
	if err := lines.Err(); err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	if len(seeds) == 0 {
		return nil, exit.Errorf(exit.Malformed, "%s: no topic", name)
	}
	return seeds, nil
}

// seedShare is the share of the seed's words in its topic. Public text has the others beside them.
const seedShare = 0.5

// floorLift is the least lift. A word that public text lacks in a topic does not rule the topic out.
const floorLift = 0.01

// Lifts returns each word's lift in a topic, at least floorLift.
func (t *Text) Lifts(topic int) []float64 {
	lifts := make([]float64, len(t.Frequencies))
	for v, l := range t.Topics[topic] {
		lifts[v] = math.Exp(float64(l)) + floorLift
	}
	return lifts
}

// Seed returns the text with a topic for each seed before its own topics. A model that starts from the text then begins
// with the seeds. file is the list's name, for messages.
func (t *Text) Seed(seeds []Seed, file string) (*Text, error) {
	places := make(map[string]int)
	for v, word := range t.Vocabulary {
		places[word] = v
	}
	o := *t
	o.Topics, o.Names, o.First = nil, nil, t.First+len(seeds)
	digest := sha256.New()
	digest.Write(t.Digest[:])
	for _, seed := range seeds {
		var own []int
		for _, word := range seed.Words {
			if v, ok := places[word]; ok {
				own = append(own, v)
			}
		}
		if len(own) == 0 {
			return nil, exit.Errorf(exit.Malformed, "%s: the vocabulary has no word of %q", file, seed.Name).
				WithHint("--vocab names the vocabulary of the documents, to which the words can be added")
		}
		o.Topics, o.Names = append(o.Topics, t.seeded(own)), append(o.Names, seed.Name)
		fmt.Fprintf(digest, "%q %q\n", seed.Name, seed.Words)
	}
	o.Topics = append(o.Topics, t.Topics...)
	o.Kinds = nil
	for _, k := range t.Kinds {
		o.Kinds = append(o.Kinds, Kind{k.Name, k.First + len(seeds)})
	}
	o.Digest = [sha256.Size]byte(digest.Sum(nil))
	return &o, nil
}

// seeded returns the log lifts of a topic for the words own. Half of the topic are these words, by the root of their
// frequencies: a rare word counts, too. The other half mixes all topics, by the probability that they gave these words.
// So words that public text has beside them count, if less.
func (t *Text) seeded(own []int) []float32 {
	weights, largest := make([]float64, len(t.Topics)), math.Inf(-1)
	for j, lifts := range t.Topics {
		for _, v := range own {
			weights[j] += math.Log(math.Exp(float64(lifts[v])) + floorLift)
		}
		largest = max(largest, weights[j])
	}
	total := 0.0
	for j := range weights {
		weights[j] = math.Exp(weights[j] - largest)
		total += weights[j]
	}
	row, sum := make([]float64, len(t.Frequencies)), 0.0
	for v, p := range t.Frequencies {
		lift := 0.0
		for j, w := range weights {
			if w > 1e-6*total {
				lift += w / total * math.Exp(float64(t.Topics[j][v]))
			}
		}
		row[v] = p * (lift + floorLift)
		sum += row[v]
	}
	roots := 0.0
	for _, v := range own {
		roots += math.Sqrt(t.Frequencies[v])
	}
	for v := range row {
		row[v] *= (1 - seedShare) / sum
	}
	for _, v := range own {
		row[v] += seedShare * math.Sqrt(t.Frequencies[v]) / roots
	}
	lifts := make([]float32, len(row))
	for v, x := range row {
		lifts[v] = float32(min(math.Log(x/t.Frequencies[v]), maxLift))
	}
	return lifts
}

// PutNames writes the first topics' names into a model file. The model started from the text.
func (t *Text) PutNames(s *model.Snapshot, topics int) {
	for k, name := range t.Names[:min(topics, len(t.Names))] {
		lda.Name(name).Put(s, float64(k))
	}
}
