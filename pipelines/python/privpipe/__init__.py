"""Trains topic models on sensitive text and lets nothing but differentially private numbers out.

    import privpipe

    run = privpipe.train(frame, text=["subject", "body"], unit="customer_id", epsilon=1, topics=20, out="out/tickets")
    run.topics                                  # pandas: the leading words of each topic
    run.epsilon, run.page                       # what it cost, and a page to show
    run.transform(texts)                        # shares of the topics in new texts: as private as the texts
    run.sklearn()                               # a frozen transformer of raw texts, for a Pipeline

    model = privpipe.load("model.pp")           # or the file of mstep export --format npz, which needs no program
    model.words, model.lambda_, model.alpha     # arrays
    model.frame()                               # pandas: topics × words, probabilities
    model.gensim()                              # a gensim.models.LdaModel, frozen
    model.sklearn()                             # a sklearn.decomposition.LatentDirichletAllocation, frozen
    shares = privpipe.document_topics("topics.parquet")  # pandas: documents × topics, of estep lda --infer; also jsonl
    and npz privpipe.topic_info(model, shares)          # pandas: topics as get_topic_info of BERTopic has them;
    document_info: documents pyLDAvis.save_html(privpipe.ldavis("vis.json"), "vis.html")  # of mstep export --format
    ldavis privpipe.Ledger("run.ledger").report()      # what a ledger has spent

A model is public. The topics of documents are as private as the documents. So is a model that learns from documents
without noise: the models of gensim and scikit-learn keep the released topics. fit and partial_fit learn nothing, and
update raises Error.

The programs of privpipe do the work: those of the wheel, of the checkout or the installation that this folder is in,
or those on PATH. Needs NumPy; pandas for frames; pyarrow for Parquet and frames of Arrow; gensim or scikit-learn to
make their models."""

from .ledger import Ledger
from .models import Model, __getattr__, document_info, document_topics, ldavis, load, topic_info
from .programs import Error
from .training import Run, train

__all__ = [
    "Error",
    "Ledger",
    "Model",
    "Run",
    "document_info",
    "document_topics",
    "ldavis",
    "load",
    "topic_info",
    "train",
]
