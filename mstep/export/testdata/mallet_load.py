"""Reads exports by little_mallet_wrapper, a reader of Mallet's files, and compares them with the arrays of an npz.

  mallet_load.py WEIGHTS.npz KEYS WEIGHTS
"""

import sys

import little_mallet_wrapper as mallet
import numpy as np

arrays = np.load(sys.argv[1])
lam, words = arrays["lambda"], list(arrays["words"])
for row, keys in zip(lam, mallet.load_topic_keys(sys.argv[2]), strict=True):
    assert keys == [words[i] for i in np.argsort(-row)[:20]], keys
topics = mallet.load_topic_word_distributions(sys.argv[3])
assert len(topics) == len(lam)
for topic, row in enumerate(lam / lam.sum(1, keepdims=True)):
    assert list(topics[topic]) == words
    np.testing.assert_allclose(list(topics[topic].values()), row)
