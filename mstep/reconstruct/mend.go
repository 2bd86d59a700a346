package reconstruct

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"

	"privpipe/pipelines/endpoint"
	"privpipe/pipelines/event"
	"privpipe/pipelines/exit"
	"privpipe/pipelines/filter"
	"privpipe/pipelines/wire"
)

// A mender rebuilds batch after batch.
type mender struct {
	*Command
	run      *filter.Run
	grant    *event.Grant
	response Response // for one author
	// share is the part of a word's authors that get the word in their rebuilt documents. It is 1 for bits. A report
	// with a few words has only some of its author's words. If the other words were added at random, they would hide
	// which words go together.
	share float64
	prior *prior // nil: no prior
}

// publicPrior reads the public documents of --prior.
func (c *Command) publicPrior(ctx context.Context, g *event.Grant) (*prior, error) {
	streams, _, err := open(ctx, c.Prior, g, wire.Kind_DOCUMENTS)
	if err != nil {
		return nil, err
	}
	defer closeAll(streams)
	counts, documents := make([]int, g.VocabularySize), 0
	for _, in := range streams {
		for {
			record, err := in.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, err
			}
			documents++
			for _, word := range wire.AppendIDs(nil, record.GetDocument().WordGaps) {
				counts[word]++
			}
		}
	}
	if documents == 0 {
		return nil, exit.Errorf(exit.Malformed, "%s: holds no document, so it is no prior", c.Prior)
	}
	return newPrior(counts, documents), nil
}

// mend reads the inputs. They are streams of documents, which form one batch, or one stream of rounds.
func (m *mender) mend() error {
	kinds := []wire.Kind{wire.Kind_DOCUMENTS}
	if len(m.inputs()) == 1 {
		kinds = append(kinds, wire.Kind_ROUNDS)
	}
	all := newReports(m.grant)
	for _, name := range m.inputs() {
		if m.SkipMalformed && endpoint.IsTopic(name) {
			if err := m.messages(name, m.grant, all); err != nil {
				return err
			}
			continue
		}
		streams, h, err := open(m.run, name, m.grant, kinds...)
		if err == nil && h.Kind == wire.Kind_ROUNDS {
			defer closeAll(streams)
			return m.rounds(streams, h)
		}
		if err == nil {
			err = all.readAll(streams)
			closeAll(streams)
		}
		if m.SkipMalformed && exit.Code(err) == exit.Malformed {
			m.run.Log.Warn(fmt.Sprintf("left out: %v", err))
		} else if err != nil {
			return err
		}
	}
	vocabulary, err := hex.DecodeString(m.grant.Vocabulary)
	if err != nil {
		return err
	}
	out, err := endpoint.CreateStream(m.run, m.Output, &wire.Header{
		Version: wire.Version, Kind: wire.Kind_DOCUMENTS, Side: wire.Side_PUBLIC, Vocabulary: vocabulary,
		VocabularySize: uint32(m.grant.VocabularySize),
	}, m.Compress.Compress)
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := m.write(out, all.batch, 0); err != nil {
		return err
	}
	return out.Commit()
}

// rounds rebuilds each round in a stream.
func (m *mender) rounds(streams []*endpoint.StreamReader, h *wire.Header) error {
	if len(streams) > 1 {
		return exit.Errorf(exit.Usage, "%s: rounds in %d partitions, must be one: a batch is rebuilt as a whole",
			streams[0].Name(), len(streams))
	}
	in := streams[0]
	out, err := endpoint.CreateStream(m.run, m.Output, h, m.Compress.Compress)
	if err != nil {
		return err
	}
	defer out.Abort()
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := m.round(in, out, record); err != nil {
			return err
		}
	}
	if err := in.Complete(); err != nil {
		return err
	}
	return out.Commit()
}

// round rebuilds the round that open begins.
func (m *mender) round(in *endpoint.StreamReader, out *endpoint.StreamWriter, open *wire.Record) error {
	m.run.Round(int(open.Round), int(open.GetRoundOpen().Scheme.Rounds))
	all := newReports(m.grant)
	for {
		record, err := in.Next()
		if err == io.EOF {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		if record.GetRoundClose() == nil {
			if err := all.take(record.GetDocument()); err != nil {
				return in.Errorf("%w", err)
			}
			continue
		}
		if err := out.Write(open); err != nil {
			return err
		}
		if err := m.write(out, all.batch, open.Round); err != nil {
			return err
		}
		if err := out.Write(record); err != nil {
			return err
		}
		return out.Flush()
	}
}

// write rebuilds a batch and writes its documents.
func (m *mender) write(out *endpoint.StreamWriter, b *batch, round uint32) error {
	b.rebuild(m.wanted(b), rand.New(rand.NewPCG(m.Seed, uint64(round))))
	for i := range b.reports {
		err := out.Write(&wire.Record{Round: round, Body: &wire.Record_Document{Document: b.document(i)}})
		if err != nil {
			return err
		}
	}
	return nil
}

// wanted returns for each word the number of the batch's documents that are to have it.
func (m *mender) wanted(b *batch) []int {
	authors := len(b.reports)
	response := m.response
	response.Authors = authors
	estimates := make([]float64, m.grant.VocabularySize)
	sum := 0.0
	for word, n := range b.counts() {
		estimates[word] = response.Estimate(n)
		sum += estimates[word]
	}
	if !response.Fit(sum, m.grant.VocabularySize, m.grant.MaxWords) {
		m.run.Log.Warn("the reports are not of the grant, or not all: they have too few or too many words for it, " +
			"and so will the documents")
	}
	if m.prior != nil && authors > 0 {
		estimates = m.posterior(estimates, response)
	}
	want := make([]int, m.grant.VocabularySize)
	for word, estimate := range estimates {
		want[word] = clamp(m.share*min(estimate, float64(authors)), authors)
	}
	return want
}

// posterior mixes the estimates with the prior, by equation 19. The prior learns from the result.
func (m *mender) posterior(estimates []float64, response Response) []float64 {
	mean := m.prior.next(response.Authors)
	omega := m.omega(estimates, mean, response)
	posterior := make([]float64, len(estimates))
	for word, estimate := range estimates {
		posterior[word] = min(max(omega*mean[word]+(1-omega)*estimate, 0), float64(response.Authors))
	}
	m.prior.learn(mean, posterior, response.Authors)
	return posterior
}

// omega is the weight of the prior. If neither --omega nor --prior-deviation is given, the prior's variance is
// estimated by empirical Bayes. The mean square of estimate − mean over all words has as its expectation the prior's
// variance plus the estimates' variance. So the prior's variance is the mean square minus the estimates' variance, at
// least 0.
func (m *mender) omega(estimates, mean []float64, response Response) float64 {
	if m.Omega != nil {
		return *m.Omega
	}
	have := 0.0 // on average; the estimates' variance is linear in have
	for _, estimate := range estimates {
		have += estimate / float64(len(estimates))
	}
	have = min(max(have, 0), float64(response.Authors))
	variance := m.PriorDeviation * float64(response.Authors) * m.PriorDeviation * float64(response.Authors)
	if m.PriorDeviation == 0 {
		squares := 0.0
		for word, estimate := range estimates {
			squares += (estimate - mean[word]) * (estimate - mean[word])
		}
		variance = max(0, squares/float64(len(estimates))-response.Variance(have))
	}
	return response.PriorWeight(variance, have)
}
