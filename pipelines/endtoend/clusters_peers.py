"""Peers of clusters, on vectors with labels: clusters_peers.py [options] VECTORS prints a row for each, as a Markdown table.

VECTORS is a Parquet file (name ends in .parquet), or JSON Lines. A row has `vector`, D numbers of norm 1 at most, and `label`. Each row of
the table has normalized mutual information (NMI) and the adjusted Rand index (ARI) of a peer's clusters and the labels, as scikit-learn
defines them: the mean and the standard deviation over seeds.

Peers without privacy: k-means and a mixture of spherical Gaussians (scikit-learn), and BERTopic, with its outliers moved to their nearest
topic. With privacy: diffprivlib's k-means (Su et al. 2016), at ε and δ = 0. The bounds of its input are public: an entry of a vector of
norm 1 lies in [-1, 1]. With --public VECTORS the bounds are the extremes of public vectors, and other entries are clipped.
"""

import argparse
import json
import sys

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.mixture import GaussianMixture


def read(name):
    """The vectors, N × D float64, and the labels, N strings, of a file."""
    if name.endswith(".parquet"):
        from pyarrow.parquet import read_table

        rows = read_table(name, columns=["vector", "label"]).to_pylist()
    else:
        with open(name, encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
    if not rows:
        sys.exit(f"clusters_peers.py: {name} has no vectors")
    return np.array([row["vector"] for row in rows]), np.array([row["label"] for row in rows])


# Each function below gives a cluster for each of the rows of x, with the options a.


def k_means(x, a, seed):
    return KMeans(a.components, n_init=1, random_state=seed).fit_predict(x)


def mixture(x, a, seed):
    return GaussianMixture(a.components, covariance_type="spherical", random_state=seed).fit_predict(x)


def diffprivlib(x, a, seed):
    from diffprivlib.models import KMeans as PrivateKMeans

    return PrivateKMeans(a.components, epsilon=a.epsilon, bounds=a.bounds, random_state=seed).fit(x).labels_


def bertopic(x, a, seed):
    from bertopic import BERTopic
    from umap import UMAP

    # It finds topics in the vectors alone, and names them by words. NMI and ARI need no names, so two words stand for each text.
    texts = ["two words"] * len(x)
    reduced = UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed)  # its default, with a seed
    model = BERTopic(nr_topics=a.components + 1, umap_model=reduced)  # it counts the outliers as a topic
    topics, _ = model.fit_transform(texts, embeddings=x)
    return model.reduce_outliers(texts, topics, strategy="embeddings", embeddings=x)


PEERS = [  # its name, whether it is private, and its clusters
    ("k-means, scikit-learn", False, k_means),
    ("spherical Gaussians, scikit-learn", False, mixture),
    ("BERTopic", False, bertopic),
    ("k-means, diffprivlib", True, diffprivlib),
]


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("vectors")
    a.add_argument("--components", type=int, default=20)
    a.add_argument("--epsilon", type=float, default=1.0, help="of the private peers")
    a.add_argument("--seeds", type=int, default=5)
    a.add_argument("--public", help="vectors of public texts, without privacy, for the bounds of diffprivlib")
    a = a.parse_args()
    x, labels = read(a.vectors)
    a.bounds = (x.shape[1] * [-1.0], x.shape[1] * [1.0])
    if a.public:
        public, _ = read(a.public)
        a.bounds = (public.min(axis=0), public.max(axis=0))
    print("| clusters | ε | NMI | ARI | clusters used |")
    print("|---|---|---|---|---|")
    for name, private, cluster in PEERS:
        epsilon = f"{a.epsilon:g}" if private else "∞"
        try:
            found = [cluster(x, a, seed) for seed in range(a.seeds)]
        except ImportError as missing:
            print(f"clusters_peers.py: {name} is not installed: {missing}", file=sys.stderr)
            continue
        scores = np.array([[normalized_mutual_info_score(labels, c), adjusted_rand_score(labels, c), len(set(c))] for c in found])
        (nmi, ari, used), (nmi_off, ari_off, _) = scores.mean(axis=0), scores.std(axis=0)
        print(f"| {name} | {epsilon} | {nmi:.3f} ± {nmi_off:.3f} | {ari:.3f} ± {ari_off:.3f} | {used:.1f} |", flush=True)


if __name__ == "__main__":
    main()
