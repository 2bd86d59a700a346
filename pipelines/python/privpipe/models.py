"""Models and the topics of documents in NumPy, pandas, gensim and scikit-learn."""

from __future__ import annotations

import io
import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import programs
from .programs import Error

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Model:
    """A topic model of K topics over V words."""

    words: np.ndarray  # V strings
    lambda_: np.ndarray  # K × V float64, positive: parameters of the topics' Dirichlet posterior
    weights: np.ndarray  # K × V float64: the factors of θ in the E-step, the mean of β or exp(E[log β]) as mstep lda-paper --beta said
    alpha: float  # Dirichlet prior of a document's topics, the same for each
    eta: float  # Dirichlet prior of a topic's words, the same for each

    def __post_init__(self) -> None:
        for array in (self.words, self.lambda_, self.weights):
            array.flags.writeable = False

    def __deepcopy__(self, memo: Any) -> Model:
        return self

    def __reduce__(self) -> Any:
        return Model, (self.words, self.lambda_, self.weights, self.alpha, self.eta)

    @property
    def topics(self) -> np.ndarray:
        """The probability of each word in each topic: K × V, each row sums to 1."""
        return self.lambda_ / self.lambda_.sum(axis=1, keepdims=True)

    @property
    def shares(self) -> np.ndarray:
        """The share of each topic among the model's words: K, sums to 1."""
        return self.lambda_.sum(axis=1) / self.lambda_.sum()

    def frame(self) -> pandas.DataFrame:
        """The probabilities as a pandas frame: a row a topic, a column a word."""
        import pandas

        return pandas.DataFrame(self.topics, columns=self.words).rename_axis(index="topic", columns="word")

    def top(self, count: int = 10, relevance: float = 0.6) -> pandas.DataFrame:
        """The leading words of each topic as a pandas frame: topic, share, rank from 1, word, probability. The largest
        topic comes first, and words are ranked by relevance with this λ (Sievert and Shirley 2014), as in evaluate
        topics. 1: by probability."""
        import pandas

        topics, shares = self.topics, self.shares
        relevances = np.log(topics) - (1 - relevance) * np.log(shares @ topics)
        rows = [
            (topic, shares[topic], rank, self.words[word], topics[topic, word])
            for topic in np.argsort(-shares, kind="stable")
            for rank, word in enumerate(np.argsort(-relevances[topic], kind="stable")[:count], 1)
        ]
        return pandas.DataFrame(rows, columns=["topic", "share", "rank", "word", "probability"])

    def gensim(self) -> Any:
        """A frozen gensim LdaModel: inference and get_document_topics infer what estep lda --infer does. Its
        dictionary, id2word, has the words without frequencies, which are private."""
        return frozen("FrozenLdaModel")(self)

    def sklearn(self) -> Any:
        """A frozen scikit-learn LatentDirichletAllocation: transform infers what estep lda --infer does, of counts
        over words in this order, such as those of CountVectorizer(vocabulary=model.words)."""
        return frozen("FrozenLatentDirichletAllocation")(self)

    @cached_property
    def _factors(self) -> np.ndarray:
        return _at_least(1, self.weights)


# The limits of estep lda --infer, whose shares agree to 1e-4: it computes in float32.
_ITERATIONS, _TOLERANCE = 1000, 1e-5


def _at_least(least: float, weights: np.ndarray) -> np.ndarray:
    """The weights, scaled so that the largest of each word is at least so large. Inference does not depend on a word's
    scale. But both libraries add 2e-16 to a word's sum over topics, which would make a word without effect whose
    weights are all smaller."""
    largest = weights.max(axis=0)
    scale = np.divide(least, largest, out=np.ones_like(largest), where=(largest > 0) & (largest < least))
    scaled = np.where(largest > 0, weights * scale, least)
    scaled.flags.writeable = False
    return scaled


