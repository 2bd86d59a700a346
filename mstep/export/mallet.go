package export

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"privpipe/pipelines/model/modelfile"
)

// keyWords is how many words of a topic Mallet prints (--num-top-words).
const keyWords = 20

// writeMalletKeys writes what Mallet's --output-topic-keys does (cc.mallet.topics.ParallelTopicModel.printTopWords): for each topic a
// line of its number from 0, a tab, its α, a tab, and its likeliest words, the first the likeliest, each with a space after it.
func writeMalletKeys(w io.Writer, m *parameters) error {
	for topic := range m.Number {
		if _, err := fmt.Fprintf(w, "%d\t%s\t", topic, strconv.FormatFloat(m.alpha, 'f', -1, 64)); err != nil {
			return err
		}
		row := m.Row(topic)
		for _, v := range largest(len(row), keyWords, func(v int) float64 { return row[v] }) {
			if _, err := fmt.Fprintf(w, "%s ", m.Words[v]); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return nil
}

// writeMalletWeights writes what Mallet's --topic-word-weights-file does (ParallelTopicModel.printTopicWordWeights): for each topic and
// each word a line of the topic's number from 0, the word and its weight, with tabs between them. Mallet's weight is the number of the
// word's tokens in the topic plus β; λ, the parameter of the topic's Dirichlet posterior, is the same quantity.
func writeMalletWeights(w io.Writer, t *modelfile.Topics) error {
	for topic := range t.Number {
		for word, v := range t.Row(topic) {
			if _, err := fmt.Fprintf(w, "%d\t%s\t%s\n", topic, t.Words[word], strconv.FormatFloat(v, 'g', -1, 64)); err != nil {
				return err
			}
		}
	}
	return nil
}

// largest returns the n numbers below size of the largest value, the largest first, and of equal values the smaller number first.
func largest(size, n int, value func(int) float64) []int {
	kept, values := make([]int, 0, n+1), make([]float64, 0, n+1)
	for i := range size {
		v := value(i)
		if len(kept) == n && v <= values[n-1] {
			continue // as nearly all are
		}
		at := len(values)
		for at > 0 && values[at-1] < v {
			at--
		}
		kept, values = slices.Insert(kept, at, i), slices.Insert(values, at, v)
		last := min(len(kept), n)
		kept, values = kept[:last], values[:last]
	}
	return kept
}
