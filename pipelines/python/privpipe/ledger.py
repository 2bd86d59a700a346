"""What a ledger has spent."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

from . import programs


class Ledger:
    """A ledger of releases. It is read by account, which checks it, too."""

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r})"

    def report(self, delta: float | None = None) -> dict[str, Any]:
        """The report of account report --json: epsilon at this δ in (0, 1), which follows from the plan by default,
        unit, adjacency, releases, runs and the theorems behind. An ε without a bound is math.inf. Raises Error (90 for
        a ledger that was changed)."""
        flags = [] if delta is None else ["--delta", repr(float(delta))]
        return read(programs.run("account", "report", "--json", *flags, str(self.path.absolute())))


def read(report: bytes) -> dict[str, Any]:
    """A report, in which ∞ is a number."""
    return json.loads(
        report, object_hook=lambda o: {key: math.inf if value == "∞" else value for key, value in o.items()}
    )
