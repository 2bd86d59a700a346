"""scikit-learn beside evaluate: classifier.py TRAIN TEST PREDICTIONS, each what show --private prints of a stream.

Prints, as JSON, the measures of PREDICTIONS, and the area under the ROC curve, and the accuracy, of a logistic regression without noise that learns from the
rows TRAIN and predicts the rows TEST. Class 1 is positive.
"""
import json
import sys

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score, log_loss, roc_auc_score


def records(name, kind):
    with open(name) as lines:
        return [record[kind] for record in map(json.loads, lines) if kind in record]


def rows(name, features):
    documents = records(name, "document")
    x = np.zeros((len(documents), features))
    for i, document in enumerate(documents):
        for feature, value in document.get("words", {}).items():
            x[i, int(feature)] = value
    return x, np.array([document["label"] == "1" for document in documents])


train, test, predictions = sys.argv[1:]
features = records(train, "header")[0]["vocabulary_size"]
x, y = rows(test, features)
learned = LogisticRegression(C=100, fit_intercept=False, max_iter=1000).fit(*rows(train, features))
all_ = records(predictions, "prediction")
truth = np.array([p["label"] == "1" for p in all_])
probability = np.array([p["probabilities"][0] for p in all_], np.float32).astype(float)
print(json.dumps({
    "peer": roc_auc_score(y, learned.predict_proba(x)[:, 1]),
    "peer_accuracy": accuracy_score(y, learned.predict(x)),
    "auc": roc_auc_score(truth, probability),
    "log_loss": log_loss(truth, probability),
    "accuracy": accuracy_score(truth, probability > 0.5),
    "macro_f1": f1_score(truth, probability > 0.5, average="macro"),
    "confusion": confusion_matrix(truth, probability > 0.5, labels=[True, False]).tolist(),
}))
