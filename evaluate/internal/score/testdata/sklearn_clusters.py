"""Writes sklearn.json beside this script: scikit-learn's measures (1.5.2) of clusters of drawn documents beside their labels."""

import json
from pathlib import Path

import numpy as np
from sklearn import metrics

random = np.random.default_rng(1)


def measured(name, clusters, labels, vectors=None):
    table = metrics.cluster.contingency_matrix(labels, clusters)
    homogeneity, completeness, nmi = metrics.homogeneity_completeness_v_measure(labels, clusters)
    assert abs(nmi - metrics.normalized_mutual_info_score(labels, clusters)) < 1e-12
    case = {
        "name": name,
        "clusters": np.asarray(clusters).tolist(),
        "labels": list(labels),
        "nmi": nmi,
        "ami": metrics.adjusted_mutual_info_score(labels, clusters),
        "ari": metrics.adjusted_rand_score(labels, clusters),
        "purity": table.max(axis=0).sum() / table.sum(),
        "largest": table.sum(axis=1).max() / table.sum(),
        "homogeneity": homogeneity,
        "completeness": completeness,
    }
    if vectors is not None:
        case["vectors"] = vectors.tolist()
        case["silhouettes"] = metrics.silhouette_samples(vectors.astype(np.float64), clusters).tolist()
        case["silhouette"] = metrics.silhouette_score(vectors.astype(np.float64), clusters)
    return case


def noisy(documents, labels, clusters, right):
    """Labels, and clusters that follow them with the given probability."""
    of = random.integers(0, labels, documents)
    return np.where(random.random(documents) < right, of % clusters, random.integers(0, clusters, documents)), [f"l{x}" for x in of]


# Three blobs; of the clusters one has a single document, and numbers 2 and 4 are not used.
centres = random.normal(size=(3, 5))
blob = random.integers(0, 3, 40)
vectors = (centres[blob] + 0.7 * random.normal(size=(40, 5))).astype(np.float32)
clusters = np.where(random.random(40) < 0.8, blob, (blob + 1) % 3)
clusters = np.array([0, 1, 3])[clusters]
clusters[7] = 5
vectors[11] = vectors[12]

cases = [
    measured("blobs", clusters, [f"l{b}" for b in blob], vectors),
    measured("half right", *noisy(300, 4, 6, 0.5)),
    measured("fewer clusters than labels", *noisy(200, 9, 3, 0.7)),
    measured("unrelated", *noisy(150, 3, 4, 0)),
    measured("one cluster", [0] * 6, list("aabbbc")),
    measured("one label", [0, 0, 1, 2, 2, 2], ["a"] * 6),
    measured("each its own cluster", list(range(6)), list("aabbbc")),
    measured("each its own label", [0, 0, 1, 2, 2, 2], list("abcdef")),
    measured("same", [2, 2, 0, 1, 1, 1], list("aabccc")),
    measured("one document", [0], ["a"]),
    measured("worse than chance", [0, 1, 0, 1], list("aabb")),
]
Path(__file__).with_name("sklearn.json").write_text(json.dumps(cases, default=float) + "\n")
