"""Runs the prover E, a program of its own with its own licence, on clauses as TPTP text.

E comes with the extra ``prover``, or stands on the PATH. It is never imported. It gets text of our own making on its
standard input, and its time, its memory and its output are limited.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import re
import shutil
import subprocess
import threading
import time
from functools import cache
from typing import Literal, NamedTuple

from pytest_autoeval.languages.isolation import BACKSTOP, GaveUpError, killing_after
from pytest_autoeval.lazy_pattern import lazy_pattern

#: Megabytes of memory of the process, and characters of its output.
_MEMORY, _MAX_OUTPUT = 1024, 4_000_000
#: Older releases of E begin these lines with #, newer ones with %.
_STATUS = lazy_pattern(r"^[%#] SZS status (\w+)", re.MULTILINE)
_VERSION = lazy_pattern(r"^[%#] Version: (\d+(?:\.\d+)*)", re.MULTILINE)
_SECONDS = lazy_pattern(r"^[%#] Total time\s*: (\d+\.\d+) s$", re.MULTILINE)
_PROOF = lazy_pattern(
    r"^[%#] SZS output start CNFRefutation$(.*?)^[%#] SZS output end CNFRefutation$",
    re.MULTILINE | re.DOTALL,
)


class ProverAnswer(NamedTuple):
    """What the prover says about clauses: ``outcome``, its name with the version, a proof as text, and the seconds."""

    outcome: Literal["unsatisfiable", "satisfiable", "unknown"]
    prover: str = "E"
    proof: str = ""
    seconds: float = 0.0


@cache
def prover_path() -> str | None:
    """The program E: that of the extra ``prover``, else ``eprover`` on the PATH, else None."""
    try:
        from eprover import eprover_path
    except ImportError:
        return shutil.which("eprover")
    if os.access(eprover_path, os.X_OK):
        return str(eprover_path)
    return shutil.which("eprover")


#: Several threads of a run decide at once.
_lock = threading.Lock()
#: The processes that still run, which must not outlive this one.
_running: set[subprocess.Popen[str]] = set()


def run_prover(clauses: str, seconds: float, generated: int) -> ProverAnswer:
    """Asks E whether clauses can hold together, for ``seconds`` of processor time and ``generated`` clauses at most.

    The number of clauses is a limit that does not depend on the machine. ``seconds`` are a backstop.
    """
    path = prover_path()
    if path is None:
        return ProverAnswer("unknown")
    command = [
        path,
        "--auto",
        "--tstp-format",
        "--silent",
        "--proof-object",
        "--print-version",
        "--resources-info",
        f"--generated-limit={generated}",
        f"--cpu-limit={max(1, math.ceil(seconds))}",
        f"--memory-limit={_MEMORY}",
    ]
    started = time.monotonic()
    try:
        output = _output(command, clauses, seconds)
    except (OSError, GaveUpError):
        output = ""
    spent = min(time.monotonic() - started, seconds)
    return _answer(output, spent)


def _output(command: list[str], text: str, seconds: float) -> str:
    """What a program prints; it is killed when its time is over, when it prints too much, and with this process."""
    process = subprocess.Popen(  # noqa: S603 (no shell; the options are our own)
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # Nothing of the user's environment, such as keys, reaches another program.
        env={},
        start_new_session=True,  # a Ctrl-C at the terminal is the parent's business
        encoding="ascii",
        errors="replace",
    )
    with _lock:
        _running.add(process)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        # On the clock, and so with a margin: E itself counts processor time, which a busy machine gives slowly.
        with killing_after(BACKSTOP * seconds, process.kill):
            with contextlib.suppress(BrokenPipeError):  # it may end before it has read everything
                process.stdin.write(text)
                process.stdin.close()
            return process.stdout.read(_MAX_OUTPUT)
    finally:
        # Also when its output was too long, and it still waits for a reader.
        process.kill()
        process.wait()
        process.stdout.close()
        with contextlib.suppress(OSError):
            process.stdin.close()
        with _lock:
            _running.discard(process)


def _answer(output: str, seconds: float) -> ProverAnswer:
    status = _STATUS.search(output)
    version = _VERSION.search(output)
    proof = _PROOF.search(output)
    # Its own count is of processor time; the clock also counts the time of other programs.
    measured = _SECONDS.search(output)
    if measured is not None:
        seconds = float(measured[1])
    name = f"E {version[1]}" if version else "E"
    # Without a proof there is nothing to check, and the status alone decides nothing.
    if status and status[1] in {"Unsatisfiable", "ContradictoryAxioms"} and proof:
        return ProverAnswer("unsatisfiable", name, proof[1], seconds)
    if status and status[1] == "Satisfiable":
        return ProverAnswer("satisfiable", name, seconds=seconds)
    return ProverAnswer("unknown", name, seconds=seconds)


def _kill_all() -> None:
    for process in list(_running):
        process.kill()


atexit.register(_kill_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_running.clear)  # in a fork they are the parent's
