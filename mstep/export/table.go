package export

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"

	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/npy"
)

// writeCSV writes a line for each cell: topic from 0, word, value.
func writeCSV(w io.Writer, value string, topics *modelfile.Topics) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"topic", "word", value}); err != nil {
		return err
	}
	for topic := range topics.Number {
		for word, v := range topics.Row(topic) {
			line := []string{strconv.Itoa(topic), topics.Words[word], strconv.FormatFloat(v, 'g', -1, 64)}
			if err := out.Write(line); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// writeJSON writes an object for each topic, with a list of words and the list of their values.
func writeJSON(w io.Writer, value string, topics *modelfile.Topics) error {
	out := json.NewEncoder(w)
	for topic := range topics.Number {
		object := map[string]any{"topic": topic, "words": topics.Words, value: topics.Row(topic)}
		if err := out.Encode(object); err != nil {
			return err
		}
	}
	return nil
}

// writeNPZ writes the arrays that rebuild a model: lambda and weights, K × V; words, V; the numbers alpha and eta.
func writeNPZ(w io.Writer, m *parameters) error {
	a := npy.NewArchive(w)
	for _, array := range []struct {
		name  string
		cells []float64
		shape []int
	}{
		{"lambda", m.Cells, []int{m.Number, len(m.Words)}},
		{"weights", m.weights, []int{m.Number, len(m.Words)}},
		{"alpha", []float64{m.alpha}, nil},
		{"eta", []float64{m.eta}, nil},
	} {
		if err := a.Floats(array.name, array.cells, array.shape...); err != nil {
			return err
		}
	}
	if err := a.Strings("words", m.Words); err != nil {
		return err
	}
	return a.Close()
}
