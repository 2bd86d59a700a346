package plan

import (
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/vocabulary"
)

// Subject describes the contributions in a run. A release states the same, so a grant must name it.
type Subject struct {
	Model  string   `group:"Contributions" placeholder:"NAME" help:"Name the model of the run as its family is called, for example lda. lda:50 also names its matrices, with 50 topics, in place of --matrix topics=50xV."`
	Vocab  string   `group:"Contributions" placeholder:"FILE" help:"Read the public vocabulary of the run, for gaussian and laplace. For a model over words, and for a matrix of V rows or columns, the default is that of tokenize."`
	Matrix []matrix `group:"Contributions" sep:"none" placeholder:"NAME=RxC" help:"Name a matrix of R rows and C columns that each unit contributes to, such as topics=50xV; V is the number of words of --vocab. NAME=RxR,symmetric is a symmetric matrix. May be repeated, in the order of the stream."`
}

// subject returns the grant's subject for a mechanism. If the stream has a vocabulary, it is read from --vocab or the
// default is taken.
func (f *Subject) subject(ctx context.Context, log *slog.Logger, mechanism string) (s event.Subject, err error) {
	sized, err := f.sized()
	if err != nil {
		return s, err
	}
	if sized != nil {
		f.Model = sized.family.Name
	}
	s.Model = f.Model
	needed, err := f.needsVocabulary(log)
	needed = needed || mechanism == event.RandomizedResponse // a report has a bit for each word
	if err != nil {
		return s, err
	}
	if needed {
		words, err := f.words(ctx)
		if err != nil {
			return s, err
		}
		s.Vocabulary, s.VocabularySize = hex.EncodeToString(words.Hash()), len(words)
	}
	for _, m := range f.Matrix {
		shape, err := m.of(s.VocabularySize)
		if err != nil {
			return s, exit.Errorf(exit.Usage, "--matrix: %w", err)
		}
		s.Matrices = append(s.Matrices, shape)
	}
	if sized != nil {
		s.Matrices = sized.matrices(s.VocabularySize)
	}
	return s, nil
}

// words returns the vocabulary: the model family's own features if it has any, else the file of --vocab, else the
// default.
func (f *Subject) words(ctx context.Context) (vocabulary.Words, error) {
	if family, err := model.Named(modelfile.Families, f.Model); err == nil && family.Features != nil {
		if f.Vocab != "" {
			return nil, exit.Errorf(exit.Usage,
				"--vocab belongs to other models: the features of %s are always the same", f.Model)
		}
		return vocabulary.Words(family.Features), nil
	}
	return vocabulary.OpenOrDefault(ctx, f.Vocab)
}

// needsVocabulary says whether the stream has a vocabulary. A model family's stream always has one, whatever its
// matrices. About streams from other programs nothing is known.
func (f *Subject) needsVocabulary(log *slog.Logger) (bool, error) {
	if f.Vocab != "" {
		return true, nil
	}
	overWords := slices.ContainsFunc(f.Matrix, matrix.overWords)
	if f.Model == "" {
		return overWords, nil
	}
	family, err := model.Named(modelfile.Families, f.Model)
	switch {
	case err == nil && family.Values && family.Features == nil:
		return false, exit.Errorf(exit.Usage,
			"model %s is over features, which have no default: --vocab must name the list of features", f.Model)
	case err != nil && !overWords:
		log.Warn(fmt.Sprintf("%v: the grant names no vocabulary, and privatize refuses it for a stream that names "+
			"one: --vocab", err))
		return false, nil
	}
	return true, nil
}

// matrix is a flag of the form NAME=RxC.
type matrix struct {
	name, rows, columns string
	symmetric           bool
}

// MarshalText implements encoding.TextMarshaler, for --print-config.
func (m matrix) MarshalText() ([]byte, error) {
	text := fmt.Sprintf("%s=%sx%s", m.name, m.rows, m.columns)
	if m.symmetric {
		text += symmetric
	}
	return []byte(text), nil
}

const symmetric = ",symmetric"

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *matrix) UnmarshalText(text []byte) error {
	shape, found := strings.CutSuffix(string(text), symmetric)
	name, shape, ok := strings.Cut(shape, "=")
	rows, columns, both := strings.Cut(shape, "x")
	if !ok || !both || name == "" {
		return fmt.Errorf("%q is not NAME=RxC, such as topics=50xV", text)
	}
	*m = matrix{name, rows, columns, found}
	for _, n := range []string{rows, columns} {
		if _, err := extentOf(n, 1); err != nil {
			return err
		}
	}
	return nil
}

// overWords says whether the matrix has a row or a column for each word.
func (m matrix) overWords() bool { return m.rows == perWord || m.columns == perWord }

// of returns the matrix for a vocabulary of this size.
func (m matrix) of(words int) (event.Matrix, error) {
	shape := event.Matrix{Name: m.name, Symmetric: m.symmetric}
	var err error
	if shape.Rows, err = extentOf(m.rows, words); err != nil {
		return shape, err
	}
	if shape.Columns, err = extentOf(m.columns, words); err != nil {
		return shape, err
	}
	return shape, nil
}

// perWord stands for the number of words, as the number of rows or columns.
const perWord = "V"

// extentOf reads a number of rows or columns.
func extentOf(text string, words int) (int, error) {
	if text == perWord {
		return words, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("rows and columns must be numbers from 1 on, or V, one is %q", text)
	}
	return n, nil
}
