#!/usr/bin/env python3
"""A second reader and writer of privpipe's wire format, versions 1 to 3, built only from SPEC.md and wire.proto.

  reader.py check DIR      reads the vectors that DIR/index.json names
  reader.py show [FILE]    prints the records of a stream as JSON, one a line
  reader.py digest FILE    prints the round and the digest of each set of parameters
  reader.py documents --vocabulary-size V [--vocabulary FILE] [OUT]
                           writes a DOCUMENTS stream from JSON Lines such as {"id": "a", "words": {"3": 1, "7": 2}}

Needs the packages grpcio-tools, protobuf, xxhash and zstandard.
"""

import argparse
import hashlib
import importlib.util
import io
import json
import math
import os
import signal
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import xxhash
import zstandard
from google.protobuf.json_format import MessageToJson
from google.protobuf.message import DecodeError
from google.protobuf.proto import serialize_length_prefixed

# SPEC 6
FRAME_COMPRESSED, FRAME_DECOMPRESSED = 900_000, 896_000
RECORD, HEADER_RECORD = 880_000, 16_000
NAME, UNIT_NAME, COINS, WORD, KEY, SETTINGS = 1_024, 1_040, 64, 256, 16, 32
WORDS, MATRICES, CELLS, ROUNDS = 2**24, 64, 2**31, 2**31
WINDOW = 8 * 2**20
VERSIONS = (1, 2, 3)


def load_schema():
    """Compiles wire.proto into a temporary folder and imports the result."""
    folder = Path(__file__).resolve().parent.parent / "wire"
    with tempfile.TemporaryDirectory() as out:
        protoc = [sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}", f"--python_out={out}", "wire.proto"]
        subprocess.run(protoc, check=True)
        spec = importlib.util.spec_from_file_location("wire_pb2", Path(out, "wire_pb2.py"))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


wire = load_schema()


class Broken(Exception):
    """An input breaks a rule. The message never has content of a private record in it (SPEC 4)."""


def need(holds, section, rule):
    """Raises Broken unless a rule of a section of the SPEC holds."""
    if not holds:
        raise Broken(f"{rule} (SPEC {section})")


# --- Frames and records (SPEC 1 and 2) ---


def cut(file):
    """Reads one frame, or nothing at the end of the input. The sizes in the headers of its blocks (RFC 8878, 3.1.1)
    tell where it ends, so that it is bounded before anything is decompressed."""
    frame = bytearray(file.read(5))
    need(frame[:4] == b"\x28\xb5\x2f\xfd"[: len(frame)], "1", "not a Zstandard frame, or a skippable one")
    if not frame:
        return b""
    need(len(frame) == 5, "1", "input is truncated inside a frame")

    def take(size):
        need(len(frame) + size <= FRAME_COMPRESSED, "1", "frame is too large compressed")
        data = file.read(size)
        need(len(data) == size, "1", "input is truncated inside a frame")
        frame.extend(data)

    take(zstandard.frame_header_size(bytes(frame)) - len(frame))
    try:
        header = zstandard.get_frame_parameters(bytes(frame))
    except zstandard.ZstdError:
        raise Broken("not a Zstandard frame (SPEC 1)") from None
    need(header.has_checksum, "1", "frame has no content checksum")
    need(header.dict_id == 0, "1", "frame needs a dictionary")
    if header.content_size != zstandard.CONTENTSIZE_UNKNOWN:
        need(header.content_size <= FRAME_DECOMPRESSED, "1", "frame is too large decompressed")
    need(header.window_size <= WINDOW, "1", "frame needs too large a window")
    last = False
    while not last:
        take(3)
        block = int.from_bytes(frame[-3:], "little")
        last, kind, size = block & 1, block >> 1 & 3, block >> 3
        need(kind != 3, "1", "frame has a block of a reserved type")
        take(1 if kind == 1 else size)  # a block of type 1 is one byte, repeated
    take(4)  # checksum
    return bytes(frame)


