"""Makes pyarrow.parquet, the file of a writer in wide use: python3 -m pip install pyarrow==26.0.1; python3 make.py"""
import datetime

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
