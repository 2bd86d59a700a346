package export

import (
	"fmt"
	"io"
	"strconv"

	"privpipe/pipelines/model/modelfile"
)

// keyWords is the number of words that Mallet prints for each topic (--num-top-words).
const keyWords = 20

// writeMalletKeys writes the output of Mallet's --output-topic-keys
// (cc.mallet.topics.ParallelTopicModel.printTopWords). Each topic has a line with its number from 0, a tab, its α, a
// tab, and its leading words, each with a space after it. Mallet ranks words by probability, λ = 1.
func writeMalletKeys(w io.Writer, m *parameters, lambda float64) error {
	overall := modelfile.Overall(m.Cells, len(m.Words))
	for topic := range m.Number {
		if _, err := fmt.Fprintf(w, "%d\t%s\t", topic, strconv.FormatFloat(m.alpha, 'f', -1, 64)); err != nil {
			return err
		}
		for _, v := range modelfile.RankingOf(m.Row(topic), overall).Best(lambda, keyWords) {
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

// writeMalletWeights writes the output of Mallet's --topic-word-weights-file
// (ParallelTopicModel.printTopicWordWeights). Each topic and word has a line with the topic's number from 0, the word
// and its weight, with tabs between them. Mallet's weight is the number of the word's tokens in the topic plus β. λ,
// the parameter of the topic's Dirichlet posterior, is the same quantity.
func writeMalletWeights(w io.Writer, t *modelfile.Topics) error {
	for topic := range t.Number {
		for word, v := range t.Row(topic) {
			if _, err := fmt.Fprintf(w, "%d\t%s\t%s\n", topic, t.Words[word],
				strconv.FormatFloat(v, 'g', -1, 64)); err != nil {
				return err
			}
		}
	}
	return nil
}
