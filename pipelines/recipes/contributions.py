#!/usr/bin/env python3
"""Contributions and releases for an auditor who trusts no code of privpipe: built only from SPEC.md and wire.proto, with
nothing but Python's standard library.

  contributions.py write [T]
                   writes a CONTRIBUTIONS stream of T planned rounds, in which all units take part, from JSON Lines such
                   as {"round": 1, "unit": "ada", "values": [0.5, -1, 0]}, the values being a matrix x of 1 × 3
  contributions.py read FILE
                   prints the releases of a stream that was written with --compress none, as JSON Lines such as
                   {"round": 1, "mechanism": "gaussian", "grid": 9.5e-07, "clip": 1048576, "scale": 1, "cells": [3]}
"""

import itertools
import json
import struct
import sys

MASK = 2**64 - 1


def xxh64(data):
    """XXH64 with seed 0 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md, "XXH64 algorithm description")."""
    p1, p2, p3, p4, p5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)

    def rotate(x, n):
        return (x << n | x >> 64 - n) & MASK

    def step(accumulator, lane):
        return rotate(accumulator + lane * p2 & MASK, 31) * p1 & MASK

    at, total = 0, p5
    if len(data) >= 32:
        lanes = [p1 + p2 & MASK, p2, 0, -p1 & MASK]
        while at + 32 <= len(data):
            lanes = [step(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        total = sum(rotate(lane, n) for lane, n in zip(lanes, (1, 7, 12, 18)))
        for lane in lanes:
            total = (total ^ step(0, lane)) * p1 + p4 & MASK
    total = total + len(data) & MASK
    for at in range(at, len(data) - 7, 8):
        total = rotate(total ^ step(0, struct.unpack_from("<Q", data, at)[0]), 27) * p1 + p4 & MASK
    at = len(data) & ~7
    if len(data) & 4:
        total = rotate(total ^ struct.unpack_from("<I", data, at)[0] * p1 & MASK, 23) * p2 + p3 & MASK
        at += 4
    for byte in data[at:]:
        total = rotate(total ^ byte * p5 & MASK, 11) * p1 & MASK
    total = (total ^ total >> 33) * p2 & MASK
    total = (total ^ total >> 29) * p3 & MASK
    return total ^ total >> 32


# --- Protobuf: a message is a run of fields, each a number, a wire type and a value ---


def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)


def field(number, value):
    """The bytes of a field: an int is a varint, a float a double, bytes and str are delimited. A default is left out."""
    if not value:
        return b""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def fixed64(number, value):
    return varint(number << 3 | 1) + struct.pack("<Q", value) if value else b""


def number_at(data, at):
    """A varint and where it ends."""
    n = shift = 0
    while True:
        n, byte, at, shift = n | (data[at] & 127) << shift, data[at], at + 1, shift + 7
        if byte < 128:
            return n, at


def fields(data):
    """The fields of a message, by number; of one that occurs twice, the last."""
    found, at = {}, 0
    while at < len(data):
        tag, at = number_at(data, at)
        if tag & 7 == 0:
            value, at = number_at(data, at)
        else:
            size, at = (8, at) if tag & 7 == 1 else number_at(data, at)
            value, at = data[at : at + size], at + size
        found[tag >> 3] = value
    return found


# --- Zstandard without compression (RFC 8878, 3.1.1), and records (SPEC 1) ---


def frame(content):
    """One frame of raw blocks: magic; single segment, checksum and a content size of 4 bytes; blocks; checksum."""
    blocks = [content[at : at + 2**17] for at in range(0, len(content), 2**17)]
    raw = [struct.pack("<I", len(block) << 3 | (block is blocks[-1]))[:3] + block for block in blocks]
    return b"".join([b"\x28\xb5\x2f\xfd\xa4", struct.pack("<I", len(content)), *raw, struct.pack("<Q", xxh64(content))[:4]])


def frames(data):
    """The contents of frames of raw blocks, their checksums compared."""
    at = 0
    while at < len(data):
        descriptor = data[at + 4]
        single = descriptor >> 5 & 1
        at += 5 + (not single) + (single, 2, 4, 8)[descriptor >> 6]
        content, last = b"", False
        while not last:
            block = int.from_bytes(data[at : at + 3], "little")
            last, at = block & 1, at + 3
            if block >> 1 & 3:
                sys.exit("contributions.py: a compressed frame: write it with --compress none")
            content, at = content + data[at : at + (block >> 3)], at + (block >> 3)
        if struct.pack("<Q", xxh64(content))[:4] != data[at : at + 4]:
            sys.exit("contributions.py: a frame's checksum does not match")
        at += 4
        yield content


def delimited(record):
    return varint(len(record)) + record


# --- Commands ---


def write(rounds):
    """Writes the contributions on standard input, as one frame."""
    lines = [json.loads(line) for line in sys.stdin]
    matrix = field(1, "x") + field(2, 1) + field(3, len(lines[0]["values"])) + field(4, 1)
    header = delimited(field(2, field(1, 2) + field(2, 3) + field(3, 1) + field(6, 1) + field(9, matrix)))
    scheme = field(1, 1) + field(2, 1.0) + field(5, rounds)
    records = []
    for number, group in itertools.groupby(lines, lambda line: line.get("round", 1)):
        group, of_round = list(group), field(1, number)
        records.append(of_round + field(5, field(1, scheme)))
        for line in group:
            part = field(4, struct.pack(f"<{len(line['values'])}f", *line["values"]))
            records.append(of_round + field(7, field(1, line["unit"]) + field(3, part)))
        names = {line["unit"] for line in group}
        digest = sum(xxh64(name.encode()) for name in names) & MASK
        records.append(of_round + field(6, field(1, len(names)) + field(2, len(group)) + fixed64(3, digest)))
    body = b"".join(map(delimited, records))
    end = field(1, len(records)) + fixed64(2, xxh64(header + body))
    sys.stdout.buffer.write(frame(header + body + delimited(field(3, end))))


def read(path):
    """Prints the releases of a stream as they come."""
    release = None
    with open(path, "rb") as file:
        for content in frames(file.read()):
            at = 0
            while at < len(content):
                size, at = number_at(content, at)
                record, at = fields(content[at : at + size]), at + size
                if 8 in record:
                    emit(release)
                    of = fields(record[8])
                    (grid,) = struct.unpack("<d", of[3])
                    release = {"round": record[1], "mechanism": of[1].decode(), "grid": grid}
                    release |= {"clip": of.get(4, 0), "scale": of.get(5, 0), "cells": []}
                if 10 in record:
                    values = fields(record[10])[3]
                    release["cells"] += struct.unpack(f"<{len(values) // 8}q", values)
    emit(release)


def emit(release):
    if release:
        print(json.dumps(release))


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        write(int(sys.argv[2]) if sys.argv[2:] else 1)
    elif sys.argv[1:2] == ["read"] and len(sys.argv) == 3:
        read(sys.argv[2])
    else:
        sys.exit(__doc__)
