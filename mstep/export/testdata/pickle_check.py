"""Reads an export for gensim with Python's standard library alone, its classes replaced by empty ones, and compares what it holds.

  pickle_check.py EXPORT < the same as JSON
"""

import json
import math
import pickle
import struct
import sys


class Stub:
    pass


def ndarray(shape, element, data):
    assert element == "<f8" and len(data) == 8 * math.prod(shape), (shape, element, len(data))
    return list(shape), list(struct.unpack(f"<{math.prod(shape)}d", data))


class Reader(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) in (("numpy", "ndarray"), ("numpy", "array")):
            return ndarray if name == "ndarray" else lambda array: array
        if (module, name) in (("numpy", "float64"), ("gensim.utils", "get_random_state")):
            return lambda *seed: None
        assert module.startswith("gensim."), module
        return type(name, (Stub,), {})


with open(sys.argv[1], "rb") as file:
    model = Reader(file).load()
    assert not file.read(), "more than one object"
want = json.load(sys.stdin)
topics, words = want["topics"], len(want["words"])
assert type(model).__name__ == "LdaModel" and type(model.state).__name__ == "LdaState" and type(model.id2word).__name__ == "Dictionary"
assert (model.num_topics, model.num_terms, model.iterations, model.distributed) == (topics, words, 50, False)
assert model.alpha == ([topics], [want["alpha"]] * topics), model.alpha
assert model.eta == model.state.eta == ([words], [want["eta"]] * words)
assert model.expElogbeta == ([topics, words], want["weights"])
assert model.state.sstats == ([topics, words], [x - want["eta"] for x in want["lambda"]])
assert list(model.id2word.token2id) == want["words"] and list(model.id2word.token2id.values()) == list(range(words))