def decompress(frame):
    """Decompresses a frame, at most one byte beyond the limit."""
    try:
        decompressor = zstandard.ZstdDecompressor(max_window_size=WINDOW)
        content = decompressor.stream_reader(frame).read(FRAME_DECOMPRESSED + 1)
    except zstandard.ZstdError:
        raise Broken("frame does not decompress, or its checksum does not match (SPEC 1)") from None
    need(len(content) <= FRAME_DECOMPRESSED, "1", "frame is too large decompressed")
    return content


def split(content):
    """Cuts the content of a frame into its records: yields the bytes of each one with its length, and the Record."""
    at = 0
    while at < len(content):
        begin, size, more = at, 0, True
        while more:
            need(begin < len(content), "1", "record goes beyond its frame")
            need(begin - at < 3, "2", "record is too large")  # the largest has a length of three bytes
            byte = content[begin]
            size |= (byte & 0x7F) << 7 * (begin - at)
            need(byte or begin == at, "1", "length is not a minimal varint")
            more = byte & 0x80
            begin += 1
        end = begin + size
        need(end - at <= RECORD, "2", "record is too large")
        need(end <= len(content), "1", "record goes beyond its frame")
        yield content[at:end], decode(content[begin:end])
        at = end


def decode(data):
    """Decodes a Record and checks that it encodes to as many bytes (SPEC 2)."""
    record = wire.Record()
    try:
        record.ParseFromString(data)
    except DecodeError:
        raise Broken("record is not a protobuf Record (SPEC 2)") from None
    if record.HasField("header"):  # before unknown fields, as a newer version has some
        need(record.header.version in VERSIONS, "2.1", f"wire version {record.header.version} is not known, only 1 to 3")
    size = record.ByteSize()
    record.DiscardUnknownFields()  # at all levels
    need(record.ByteSize() == size, "2", "record has an unknown field")
    need(size == len(data), "2", "record has an encoding that is not minimal")
    need(record.WhichOneof("body"), "2", "record without a body")
    return record


def read(file):
    """Yields the records of an input: of each stream the header, once, then all others."""
    number = offset = 0
    header = stream = None
    try:
        while frame := cut(file):
            records = split(decompress(frame))
            raw, record = next(records, (b"", wire.Record()))
            need(record.HasField("header"), "1", "frame does not begin with a header record")
            need(header in (None, raw), "1", "header is not the same as in the frames before")
            if stream is None:
                header, stream = raw, Stream(raw, record)
                yield record
            for raw, record in records:
                need(stream, "1", "record after the end record")
                stream.add(raw, record)
                yield record
                if record.HasField("end"):
                    stream = None
            number, offset = number + 1, offset + len(frame)
        need(header, "1", "input is empty")
        need(stream is None, "1", "input is truncated: it has no end record")
    except Broken as broken:
        raise Broken(f"frame {number} at byte {offset}: {broken}") from None


# --- Streams (SPEC 2.1 to 3.7) ---


def rounds_of(body):
    """The order of records in a stream of rounds."""
    inside, outside = (body, "round_close"), ("round_open", "end")
    return {"header": outside, "round_open": inside, body: inside, "round_close": outside}


