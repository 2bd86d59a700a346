"""Makes pyarrow.parquet, types.parquet, int96.parquet and vectors.parquet, files of a writer in wide use: python3 -m pip install pyarrow==26.0.1; python3 make.py"""
import datetime
import decimal
import uuid

import pyarrow as pa
import pyarrow.parquet as pq

table = pa.table({
    "id": ["a", "b", None, "d"],
    "text": ["Apple pear, APPLE!", "Äpfel 東京, fig?", "", None],
    "user": pa.array([1, -2, None, 4], pa.int64()),
    "label": pa.array(["x", None, "y", "x"]).dictionary_encode(),
    "tokens": [["Apple", "e_mail"], [], None, ["fig", None]],
    "day": pa.array([65535, 0, None, 7], pa.uint16()),
    "score": [1.5, 2.0, None, 4.0],
    "time": [datetime.datetime(2026, 11, 1)] * 4,
    "numbers": [[1], [2, 3], [], None],
    "lists": [[["a"]], [], None, [[]]],
})
pq.write_table(table, "pyarrow.parquet", compression="zstd", row_group_size=3)

# A column of each type that CSV spells out, and a struct.
utc = datetime.timezone.utc
table = pa.table({
    "yes": pa.array([True, None, False]),
    "float": pa.array([1.5, None, float("nan")], pa.float32()),
    "half": pa.array([0.5, None, -65504.0], pa.float16()),
    "day": pa.array([datetime.date(2024, 2, 29), None, datetime.date(1969, 12, 31)]),
    "millis": pa.array([datetime.datetime(2024, 1, 2, 3, 4, 5, 6000), None, datetime.datetime(1969, 12, 31, 23, 59, 59, 500000)], pa.timestamp("ms")),
    "micros": pa.array([datetime.datetime(2024, 1, 2, 3, 4, 5, tzinfo=utc), None, datetime.datetime(1970, 1, 1, tzinfo=utc)], pa.timestamp("us", "UTC")),
    "clock": pa.array([datetime.time(3, 4, 5), None, datetime.time(0, 0, 0, 250)], pa.time64("us")),
    "clock32": pa.array([datetime.time(3, 4, 5), None, datetime.time(0, 0, 0, 250000)], pa.time32("ms")),
    "money": pa.array([decimal.Decimal("12.34"), None, decimal.Decimal("-0.05")], pa.decimal128(9, 2)),
    "large": pa.array([decimal.Decimal("123456789012345678901234567890"), None, decimal.Decimal(-1)], pa.decimal128(38, 0)),
    "fixed": pa.array([b"\x00\xff", None, b"ab"], pa.binary(2)),
    "nothing": pa.nulls(3),
    "small": pa.array([255, None, 0], pa.uint8()),
    "event": pa.array([{"message": {"body": "fig"}, "tags": ["a", "b"]}, None, {"message": None, "tags": None}],
                      pa.struct([("message", pa.struct([("body", pa.string())])), ("tags", pa.list_(pa.string()))])),
    "uuid": pa.ExtensionArray.from_storage(pa.uuid(), pa.array([uuid.UUID(int=1).bytes, None, uuid.UUID(int=2**127).bytes], pa.binary(16))),
})
pq.write_table(table, "types.parquet", compression="zstd")
pq.write_table(table.select(["millis"]), "int96.parquet", use_deprecated_int96_timestamps=True)

# Vectors, in lists of each type of floating-point numbers, and of fixed size.
numbers = [[3.0, 4.0], [0.0, -1.0], [0.5, 0.25]]
table = pa.table({
    "id": ["a", "b", "c"],
    "vector": pa.array(numbers, pa.list_(pa.float32())),
    "double": pa.array(numbers, pa.large_list(pa.float64())),
    "half": pa.array(numbers, pa.list_(pa.float16())),
    "fixed": pa.array(numbers, pa.list_(pa.float32(), 2)),
    "holes": pa.array([[3.0, 4.0], [3.0, None], None], pa.list_(pa.float32())),
    "text": ["[3, 4]", "[0,-1]", "[0.5,0.25]"],
})
pq.write_table(table, "vectors.parquet", row_group_size=2)
