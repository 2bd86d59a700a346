package export

import (
	"io"
	"slices"
)

// writeGensim writes the file of which gensim's LdaModel.load makes a model (gensim 4, models/ldamodel.py). It has the attributes that
// LdaModel's constructor sets, at gensim's defaults.
//
// Inference in gensim multiplies θ with expElogbeta, which are therefore the factors that estep uses: gensim infers the same topics.
// The state has λ, as η + sstats; where gensim trains on, it computes expElogbeta from λ. The dictionary has the words, but no
// frequency of any word in documents, since none was released.
func writeGensim(w io.Writer, m *parameters) error {
	topics, words := int32(m.Number), int32(len(m.Words))
	counts := make([]float64, len(m.Cells))
	for i, l := range m.Cells {
		counts[i] = l - m.eta
	}
	alpha := slices.Repeat([]float64{m.alpha}, m.Number)
	eta := slices.Repeat([]float64{m.eta}, len(m.Words))

	p := &pickle{w: w}
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
			"minimum_probability", 0.01, "num_updates", 0, "passes", 1, "update_every", 1, "eval_every", 10,
			"minimum_phi_value", 0.01, "iterations", 50, "gamma_threshold", 0.001, "numworkers", 1)
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
		p.text("random_state")
		p.name("gensim.utils", "get_random_state")
		p.number(1) // the seed of each γ before the first iteration; gensim's default differs at each load
		p.tuple(1)
		p.call()
		p.text("alpha")
		p.floats(alpha, topics)
		p.text("eta")
		p.floats(eta, words)
		p.text("expElogbeta")
		p.floats(m.weights, topics, words)
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

// dictionary pushes a gensim.corpora.Dictionary of words.
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
