package lda

import (
	"context"
	"math"
	"slices"

	"privpipe/mstep/learn"
	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/model"
	"privpipe/pipelines/model/families"
	"privpipe/pipelines/model/lda"
	"privpipe/pipelines/model/modelfile"
	"privpipe/pipelines/model/publictext"
	"privpipe/pipelines/vocabulary"
	"privpipe/pipelines/wire"
	"privpipe/pipelines/wire/stream"
)

// readCounts reads the counts from the model of an accumulating run, and the variance of their noise. For batches
// counts are only a prior, so any model will do. Its counts are λ − η, taken as counts without noise.
func readCounts(ctx context.Context, name string, want model.Size, vocab vocabulary.Words,
	online bool) (counts []float32, variance, exact float64, err error) {
	set, size, err := readModel(ctx, name, lda.Family, vocab)
	if err == nil {
		exact, err = model.ExactOf(set)
	}
	if err != nil {
		return nil, 0, 0, err
	}
	if size != want {
		return nil, 0, 0, exit.Errorf(exit.Malformed, "%s: counts of %d topics, --topics is %d", name, size.Components,
			want.Components)
	}
	if !lda.Counts.In(set) && !online {
		return nil, 0, 0, exit.Errorf(exit.Malformed, "%s: has no counts: not a model of mstep counts", name)
	}
	if !lda.Counts.In(set) {
		if counts, err = exactCounts(set, size); err != nil {
			err = exit.Errorf(exit.Malformed, "%s: %w", name, err)
		}
		return counts, 0, exact, err
	}
	counts, err = lda.Counts.Of(set, size)
	if err != nil {
		return nil, 0, 0, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	variance, err = lda.CountsVariance.Of(set)
	if err != nil {
		return nil, 0, 0, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	return counts, variance, exact, nil
}

// exactCounts returns λ − η.
func exactCounts(set *stream.Set, size model.Size) ([]float32, error) {
	lambda, err := lda.Lambda.Of(set, size)
	if err != nil {
		return nil, err
	}
	eta, err := lda.Eta.Of(set)
	counts := make([]float32, len(lambda))
	for i, l := range lambda {
		counts[i] = float32(max(l-eta, 0))
	}
	return counts, err
}

// readPrior reads the frequencies of words and the public text. Either name may be empty.
func (f *Flags) readPrior(ctx context.Context, o *Options, marginal, public string,
	vocab vocabulary.Words) (err error) {
	var text *publictext.Text
	if public != "" {
		if text, err = publictext.Read(ctx, public); err != nil {
			return err
		}
		if o.Public, err = text.Over(vocab); err != nil {
			return exit.Errorf(exit.Malformed, "%s: %w", public, err)
		}
	}
	if marginal != "" {
		o.Marginal, f.Exact, err = readMarginal(ctx, marginal, text, vocab)
	}
	return err
}

// readMarginal reads a model of words. The model must have all words of vocab. A model from an older program has no
// sums. text may be nil. exact is the number of releases without noise behind the frequencies.
func readMarginal(ctx context.Context, name string, text *publictext.Text, vocab vocabulary.Words) (
	m *Marginal, exact float64, err error) {
	file, err := modelfile.Read(ctx, name, wire.MaxCells)
	if err != nil {
		return nil, 0, err
	}
	if file.Family != families.Words {
		return nil, 0, exit.Errorf(exit.Malformed, "%s: a model of %s, must be of words", name, file.Family.Name)
	}
	places := make(map[string]int, len(file.Words))
	for at, word := range file.Words {
		places[word] = at
	}
	m = new(Marginal)
	for _, word := range vocab {
		at, ok := places[word]
		if !ok {
			return nil, 0, exit.Errorf(exit.Malformed, "%s: over another vocabulary than --vocab", name)
		}
		m.Places = append(m.Places, at)
	}
	frequencies, err := families.Probabilities.Of(file.Set, file.Size)
	if err == nil {
		exact, err = model.ExactOf(file.Set)
	}
	if err == nil && families.Sums.In(file.Set) {
		m.Sums, err = families.Sums.Of(file.Set, file.Size)
	}
	if err == nil && m.Sums != nil {
		m.Deviations, err = families.Deviations.Of(file.Set, file.Size)
	}
	if err != nil {
		return nil, 0, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	if m.Frequencies = frequencies; len(file.Words) != len(vocab) {
		m.Frequencies = m.chosen(frequencies)
	}
	if slices.Contains(m.Deviations, 0) {
		m.Sums, m.Deviations = nil, nil // exact frequencies need no refinement
	}
	if text != nil && m.Sums != nil {
		if m.Public, err = text.Over(file.Words); err != nil {
			err = exit.Errorf(exit.Malformed, "%s: of other words than the public text: %w", name, err)
		}
	}
	return m, exact, err
}

// readModel reads a model in this family over this vocabulary.
func readModel(ctx context.Context, name string, family *model.Family,
	vocab vocabulary.Words) (*stream.Set, model.Size, error) {
	in, h, err := endpoint.OpenStream(ctx, name,
		endpoint.Wanted{Kinds: []wire.Kind{wire.Kind_PARAMETERS}, Side: wire.Side_PUBLIC})
	if err != nil {
		return nil, model.Size{}, err
	}
	defer in.Close()
	if string(h.Vocabulary) != string(vocab.Hash()) {
		return nil, model.Size{}, exit.Errorf(exit.Malformed, "%s: over another vocabulary than --vocab", name)
	}
	size, err := family.Size(h)
	if err != nil {
		return nil, model.Size{}, exit.Errorf(exit.Malformed, "%s: %w", name, err)
	}
	set, err := in.ReadOne(nil)
	return set, size, err
}

func readInitial(ctx context.Context, name string, topics, words int) ([]float64, error) {
	lambda, err := learn.ReadArray(ctx, name, topics, words)
	if err != nil {
		return nil, err
	}
	for _, l := range lambda {
		if !(l > 0 && l <= math.MaxFloat32) {
			return nil, exit.Errorf(exit.Malformed, "%s: λ must be positive and finite", name)
		}
	}
	return lambda, nil
}
