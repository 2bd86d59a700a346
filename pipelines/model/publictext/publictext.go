// Package publictext is the format of public files. They hold facts that public text tells about words and topics. They
// cost no privacy, because they are made from public streams only.
package publictext

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// Family is the name of the model in a public file's header.
const Family = "public"

// A Text holds the facts that public text tells about the words in a vocabulary.
type Text struct {
	Vocabulary  vocabulary.Words
	Frequencies []float64 // each word's frequency; their sum is 1
	// for each public topic, the natural logarithm of each word's lift: its probability in the topic over its frequency
	Topics [][]float32
	// for each feature, its value for each word; words of equal meaning have values near each other
	Features [][]float32
	Digest   [sha256.Size]byte // the file's digest, from before it was brought to a vocabulary
	Known    int               // number of words in the vocabulary that the file has
	// number of leading topics that one public model has; a private one may start from them
	First int
	Names []string // of the first topics, where a list of seeds names them
	Kinds []Kind   // the kinds of the last topics, in their order
}

// A Kind is one kind of public text, such as books on health. The topics from First to the next kind, or to the end,
// were learned from this kind only.
type Kind struct {
	Name  string
	First int
}

// The fields in a public file.
var (
	frequencies = model.Matrix[float64]{Name: "frequencies", Rows: model.One, Columns: model.Words,
		Rule: model.Probability}
	topics   = model.Matrix[float32]{Name: "log_lifts", Rows: model.Components, Columns: model.Words}
	features = model.Matrix[float32]{Name: "features", Rows: model.Components, Columns: model.Words}
	first    = model.Scalar{Name: "first", Rule: model.Positive}
)

// kindPrefix begins the names of scalars, one for each kind. The scalar is the number of the kind's first topic, from
// 0.
const kindPrefix = "first of "

// used is the field in a model file that names the public text by its digest.
var used = model.Matrix[int64]{Name: "public_text", Rows: model.One, Columns: model.Words}

// PutDigest names the text in a model file.
func (t *Text) PutDigest(s *model.Snapshot) {
	var parts []int64
	for at := 0; at < len(t.Digest); at += 8 {
		parts = append(parts, int64(binary.BigEndian.Uint64(t.Digest[at:])))
	}
	used.Put(s, model.Size{Words: len(parts)}, parts)
}

// DigestOf returns the digest of the public text that a model file names.
func DigestOf(set *stream.Set) (digest [sha256.Size]byte, ok bool) {
	parts, err := used.Of(set, model.Size{Words: len(digest) / 8})
	if err != nil {
		return digest, false
	}
	for i, part := range parts {
		binary.BigEndian.PutUint64(digest[8*i:], uint64(part))
	}
	return digest, true
}

// Bounds on the absolute values of logarithms of lifts and of features. Within them, no estimate overflows.
const (
	maxLift    = 30
	maxFeature = 1e4
)

// Write writes a public file.
func (t *Text) Write(ctx context.Context, name, compression string) error {
	s := new(model.Snapshot)
	first.Put(s, float64(t.First))
	for _, k := range t.Kinds {
		model.Scalar{Name: kindPrefix + k.Name}.Put(s, float64(k.First))
	}
	frequencies.Put(s, model.Size{Words: len(t.Vocabulary)}, t.Frequencies)
	put := func(m model.Matrix[float32], rows [][]float32) {
		var cells []float32
		for _, row := range rows {
			cells = append(cells, row...)
		}
		m.Put(s, model.Size{Words: len(t.Vocabulary), Components: len(rows)}, cells)
	}
	put(topics, t.Topics)
	put(features, t.Features)
	out, err := endpoint.CreateStream(ctx, name, &wire.Header{
		Version: wire.Version, Kind: wire.Kind_PARAMETERS, Side: wire.Side_PUBLIC, Model: Family,
		Vocabulary: t.Vocabulary.Hash(), VocabularySize: uint32(len(t.Vocabulary)), Matrices: s.Matrices,
	}, compression)
	if err != nil {
		return err
	}
	defer out.Abort()
	const some = 1000 // words a record
	for from := 0; from < len(t.Vocabulary); from += some {
		words := &wire.Words{First: uint32(from), Words: t.Vocabulary[from:min(from+some, len(t.Vocabulary))]}
		if err := out.Write(&wire.Record{Body: &wire.Record_Words{Words: words}}); err != nil {
			return err
		}
	}
	record := &wire.Record{Body: &wire.Record_Parameters{Parameters: &wire.Parameters{Scalars: s.Scalars}}}
	if err := out.WriteSet(record, s.Cells...); err != nil {
		return err
	}
	return out.Commit()
}

// Open reads a public file, and brings it to a vocabulary, as Over does.
func Open(ctx context.Context, name string, vocab vocabulary.Words) (*Text, error) {
	t, err := Read(ctx, name)
	if err != nil {
		return nil, err
	}
	if t, err = t.Over(vocab); err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return t, nil
}

