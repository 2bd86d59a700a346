"""Tests privpipe.py in a folder that loader_test.go filled: models and documents' topics by each program, and the documents."""

import json
import os
import pickle
import shutil
import sys
import unittest
from pathlib import Path

import numpy as np
import pandas

sys.path.insert(0, str(Path(__file__).parent))
import privpipe

DOCUMENTS = [json.loads(line) for line in open("documents.jsonl", encoding="utf-8")]
PARTS = ["jsonl", "parquet", "npz"]


class Models(unittest.TestCase):
    """The model of each --beta."""

    def each(self):
        for beta in ("mean", "expected-log"):
            with self.subTest(beta=beta):
                yield beta, privpipe.load(f"{beta}.pp")

    def test_model_file(self):
        """A model file and its npz are one model, which has the numbers of the CSV."""
        for beta, model in self.each():
            other = privpipe.load(f"{beta}.npz")
            for name in ("words", "lambda_", "weights", "alpha", "eta"):
                np.testing.assert_array_equal(getattr(model, name), getattr(other, name))
            self.assertEqual(list(model.words), Path("vocabulary.txt").read_text("utf-8").split())
            self.assertEqual((model.alpha, model.eta), (0.25, 0.125))
            table = pandas.read_csv(f"{beta}.csv")
            np.testing.assert_allclose(model.lambda_.ravel(), table["lambda"], rtol=1e-15)
            np.testing.assert_allclose(model.frame().loc[1], table[table.topic == 1]["lambda"] / table[table.topic == 1]["lambda"].sum())
            printed = pandas.read_csv(f"{beta}-topics.csv")
            top = model.top(4)
            self.assertEqual(list(top.columns), list(printed.columns))
            self.assertEqual(list(top.word), list(printed.word))
            np.testing.assert_allclose(top[["topic", "share", "rank", "probability"]], printed[["topic", "share", "rank", "probability"]], rtol=1e-5)

    def test_weights(self):
        self.assertTrue(np.allclose(*(lambda m: (m.weights, m.topics))(privpipe.load("mean.pp")), rtol=1e-6))
        model = privpipe.load("expected-log.pp")
        from scipy.special import psi

        expected = np.exp(psi(model.lambda_) - psi(model.lambda_.sum(1, keepdims=True)))
        np.testing.assert_allclose(model.weights, expected, rtol=1e-5)
        self.assertFalse(np.allclose(model.weights, model.topics, rtol=1e-2))

    def test_document_topics(self):
        """The formats of estep have the same topics."""
        for beta, model in self.each():
            frames = [privpipe.document_topics(f"{beta}.topics.{part}") for part in PARTS]
            for frame in frames:
                self.assertEqual(list(frame.index), [d["id"] for d in DOCUMENTS])
                self.assertEqual(list(frame.columns), list(range(3)))
                np.testing.assert_array_equal(frame, frames[0])

    def test_gensim(self):
        """gensim infers what estep does, from our constructor's model and from the one that mstep exports."""
        import gensim

        for beta, model in self.each():
            want = privpipe.document_topics(f"{beta}.topics.jsonl")
            for lda in (model.gensim(), gensim.models.LdaModel.load(f"{beta}.gensim")):
                np.testing.assert_allclose(lda.get_topics(), model.topics, rtol=1e-12)
                lda.iterations, lda.gamma_threshold = 1000, 1e-6
                gamma, _ = lda.inference([lda.id2word.doc2bow(d["text"].split()) for d in DOCUMENTS])
                np.testing.assert_allclose(gamma / gamma.sum(1, keepdims=True), want, atol=2e-4)

    def test_sklearn(self):
        from sklearn.feature_extraction.text import CountVectorizer

        for beta, model in self.each():
            want = privpipe.document_topics(f"{beta}.topics.jsonl")
            lda = model.sklearn()
            lda.set_params(max_doc_update_iter=1000, mean_change_tol=1e-6)
            counts = CountVectorizer(vocabulary=model.words, token_pattern=r"\S+").transform(d["text"] for d in DOCUMENTS)
            np.testing.assert_array_equal(lda.components_, model.lambda_)
            np.testing.assert_allclose(lda.transform(counts), want, atol=2e-4)
            self.assertTrue(np.isfinite(pickle.loads(pickle.dumps(lda)).partial_fit(counts).perplexity(counts)))

    def test_pyldavis(self):
        import pyLDAvis

        data = privpipe.ldavis("mean.json")
        self.assertIn(json.dumps("café")[1:-1], pyLDAvis.prepared_data_to_html(data))
        with self.assertRaisesRegex(privpipe.Error, "mean.npz: not an export of the format ldavis"):
            privpipe.ldavis("mean.npz")


