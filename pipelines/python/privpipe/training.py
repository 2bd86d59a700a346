"""Trains a topic model of a frame, by the recipe lda.sh, and uses the model."""

from __future__ import annotations

import html
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import frames, models, programs
from .ledger import Ledger, read
from .programs import Error

if TYPE_CHECKING:
    import pandas


def train(
    frame: Any,
    /,
    *,
    out: str | os.PathLike[str],
    text: str | Sequence[str] = "text",
    unit: str | None = None,
    id: str | None = None,
    epsilon: float = 1.0,
    delta: float = 1e-6,
    topics: int = 50,
    progress: bool = True,
    **flags: Any,
) -> Run:
    """Trains a private topic model, and returns its Run. The same call resumes a run that was stopped, and spends
    nothing twice.

    frame: a frame of pandas, polars or Arrow with a row a document, or the path of a file that lda.sh reads.
    out: the folder of the run. out/public may be shown; out/private has the ledger and the documents, and only its
    owner can open it.
    text: the column of strings, or several: their texts are one document. A missing text is empty.
    unit: None protects each document; a column's name protects all documents of the users that the column names.
    id: the column of ids, each of one document. An id must never be a position, as the index of a frame is. By default
    the content names it.
    epsilon, delta: the budget of the whole ledger: ε > 0, and δ at most 0.1/(number of documents).
    topics: the number of topics, at least 1. Fewer documents than a hundred thousand want fewer than 50.
    progress: show messages of the recipe, and its rounds by tqdm if that is installed.
    flags: further flags of lda.sh, with _ in place of -: seeds="topics.txt", words=8000, force=True. lda.sh --help
    lists them.

    The neighbouring relation and what ε means: privatize/PRIVACY.md. A frame goes to the recipe through a pipe. The
    recipe keeps it in out/private/input with mode 0600 while it works, and removes it at the end, also after a failure
    or where Python was killed. Messages of the programs may depend on private data (privatize/LEAKS.md), and so may an
    Error: with progress they are in the notebook, which then stays behind the wall.

    Raises Error with the message and the exit code of the recipe: 80 for wrong flags and for other settings or another
    text than those the folder began with, 83 if the text is not worth the budget, 90 for malformed documents, 91 while
    another run works in out."""
    texts = [text] if isinstance(text, str) else list(text)
    if not texts:
        raise Error("text: wants at least one column", 80)
    if not os.fspath(out):
        raise Error("out: wants a folder, is empty", 80)
    if os.path.lexists(out) and not os.path.isdir(out):
        raise Error(f"out: wants a folder, {os.fspath(out)} is none", 80)
    for name, number in (("epsilon", epsilon), ("delta", delta), ("topics", topics)):
        if isinstance(number, bool) or not isinstance(number, (int, float, np.number)):
            raise Error(f"{name}: wants a number, not {number!r}", 80)
    if "columns" in flags and not isinstance(frame, (str, os.PathLike)):
        raise Error("columns: name columns of a frame by text, unit and id", 80)
    of_file = isinstance(frame, (str, os.PathLike))
    given = {
        "epsilon": epsilon,
        "delta": delta,
        "topics": topics,
        "unit": "document" if unit is None else "user",
        **flags,
    }
    if of_file:
        named = ["text=" + ",".join(texts)] + [
            f"{name}={column}" for name, column in (("id", id), ("user", unit)) if column
        ]
        if named != ["text=text"]:
            given.setdefault("columns", ",".join(named))
    else:
        given |= {"columns": frames.columns(texts), "format": "jsonl"}
        given.setdefault("title", Path(out).resolve().name)
    arguments = [argument for name, value in given.items() for argument in _flag(name, value)]
    run = Run(out, **{name: value for name, value in flags.items() if name in _READING})
    if flags.get("ledger"):
        run._ledger = Path(flags["ledger"])
    source = os.path.abspath(frame) if of_file else "-"
    rows = None if of_file else frames.rows(frame, texts, user=unit, id=id)
    _recipe(run, [*arguments, source, os.path.abspath(out)], rows, progress)
    return run


# Flags of lda.sh that say how a text is cut into words. They hold for new texts, too.
_READING = ("keep", "rule", "phrases")


def _flag(name: str, value: Any) -> list[str]:
    flag = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, (list, tuple)):
        value = ",".join(map(str, value))
    return [f"{flag}={value}"]


