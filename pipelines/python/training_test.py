"""Tests training by Python in a folder with comments.jsonl, which endtoend/python_test.go made; the stages are on PATH. Needs NumPy and
pyarrow; pandas, polars and scikit-learn are tried where they are installed."""

import importlib
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import numpy as np
import pyarrow

sys.path.insert(0, str(Path(__file__).parent))
import privpipe
from privpipe import frames

COMMENTS = [json.loads(line)["text"] for line in open("comments.jsonl", encoding="utf-8")]
SMALL = {"epsilon": 2, "topics": 2, "rounds": 3, "force": True, "progress": False}


def library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def makers():
    """What makes a frame of columns, for each library that is there."""
    yield "pyarrow", pyarrow.table
    yield "a batch", lambda columns: pyarrow.table(columns).to_batches()[0]
    yield "a stream", lambda columns: Stream(pyarrow.table(columns))
    if pandas := library("pandas"):
        yield "pandas", pandas.DataFrame
    if polars := library("polars"):
        yield "polars", polars.DataFrame
        yield "lazy", polars.LazyFrame


class Stream:
    """A frame of some other library."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


class Frames(unittest.TestCase):
    def rows(self, frame, texts, **columns):
        return json.loads(b"".join(frames.rows(frame, texts, **columns)))

    def test_rows(self):
        columns = {"subject": ["a", None, 'q"\n\ud7ff'], "body": ["b", "c", "€"], "who": ["u", None, "v"], "number": [1, 2, 3]}
        for name, make in makers():
            with self.subTest(name):
                self.assertEqual(
                    self.rows(make(columns), ["subject", "body"], user="who", id="number"),
                    [
                        {"text1": "a", "text2": "b", "user": "u", "id": "1"},
                        {"text1": "", "text2": "c", "user": None, "id": "2"},
                        {"text1": 'q"\n\ud7ff', "text2": "€", "user": "v", "id": "3"},
                    ],
                )
                self.assertEqual(self.rows(make(columns), ["body"]), [{"text1": "b"}, {"text1": "c"}, {"text1": "€"}])

    def test_names(self):
        """Whole numbers with a missing one are floats in pandas; 0.5 names nobody."""
        for name, make in makers():
            if name == "pandas":
                frame = make({"t": ["a", "b"], "u": [7.0, math.nan]})
                self.assertEqual([row["user"] for row in self.rows(frame, ["t"], user="u")], ["7", None])
            for value in (0.5, True, b"u"):
                with self.subTest(name, value=value), self.assertRaisesRegex(privpipe.Error, "row 2: column 'u': an id or a user must be"):
                    self.rows(make({"t": ["a", "b"], "u": [None, value]}), ["t"], user="u")

    def test_refused(self):
        for name, make in makers():
            with self.subTest(name):
                with self.assertRaisesRegex(privpipe.Error, "row 1: column 't': a text must be a string") as raised:
                    self.rows(make({"t": [3]}), ["t"])
                self.assertEqual(raised.exception.code, 90)
                with self.assertRaisesRegex(privpipe.Error, "no column 'x'") as raised:
                    frames.rows(make({"t": ["a"]}), ["x"])
                self.assertEqual(raised.exception.code, 80)
        others = [pyarrow.array(["text"])]
        if pandas := library("pandas"):
            others.append(pandas.Series(["text"], name="t"))
        for frame in ("text", ["text"], {"t": ["a"]}, 3, *others):
            with self.assertRaises(privpipe.Error):
                frames.rows(frame, ["t"])
        for texts in (None, "text"):
            with self.assertRaisesRegex(privpipe.Error, "several texts"):
                frames.of_texts(texts)
        if pandas := library("pandas"):
            with self.assertRaisesRegex(privpipe.Error, "one column of a frame"):
                frames.of_texts(pandas.DataFrame({"t": ["a"]}))

    def test_cut(self):
        """No prefix of the array is an array: what a program wrote that died is refused."""
        content = b"".join(frames.rows(pyarrow.table({"t": ["]", "[]", "b"]}), ["t"]))
        self.assertEqual(len(json.loads(content)), 3)
        for end in range(len(content) - 1):
            with self.assertRaises(ValueError):
                json.loads(content[:end])
        self.assertEqual(self.rows(pyarrow.table({"t": pyarrow.array([], "str")}), ["t"]), [])


def charges(out):
    ledger = Path(out, "private/run.ledger")
    return ledger.read_text().count('"type":"charge"') if ledger.exists() else 0


class Command(unittest.TestCase):
    def test_pipe(self):
        """The program has SIGPIPE as a shell gives it, so that a reader that goes away is no error."""
        code = (
            "import os, signal; from privpipe import programs; programs.environment = dict\n"
            "os.execve = lambda *_: print(signal.getsignal(signal.SIGPIPE) == signal.SIG_DFL)\n"
            "programs.main()"
        )
        here = Path(__file__).parent
        done = subprocess.run([sys.executable, "-c", code], cwd=here, capture_output=True, text=True)
        self.assertEqual(done.stdout, "True\n", done.stderr)


class Training(unittest.TestCase):
    def test_train(self):
        table = pyarrow.table({"body": COMMENTS, "file": [f"f{len(text) % 97}" for text in COMMENTS]})
        run = privpipe.train(table, text="body", unit="file", out="run", **SMALL)
        self.assertTrue(1.9 < run.epsilon <= 2)
        self.assertEqual((run.delta, run.report["unit"]), (1e-6, "user"))
        self.assertEqual(run.ledger.report()["last_hash"], run.report["last_hash"])
        self.assertEqual(run.ledger.report(delta=1e-7)["delta"], 1e-7)
        self.assertEqual(run.model.lambda_.shape[0], 2)
        self.assertTrue(run.page.read_text("utf-8").startswith("<!"))
        self.assertEqual([path.name for path in run.private.glob("input*")], [])
        self.assertEqual(run.private.stat().st_mode & 0o777, 0o700)

        before = Path("run/private/run.ledger").read_bytes()
        privpipe.train(table, text="body", unit="file", out="run", **SMALL)  # nothing is left to do
        self.assertEqual(Path("run/private/run.ledger").read_bytes(), before)
        with self.assertRaisesRegex(privpipe.Error, "other settings or another text") as raised:
            privpipe.train(table.slice(1), text="body", unit="file", out="run", **SMALL)
        self.assertEqual(raised.exception.code, 80)
        self.assertEqual([path.name for path in run.private.glob("input*")], [])

        some = [*COMMENTS[:50], "", None]
        shares = run.transform(some)
        self.assertEqual(shares.shape, (52, 2))
        np.testing.assert_allclose(shares.sum(1), 1, rtol=1e-6)
        np.testing.assert_allclose(shares, self.by_stages(some), rtol=1e-6)
        np.testing.assert_array_equal(run.transform(pyarrow.array(some)), shares)
        self.assertEqual(run.transform([]).shape, (0, 2))
        with self.assertRaisesRegex(privpipe.Error, "row 3: column 'text'"):
            run.transform(["a", "b", 3])

        if library("pandas"):
            self.assertEqual(list(run.topics.columns), ["topic", "name", "share", "words"])
            self.assertEqual(sorted(run.topics.topic), [0, 1])
            self.assertIn(run.topics.words[0][0], run._repr_html_())
        if sklearn := library("sklearn"):
            from sklearn.linear_model import LogisticRegression
            from sklearn.pipeline import make_pipeline

            labels = np.arange(50) % 2
            pipeline = make_pipeline(sklearn.base.clone(run.sklearn()), LogisticRegression()).fit(COMMENTS[:50], labels)
            again = pickle.loads(pickle.dumps(pipeline))
            np.testing.assert_array_equal(again.predict_proba(COMMENTS[:50]), pipeline.predict_proba(COMMENTS[:50]))
            np.testing.assert_array_equal(pipeline[0].transform(some), shares)

    def by_stages(self, texts):
        """What the commands of the README print of these texts."""
        Path("vocabulary.txt").write_text("".join(f"{word}\n" for word in privpipe.load("run/public/model.pp").words))
        lines = "".join(json.dumps({"text": text or ""}) + "\n" for text in texts)
        script = "tokenize text --vocab vocabulary.txt | estep lda --infer --model run/public/model.pp"
        output = subprocess.run(["bash", "-c", script], input=lines.encode(), stdout=subprocess.PIPE, check=True).stdout
        return [json.loads(line)["topics"] for line in output.splitlines()]

    def test_failures(self):
        """A bad row at the end spends nothing, leaves no text, and keeps the code."""
        for column, code in ((["text"] * 5000 + [3], 90), (["text"] * 5000 + [b"x"], 90)):
            if not (pandas := library("pandas")):
                break
            with self.assertRaises(privpipe.Error) as raised:
                privpipe.train(pandas.DataFrame({"text": column}), out="failed", **SMALL)
            self.assertEqual(raised.exception.code, code)
            self.assertEqual(charges("failed"), 0)
            self.assertEqual([str(path) for path in Path(".").rglob("failed/**/input*")], [])
        table = pyarrow.table({"text": COMMENTS[:40], "user": [None] * 40})
        for flags, code, message in (
            ({"epsilon": -1}, 80, "--epsilon must be a positive number"),
            ({"nothing": 1}, 80, "unknown flag --nothing"),
            ({"topics": True}, 80, "topics: wants a number, not True"),
            ({"epsilon": "1"}, 80, "epsilon: wants a number, not '1'"),
            ({"out": __file__}, 80, "out: wants a folder, .* is none"),
            ({"unit": "user"}, 83, "no document names a user"),
        ):
            with self.subTest(message), self.assertRaisesRegex(privpipe.Error, message) as raised:
                privpipe.train(table, **{"out": "refused", **SMALL, **flags})
            self.assertEqual(raised.exception.code, code)
            self.assertEqual(charges("refused"), 0)
            self.assertEqual([str(path) for path in Path(".").rglob("refused/**/input*")], [])

    def test_kill(self):
        """Python is killed while it writes the rows. The recipe reads a text that ends early, and trains nothing of it."""
        program = f"""
import sys, os, signal
sys.path.insert(0, {str(Path(__file__).parent)!r})
import privpipe
class Killed(list):
    def __iter__(self):
        yield from super().__iter__()
        os.kill(os.getpid(), signal.SIGKILL)
from privpipe import frames
frames._values = lambda frame, wanted: ((text,) for text in Killed(["text of a row"] * 20000))
privpipe.train(__import__("pyarrow").table({{"text": ["a"]}}), out="killed", **{SMALL!r})
"""
        done = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, -signal.SIGKILL)
        while subprocess.run(["bash", "-c", "flock -n killed/.lock true"]).returncode:  # until the recipe has ended
            time.sleep(0.05)
        self.assertEqual(charges("killed"), 0)
        self.assertFalse(os.path.exists("killed/private/documents.pp"))


if __name__ == "__main__":
    unittest.main()
