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
        if (module, name) == ("numpy", "ndarray"):
            return ndarray
        if (module, name) in (("numpy", "float64"), ("gensim.utils", "get_random_state"), ("numpy.random", "RandomState.normal")):
            return lambda *arguments: None
        if (module, name) in (("functools", "partial"), ("builtins", "str.format"), ("types", "SimpleNamespace")):
            return super().find_class(module, name)
        assert module.startswith("gensim."), module
        return type(name, (Stub,), {})


with open(sys.argv[1], "rb") as file:
    model = Reader(file).load()
    assert not file.read(), "more than one object"
want = json.load(sys.stdin)
topics, words = want["topics"], len(want["words"])
assert type(model).__name__ == "LdaModel" and type(model.state).__name__ == "LdaState" and type(model.id2word).__name__ == "Dictionary"
assert (model.num_topics, model.num_terms, model.iterations, model.gamma_threshold) == (topics, words, 1000, 1e-5)
assert model.alpha == ([topics], [want["alpha"]] * topics), model.alpha
assert model.eta == model.state.eta == ([words], [want["eta"]] * words)
for name in ("update", "do_estep", "do_mstep", "update_alpha", "update_eta", "sync_state"):
    try:
        getattr(model, name)([[(0, 1)]], passes=2)
        raise AssertionError(name)
    except KeyError as error:
        assert "the topics are as they were released" in str(error)
assert model.random_state.gamma(100.0, 0.01, (2, 3)) is None
assert model.expElogbeta == ([topics, words], want["weights"])
assert model.state.sstats == ([topics, words], [x - want["eta"] for x in want["lambda"]])
assert list(model.id2word.token2id) == want["words"] and list(model.id2word.token2id.values()) == list(range(words))
