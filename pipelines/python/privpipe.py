"""Reads models of privpipe, and the topics of documents, into NumPy, pandas, gensim and scikit-learn. Copy this one file.

    import privpipe

    model = privpipe.load("model.pp")           # or the file of mstep export --format npz, which needs no program
    model.words, model.lambda_, model.alpha     # arrays
    model.frame()                               # pandas: topics × words, probabilities
    model.gensim()                              # gensim.models.LdaModel
    model.sklearn()                             # sklearn.decomposition.LatentDirichletAllocation
    privpipe.document_topics("topics.parquet")  # pandas: documents × topics, of estep lda --infer; also jsonl and npz
    pyLDAvis.save_html(privpipe.ldavis("vis.json"), "vis.html")  # of mstep export --format ldavis

A model is public. The topics of documents are as private as the documents.

Needs NumPy; pandas for frames; pyarrow for Parquet; gensim or scikit-learn to make their models. To read a model file, it runs mstep
export, from PATH; mstep checks that the file is whole.
"""

import io
import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np


class Error(Exception):
    """A file that cannot be read, or a program that is missing. The message names the file and the rule."""


@dataclass(frozen=True)
class Model:
    """A topic model of K topics over V words."""

    words: np.ndarray  # V strings
    lambda_: np.ndarray  # K × V float64, positive: parameters of the topics' Dirichlet posterior
    weights: np.ndarray  # K × V float64: the factors of θ in the E-step, the mean of β or exp(E[log β]) as mstep --beta said
    alpha: float  # Dirichlet prior of a document's topics, the same for each
    eta: float  # Dirichlet prior of a topic's words, the same for each

    @property
    def topics(self):
        """The probability of each word in each topic: K × V, each row sums to 1."""
        return self.lambda_ / self.lambda_.sum(axis=1, keepdims=True)

    @property
    def shares(self):
        """The share of each topic among the model's words: K, sums to 1."""
        return self.lambda_.sum(axis=1) / self.lambda_.sum()

    def frame(self):
        """The probabilities as a pandas frame: a row a topic, a column a word."""
        import pandas

        return pandas.DataFrame(self.topics, columns=self.words).rename_axis(index="topic", columns="word")

    def top(self, count=10, relevance=0.6):
        """The leading words of each topic as a pandas frame: topic, share, rank from 1, word, probability. The largest topic comes
        first, and words are ranked by relevance with this λ (Sievert and Shirley 2014), as in evaluate topics. 1: by probability."""
        import pandas

        topics, shares = self.topics, self.shares
        relevances = np.log(topics) - (1 - relevance) * np.log(shares @ topics)
        rows = [
            (topic, shares[topic], rank, self.words[word], topics[topic, word])
            for topic in np.argsort(-shares, kind="stable")
            for rank, word in enumerate(np.argsort(-relevances[topic], kind="stable")[:count], 1)
        ]
        return pandas.DataFrame(rows, columns=["topic", "share", "rank", "word", "probability"])

    def gensim(self):
        """A gensim LdaModel. It infers what estep lda --infer does; trained on, it starts from λ. Its dictionary, id2word, has the words
        without frequencies, which are private."""
        from gensim.corpora import Dictionary
        from gensim.models import LdaModel

        dictionary = Dictionary()
        dictionary.token2id = {str(word): number for number, word in enumerate(self.words)}
        model = LdaModel(
            id2word=dictionary, num_topics=len(self.lambda_), alpha=[self.alpha] * len(self.lambda_), eta=self.eta,
            dtype=np.float64, random_state=1,
        )  # fmt: skip
        model.state.sstats = self.lambda_ - self.eta
        model.expElogbeta = self.weights.copy()
        return model

    def sklearn(self):
        """A scikit-learn LatentDirichletAllocation, fitted: transform infers what estep lda --infer does, of counts over words in this
        order, such as those of CountVectorizer(vocabulary=model.words)."""
        from sklearn.decomposition import LatentDirichletAllocation

        topics, words = self.lambda_.shape
        model = LatentDirichletAllocation(n_components=topics, doc_topic_prior=self.alpha, topic_word_prior=self.eta)
        model.partial_fit(np.zeros((1, words)))  # sets all attributes of a fitted model
        model.components_ = self.lambda_.copy()
        model.exp_dirichlet_component_ = self.weights.copy()
        return model


def load(path):
    """Reads a model: a model file of mstep lda, or what mstep export --format npz wrote. Raises Error, or OSError."""
    content = Path(path).read_bytes()
    if not content.startswith(b"PK"):
        content = _export(path)
    arrays = _arrays(path, content, "words", "lambda", "weights", "alpha", "eta")
    model = Model(arrays["words"], arrays["lambda"], arrays["weights"], float(arrays["alpha"]), float(arrays["eta"]))
    if not model.lambda_.shape == model.weights.shape == (len(model.lambda_), len(model.words)):
        raise Error(f"{path}: lambda, weights and words are of different sizes")
    return model


def ldavis(path):
    """Reads the output of mstep export --format ldavis: a pyLDAvis.PreparedData. Raises Error, or OSError."""
    import pandas
    import pyLDAvis

    try:
        vis = json.loads(Path(path).read_text("utf-8"))
        tables = [pandas.DataFrame(vis[name]) for name in ("mdsDat", "tinfo", "token.table")]
        return pyLDAvis.PreparedData(*tables, *(vis[name] for name in ("R", "lambda.step", "plot.opts", "topic.order")))
    except (ValueError, TypeError, KeyError):
        raise Error(f"{path}: not an export of the format ldavis") from None


def document_topics(path):
    """Reads the output of estep lda --infer, in any of its formats: a pandas frame with a row a document, named by its id, and a column
    a topic, from 0. It is as private as the documents. Raises Error, whose message has no content of the file, or OSError."""
    import pandas

    with open(path, "rb") as file:
        head = file.read(4)
    if head == b"PAR1":
        frame = pandas.read_parquet(path).set_index("id")
        frame.columns = range(frame.shape[1])
        return frame
    if head.startswith(b"PK"):
        arrays = _arrays(path, Path(path).read_bytes(), "ids", "topics")
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


def _arrays(path, content, *names):
    """The arrays of an npz, without pickle."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            return {name: archive[name] for name in names}
    except Exception as error:  # zipfile and NumPy have many
        raise Error(f"{path}: not an npz with the arrays {', '.join(names)}") from error


def _export(path):
    """What mstep export --format npz writes of a model file."""
    if program := shutil.which("mstep"):
        command = [program]
    elif program := shutil.which("privpipe"):
        command = [program, "mstep"]
    else:
        raise Error(f"{path}: to read a model file, put mstep or privpipe on PATH, or export it: mstep export --format npz")
    arguments = ["export", "--format", "npz", "-o", "-", str(Path(path).absolute())]
    done = subprocess.run(command + arguments, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        raise Error(done.stderr.decode(errors="replace").strip() or f"{path}: mstep export ended with exit code {done.returncode}")
    return done.stdout