# For each kind of stream, the bodies that may follow a body (SPEC 3). Stream.leave has the rules that depend on more
# than the body before, such as whether all blocks have come.
ORDER = {
    wire.DOCUMENTS: dict.fromkeys(("header", "document"), ("document", "end")),
    wire.ROUNDS: rounds_of("document"),
    wire.CONTRIBUTIONS: rounds_of("contribution"),
    wire.STATE: rounds_of("contribution") | {"header": ("round_open",), "round_close": ("end",)},
    wire.RELEASES: {"header": ("release", "end")} | dict.fromkeys(("release", "block"), ("block", "release", "end")),
    wire.PARAMETERS: dict.fromkeys(("header", "words"), ("words", "parameters", "end"))
    | dict.fromkeys(("parameters", "block"), ("block", "parameters", "end")),
    wire.CHECKPOINT: {"header": ("parameters",)} | dict.fromkeys(("parameters", "block"), ("block", "end")),
    wire.SCORES: dict.fromkeys(("header", "score"), ("score", "end")),
    wire.SUMS: dict.fromkeys(("header", "round_close"), ("round_open", "end"))
    | dict.fromkeys(("round_open", "members"), ("members", "sum"))
    | dict.fromkeys(("sum", "block"), ("block", "round_close")),
    wire.TERMS: dict.fromkeys(("header", "terms"), ("terms", "end")),
    wire.PREDICTIONS: dict.fromkeys(("header", "words"), ("words", "prediction", "end"))
    | {"prediction": ("prediction", "end")},
}
# The bodies that belong to the round under way; so does a document of ROUNDS.
INSIDE = ("round_close", "contribution", "block", "members", "sum")
SYMMETRIC = (wire.CONTRIBUTIONS, wire.RELEASES, wire.SUMS, wire.STATE)  # the kinds that may have symmetric matrices
# Unicode's property White_Space. Python's isspace() has some more.
WHITE_SPACE = set("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200B)}
FIRST_ROUND = {"round_open": 1, "release": 1, "parameters": 0}  # what begins a round, and its least number
FORMATS = {wire.FLOAT32: "<f", wire.FLOAT64: "<d", wire.INT64: "<q", wire.INT16: "<h"}  # of the module struct
SCORED = ("score", "prediction")  # what may be of a round, and of the same one as before, from version 2 on
# The elements of a kind's matrices; a kind that is not named has none.
ELEMENTS = {
    wire.CONTRIBUTIONS: (wire.FLOAT32, wire.INT16),
    wire.STATE: (wire.FLOAT32,),
    wire.RELEASES: (wire.INT64,),
    wire.SUMS: (wire.INT64,),
    wire.PARAMETERS: (wire.FLOAT32, wire.FLOAT64, wire.INT64),
    wire.CHECKPOINT: (wire.FLOAT32, wire.FLOAT64, wire.INT64),
}


class Stream:
    """A stream from its header to its end. Each body has a method of its name, which checks it."""

    def __init__(self, raw, record):
        need(len(raw) <= HEADER_RECORD, "2", "header record is too large")
        need(record.round == 0, "3", "round of a header is not 0")
        check_header(record.header)
        self.header = record.header
        self.old = record.header.version == 1
        self.records = 0
        self.hash = xxhash.xxh64(raw)
        self.previous = "header"  # the body before
        self.round = -1  # the last one that has begun
        self.units, self.count = set(), 0  # of the round: units, and number of documents, contributions or members
        self.unfinished = None  # unit and record of a contribution of which more must come
        self.last_row = (0, -1)  # matrix and row where the contribution's last part ends
        self.next_cell = (0, 0)  # matrix and cell where the next block begins
        self.last_key = b""  # of the round's members
        self.word_count = 0

    def add(self, raw, record):
        """Checks the next record."""
        body, kind = record.WhichOneof("body"), self.header.kind
        follows = ORDER[kind].get(self.previous, ())
        need(body in follows, "3", f"record `{body}` after `{self.previous}` in {wire.Kind.Name(kind)}")
        self.leave(body)
        self.check_round(body, record.round)
        getattr(self, body)(getattr(record, body))
        self.records += 1
        self.hash.update(raw)
        self.previous = body

    def leave(self, body):
        """Checks that what has begun is complete, unless the next body goes on with it."""
        if self.previous == "words" and body != "words":
            # The vector parameters.pp has another hash (SPEC 2.2) than its words, so it is not compared.
            need(self.word_count == self.header.vocabulary_size, "3.4", "words do not cover the vocabulary")
        if self.previous in ("release", "parameters", "sum", "block") and body != "block":
            need(self.next_cell == (len(self.header.matrices), 0), "3.4", "blocks do not cover the matrices")
        need(not self.unfinished or body == "contribution", "3.3", "contribution is not whole")

    def check_round(self, body, number):
        """SPEC 3, last paragraph."""
        if body in FIRST_ROUND:
            need(number >= FIRST_ROUND[body], "3", "round 0")
            need(number > self.round, "3", "rounds do not ascend")
            need(number <= ROUNDS, "6", "round is too large")
            self.round = number
        elif body in SCORED and not self.old:
            need(number >= self.round, "3.5", "rounds go back")
            need(number <= ROUNDS, "6", "round is too large")
            self.round = number
        elif body in INSIDE or (body, self.header.kind) == ("document", wire.ROUNDS):
            need(number == self.round, "3", "record has another round than the one that it is in")
        else:
            need(number == 0, "3", "record outside the rounds has a round")

    def end(self, end):
        need(end.records == self.records, "2.4", "end record counts other records")
        need(end.hash == self.hash.intdigest(), "2.4", "end record has another hash")

    def document(self, document):
        need(document.id, "3.1", "document without an id")
        check_names(document.id, document.user, document.label)
        check_ids(document.word_gaps, self.header.vocabulary_size, "3.1")
        if self.header.values:
            need(not document.counts, "3.1", "counts in a stream of values")
            need(len(document.values) == 4 * len(document.word_gaps), "3.1", "not one value for each word")
            check_finite(document.values, "<f", "3.1")
            need(all(value for (value,) in struct.iter_unpack("<f", document.values)), "3.1", "value of 0")
        else:
            need(not document.values, "3.1", "values in a stream of counts")
            need(len(document.counts) == len(document.word_gaps), "3.1", "not as many counts as words")
            need(all(document.counts), "3.1", "count of 0")
            need(sum(document.counts) <= WORDS, "3.1", "document has too many words")
        if self.header.kind == wire.ROUNDS:
            self.count += 1
            by_user = f"user/{document.user}" if document.user else f"document/{document.id}"
            self.units.add(by_user if self.header.unit == wire.USER else document.id)  # SPEC 2.3

    def round_open(self, opening):
        self.scheme(opening.scheme)
        stated = opening.draws or opening.coupled
        need(not (self.old and stated), "2", "draws or coupled in version 1")
        need(self.header.kind != wire.ROUNDS or not stated, "3.2", "draws or coupled in rounds of documents")
        need(0 <= opening.draws < math.inf, "3.2", "loss of draws is negative or not finite")
        self.units, self.count = set(), 0
        self.last_key = b""

    def round_close(self, close):
        if self.header.kind == wire.SUMS:
            need(close.units == self.count, "3.6", "round holds other units than it announces")
            need(close.records >= close.units, "3.6", "round has more units than records")
            return  # units are known by their keys, which do not give the digest
        need(close.records == self.count, "3.2", "round holds other records than it announces")
        need(close.units == len(self.units), "3.2", "round holds other units than it announces")
        digest = sum(xxhash.xxh64_intdigest(unit.encode()) for unit in self.units) % 2**64
        need(close.unit_digest == digest, "3.2", "units of the round have another digest")

    def contribution(self, contribution):
        name = (contribution.unit, contribution.record)
        if self.unfinished:
            need(name == self.unfinished, "3.3", "contribution is not whole")
        else:
            check_unit(self.header.unit, *name)
            self.last_row = (0, -1)
        for part in contribution.parts:
            self.check_part(part)
        self.unfinished = name if contribution.more else None
        self.count += not contribution.more
        self.units.add(contribution.unit)

    def check_part(self, part):
        """SPEC 3.3. All rows of a part come after those of the parts before."""
        need(part.matrix < len(self.header.matrices), "3.3", "part of a matrix that there is not")
        matrix = self.header.matrices[part.matrix]
        check_ids(part.row_gaps, matrix.rows, "3.3")
        check_ids(part.column_gaps, matrix.columns, "3.3")
        need(not (self.old and part.factored), "2", "factored part in version 1")
        if part.factored:
            same = list(part.row_gaps) == list(part.column_gaps)
            need(same or not matrix.symmetric, "3.3", "factored part of a symmetric matrix has other rows than columns")
        elif matrix.symmetric:
            need(part.row_gaps and part.column_gaps, "3.3", "part of a symmetric matrix that does not name its cells")
            need(sum(part.row_gaps) <= part.column_gaps[0], "3.3", "cell below the diagonal of a symmetric matrix")
        first, last = (part.row_gaps[0], sum(part.row_gaps)) if part.row_gaps else (0, matrix.rows - 1)
        need((part.matrix, first) > self.last_row, "3.3", "parts do not ascend, or share a row")
        rows, columns = len(part.row_gaps) or matrix.rows, len(part.column_gaps) or matrix.columns
        numbers = rows + columns if part.factored else rows * columns
        form = FORMATS[matrix.element]
        need(len(part.values) == numbers * struct.calcsize(form), "3.3", "not one value for each cell, or row and column")
        check_finite(part.values, form, "3.3")
        if matrix.element == wire.INT16:
            need(not part.factored, "3.3", "factored part of INT16")
            need(-149 <= part.exponent <= 112, "3.3", "exponent out of its range")
        else:
            need(part.exponent == 0, "3.3", "exponent of a part of FLOAT32")
        self.last_row = (part.matrix, last)

    def release(self, release):
        need(release.mechanism in ("gaussian", "laplace", "none"), "3.4", "mechanism is not known")
        private = release.mechanism != "none"
        for value in (release.clip, release.scale, release.grant):
            need(bool(value) == private, "3.4", "noise without clip, scale or grant, or `none` with one")
        self.check_steps(release)
        self.scheme(release.scheme)
        self.next_cell = (0, 0)

    def scheme(self, scheme):
        need(not (self.old and scheme.epochs), "2", "epochs in version 1")
        check_scheme(scheme)

    def check_steps(self, steps):
        """The grant, grid and bounds of a Release or a Sum (SPEC 3.4)."""
        check_names(steps.grant)
        need(0 < steps.grid < math.inf, "3.4", "grid is not positive and finite")
        need(len(steps.bounds) in (0, len(self.header.matrices)), "3.4", "not one bound for each matrix")
        for bound in steps.bounds:
            need(0 < bound < math.inf and 0 < bound * steps.grid < math.inf, "3.4", "bound is not positive and finite")

    def members(self, members):
        keys = [members.keys[at : at + KEY] for at in range(0, len(members.keys), KEY)]
        need(keys and len(keys[-1]) == KEY, "3.6", "members are not a positive whole number of keys")
        for key in keys:
            need(self.last_key < key, "3.6", "members do not ascend")
            self.last_key = key
        self.count += len(keys)

    def sum(self, steps):
        need(len(steps.settings) == SETTINGS, "3.6", "settings of a sum have another length")
        need(bool(steps.grant) == bool(steps.clip), "3.6", "sum with only a clip or only a grant")
        self.check_steps(steps)
        self.next_cell = (0, 0)

    def parameters(self, parameters):
        names = [scalar.name for scalar in parameters.scalars]
        check_names(*names)
        need(all(names) and len(set(names)) == len(names), "3.4", "names of scalars are empty or not distinct")
        need(all(math.isfinite(scalar.value) for scalar in parameters.scalars), "3.4", "scalar is not finite")
        self.next_cell = (0, 0)

    def block(self, block):
        need((block.matrix, block.offset) == self.next_cell, "3.4", "gap between blocks")
        need(block.matrix < len(self.header.matrices), "3.4", "block of a matrix that there is not")
        matrix = self.header.matrices[block.matrix]
        number, rest = divmod(len(block.values), struct.calcsize(FORMATS[matrix.element]))
        need(number and not rest, "3.4", "block is not a positive whole number of elements")
        end, cells = block.offset + number, matrix.rows * matrix.columns
        if matrix.symmetric:
            cells = matrix.rows * (matrix.rows + 1) // 2
        need(end <= cells, "3.4", "block goes beyond its matrix")
        check_finite(block.values, FORMATS[matrix.element], "3.4")
        self.next_cell = (block.matrix, end) if end < cells else (block.matrix + 1, 0)

    def words(self, words):
        need(words.first == self.word_count, "3.4", "gap between words")
        check_words(words.words)
        self.word_count += len(words.words)
        need(self.word_count <= self.header.vocabulary_size, "3.4", "more words than the vocabulary has")

    def score(self, score):
        check_names(score.id)
        need(score.completion_tokens <= score.tokens, "3.5", "more tokens predicted than there are")
        need(not (self.old and score.plug_in), "2", "plug-in score in version 1")
        logarithms = (score.bound, score.unigram, score.completion, score.completion_unigram, score.plug_in)
        need(all(map(math.isfinite, logarithms)), "3.5", "not finite")

    def prediction(self, prediction):
        check_names(prediction.id, prediction.label)
        columns = self.header.vocabulary_size
        need(self.word_count == columns, "3.8", "prediction before the names of all columns")
        need(len(prediction.probabilities) == 4 * columns, "3.8", "not one probability for each column")
        for (probability,) in struct.iter_unpack("<f", prediction.probabilities):
            need(0 <= probability <= 1, "3.8", "probability outside [0, 1]")
        check_ids(prediction.truth_gaps, columns, "3.8")

    def terms(self, terms):
        need(terms.id, "3.7", "terms without an id")
        check_names(terms.id, terms.user)
        check_words(terms.words)
        need(len(set(terms.words)) == len(terms.words), "3.7", "term occurs twice")


def check_header(header):
    """SPEC 2.1, except the version."""
    need(header.kind in ORDER, "2.1", "kind is not known")
    newer = header.values or header.kind in (wire.PREDICTIONS, wire.STATE) or header.kind == wire.SCORES and header.settings
    need(header.version > 1 or not newer, "2", "values, predictions, a state or settings of scores in version 1")
    need(not header.values or header.kind in (wire.DOCUMENTS, wire.ROUNDS), "2.1", "values in a kind without documents")
    need(header.side in (wire.PRIVATE, wire.PUBLIC), "2.1", "no side")
    check_names(header.run, header.model)
    need(header.unit in wire.Unit.values(), "2.1", "privacy unit is not known")
    unit_kinds = (wire.ROUNDS, wire.CONTRIBUTIONS, wire.RELEASES, wire.SUMS, wire.STATE)
    need(header.unit or header.kind not in unit_kinds, "2.1", "no privacy unit")
    need(len(header.vocabulary) in (0, 32), "2.1", "vocabulary hash is not of 32 bytes")
    need(header.vocabulary_size <= WORDS, "2.1", "vocabulary is too large")
    need(len(header.settings) in (0, SETTINGS), "2.1", "hash of settings is not of 32 bytes")
    settled = (wire.DOCUMENTS, wire.CONTRIBUTIONS, wire.SUMS, wire.STATE, wire.SCORES, wire.PREDICTIONS)
    need(not header.settings or header.kind in settled, "2.1", "settings in a kind that has none")
    named = header.vocabulary or header.vocabulary_size
    need(not named or header.kind != wire.TERMS, "3.7", "terms over a vocabulary")
    need(header.kind in ELEMENTS or not header.matrices, "2.1", "matrices in a kind of stream that has none")
    need(len(header.matrices) <= MATRICES, "2.1", "too many matrices")
    names = [matrix.name for matrix in header.matrices]
    check_names(*names)
    need(all(names) and len(set(names)) == len(names), "2.1", "names of matrices are empty or not distinct")
    for matrix in header.matrices:
        need(header.version > 2 or matrix.element != wire.INT16, "2", "INT16 before version 3")
        need(matrix.element in ELEMENTS[header.kind], "2.1", "matrix has a wrong element")
        need(1 <= matrix.rows * matrix.columns <= CELLS, "2.1", "matrix has no cells or too many")
        need(not matrix.symmetric or header.kind in SYMMETRIC, "2.1", "symmetric matrix in a kind that has none")
        need(not matrix.symmetric or matrix.rows == matrix.columns, "2.1", "symmetric matrix is not square")


def check_names(*names):
    """SPEC 2.1, last sentence."""
    need(all(len(name.encode()) <= NAME for name in names), "2.1", "name is too long")


def check_words(words):
    """SPEC 2.2."""
    for word in words:
        need(1 <= len(word.encode()) <= WORD, "2.2", "word is empty or too long")
        need(word != "#" and WHITE_SPACE.isdisjoint(word), "2.2", "word has white space, or is a comment")


def check_unit(kind, unit, record):
    """The unit of a contribution and the document that it is of (SPEC 2.3 and 3.3)."""
    need(len(unit.encode()) <= UNIT_NAME, "6", "unit is too long")
    if kind == wire.DOCUMENT:
        check_names(unit)
        need(unit and not record, "3.3", "contribution has no unit, or a record beside it")
    else:
        user = unit.removeprefix("user/") if unit.startswith("user/") else ""
        check_names(user, record)
        need(record, "3.3", "contribution has no record")
        need(user or unit == f"document/{record}", "3.3", "unit is neither a user nor the document")


def check_scheme(scheme):
    """SPEC 3.2. The SPEC does not say how a rate is rounded, so a small difference passes."""
    method, planned, method_of = scheme.method, scheme.rounds, wire.Scheme.Method
    need(method and method in method_of.values(), "3.2", "method is not known")
    need(0 < scheme.rate <= 1, "3.2", "rate outside (0, 1]")
    need(1 <= planned <= ROUNDS, "3.2", "planned rounds outside 1 to 2^31")
    need(len(scheme.coins.encode()) <= COINS, "3.2", "name of coins is too long")
    need(not scheme.coins or method != method_of.ALL, "3.2", "coins for a method without")
    if scheme.epochs:
        need(method == method_of.ALLOCATE, "3.2", "epochs for another method than ALLOCATE")
        need(scheme.epochs > 1 and planned % scheme.epochs == 0, "3.2", "epochs do not divide the rounds, or are one")
    if method == method_of.FIXED:
        need(1 <= scheme.size <= scheme.population, "3.2", "size outside 1 to the population")
        rate = scheme.size / scheme.population
    else:
        need(scheme.size == scheme.population == 0, "3.2", "size or population for another method than FIXED")
        rate = {method_of.ALL: 1, method_of.POISSON: scheme.rate}.get(method, (scheme.epochs or 1) / planned)
    need(math.isclose(scheme.rate, rate), "3.2", "rate is not that of the method")


def check_ids(gaps, limit, section):
    """Ids that are given as gaps (SPEC 3.1)."""
    need(all(gaps[1:]), section, "ids do not ascend")
    need(not gaps or sum(gaps) < limit, section, "id beyond the limit")


def check_finite(values, element, section):
    need(all(math.isfinite(number) for (number,) in struct.iter_unpack(element, values)), section, "not finite")


# --- Commands ---


def check(folder):
    """Reads all vectors of a folder; returns the exit code."""
    vectors = json.loads(Path(folder, "index.json").read_text("utf-8"))
    failures = [f"{vector['name']}: {failure}" for vector in vectors if (failure := failure_of(folder, vector))]
    print(*failures, f"{len(vectors) - len(failures)} passed, {len(failures)} failed", sep="\n")
    return 1 if failures or not vectors else 0


def failure_of(folder, vector):
    """What is wrong with how a vector is read, if anything."""
    try:
        with open(Path(folder, vector["name"]), "rb") as file:
            records = sum(record.WhichOneof("body") not in ("header", "end") for record in read(file))
    except OSError:
        return "cannot be opened"
    except Broken as broken:
        return "" if vector["rule"] else f"refused, though it is valid: {broken}"
    if vector["rule"]:
        return f"read, though it breaks a rule: {vector['rule']}"
    return "" if records == vector["records"] else f"{records} records, not {vector['records']}"


def show(path):
    """Prints the records of an input as they come; returns the exit code. What was printed before an error is not to
    be used, and all of it is of the input's side."""
    sys.stdout.reconfigure(encoding="utf-8")
    with open(0 if path == "-" else path, "rb") as file:
        try:
            for record in read(file):
                if record.header.side == wire.PRIVATE:
                    refuse_terminal()
                print(MessageToJson(record, preserving_proto_field_name=True, indent=None, ensure_ascii=False))
        except Broken as broken:
            sys.stdout.flush()
            print(f"reader.py: {broken}", file=sys.stderr)
            return 90
    return 0


def digest(path):
    """Prints the digests of sets of parameters (SPEC 3.5)."""
    sets = []
    with open(path, "rb") as file:
        for record in read(file):
            if record.HasField("parameters"):
                sets.append((record.round, hashlib.sha256()))
                for scalar in record.parameters.scalars:
                    sets[-1][1].update(scalar.name.encode() + b"\n" + struct.pack("<d", scalar.value))
            elif sets and record.HasField("block"):
                sets[-1][1].update(record.block.values)
    for number, hashed in sets:
        print(number, hashed.hexdigest())


def refuse_terminal():
    """SPEC 2.1, `side`."""
    if sys.stdout.isatty():
        sys.exit("reader.py: a private stream is not for a terminal")


def documents(path, **vocabulary):
    """Writes a DOCUMENTS stream; a file has its name only when it is whole."""
    if path == "-":
        refuse_terminal()
        return write_documents(sys.stdout.buffer, **vocabulary)
    unfinished = Path(f"{path}.unfinished")
    try:
        with open(unfinished, "wb") as out:
            write_documents(out, **vocabulary)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_documents(out, size, words):
    """Writes a stream of the documents on standard input, in frames as large as they may be."""
    hashed = hash_vocabulary(words, size) if words else b""
    header = wire.Header(version=2, kind=wire.DOCUMENTS, side=wire.PRIVATE, vocabulary=hashed, vocabulary_size=size)
    header = wire.Record(header=header)
    raw_header = delimit(header)
    stream = Stream(raw_header, header)
    frame = bytearray(raw_header)

    def flush():
        out.write(zstandard.ZstdCompressor(write_checksum=True).compress(bytes(frame)))
        frame[len(raw_header) :] = b""

    def add(record):
        raw = delimit(record)
        need(len(raw) <= RECORD, "2", "record is too large")
        stream.add(raw, record)  # the checks of a reader
        if len(frame) + len(raw) > FRAME_DECOMPRESSED:
            flush()
        frame.extend(raw)

    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            add(wire.Record(document=document_of(**json.loads(line))))
        except Broken as broken:
            sys.exit(f"reader.py: line {number}: {broken}")
        except (ValueError, TypeError, AttributeError):  # of which the messages may have content in them
            sys.exit(f"reader.py: line {number}: not a document")
    add(wire.Record(end=wire.End(records=stream.records, hash=stream.hash.intdigest())))
    flush()
    out.flush()


def document_of(id, words):
    """The Document of a line of input."""
    words = sorted((int(word), count) for word, count in words.items())
    gaps = [word - before for (word, _), (before, _) in zip(words, [(0, 0), *words])]
    return wire.Document(id=id, word_gaps=gaps, counts=[count for _, count in words])


def hash_vocabulary(path, size):
    """SPEC 2.2, of a file of one word a line, in which lines that begin with "# " are comments."""
    with open(path, "rb") as file:
        words = [line.removesuffix(b"\n") for line in file if not line.startswith(b"# ")]
    if len(words) != size:
        sys.exit(f"reader.py: {path} has {len(words)} words, not {size}")
    return hashlib.sha256(b"".join(word + b"\n" for word in words)).digest()


def delimit(record):
    """The bytes of a record with its length."""
    raw = io.BytesIO()
    serialize_length_prefixed(record, raw)
    return raw.getvalue()


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `show | head` ends quietly
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("check")
    command.add_argument("folder", metavar="DIR")
    command = commands.add_parser("show")
    command.add_argument("path", metavar="FILE", nargs="?", default="-")
    command = commands.add_parser("digest")
    command.add_argument("path", metavar="FILE")
    command = commands.add_parser("documents")
    command.add_argument("--vocabulary-size", dest="size", metavar="V", type=int, required=True)
    command.add_argument("--vocabulary", dest="words", metavar="FILE")
    command.add_argument("path", metavar="OUT", nargs="?", default="-")
    options = vars(parser.parse_args())
    try:
        sys.exit({"check": check, "show": show, "digest": digest, "documents": documents}[options.pop("command")](**options))
    except (Broken, OSError) as error:
        sys.exit(f"reader.py: {error}")


if __name__ == "__main__":
    main()
