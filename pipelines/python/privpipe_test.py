"""Tests reading models in a folder that loader_test.go filled: models and documents' topics by each program, and the documents."""

import copy
import json
import os
import pickle
import shutil
import sys
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
import pandas

sys.path.insert(0, str(Path(__file__).parent))
import privpipe
from privpipe import programs

DOCUMENTS = [json.loads(line) for line in open("documents.jsonl", encoding="utf-8")]
PARTS = ["jsonl", "parquet", "npz"]
PRIORS = {"mean": (0.25, 0.125), "expected-log": (0.25, 0.125), "small": (0.02, 0.02), "zero": (1, 0.01)}
SHARE = 1e-4  # how closely shares agree


def topics_of(model):
    """What a model of gensim or scikit-learn infers by."""
    if hasattr(model, "components_"):
        return [model.components_, model.exp_dirichlet_component_, model.doc_topic_prior_, model.topic_word_prior_]
    return [model.get_topics(), model.state.get_lambda(), model.expElogbeta, model.alpha, model.eta]


class Models(unittest.TestCase):
    """The models: of each --beta, and of priors at which a word that no topic has is below what libraries add to it, or is zero."""

    def each(self, *names):
        for name in names or PRIORS:
            with self.subTest(name):
                yield name, privpipe.load(f"{name}.pp")

    def test_smallest(self):
        """Words of no topic: of weights below 2e-16, and of none."""
        self.assertTrue(0 < privpipe.load("small.pp").weights[:, -2:].max() < 1e-20)
        self.assertEqual(privpipe.load("zero.pp").weights[:, -2:].max(), 0)

    def bags(self, lda):
        return [lda.id2word.doc2bow(document["text"].split()) for document in DOCUMENTS]

    def counts(self, model):
        from sklearn.feature_extraction.text import CountVectorizer

        return CountVectorizer(vocabulary=model.words, token_pattern=r"\S+").transform(d["text"] for d in DOCUMENTS)

    def unchanged(self, model, before):
        for now, was in zip(topics_of(model), before, strict=True):
            np.testing.assert_array_equal(now, was)

    def test_model_file(self):
        """A model file and its npz are one model, which has the numbers of the CSV."""
        for beta, model in self.each():
            other = privpipe.load(f"{beta}.npz")
            for name in ("words", "lambda_", "weights", "alpha", "eta"):
                np.testing.assert_array_equal(getattr(model, name), getattr(other, name))
            self.assertEqual(list(model.words), Path("vocabulary.txt").read_text("utf-8").split())
            self.assertEqual((model.alpha, model.eta), PRIORS[beta])
            table = pandas.read_csv(f"{beta}.csv", keep_default_na=False)
            np.testing.assert_allclose(model.lambda_.ravel(), table["lambda"], rtol=1e-15)
            np.testing.assert_allclose(model.frame().loc[1], table[table.topic == 1]["lambda"] / table[table.topic == 1]["lambda"].sum())
            printed = pandas.read_csv(f"{beta}-topics.csv", keep_default_na=False)
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

    def gensims(self, model, name):
        """Our class's model and the one that mstep exports, as they are, pickled, and saved by gensim."""
        import gensim

        for lda in (model.gensim(), gensim.models.LdaModel.load(f"{name}.gensim")):
            yield lda
            yield pickle.loads(pickle.dumps(lda))
            lda.save("saved.gensim")
            yield gensim.models.LdaModel.load("saved.gensim")

    def test_gensim(self):
        """gensim infers what estep does."""
        for name, model in self.each():
            want = privpipe.document_topics(f"{name}.topics.jsonl").to_numpy()
            for lda in self.gensims(model, name):
                np.testing.assert_allclose(lda.get_topics(), model.topics, rtol=1e-12)
                gamma, _ = lda.inference(self.bags(lda))
                np.testing.assert_allclose(gamma / gamma.sum(1, keepdims=True), want, atol=SHARE)
                for bag, shares in zip(self.bags(lda)[:9], want):
                    np.testing.assert_allclose([share for _, share in lda.get_document_topics(bag)], shares, atol=SHARE)
                self.assertTrue(np.isfinite(lda.log_perplexity(self.bags(lda)[:99])))
                with self.subTest("a word of no topic is in none"):
                    self.assertEqual(lda.get_term_topics("rare", 1e-4), [])

    def test_gensim_is_frozen(self):
        """No method that learns does, nor one that is called on the class, and nothing changes in place before it was saved."""
        import gensim

        for name, model in self.each("mean"):
            for lda in self.gensims(model, name):
                before, bags = [np.copy(array) for array in topics_of(lda)], self.bags(lda)
                gamma, _ = lda.inference(bags)
                other = gensim.models.ldamodel.LdaState(lda.eta, lda.expElogbeta.shape, lda.dtype)
                base = gensim.models.LdaModel
                for learns in (
                    lambda: lda.update(bags), lambda: lda.update(bags, passes=2, update_every=0), lambda: lda.update(corpus=bags),
                    lambda: lda.do_estep(bags), lambda: lda.do_mstep(0.5, other), lambda: lda.update_alpha(gamma, 0.5),
                    lambda: lda.update_eta(before[1], 0.5), lambda: lda.sync_state(), lambda: base.update(lda, bags),
                ):  # fmt: skip
                    with self.assertRaisesRegex((privpipe.Error, KeyError), "the topics are as they were released"):
                        learns()
                    self.unchanged(lda, before)
            for lda in (model.gensim(), gensim.models.LdaModel.load(f"{name}.gensim")):
                before = [np.copy(array) for array in topics_of(lda)]
                for learns in (
                    lambda: base.do_estep(lda, bags), lambda: base.do_mstep(lda, 0.5, other), lambda: lda.state.reset(),
                    lambda: lda.state.merge(other), lambda: lda.state.blend(0.5, other), lambda: lda.state.blend2(0.5, other),
                ):  # fmt: skip
                    with self.assertRaisesRegex(ValueError, "read-only"):
                        learns()
                    self.unchanged(lda, before)

    def sklearns(self, model):
        """The model as it is, as clones are made for a search, and pickled."""
        from sklearn.base import clone

        lda = model.sklearn()
        return lda, clone(lda), clone(clone(lda).set_params(n_jobs=1)), pickle.loads(pickle.dumps(lda))

    def test_sklearn(self):
        """scikit-learn infers what estep does."""
        for name, model in self.each():
            want = privpipe.document_topics(f"{name}.topics.jsonl")
            counts = self.counts(model)
            for lda in self.sklearns(model):
                np.testing.assert_array_equal(lda.components_, model.lambda_)
                np.testing.assert_allclose(lda.transform(counts), want, atol=SHARE)
                np.testing.assert_allclose(lda.transform(counts.toarray()), want, atol=SHARE)
                self.assertTrue(np.isfinite(lda.perplexity(counts) + lda.perplexity(counts, sub_sampling=True) + lda.score(counts)))
                with self.assertRaises(ValueError):
                    lda.transform(counts[:, 1:])

    def test_sklearn_is_frozen(self):
        """Fitted in a pipeline, in a search and by itself, it has the topics that were released."""
        from sklearn.base import clone
        from sklearn.decomposition import LatentDirichletAllocation
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import GridSearchCV
        from sklearn.pipeline import make_pipeline

        texts, labels = [d["text"] for d in DOCUMENTS], [number % 3 for number in range(len(DOCUMENTS))]
        for name, model in self.each("mean"):
            want, counts = privpipe.document_topics(f"{name}.topics.jsonl"), self.counts(model)
            before = [np.copy(array) for array in topics_of(model.sklearn())]
            for lda in self.sklearns(model):
                np.testing.assert_allclose(lda.fit_transform(counts), want, atol=SHARE)
                np.testing.assert_allclose(lda.fit(counts[:9], labels[:9]).partial_fit(counts[:9]).transform(counts), want, atol=SHARE)
                self.unchanged(lda, before)
                lda.set_params(max_doc_update_iter=900, mean_change_tol=1e-6).fit(counts)
                self.unchanged(lda, before)
                for option in ("n_components", "doc_topic_prior", "max_iter", "learning_method"):
                    with self.assertRaisesRegex(ValueError, "Invalid parameter"):
                        lda.set_params(**{option: 1})
                for learns in (LatentDirichletAllocation.fit, LatentDirichletAllocation.partial_fit):
                    with self.assertRaises((AttributeError, ValueError)):
                        learns(lda, counts)
                    self.unchanged(lda, before)
                words = CountVectorizer(vocabulary=model.words, token_pattern=r"\S+")
                pipeline = make_pipeline(words, lda, LogisticRegression()).fit(texts, labels)
                self.unchanged(pipeline[1], before)
                np.testing.assert_allclose(pipeline[:2].transform(texts), want, atol=SHARE)
                search = GridSearchCV(clone(pipeline), {"logisticregression__C": [0.1, 1]}, cv=2).fit(texts, labels)
                self.unchanged(search.best_estimator_[1], before)

    def test_arrays(self):
        """The arrays of a model are its release, also in a copy."""
        model = privpipe.load("mean.pp")
        for one in (model, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            for array in (one.lambda_, one.weights, one.words):
                with self.assertRaisesRegex(ValueError, "read-only"):
                    array[0] = array[1]

    def test_pyldavis(self):
        import pyLDAvis

        data = privpipe.ldavis("mean.json")
        self.assertIn(json.dumps("café")[1:-1], pyLDAvis.prepared_data_to_html(data))
        with self.assertRaisesRegex(privpipe.Error, "mean.npz: not an export of the format ldavis"):
            privpipe.ldavis("mean.npz")


class Clusters(unittest.TestCase):
    """Frames as BERTopic has them, by hand: the words of three clusters, of which the second has most documents, and the last none."""

    lambda_ = np.array([[9, 8, 7, 6, 1, 1], [1, 1, 1, 7, 8, 9], [5, 5, 5, 5, 5, 5.0]])
    model = privpipe.Model(np.array(list("abcdef")), lambda_, lambda_, 0.1, 0.1)

    def documents(self, *shares):
        lines = (json.dumps({"id": f"d{number}", "topics": of}) for number, of in enumerate(shares))
        Path("clusters.jsonl").write_text("\n".join(lines))
        return privpipe.document_topics("clusters.jsonl")

    def test_frames(self):
        documents = self.documents([0.75, 0.25, 0], [0.125, 0.875, 0], [0.5, 0.5, 0], [0, 0.625, 0.375], [0, 1, 0])
        topics = privpipe.topic_info(self.model, documents, 2)
        self.assertEqual(list(topics.columns), ["Topic", "Count", "Name", "Representation"])
        self.assertEqual(topics.iloc[:2].values.tolist(), [[1, 3, "1_f_e_d_c", ["f", "e"]], [0, 2, "0_a_b_c_d", ["a", "b"]]])
        self.assertEqual(topics.iloc[2].tolist()[:2], [2, 0])
        self.assertEqual([len(words) for words in privpipe.topic_info(self.model, documents).Representation], [6, 6, 6])
        frame = privpipe.document_info(self.model, documents)
        self.assertEqual(list(frame.columns), ["Document", "Topic", "Name", "Probability"])
        self.assertEqual(
            frame.values.tolist(),
            [["d0", 0, "0_a_b_c_d", 0.75], ["d1", 1, "1_f_e_d_c", 0.875], ["d2", 0, "0_a_b_c_d", 0.5], ["d3", 1, "1_f_e_d_c", 0.625],
             ["d4", 1, "1_f_e_d_c", 1.0]],
        )  # fmt: skip

    def test_other_documents(self):
        for call in (privpipe.topic_info, privpipe.document_info):
            with self.assertRaisesRegex(privpipe.Error, "the documents are of 2 topics, the model has 3"):
                call(self.model, self.documents([0.5, 0.5]))


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

    # A checkout may have bin/, and then nobody looks at PATH.
    @mock.patch.object(programs, "stages", lambda: None)
    def test_without_programs(self):
        path, os.environ["PATH"] = os.environ["PATH"], "/nowhere"
        try:
            self.refused("mean.pp: to read a model file, put mstep or privpipe on PATH", privpipe.load, "mean.pp")
            privpipe.load("mean.npz")
        finally:
            os.environ["PATH"] = path

    @mock.patch.object(programs, "stages", lambda: None)
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
