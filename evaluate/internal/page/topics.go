package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"privpipe/evaluate/internal/score"
	"privpipe/pipelines/model/modelfile"
)

// Topics are a model's distributions over words.
type Topics struct {
	All    []Topic // the largest first
	Hidden int     // smaller topics that the page leaves out
	Number int     // of the model
	Plural bool    // false: one distribution, the frequencies of words
	// Clusters says that topics are the words of clusters: topic k is cluster_k, and shares count documents.
	Clusters bool
	Words    int    // of the vocabulary
	Map      *Map   // nil for fewer than three topics
	Doubt    *Doubt // nil: no word is marked
	// Unmarked says why no word is marked.
	Unmarked string
	// Reference names the documents behind the coherence. It is empty if there are none. The coherence compares
	// ReferenceTop words in each topic.
	Reference    string
	ReferenceTop int
	MeanNPMI     *float64 // over the topics with a coherence; nil without any
	Lambda       float64  // the λ of relevance at which the slider begins
	Ranks        [][]Rank // the words for the slider, in the order of All
	Found        []Found  // the words for the search; nil for one distribution

	Origin  *Origin  // of all topics together; nil: the model has no public text
	Changes []Change // in the order of All; nil: no start was given
	Kinds   []Kind   // of public text, the largest share first; nil: unknown

	ranked [][]int // the ids of Ranks
}

// Noun is the word for a topic.
func (t *Topics) Noun() string {
	if t.Clusters {
		return "cluster"
	}
	return "topic"
}

// Heading is the word for a topic at the beginning of a heading.
func (t *Topics) Heading() string {
	if t.Clusters {
		return "Cluster"
	}
	return "Topic"
}

// Whole is the word for what the shares are of.
func (t *Topics) Whole() string {
	if t.Clusters {
		return "documents"
	}
	return "text"
}

// A Topic is a topic of the model.
type Topic struct {
	ID    int     // from 0
	Given string  // the name that a list of topics gave it; empty: none
	Share float64 // of the model's words, or of the documents in clusters
	Words []Word  // the most relevant first
	NPMI  *float64
	// Sure is the number of marked words in the topic. SureShare is their part of its probability.
	Sure      int
	SureShare float64
	Origin    *Origin // nil: the model has no public text

	words float64 // share of the model's words
}

// namedBy is the number of leading words in a topic's name.
const namedBy = 3

// Leading returns the words that name the topic.
func (t Topic) Leading() []Word { return t.Words[:min(namedBy, len(t.Words))] }

// Name returns the topic's name: the one that it was given, or its leading words.
func (t Topic) Name() string {
	if t.Given != "" {
		return t.Given
	}
	name := ""
	for i, w := range t.Leading() {
		if i > 0 {
			name += ", "
		}
		name += w.Word
	}
	return name
}

// Further returns the leading words behind the name.
func (t Topic) Further() []Word {
	const last = 12
	return t.Words[min(namedBy, len(t.Words)):min(last, len(t.Words))]
}