// Read reads a public file, over its own vocabulary.
func Read(ctx context.Context, name string) (*Text, error) {
	in, h, err := endpoint.OpenStream(ctx, name,
		endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_PARAMETERS}, Side: wire.Side_PUBLIC})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if h.Model != Family {
		return nil, exit.Errorf(exit.Malformed, "%s: a model of %q, not a public file", name, h.Model).
			WithHint("mstep public makes one")
	}
	var words vocabulary.Words
	set, err := in.ReadOne(func(w *wire.Words) { words = append(words, w.Words...) })
	if err != nil {
		return nil, err
	}
	t, err := read(set, words)
	if err != nil {
		return nil, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return t, nil
}

func read(set *stream.Set, words vocabulary.Words) (*Text, error) {
	t := &Text{Vocabulary: words}
	var err, errFirst, errTopics, errFeatures error
	var number float64
	t.Frequencies, err = frequencies.Of(set, model.Size{Words: len(words)})
	number, errFirst = first.Of(set)
	t.Topics, errTopics = rows(set, topics, len(words), maxLift)
	t.Features, errFeatures = rows(set, features, len(words), maxFeature)
	if err = cmp.Or(err, errFirst, errTopics, errFeatures); err != nil {
		return nil, err
	}
	if number != math.Trunc(number) || number > float64(len(t.Topics)) {
		return nil, fmt.Errorf("%s must be a whole number of topics, at most %d, is %v", first.Name, len(t.Topics),
			number)
	}
	t.First = int(number)
	if t.Kinds, err = kinds(set, len(t.Topics)); err != nil {
		return nil, err
	}
	content := set.Digest()
	t.Digest = sha256.Sum256(append(words.Hash(), content[:]...))
	return t, nil
}

// kinds reads the kinds that the last topics have.
func kinds(set *stream.Set, topics int) (all []Kind, err error) {
	for _, s := range set.Parameters.GetScalars() {
		name, ok := strings.CutPrefix(s.Name, kindPrefix)
		if !ok {
			continue
		}
		if name == "" || s.Value != math.Trunc(s.Value) || s.Value < 0 || s.Value >= float64(topics) {
			return nil, fmt.Errorf("%q must be a topic from 0 to %d, is %v", s.Name, topics-1, s.Value)
		}
		all = append(all, Kind{name, int(s.Value)})
	}
	slices.SortFunc(all, func(a, b Kind) int { return cmp.Compare(a.First, b.First) })
	for i := 1; i < len(all); i++ {
		if all[i].First == all[i-1].First {
			return nil, fmt.Errorf("two kinds begin with topic %d", all[i].First)
		}
	}
	return all, nil
}

// rows reads the rows of a matrix. The header states the number of rows. No cell may be further from 0 than most.
func rows(set *stream.Set, m model.Matrix[float32], words int, most float64) ([][]float32, error) {
	_, found, err := set.Matrix(m.Name)
	if err != nil {
		return nil, err
	}
	cells, err := m.Of(set, model.Size{Words: words, Components: int(found.Rows)})
	if err != nil {
		return nil, err
	}
	all := make([][]float32, found.Rows)
	for i := range all {
		all[i] = cells[i*words : (i+1)*words]
	}
	for _, x := range cells {
		if math.Abs(float64(x)) > most {
			return nil, fmt.Errorf("each cell of %s must be in [-%v, %v]", m.Name, most, most)
		}
	}
	return all, nil
}

// ErrUnknownWords is Over's error for a sound file that does not fit the vocabulary.
var ErrUnknownWords = errors.New("does not have half of the words of the vocabulary, so it says little of them")

// Over brings the text to another vocabulary by the words themselves. A word that the text does not have gets the least
// frequency that any of its words has, no lift and no features.
func (t *Text) Over(vocab vocabulary.Words) (*Text, error) {
	places := make(map[string]int, len(t.Vocabulary))
	for v, word := range t.Vocabulary {
		places[word] = v
	}
	least := 1.0
	for _, p := range t.Frequencies {
		least = min(least, p)
	}
	o := &Text{
		Vocabulary: vocab, First: t.First, Kinds: t.Kinds, Digest: t.Digest,
		Frequencies: make([]float64, len(vocab)),
	}
	from := make([]int, len(vocab))
	total := 0.0
	for v, word := range vocab {
		at, ok := places[word]
		if from[v], o.Frequencies[v] = -1, least; ok {
			from[v], o.Frequencies[v] = at, t.Frequencies[at]
			o.Known++
		}
		total += o.Frequencies[v]
	}
	if 2*o.Known < len(vocab) {
		return nil, ErrUnknownWords
	}
	for v := range o.Frequencies {
		o.Frequencies[v] /= total
	}
	o.Topics, o.Features = gather(t.Topics, from), gather(t.Features, from)
	return o, nil
}

// gather returns the given columns of rows. A column is 0 if its number is -1.
func gather(rows [][]float32, columns []int) [][]float32 {
	all := make([][]float32, len(rows))
	for i, row := range rows {
		all[i] = make([]float32, len(columns))
		for v, c := range columns {
			if c >= 0 {
				all[i][v] = row[c]
			}
		}
	}
	return all
}
