"""The programs of privpipe, which do all the work: where they are, and how they are run."""

from __future__ import annotations

import functools
import os
import shutil
import signal
import subprocess
from importlib import util
from pathlib import Path


class Error(Exception):
    """A program that failed, a file that cannot be read, or a program that is missing. The message names the file and
    the rule, and never a document. code is the exit code of the program (privpipe/pipelines/exit in the sources), or
    None if no program was run."""

    def __init__(self, message: str, code: int | None = None):
        super().__init__(message)
        self.code = code


# A wheel has an installation inside. An installation and a checkout have this folder at pipelines/python/privpipe.
_HERE = Path(__file__).resolve().parent
_ROOTS = [_HERE / "installation/share/privpipe", _HERE.parents[2] if len(_HERE.parents) > 2 else _HERE]


def _kafka() -> list[Path]:
    """The stages of the package privpipe-kafka, which the extra privpipe[kafka] installs."""
    found = util.find_spec("privpipe_kafka")
    return [Path(found.origin).parent / "stages"] if found and found.origin else []


def recipe(name: str) -> Path:
    """The path of a recipe. Raises Error if there is none, as beside a copy of this folder alone."""
    for root in _ROOTS:
        if (path := root / f"pipelines/recipes/{name}.sh").is_file():
            return path
    raise Error(
        f"no recipe {name}: install privpipe with pip, or take this folder from a checkout or an installation", 80
    )


@functools.cache
def stages() -> Path | None:
    """The folder of the stages, or None if they are on PATH only. PRIVPIPE_BIN names another one, as it does for
    recipes."""
    given = os.environ.get("PRIVPIPE_BIN")
    installed = [folder for root in _ROOTS for folder in (root / "../../libexec/privpipe", root / "bin")]
    for folder in [Path(given)] if given else [*_kafka(), *installed]:
        if (folder / "mstep").is_file():
            return folder.resolve()
    return None


def command(stage: str) -> list[str]:
    """What begins the command line of a stage. Raises Error if it is nowhere."""
    folder = stages()
    if program := shutil.which(stage, path=folder) if folder else shutil.which(stage):
        return [program]
    if program := shutil.which("privpipe"):
        return [program, stage]
    raise Error(f"no {stage}: put the stages or privpipe on PATH, or install privpipe with pip", 80)


def environment() -> dict[str, str]:
    """The environment of a recipe: the stages that this package would run."""
    folder = stages()
    return {**os.environ, "PRIVPIPE_BIN": str(folder)} if folder else dict(os.environ)


def run(stage: str, *arguments: str) -> bytes:
    """Runs a stage and returns its standard output. Raises Error with its message and its exit code."""
    done = subprocess.run([*command(stage), *arguments], stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        raise failed(stage, done.returncode, done.stderr)
    return done.stdout


def failed(name: str, code: int, stderr: bytes) -> Error:
    """The error of a program that ended with a code. A negative one is a signal, as subprocess has it: the shell adds
    128."""
    code = 128 - code if code < 0 else code
    return Error(stderr.decode(errors="replace").strip() or f"{name} ended with exit code {code}", code)


def main() -> None:
    """The command privpipe of the wheel."""
    import sys

    program = _HERE / "installation/bin/privpipe"
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and so would the program
    os.execve(program, [str(program), *sys.argv[1:]], environment())
