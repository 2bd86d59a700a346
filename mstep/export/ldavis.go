package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"privpipe/pipelines/model/modelfile"
)

// The defaults of pyLDAvis.prepare.
const (
	visWords = 30  // R: words in each bar chart
	visSteps = 100 // steps of the slider λ, the weight of log probability in relevance
)

// visTokens is the length of the text that the bars describe. A frequency is an expected number of tokens per million.
const visTokens = 1e6

// A view is the JSON that LDAvis draws: PreparedData.to_json of pyLDAvis 3.4.
type view struct {
	Coordinates struct {
		X []float64 `json:"x"`
		Y []float64 `json:"y"`
		// From 1, the largest topic first. All topic numbers below are these numbers.
		Topics  []int     `json:"topics"`
		Cluster []int     `json:"cluster"`
		Percent []float64 `json:"Freq"`
	} `json:"mdsDat"`
	Bars struct {
		Term     []string  `json:"Term"`
		Freq     []float64 `json:"Freq"`
		Total    []float64 `json:"Total"`
		Category []string  `json:"Category"`
		LogProb  []float64 `json:"logprob"`
		LogLift  []float64 `json:"loglift"`
	} `json:"tinfo"`
	Tokens struct {
		Topic []int     `json:"Topic"`
		Freq  []float64 `json:"Freq"`
		Term  []string  `json:"Term"`
	} `json:"token.table"`
	R       int               `json:"R"`
	Step    float64           `json:"lambda.step"`
	Options map[string]string `json:"plot.opts"`
	Order   []int             `json:"topic.order"` // mstep's numbers + 1
}

// writeLDAvis writes topics for LDAvis (Sievert and Shirley, LDAvis: A Method for Visualizing and Interpreting Topics,
// 2014), as pyLDAvis.prepare does. That function asks for the length and topics of each document and the frequency of
// each word. These are private, so the model's own estimates take their places. The share of topic k is Σ_v λ_kv / Σ λ,
// and the frequency of word v in topic k is proportional to λ_kv.
func writeLDAvis(w io.Writer, t *modelfile.Topics) error {
	return json.NewEncoder(w).Encode(newView(t))
}

func newView(t *modelfile.Topics) *view {
	sizes := make([]float64, t.Number)
	for k := range sizes {
		sizes[k] = sum(t.Row(k))
	}
	total := sum(sizes)
	order := make([]int, t.Number)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })

	frequency := make([]float64, len(t.Words)) // of each word, per million
	for i, l := range t.Cells {
		frequency[i%len(t.Words)] += l / total * visTokens
	}
	v := &view{
		R: min(visWords, len(t.Words)), Step: 1. / visSteps, Options: map[string]string{"xlab": "PC1", "ylab": "PC2"},
	}
	x, y := coordinates(t, order, sizes)
	v.Coordinates.X, v.Coordinates.Y = x, y
	for place, k := range order {
		v.Order = append(v.Order, k+1)
		v.Coordinates.Topics = append(v.Coordinates.Topics, place+1)
		v.Coordinates.Cluster = append(v.Coordinates.Cluster, 1)
		v.Coordinates.Percent = append(v.Coordinates.Percent, 100*sizes[k]/total)
	}
	shown := make(map[int]bool) // words in any chart
	v.salient(t, sizes, frequency, shown)
	for place, k := range order {
		v.relevant(t, k, place+1, sizes[k], total, frequency, shown)
	}
	v.circles(t, order, total, frequency, shown)
	return v
}

// bar adds a bar to the category's chart.
func (v *view) bar(category, word string, frequency, total, logProb, logLift float64) {
	b := &v.Bars
	b.Category, b.Term = append(b.Category, category), append(b.Term, word)
	b.Freq, b.Total = append(b.Freq, frequency), append(b.Total, total)
	b.LogProb, b.LogLift = append(b.LogProb, logProb), append(b.LogLift, logLift)
}

// salient adds the chart that is shown before a topic is chosen. It has the words with the largest saliency, p(w) Σ_k
// p(k|w) log(p(k|w)/p(k)) (Chuang, Manning and Heer 2012). pyLDAvis takes p(k|w) ∝ p(w|k) in place of p(w|k) p(k).
// salient does the same, because people know the charts of pyLDAvis.
func (v *view) salient(t *modelfile.Topics, sizes, frequency []float64, shown map[int]bool) {
	total := sum(sizes)
	saliency := make([]float64, len(t.Words))
	for word := range saliency {
		column := 0.0
		for k, size := range sizes {
			column += t.Row(k)[word] / size
		}
		for k, size := range sizes {
			p := t.Row(k)[word] / size / column
			if p > 0 {
				saliency[word] += frequency[word] * p * math.Log(p/(size/total))
			}
		}
	}
	for rank, word := range modelfile.Largest(len(saliency), v.R, func(w int) float64 { return saliency[w] }) {
		whole, place := math.Floor(frequency[word]), float64(v.R-rank)
		v.bar("Default", t.Words[word], whole, whole, place, place)
		shown[word] = true
	}
}

// relevant adds one topic's chart: the most relevant words at each place of the slider.
func (v *view) relevant(t *modelfile.Topics, k, number int, size, total float64, frequency []float64,
	shown map[int]bool) {
	row := t.Row(k)
	logProb, logLift := make([]float64, len(row)), make([]float64, len(row))
	for word, l := range row {
		logProb[word] = math.Log(l) - math.Log(size)
		logLift[word] = logProb[word] - math.Log(frequency[word]/visTokens)
	}
	category, ranking := fmt.Sprint("Topic", number), modelfile.RankingOf(row, frequency)
	listed := make(map[int]bool)
	for step := range visSteps + 1 {
		for _, word := range ranking.Best(float64(step)/visSteps, v.R) {
			if !listed[word] {
				v.bar(category, t.Words[word], row[word]/total*visTokens, frequency[word], round4(logProb[word]),
					round4(logLift[word]))
				listed[word], shown[word] = true, true
			}
		}
	}
}

// circles adds the sizes of the topics' circles when a word is chosen. A circle's size is the share of the word's
// tokens that is in the topic, in whole tokens.
func (v *view) circles(t *modelfile.Topics, order []int, total float64, frequency []float64, shown map[int]bool) {
	words := make([]int, 0, len(shown))
	for word := range shown {
		words = append(words, word)
	}
	slices.SortFunc(words, func(a, b int) int { return strings.Compare(t.Words[a], t.Words[b]) })
	for _, word := range words {
		for place, k := range order {
			tokens := t.Row(k)[word] / total * visTokens
			if tokens < 0.5 { // pyLDAvis does so too, to keep the file small
				continue
			}
			v.Tokens.Topic = append(v.Tokens.Topic, place+1)
			v.Tokens.Freq = append(v.Tokens.Freq, math.RoundToEven(tokens)/frequency[word])
			v.Tokens.Term = append(v.Tokens.Term, t.Words[word])
		}
	}
}

func round4(x float64) float64 { return math.RoundToEven(x*1e4) / 1e4 }