def _frozen_sklearn():
    from sklearn.decomposition import LatentDirichletAllocation

    class FrozenLatentDirichletAllocation(LatentDirichletAllocation):
        """Topics that were released. What fit of scikit-learn sets has no setter here, so no method of it can replace
        the topics."""

        __qualname__ = "FrozenLatentDirichletAllocation"

        def __init__(self, model, *, max_doc_update_iter=_ITERATIONS, mean_change_tol=_TOLERANCE, n_jobs=None, verbose=0):
            self.model = model
            self.max_doc_update_iter = max_doc_update_iter
            self.mean_change_tol = mean_change_tol
            self.n_jobs = n_jobs
            self.verbose = verbose
            self.n_features_in_ = len(model.words)

        components_ = property(lambda self: self.model.lambda_)
        exp_dirichlet_component_ = property(lambda self: self.model._factors)
        n_components = property(lambda self: len(self.model.lambda_))
        doc_topic_prior = doc_topic_prior_ = property(lambda self: self.model.alpha)
        topic_word_prior = topic_word_prior_ = property(lambda self: self.model.eta)
        total_samples = 1e6  # of perplexity with sub_sampling: scikit-learn's default

        def __sklearn_is_fitted__(self):
            return True

        def fit(self, X, y=None):
            """Learns nothing: the topics stay as they were released."""
            return self

        partial_fit = fit

    return FrozenLatentDirichletAllocation


class _EqualStart:
    """What gensim draws the start of γ with. estep starts at 1; inference has several fixed points."""

    def gamma(self, shape, scale, size):
        return np.ones(size)


def _frozen_gensim():
    from gensim.corpora import Dictionary
    from gensim.models import LdaModel

    class FrozenLdaModel(LdaModel):
        """Topics that were released. What learns raises Error."""

        __qualname__ = "FrozenLdaModel"

        def __init__(self, model):
            dictionary = Dictionary()
            dictionary.token2id = {str(word): number for number, word in enumerate(model.words)}
            topics = len(model.lambda_)
            super().__init__(
                id2word=dictionary, num_topics=topics, alpha=[model.alpha] * topics, eta=model.eta, dtype=np.float64,
                iterations=_ITERATIONS, gamma_threshold=_TOLERANCE, minimum_probability=0,
            )  # fmt: skip
            self.random_state = _EqualStart()
            self.state.sstats = model.lambda_ - model.eta
            self.expElogbeta = _at_least(1e-9, model.weights)  # get_term_topics lists those of 1e-8 and more
            self.state.sstats.flags.writeable = False

        def update(self, *_, **__):
            """Refused, as all that learns is."""
            raise Error("the topics are as they were released: trained on documents, a model is as private as they are")

        do_estep = do_mstep = update_alpha = update_eta = sync_state = update

    return FrozenLdaModel


def _frozen_transformer():
    from sklearn.base import BaseEstimator, TransformerMixin

    class TopicShares(TransformerMixin, BaseEstimator):
        """Shares of released topics in raw texts. fit and fit_transform learn nothing of them."""

        __qualname__ = "TopicShares"

        def __init__(self, inference):
            self.inference = inference

        def __sklearn_is_fitted__(self):
            return True

        def fit(self, X, y=None):
            """Learns nothing: the topics stay as they were released."""
            return self

        def transform(self, X):
            """The shares of K topics in N texts: N × K float64, rows sum to 1. They are as private as the texts."""
            return self.inference.shares(X)

        def get_feature_names_out(self, input_features=None):
            """topic0, topic1, … in the order of the model."""
            return np.array([f"topic{number}" for number in range(self.inference.topics)], dtype=object)

    return TopicShares


_CLASSES = {
    "FrozenLatentDirichletAllocation": _frozen_sklearn,
    "FrozenLdaModel": _frozen_gensim,
    "TopicShares": _frozen_transformer,
}


def frozen(name: str) -> Any:
    """A class of frozen models, made when it is first asked for: importing this file imports neither library."""
    if name not in globals():
        globals()[name] = _CLASSES[name]()
    return globals()[name]


