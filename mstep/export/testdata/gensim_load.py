"""Loads an export by gensim's LdaModel.load and compares what it infers with its own formulas on the arrays of an npz.

  gensim_load.py WEIGHTS.npz EXPORT
"""

import sys

import gensim
import numpy as np
from scipy.special import psi

arrays = np.load(sys.argv[1])
words, alpha, weights, lam = list(arrays["words"]), float(arrays["alpha"]), arrays["weights"], arrays["lambda"]
topics, size = lam.shape

model = gensim.models.LdaModel.load(sys.argv[2])
assert (model.num_topics, model.num_terms) == (topics, size)
assert [model.id2word[i] for i in range(size)] == words
np.testing.assert_allclose(model.state.get_lambda(), lam, rtol=1e-12)
np.testing.assert_allclose(model.get_topics(), lam / lam.sum(1, keepdims=True), rtol=1e-12)

# A text, by its words, against the fixed point of γ = α + Σ_w n_w φ_wk, φ_wk ∝ exp(ψ(γ_k)) weights_kw (Blei, Ng and Jordan 2003).
text = [words[1], words[4], words[4], words[7], words[2], "not-in-the-vocabulary"]
bag = model.id2word.doc2bow(text)
assert bag == [(1, 1), (2, 1), (4, 2), (7, 1)], bag
model.iterations, model.gamma_threshold = 10_000, 1e-12
gamma, _ = model.inference([bag])
ids, counts = zip(*bag)
phi = np.exp(psi(gamma[0]))[:, None] * weights[:, ids]
np.testing.assert_allclose(gamma[0], alpha + (counts * phi / phi.sum(0)).sum(1), rtol=1e-6)

# A model that gensim's own constructor made, given the same numbers, infers the same.
other = gensim.models.LdaModel(id2word=model.id2word, num_topics=topics, alpha=[alpha] * topics, eta=float(arrays["eta"]), dtype=np.float64)
other.state.sstats = lam - float(arrays["eta"])
other.expElogbeta = weights
other.iterations, other.gamma_threshold = 10_000, 1e-12
other.random_state = model.random_state  # where inference starts: there are several fixed points
np.testing.assert_allclose(other.inference([bag])[0], gamma, rtol=1e-6)
missing = set(vars(other)) - set(vars(model))
assert not missing, missing

# What people do next: topics of a text, words of a topic, saving. Training on is refused: pipelines/python has more of that.
assert abs(sum(p for _, p in model.get_document_topics(bag)) - 1) < 1e-6
top = [word for word, _ in model.show_topic(0, 3)]
assert top == [words[i] for i in np.argsort(-lam[0])[:3]], top
model.print_topics()
for _ in range(2):
    try:
        model.update([bag] * 10)
        raise AssertionError("it learnt")
    except KeyError as error:
        assert "released" in str(error)
    np.testing.assert_allclose(model.state.get_lambda(), lam, rtol=1e-12)
    assert np.isfinite(model.log_perplexity([bag]))
    model.save(sys.argv[2] + ".again")
    model = gensim.models.LdaModel.load(sys.argv[2] + ".again")
print(f"{topics} topics of {size} words")
