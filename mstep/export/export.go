// Package export writes a model file's topics for other programs, or the fields of models without topics.
package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/npy"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
)

// Command is mstep export.
type Command struct {
	Format    string  `enum:"npy,npz,csv,jsonl,words,ldavis,mallet-keys,mallet-weights,gensim" default:"npy" help:"Write this format: ${enum}. npy: an array of K × V; words: the words of its columns, one a line; npz: lambda, weights, words, alpha and eta for numpy.load and the Python package; csv: topic,word,value, for pandas.read_csv with keep_default_na=False, which otherwise takes the words null, nan and NA for missing values; jsonl: an object a topic; ldavis: JSON for LDAvis and pyLDAvis, with the model's own word frequencies, in a million words; mallet-keys, mallet-weights: as Mallet's --output-topic-keys and --topic-word-weights-file; gensim: a file for LdaModel.load, which has all in one file and warns that a second one is missing; the model infers as estep lda --infer does, and its update is refused. Of a model without topics, such as one of mstep words, csv, jsonl and npz write all fields: csv: field,row,column,value; jsonl: an object a field, and the words; npz: an array a field, and the words."`
	Values    string  `enum:"lambda,probability" default:"lambda" help:"For npy, csv and jsonl of topics, write these values: ${enum}. lambda: the Dirichlet parameters λ of the topics; probability: λ divided by the sum of its topic."`
	Relevance float64 `default:"0.6" zero:"" help:"For mallet-keys, rank words by relevance with this λ (Sievert and Shirley 2014), in [0, 1], as evaluate topics does. 1: by probability, as Mallet does."`
	Output    string  `short:"o" placeholder:"FILE" help:"Write to FILE; standard output by default."`
	Input     string  `arg:"" help:"Model file of mstep."`
	filter.Cells
}

// Validate is kong's hook.
func (c *Command) Validate() error {
	if c.Values == "probability" && c.Format != "npy" && c.Format != "csv" && c.Format != "jsonl" {
		return errors.New("--values belongs to the formats npy, csv and jsonl")
	}
	if !(c.Relevance >= 0 && c.Relevance <= 1) {
		return fmt.Errorf("--relevance must be in [0, 1], is %v", c.Relevance)
	}
	return nil
}

// Run is kong's hook.
func (c *Command) Run(r *filter.Run) error {
	if err := endpoint.Distinct(r, c.Output, c.Input); err != nil {
		return err
	}
	file, err := modelfile.Read(r, c.Input, c.MaxCells)
	if err != nil {
		return err
	}
	write, err := c.writer(file)
	if err != nil {
		return err
	}
	if r.DryRun() {
		return nil
	}
	name := c.Output
	if binary := c.Format == "npy" || c.Format == "npz" || c.Format == "gensim"; name == "" && !binary {
		name = endpoint.Stdio // text may go to a terminal
	}
	out, err := endpoint.Create(r, name, wire.Side_PUBLIC)
	if err != nil {
		return err
	}
	defer out.Abort()
	buffered := bufio.NewWriterSize(out, 1<<16)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err != nil {
		return err
	}
	return out.Commit()
}

// writer returns a function that writes the format. An error names what the model lacks for the format.
func (c *Command) writer(f *modelfile.File) (func(io.Writer) error, error) {
	if f.Family.Topics == nil {
		if write, err := c.fieldWriter(f); write != nil || err != nil {
			return write, err
		}
	}
	t, err := f.Topics()
	if err != nil {
		return nil, err
	}
	write, err := c.topicWriter(t)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", c.Input, err)
	}
	return write, nil
}

// topicWriter returns a function that writes topics in the format.
func (c *Command) topicWriter(t *modelfile.Topics) (func(io.Writer) error, error) {
	if c.Values == "probability" {
		normalize(t)
	}
	switch c.Format {
	case "npy":
		return func(w io.Writer) error { return npy.Write(w, t.Number, len(t.Words), t.Cells) }, nil
	case "words":
		return vocabulary.Words(t.Words).Write, nil
	case "csv":
		return func(w io.Writer) error { return writeCSV(w, c.Values, t) }, nil
	case "jsonl":
		return func(w io.Writer) error { return writeJSON(w, c.Values, t) }, nil
	case "ldavis":
		return func(w io.Writer) error { return writeLDAvis(w, t) }, nil
	case "mallet-weights":
		return func(w io.Writer) error { return writeMalletWeights(w, t) }, nil
	}
	m, err := parametersOf(t)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) error {
		switch c.Format {
		case "npz":
			return writeNPZ(w, m)
		case "mallet-keys":
			return writeMalletKeys(w, m, c.Relevance)
		default:
			return writeGensim(w, m)
		}
	}, nil
}

// parameters are topics, and the numbers that inference of topics needs beside them.
type parameters struct {
	*modelfile.Topics
	alpha, eta float64
	weights    []float64 // K × V: the factors of θ in the E-step
}

// parametersOf reads the fields of an LDA model.
func parametersOf(t *modelfile.Topics) (*parameters, error) {
	alpha, err := lda.Alpha.Of(t.Set)
	if err != nil {
		return nil, err
	}
	eta, err := lda.Eta.Of(t.Set)
	if err != nil {
		return nil, err
	}
	narrow, err := lda.Weights.Of(t.Set, model.Size{Words: len(t.Words), Components: t.Number})
	if err != nil {
		return nil, err
	}
	weights := make([]float64, len(narrow))
	for i, w := range narrow {
		weights[i] = float64(w)
	}
	return &parameters{t, alpha, eta, weights}, nil
}

// normalize divides each topic by its sum.
func normalize(topics *modelfile.Topics) {
	for topic := range topics.Number {
		row := topics.Row(topic)
		total := sum(row)
		for i := range row {
			row[i] /= total
		}
	}
}

func sum(row []float64) float64 {
	total := 0.0
	for _, v := range row {
		total += v
	}
	return total
}
