"""Frames as JSON: what tokenize text reads, made from pandas, polars and Arrow, a row at a time. Nothing is written to
a disk."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .programs import Error

# What a column is for, and the member of the objects that tokenize reads. Texts are text1, text2, … in their order.
_NAMES = ("id", "user")


def columns(texts: Sequence[str]) -> str:
    """The flag --columns for the objects of rows."""
    return "text=" + ",".join(f"text{number}" for number in range(1, len(texts) + 1))


def rows(frame: Any, texts: Sequence[str], user: str | None = None, id: str | None = None) -> Iterator[bytes]:
    """The rows of a frame as one JSON array, a line a row. An array that ends early is refused by tokenize, so a
    program that dies while it writes trains nothing. A missing text is an empty one, as an empty cell of CSV is.
    Raises Error, which names the row and the column."""
    named = {name: column for name, column in zip(_NAMES, (id, user)) if column is not None}
    return _rows(_values(frame, [*texts, *named.values()]), texts, named)


def _rows(of: Iterable[Sequence[Any]], texts: Sequence[str], named: dict[str, str]) -> Iterator[bytes]:
    before = b"["
    for number, values in enumerate(of, 1):
        row: dict[str, Any] = {}
        for place, (column, value) in enumerate(zip([*texts, *named.values()], values)):
            try:
                if place < len(texts):
                    row[f"text{place + 1}"] = _text(value)
                else:
                    row[list(named)[place - len(texts)]] = _name(value)
            except TypeError as error:
                raise Error(f"row {number}: column {column!r}: {error}", 90) from None
        yield before + json.dumps(row).encode()
        before = b",\n"
    yield b"[]\n" if before == b"[" else b"]\n"


def of_texts(texts: Iterable[Any]) -> Iterator[bytes]:
    """Texts as rows of one column, "text"."""
    return rows(_Texts(texts), ["text"])


class _Texts:
    """Texts alone, such as a list or a column of a frame."""

    def __init__(self, texts: Iterable[Any]):
        if texts is None or isinstance(texts, (str, bytes)):
            what = "none" if texts is None else "one"
            raise Error(f"wants several texts, such as a list or a column of a frame, is {what}", 80)
        if hasattr(texts, "columns"):
            raise Error("wants texts, such as one column of a frame, is a frame", 80)
        self.texts = texts


def _values(frame: Any, wanted: list[str]) -> Iterable[Sequence[Any]]:
    """The values of the wanted columns, row by row."""
    if isinstance(frame, _Texts):
        return ((getattr(text, "as_py", lambda text=text: text)(),) for text in frame.texts)
    library = type(frame).__module__.partition(".")[0]
    if library not in ("pandas", "polars", "pyarrow"):
        if not hasattr(frame, "__arrow_c_stream__"):
            raise Error(f"wants a frame of pandas, polars or Arrow, or a path, is a {type(frame).__name__}", 80)
        import pyarrow

        frame, library = pyarrow.table(frame), "pyarrow"
    if library == "polars" and hasattr(frame, "collect"):
        frame = frame.collect()
    columns = getattr(frame, "schema" if library == "pyarrow" else "columns", None)
    if columns is None:
        raise Error(f"wants a frame, is a {type(frame).__name__}: one column is frame[[name]]", 80)
    names = list(columns.names if library == "pyarrow" else columns)
    for column in wanted:
        if names.count(column) != 1:
            raise Error(f"the frame has {'no' if column not in names else 'more than one'} column {column!r}", 80)
    if library == "pandas":
        return zip(*(frame[column] for column in wanted))
    if library == "polars":
        return frame.select(wanted).iter_rows()
    batches = frame.select(wanted).to_batches() if hasattr(frame, "to_batches") else [frame.select(wanted)]
    return (values for batch in batches for values in zip(*(column.to_pylist() for column in batch.columns)))


def _missing(value: Any) -> bool:
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or isinstance(value, float) and math.isnan(value)
    )


def _text(value: Any) -> Any:
    if _missing(value):
        return ""
    if isinstance(value, str):
        return str(value)
    raise TypeError("a text must be a string")


def _name(value: Any) -> Any:
    """A name: an id or a user. Whole numbers of pandas become floats where a value is missing."""
    if _missing(value):
        return None
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    if type(value).__name__ in ("UUID", "date", "datetime", "Timestamp", "Decimal"):
        return str(value)
    raise TypeError("an id or a user must be a string or a whole number")
