package export

import (
	"io"
	"slices"
)

// writeGensim writes a file for gensim's LdaModel.load (gensim 4, models/ldamodel.py). The file has the attributes that
// LdaModel's constructor sets, with the limits of estep lda --infer.
//
// Inference in gensim multiplies θ with expElogbeta. Here expElogbeta has the factors that estep uses, so gensim infers
// the same topics. The state has λ, as η + sstats. The dictionary has the words. It has no frequency of any word in
// documents, since none was released.
//
// The model is frozen. Training on documents without noise would make it as private as the documents, and it would
// still look as before.
func writeGensim(w io.Writer, m *parameters) error {
	topics, words := int32(m.Number), int32(len(m.Words))
	counts := make([]float64, len(m.Cells))
	for i, l := range m.Cells {
		counts[i] = l - m.eta
	}
	alpha := slices.Repeat([]float64{m.alpha}, m.Number)
	eta := slices.Repeat([]float64{m.eta}, len(m.Words))

	p := &pickle{w: w}
	const frozen = "{the topics are as they were released, and learn nothing}"
	numbers := func(pairs ...any) {
		for i := 0; i < len(pairs); i += 2 {
			p.text(pairs[i].(string))
			switch value := pairs[i+1].(type) {
			case int:
				p.number(int32(value))
			case float64:
				p.float(value)
			}
		}
	}
	p.begin()
	p.object("gensim.models.ldamodel", "LdaModel", func() {
		numbers("num_topics", m.Number, "num_terms", len(m.Words), "chunksize", 2000, "decay", 0.5, "offset", 1.0,
			"minimum_probability", 0, "num_updates", 0, "passes", 1, "update_every", 1, "eval_every", 10,
			"minimum_phi_value", 0.01, "iterations", 1000, "gamma_threshold", 1e-5, "numworkers", 1)
		for _, name := range []string{"distributed", "per_word_topics", "optimize_alpha", "optimize_eta"} {
			p.text(name)
			p.false()
		}
		for _, name := range []string{"callbacks", "dispatcher"} {
			p.text(name)
			p.none()
		}
		p.text("dtype")
		p.name("numpy", "float64")
		for _, name := range []string{"update", "do_estep", "do_mstep", "update_alpha", "update_eta", "sync_state"} {
			// In place of the method: str.format raises KeyError, and the error shows the text in braces.
			p.text(name)
			p.partial("builtins", "str.format", func() { p.text(frozen) })
		}
		// gensim draws the start of γ by gamma(100, 0.01), 1 ± 0.1. But estep starts at equal γ, and there are several
		// fixed points. Here the draw is normal(100, 0.01), equal to 1e-4. Only the ratios of γ matter.
		p.text("random_state")
		p.object("types", "SimpleNamespace", func() {
			p.text("gamma")
			p.partial("numpy.random", "RandomState.normal", func() {
				p.name("gensim.utils", "get_random_state")
				p.number(1)
				p.tuple(1)
				p.call()
			})
		})
		p.text("alpha")
		p.floats(alpha, topics)
		p.text("eta")
		p.floats(eta, words)
		p.text("expElogbeta")
		p.floats(audible(m.weights, len(m.Words)), topics, words)
		p.text("id2word")
		p.dictionary(m.Words)
		p.text("state")
		p.object("gensim.models.ldamodel", "LdaState", func() {
			numbers("numdocs", 0)
			p.text("dtype")
			p.name("numpy", "float64")
			p.text("eta")
			p.floats(eta, words)
			p.text("sstats")
			p.floats(counts, topics, words)
		})
	})
	return p.end()
}

// audible scales the weights of each word that has no weight of at least 1e-9, until its largest weight is 1e-9.
// Inference does not depend on a word's scale. But gensim adds 2e-16 to a word's sum over topics, and beside it a word
// with such small weights would have no effect. gensim's get_term_topics, which prints weights, leaves out weights
// below 1e-8.
func audible(weights []float64, words int) []float64 {
	const least = 1e-9
	scaled := slices.Clone(weights)
	for w := range words {
		largest := 0.0
		for i := w; i < len(weights); i += words {
			largest = max(largest, weights[i])
		}
		for i := w; i < len(weights) && largest < least; i += words {
			if scaled[i] = least; largest > 0 {
				scaled[i] = weights[i] / largest * least
			}
		}
	}
	return scaled
}

// dictionary pushes a gensim.corpora.Dictionary with the words.
func (p *pickle) dictionary(words []string) {
	p.object("gensim.corpora.dictionary", "Dictionary", func() {
		p.text("token2id")
		p.dict(func() {
			for id, word := range words {
				p.text(word)
				p.number(int32(id))
			}
		})
		for _, empty := range []string{"id2token", "dfs", "cfs"} {
			p.text(empty)
			p.dict(func() {})
		}
		for _, none := range []string{"num_docs", "num_pos", "num_nnz"} {
			p.text(none)
			p.number(0)
		}
	})
}