class Run:
    """A training in a folder. Its model, topics, ε and page are public. What transform returns is as private as the
    texts."""

    def __init__(self, out: str | os.PathLike[str], **reading: Any):
        """out: the folder of a run of lda.sh. reading: flags by which it read its text: keep, rule and phrases."""
        if unknown := set(reading) - set(_READING):
            raise Error(f"no flag by which a text is read: {', '.join(sorted(unknown))}", 80)
        self.out = Path(out)
        self.public = self.out / "public"
        self.private = self.out / "private"
        self._ledger = self.private / "run.ledger"
        self._reading = [argument for name, value in reading.items() for argument in _flag(name, value)]

    def __repr__(self) -> str:
        return f"Run({str(self.out)!r})"

    @property
    def page(self) -> Path:
        """The page to show."""
        return self.public / "report.html"

    @property
    def ledger(self) -> Ledger:
        """The ledger that the run charged: that of its folder, or that of train(ledger=…), where it was."""
        return Ledger(self._ledger if self._ledger.exists() else self.report["ledger"])

    @cached_property
    def model(self) -> models.Model:
        """The model: words and topics as arrays, and frozen models of gensim and scikit-learn."""
        return models.load(self.public / "model.pp")

    @cached_property
    def report(self) -> dict[str, Any]:
        """The report of the ledger at the end of the run, as Ledger.report returns it."""
        return read((self.public / "report.json").read_bytes())

    @property
    def epsilon(self) -> float:
        """ε of everything that was released under the ledger, at delta."""
        return float(self.report["epsilon"])

    @property
    def delta(self) -> float:
        """δ of epsilon."""
        return float(self.report["delta"])

    @cached_property
    def topics(self) -> pandas.DataFrame:
        """The topics as a pandas frame, the largest first: topic (from 0), name, share in [0, 1], and words, the
        leading ten. share is of the model's words. name is that of seeds, else the three leading words."""
        import pandas

        said = programs.run("evaluate", "topics", "--json", "--top", "10", str((self.public / "model.pp").absolute()))
        rows = []
        for line in said.splitlines():
            topic = json.loads(line)
            words = [entry["word"] for entry in topic["words"]]
            rows.append((topic["topic"], topic.get("name") or " ".join(words[:3]), topic["share"], words))
        return pandas.DataFrame(rows, columns=["topic", "name", "share", "words"])

    def transform(self, texts: Iterable[Any]) -> np.ndarray:
        """The share of each topic in each text: N × K float64 in [0, 1], rows sum to 1, topics in the order of the
        model. texts are N strings; a missing one is empty. The shares are private, as those of estep lda --infer are.
        Raises Error."""
        return self._inference.shares(texts)

    def sklearn(self) -> Any:
        """A frozen scikit-learn transformer of raw texts into shares, for a Pipeline. fit learns nothing. It holds the
        model, so that a pickle of it works where privpipe is installed."""
        return models.frozen("TopicShares")(self._inference)

    @cached_property
    def _inference(self) -> Inference:
        return Inference((self.public / "model.pp").read_bytes(), self.model, self._reading)

    def _repr_html_(self) -> str:
        """The topics and ε for a notebook, from files in out/public alone."""
        escape = html.escape
        rows = "".join(
            f"<tr><td>{topic.topic}</td><td>{escape(str(topic.name))}</td><td>{topic.share:.1%}</td>"
            f"<td>{escape(' '.join(map(str, topic.words)))}</td></tr>"
            for topic in self.topics.itertuples(index=False)
        )
        unit = self.report.get("unit", "")
        epsilon = "∞: no ε protects the text" if np.isinf(self.epsilon) else f"{self.epsilon:.4g}"
        return (
            f"<p>{len(self.topics)} topics, ε = {epsilon}, δ = {self.delta:g}, unit: {escape(str(unit))}."
            f' <a href="{escape(self.page.absolute().as_uri())}">The page</a>.</p>'
            f"<table><tr><th>topic</th><th>name</th><th>share</th><th>words</th></tr>{rows}</table>"
        )