// About returns the share in whole percent.
func (t Topic) About() string {
	if t.Share < 0.01 {
		return "below 1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*t.Share)
}

// SharePercent is Share in percent.
func (t Topic) SharePercent() float64 { return 100 * t.Share }

// Coherence prints the NPMI. It is empty if the NPMI is unknown.
func (t Topic) Coherence() string { return coherence(t.NPMI) }

// MeanCoherence prints the mean NPMI. It is empty if no topic has one.
func (t *Topics) MeanCoherence() string { return coherence(t.MeanNPMI) }

func coherence(npmi *float64) string {
	if npmi == nil {
		return ""
	}
	return fmt.Sprintf("%.3f", *npmi)
}

// A Word is one word in one topic.
type Word struct {
	Word        string
	Probability float64 // in the topic
	Overall     float64 // in all topics together
	Sure        bool    // marked: some document's words were counted there beyond doubt

	Width, OverallWidth float64 // both bars, at most 100, which is the topic's widest Probability
}

// InTopic prints the probability in the topic.
func (w Word) InTopic() string { return modelfile.PrintProbability(w.Probability) }

// A Rank is a topic's word for the script: the word, its probability, its overall probability, and 1 if it is marked.
type Rank [4]any

// Doubt says what the marks mean.
type Doubt struct {
	Alpha  float64 // the chance that any mark is wrong is at most this
	Cells  int     // the number of cells that could have been marked
	Rounds string  // the rounds in the average of releases
}

// A Map is a map of topics in a square with side 100.
type Map struct {
	Kept   float64 // the part of the squared distances that the map shows
	Places []Place
}

// A Place is a topic on the map.
type Place struct {
	ID         int
	X, Y, Size float64 // in percent of the map's width
	Share      float64
	Leading    string // its leading words
}

const (
	// mostTopics is the number of topics that a page shows. A reader looks at no more.
	mostTopics = 100
	// lambdaSteps is the number of slider steps from 0 to 1.
	lambdaSteps = 20
)

// NewTopics ranks words in each row of a model. The cells are λ or probabilities, and are all positive. sure says for
// each cell whether it is marked. nil: unknown. Each topic gets the top words.
func NewTopics(words []string, cells []float64, sure []bool, top int) *Topics {
	return newTopics(words, cells, sure, top, nil)
}

// NewClusters does so for the words of clusters. shares has the share of documents in each cluster.
func NewClusters(words []string, cells []float64, sure []bool, top int, shares []float64) *Topics {
	t := newTopics(words, cells, sure, top, shares)
	t.Clusters = true
	return t
}

func newTopics(words []string, cells []float64, sure []bool, top int, shares []float64) *Topics {
	v := len(words)
	t := &Topics{Number: len(cells) / v, Words: v, Plural: len(cells) > v, Lambda: modelfile.DefaultLambda}
	overall := modelfile.Overall(cells, v)
	total := 0.0
	for _, c := range cells {
		total += c
	}
	type row struct {
		topic   Topic
		inTopic []float64
		sure    []bool
	}
	rows := make([]row, t.Number)
	for k := range rows {
		r := &rows[k]
		r.topic.ID, r.inTopic = k, inTopic(cells, k, v)
		for _, c := range cells[k*v : (k+1)*v] {
			r.topic.words += c / total
		}
		r.topic.Share = r.topic.words
		if shares != nil {
			r.topic.Share = shares[k]
		}
		if sure != nil {
			r.sure = sure[k*v : (k+1)*v]
			for i, s := range r.sure {
				if s {
					r.topic.Sure++
					r.topic.SureShare += r.inTopic[i]
				}
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.topic.Share, a.topic.Share) })
	t.Hidden = max(0, len(rows)-mostTopics)
	rows = rows[:len(rows)-t.Hidden]
	distributions := make([][]float64, len(rows))
	for i, r := range rows {
		distributions[i] = r.inTopic
		at := func(id int) bool { return r.sure != nil && r.sure[id] }
		order := modelfile.RankingOf(r.inTopic, overall)
		for _, id := range order.Best(t.Lambda, top) {
			r.topic.Words = append(r.topic.Words,
				Word{Word: words[id], Probability: r.inTopic[id], Overall: overall[id], Sure: at(id)})
		}
		scale(r.topic.Words)
		t.All = append(t.All, r.topic)
		ids := candidates(order, top)
		t.ranked = append(t.ranked, ids)
		t.Ranks = append(t.Ranks, ranks(ids, words, r.inTopic, overall, at))
	}
	if t.Plural {
		t.Found = t.found(words, cells, overall)
	}
	if len(rows) >= 3 {
		t.Map = newMap(t.All, score.MapOf(distributions))
	}
	return t
}

// candidates returns the ids of words that are among the most relevant at some step of the slider, in the order of the
// vocabulary.
func candidates(r modelfile.Ranking, top int) []int {
	among := make(map[int]bool)
	for step := range lambdaSteps + 1 {
		for _, id := range r.Best(float64(step)/lambdaSteps, top) {
			among[id] = true
		}
	}
	return slices.Sorted(maps.Keys(among))
}

// ranks encodes words for the script.
func ranks(ids []int, words []string, inTopic, overall []float64, sure func(int) bool) []Rank {
	var all []Rank
	for _, id := range ids {
		mark := 0
		if sure(id) {
			mark = 1
		}
		all = append(all, Rank{words[id], digits(inTopic[id]), digits(overall[id]), mark})
	}
	return all
}

// digits keeps as many digits as the order of words needs.
func digits(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	return y
}

// scale sets the bars of words. The widest bar of a topic's own probabilities is 100.
func scale(words []Word) {
	widest := 0.0
	for _, w := range words {
		widest = max(widest, w.Probability)
	}
	for i := range words {
		words[i].Width = 100 * words[i].Probability / widest
		words[i].OverallWidth = min(100, 100*words[i].Overall/widest)
	}
}

// newMap draws topics as circles. Their areas are in proportion to the topics' shares.
func newMap(topics []Topic, m *score.Map) *Map {
	drawn := &Map{Kept: m.Kept}
	west, east, north, south := slices.Min(m.X), slices.Max(m.X), slices.Max(m.Y), slices.Min(m.Y)
	reach := max(east-west, north-south, 1e-9)
	largest := 0.0
	for _, t := range topics {
		largest = max(largest, t.Share)
	}
	for i, t := range topics {
		const margin, widest = 8, 6
		drawn.Places = append(drawn.Places, Place{
			ID: t.ID, X: 50 + (100-2*margin)*(m.X[i]-(west+east)/2)/reach,
			Y:    50 - (100-2*margin)*(m.Y[i]-(north+south)/2)/reach,
			Size: max(1.5, widest*math.Sqrt(t.Share/largest)), Share: t.Share, Leading: t.Name(),
		})
	}
	return drawn
}
