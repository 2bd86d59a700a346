"""Writes gensim.json beside this script: gensim's coherences (CoherenceModel of gensim 4.4) of topics on drawn documents."""

import json
from pathlib import Path

import numpy as np
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel

random = np.random.default_rng(1)
# Twelve words in two themes, and one word in nearly every document; documents of all lengths, one of them of no word of interest.
documents = [sorted({int(w) for w in random.choice(12, random.integers(1, 8), p=theme)})
             for theme in random.dirichlet([0.4] * 12, 3)[random.integers(0, 3, 60)]]
documents = [sorted({*d, 12}) if random.random() < 0.9 else d for d in documents] + [[13]]
topics = [[0, 1, 2, 3, 4], [5, 6, 7, 8], [12, 0, 5, 9], [9, 10, 11, 12, 3, 7], [2, 11]]
held = {w for d in documents for w in d}
assert all(w in held for t in topics for w in t), "gensim divides by 0 for words that no document holds"
assert any(not any({v, w} <= set(d) for d in documents) for t in topics for v in t for w in t), "a pair that never meets"

# Of the measures only u_mass is defined with words that no document holds, here 14 and 15.
absent = [[14, 0, 1], [0, 14, 1], [0, 1, 14], [14, 15], [9, 14, 10, 15, 11]]
texts = [[f"w{w}" for w in d] for d in documents]
dictionary = Dictionary([*texts, ["w14", "w15"]])


def coherence(measure, of=topics, **options):
    names = [[f"w{w}" for w in t] for t in of]
    return CoherenceModel(topics=names, dictionary=dictionary, coherence=measure, processes=1, **options).get_coherence_per_topic()


out = {
    "documents": documents,
    "topics": topics,
    "u_mass": coherence("u_mass", corpus=[dictionary.doc2bow(t) for t in texts]),
    "absent": absent,
    "absent_u_mass": coherence("u_mass", absent, corpus=[dictionary.doc2bow(t) for t in texts]),
    "c_npmi": coherence("c_npmi", texts=texts, window_size=1000),
    "c_v": coherence("c_v", texts=texts, window_size=1000),
}
Path(__file__).with_name("gensim.json").write_text(json.dumps(out, default=float) + "\n")
