"""Threads that read a type for the first time at once all read it; the process does not crash."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pytest_autoeval

#: In each of several forks, another thread reads a type while msgspec learns it, each time at another moment. The first
#: thread goes on when the other one has ended, or seems to wait for it.
SCRIPT = """
import os
import typing
from threading import Thread, current_thread, main_thread
{read}

def at_the_same_time(moment):
    unchanged, moments = typing._LiteralGenericAlias.__hash__, []

    def hash_of(literal):
        if current_thread() is main_thread():
            moments.append(literal)
            if len(moments) == moment:
                other.start()
                other.join(0.1)
        return unchanged(literal)

    other = Thread(target=read)
    typing._LiteralGenericAlias.__hash__ = hash_of
    read()
    if len(moments) >= moment:
        other.join()

for moment in range(1, 17):
    fork = os.fork()
    if fork == 0:
        at_the_same_time(moment)
        os._exit(0)
    assert os.waitpid(fork, 0)[1] == 0, moment
"""
LINE = """
from pytest_autoeval.record.coding import decoder

def read():
    line = b'{"kind": "suite_end", "suite": 1, "verdict": "failed", "ended": "whole", "why": "it is too low"}'
    assert decoder({})(line).verdict == "failed"
"""
OWN_PART = """
from pytest_autoeval.record.sample_parts import Part, Parts, check_part

class Own(Part, frozen=True):
    verdict: typing.Literal["passed", "failed"]
    why: str = ""

VALUES = {"verdict": "failed", "why": "it is too low"}
unknown = Parts()
unknown._parts["own"] = VALUES
"""
PART = f"""{OWN_PART}
def read():
    assert Parts.read({{"own": VALUES}})["own"] == Own(**VALUES)
"""
UNKNOWN_PART = f"""{OWN_PART}
def read():
    assert unknown.of(Own) == Own(**VALUES)
"""
CHECKED_PART = f"""{OWN_PART}
def read():
    assert check_part(Own(**VALUES)) == Own(**VALUES)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no forks")
@pytest.mark.parametrize(
    "read", [LINE, PART, UNKNOWN_PART, CHECKED_PART], ids=["line", "part", "unknown", "checked"]
)
def test_threads_may_read_a_type_at_once(read: str) -> None:
    script = SCRIPT.replace("{read}", read)
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr


def test_all_of_the_package_reads_whole_types() -> None:
    for file in Path(pytest_autoeval.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) in {
                "msgspec.convert",
                "msgspec.json.Decoder",
            }:
                kinds = [ast.unparse(argument) for argument in call.args[-1:]]
                assert file.stem == "whole_types" or all("whole_type(" in kind for kind in kinds), (
                    file,
                    call.lineno,
                )