def __getattr__(name: str) -> Any:
    """Where pickle finds the classes."""
    if name in _CLASSES:
        return frozen(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load(path: str | os.PathLike[str]) -> Model:
    """Reads a model: a model file of mstep lda, or what mstep export --format npz wrote. Raises Error, or OSError."""
    content = Path(path).read_bytes()
    if not content.startswith(b"PK"):
        content = programs.run("mstep", "export", "--format", "npz", "-o", "-", str(Path(path).absolute()))
    arrays = npz(path, content, "words", "lambda", "weights", "alpha", "eta")
    model = Model(arrays["words"], arrays["lambda"], arrays["weights"], float(arrays["alpha"]), float(arrays["eta"]))
    if not model.lambda_.shape == model.weights.shape == (len(model.lambda_), len(model.words)):
        raise Error(f"{path}: lambda, weights and words are of different sizes")
    return model


def ldavis(path: str | os.PathLike[str]) -> Any:
    """Reads the output of mstep export --format ldavis: a pyLDAvis.PreparedData. Raises Error, or OSError."""
    import pandas
    import pyLDAvis

    try:
        vis = json.loads(Path(path).read_text("utf-8"))
        tables = [pandas.DataFrame(vis[name]) for name in ("mdsDat", "tinfo", "token.table")]
        return pyLDAvis.PreparedData(*tables, *(vis[name] for name in ("R", "lambda.step", "plot.opts", "topic.order")))
    except (ValueError, TypeError, KeyError):
        raise Error(f"{path}: not an export of the format ldavis") from None


def document_topics(path: str | os.PathLike[str]) -> pandas.DataFrame:
    """Reads the output of estep lda --infer or estep clusters --infer, in any of its formats: a pandas frame with a
    row a document, named by its id, and a column a topic, from 0; column k of clusters is cluster_k. It is as private
    as the documents. Raises Error, whose message has no content of the file, or OSError."""
    import pandas

    with open(path, "rb") as file:
        head = file.read(4)
    if head == b"PAR1":
        frame = pandas.read_parquet(path).set_index("id").drop(columns="label", errors="ignore")
        frame.columns = range(frame.shape[1])
        return frame
    if head.startswith(b"PK"):
        arrays = npz(path, Path(path).read_bytes(), "ids", "topics")
        return pandas.DataFrame(arrays["topics"], index=pandas.Index(arrays["ids"], name="id"))
    ids, topics = [], []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                document = json.loads(line)
                ids.append(document["id"])
                topics.append([float(share) for share in document["topics"]])
            except (ValueError, TypeError, KeyError):
                raise Error(f"{path}: line {number}: not an object of id and topics") from None
            if len(topics[-1]) != len(topics[0]):
                raise Error(f"{path}: line {number}: {len(topics[-1])} topics, line 1 has {len(topics[0])}")
    return pandas.DataFrame(topics, index=pandas.Index(ids, name="id"))


def topic_info(model: Model, documents: pandas.DataFrame, count: int = 10) -> pandas.DataFrame:
    """The frame of get_topic_info in BERTopic, with Topic, Count, Name and Representation: the leading words.
    documents is a frame of document_topics. Count has the documents for which the topic is the most probable, and the
    largest comes first. For clusters, model is that of their words, names.pp, and documents are of estep clusters
    --infer: topic k is cluster_k. Name and Representation are public. Count is as private as the documents. Raises
    Error."""
    import pandas

    words, names = _named(model, documents, count)
    counts = documents.idxmax(axis=1).value_counts().reindex(range(len(words)), fill_value=0).sort_values(ascending=False, kind="stable")
    rows = [(topic, count, names[topic], words[topic]) for topic, count in counts.items()]
    return pandas.DataFrame(rows, columns=["Topic", "Count", "Name", "Representation"])


def document_info(model: Model, documents: pandas.DataFrame) -> pandas.DataFrame:
    """The frame of get_document_info in BERTopic, with Document, Topic, Name and Probability: a row a document, with
    its most probable topic, the first of equal ones. Document has the id. Arguments are those of topic_info. It is as
    private as the documents."""
    import pandas

    _, names = _named(model, documents, 4)
    topics = documents.idxmax(axis=1)
    columns = {"Document": documents.index, "Topic": topics, "Name": [names[topic] for topic in topics], "Probability": documents.max(axis=1)}
    return pandas.DataFrame(columns).reset_index(drop=True)


def _named(model: Model, documents: pandas.DataFrame, count: int) -> tuple[list[list[str]], list[str]]:
    """The leading words of each topic, and its name, which BERTopic makes of its number and four words."""
    if documents.shape[1] != len(model.lambda_):
        raise Error(f"the documents are of {documents.shape[1]} topics, the model has {len(model.lambda_)}")
    top = model.top(max(count, 4))
    words = [[str(word) for word in top.word[top.topic == topic]] for topic in range(len(model.lambda_))]
    return [of[:count] for of in words], ["_".join([str(topic), *of[:4]]) for topic, of in enumerate(words)]


def npz(path: str | os.PathLike[str], content: bytes, *names: str) -> dict[str, np.ndarray]:
    """The arrays of an npz, without pickle."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            return {name: archive[name] for name in names}
    except Exception as error:  # zipfile and NumPy have many
        raise Error(f"{path}: not an npz with the arrays {', '.join(names)}") from error