class Inference:
    """Infers the topics of texts by the stages, in memory and pipes alone. It holds a model, and may be pickled."""

    def __init__(self, file: bytes, model: models.Model, reading: Sequence[str]):
        self.file, self.topics, self.reading = file, len(model.lambda_), list(reading)
        self.words = [str(word) for word in model.words]

    def __deepcopy__(self, memo: Any) -> Inference:
        return self

    def shares(self, texts: Iterable[Any]) -> np.ndarray:
        """See Run.transform."""
        rows = frames.of_texts(texts)
        first = next(rows)
        if first == b"[]\n":  # tokenize refuses a text without a document
            return np.empty((0, self.topics))
        with tempfile.TemporaryDirectory() as folder:  # of public files
            model, vocabulary = Path(folder, "model.pp"), Path(folder, "vocabulary.txt")
            model.write_bytes(self.file)
            vocabulary.write_text("".join(word + "\n" for word in self.words), "utf-8")
            reading = [
                "--format",
                "jsonl",
                "--columns",
                frames.columns(["text"]),
                "--vocab",
                str(vocabulary),
                *self.reading,
            ]
            tokenize = subprocess.Popen(
                [*programs.command("tokenize"), "text", *reading],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            with tokenize:
                infer = subprocess.Popen(
                    [*programs.command("estep"), "lda", "--infer", "--format", "npz", "--model", str(model), "-o", "-"],
                    stdin=tokenize.stdout, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                )  # fmt: skip
                with infer:
                    _close(tokenize.stdout)
                    readers = [_Reader(stream) for stream in (tokenize.stderr, infer.stdout, infer.stderr)]
                    try:
                        _write(tokenize.stdin, itertools.chain([first], rows))
                    except BaseException:
                        tokenize.kill()
                        infer.kill()
                        _close(tokenize.stdin)
                        raise
                    said, output, why = (reader.all() for reader in readers)
        if tokenize.returncode:
            raise programs.failed("tokenize", tokenize.returncode, said)
        if infer.returncode:
            raise programs.failed("estep", infer.returncode, why)
        return models.npz("the output of estep lda --infer", output, "topics")["topics"]


class _Reader(threading.Thread):
    """Reads a stream to its end, beside what else is done."""

    def __init__(self, stream: Any):
        super().__init__(daemon=True)
        self.stream, self.content = stream, b""
        self.start()

    def run(self) -> None:
        with self.stream:
            self.content = self.stream.read()

    def all(self) -> bytes:
        self.join()
        return self.content


def _write(pipe: Any, rows: Iterator[bytes]) -> None:
    """Writes all rows and closes the pipe. A program that ended before says why."""
    try:
        for row in rows:
            pipe.write(row)
    except BrokenPipeError:
        pass
    _close(pipe)


def _close(pipe: Any) -> None:
    try:
        pipe.close()
    except BrokenPipeError:
        pass


def _recipe(run: Run, arguments: list[str], rows: Iterator[bytes] | None, progress: bool) -> None:
    """Runs lda.sh."""
    bash = shutil.which("bash")
    version = subprocess.run(
        [bash or "false", "-c", "echo $((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1]))"], capture_output=True
    ).stdout
    if int(version or 0) < 501:
        raise Error(
            "recipes need bash 5.1 or later on PATH, and GNU tools; on macOS: brew install bash coreutils gnu-sed gawk",
            80,
        )
    child = subprocess.Popen(
        [str(bash), str(programs.recipe("lda")), *arguments], env=programs.environment(),
        stdin=subprocess.DEVNULL if rows is None else subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    said: list[bytes] = []
    show = _Progress(run) if progress else None
    output, messages = (
        _Reader(child.stdout),
        threading.Thread(target=_messages, args=(child.stderr, said, show), daemon=True),
    )
    messages.start()
    try:
        if rows is not None:
            _write(child.stdin, rows)
        while child.poll() is None:
            try:
                child.wait(0.5)
            except subprocess.TimeoutExpired:
                if show:
                    show.update()
    except BaseException:
        child.terminate()  # the recipe stops its stages
        if child.stdin:
            _close(child.stdin)  # what it reads ends early, so it is refused
        child.wait()
        raise
    finally:
        messages.join()
        output.all()
        if show:
            show.close()
    if child.returncode:
        raise programs.failed("lda.sh", child.returncode, b"".join(said))


def _messages(stream: Any, said: list[bytes], show: _Progress | None) -> None:
    with stream:
        for line in stream:
            said.append(line)
            if show and not line.startswith((b"page: ", b"model: ", b"private: ", b"next: ")):  # the Run has them
                show.write(line.decode(errors="replace").rstrip())


class _Progress:
    """The rounds of a run, counted in its ledger by its grant."""

    def __init__(self, run: Run):
        self.run = run
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a notebook without widgets
                from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self.tqdm, self.bar = tqdm, None

    def write(self, line: str) -> None:
        if self.tqdm:
            self.tqdm.write(line, file=sys.stderr)
        else:
            print(line, file=sys.stderr)

    def update(self) -> None:
        grant = self.run.public / "grant.json"
        if not self.tqdm or not grant.exists() or not self.run._ledger.exists():
            return
        try:
            planned = json.loads(grant.read_bytes())
            of_grant = f'"grant":"{planned["id"]}"'.encode()
            with open(self.run._ledger, "rb") as ledger:
                done = sum(b'"type":"charge"' in line and of_grant in line for line in ledger)
        except (OSError, ValueError, KeyError):  # it is being written
            return
        if self.bar is None and done:
            self.bar = self.tqdm(total=planned["releases"], unit="round")
        if self.bar is not None:
            self.bar.update(done - self.bar.n)

    def close(self) -> None:
        self.update()
        if self.bar is not None:
            self.bar.close()