class Refusals(unittest.TestCase):
    def refused(self, rule, call, *arguments):
        with self.assertRaisesRegex(privpipe.Error, rule) as caught:
            call(*arguments)
        self.assertNotIn("MARKER", str(caught.exception))

    def test_models(self):
        whole = Path("mean.pp").read_bytes()
        Path("cut.pp").write_bytes(whole[:-1])
        self.refused("cut.pp.*truncated", privpipe.load, "cut.pp")
        self.refused("documents.pp: a stream of DOCUMENTS, must be of PARAMETERS", privpipe.load, "documents.pp")
        Path("cut.npz").write_bytes(Path("mean.npz").read_bytes()[:-9])
        self.refused("cut.npz: not an npz with the arrays words, lambda", privpipe.load, "cut.npz")
        self.refused("mean.topics.npz: not an npz with the arrays words", privpipe.load, "mean.topics.npz")
        np.savez("mixed.npz", **{**np.load("mean.npz"), "words": np.array(["a", "b"])})
        self.refused("mixed.npz: lambda, weights and words are of different sizes", privpipe.load, "mixed.npz")
        with self.assertRaises(FileNotFoundError):
            privpipe.load("nowhere.pp")

    def test_without_programs(self):
        path, os.environ["PATH"] = os.environ["PATH"], "/nowhere"
        try:
            self.refused("mean.pp: to read a model file, put mstep or privpipe on PATH", privpipe.load, "mean.pp")
            privpipe.load("mean.npz")
        finally:
            os.environ["PATH"] = path

    def test_installed(self):
        """Of an installation, only privpipe is on PATH."""
        Path("installed").mkdir()
        Path("installed/privpipe").write_text(f'#!/bin/sh\n[ "$1" = mstep ] && shift && exec {shutil.which("mstep")} "$@"\n')
        Path("installed/privpipe").chmod(0o755)
        path, os.environ["PATH"] = os.environ["PATH"], str(Path("installed").absolute())
        try:
            self.assertEqual(privpipe.load("mean.pp").alpha, 0.25)
        finally:
            os.environ["PATH"] = path

    def test_document_topics(self):
        line = '{"id":"MARKER","topics":[0.5,0.25,0.25]}\n'
        for name, content, rule in [
            ("broken", line + '{"id":"MARKER"', "line 2: not an object of id and topics"),
            ("other", line + '{"id":"MARKER","words":[1]}\n', "line 2: not an object"),
            ("text", line + '{"id":"MARKER","topics":["MARKER"]}\n', "line 2: not an object"),
            ("number", "7\n", "line 1: not an object"),
            ("short", line + '{"id":"b","topics":[1]}\n', "line 2: 1 topics, line 1 has 3"),
        ]:
            with self.subTest(name):
                Path(name).write_text(content)
                self.refused(rule, privpipe.document_topics, name)
        Path("cut.topics.npz").write_bytes(Path("mean.topics.npz").read_bytes()[:-9])
        self.refused("not an npz with the arrays ids, topics", privpipe.document_topics, "cut.topics.npz")


unittest.main()
