"""No reader takes long for a text that repeats what its notation knows.

All texts take hours, so each reader meets as many here as fit into a fifth of a second of processor time, always in
the same order. ``AUTOEVAL_PUMP=60`` gives each reader so many seconds, ``AUTOEVAL_PUMP=full`` tries everything; both
print a table (``pytest tests/fuzz/test_pump.py -s``).
"""

from __future__ import annotations

import os
from math import inf
from random import Random

import pytest
from support.pumping import pump, seconds_of, shapes
from support.readers import READERS

_ASKED = os.environ.get("AUTOEVAL_PUMP", "")
_SECONDS = inf if _ASKED == "full" else float(_ASKED or 0.2)
#: A slow or busy machine may take so many times longer than an idle one.
_ROOM = 3


@pytest.mark.parametrize("name", READERS)
def test_repetitions_are_read_or_refused_in_time(name: str) -> None:
    reader = READERS[name]
    every = list(shapes(reader))
    Random(0).shuffle(every)
    found = pump(reader, every, _SECONDS, _ROOM)
    if _ASKED:
        tried = f"{found.shapes:,} of {len(every):,} repetitions, {found.inputs:,} inputs"
        print(f"{name} | {tried} | {found.slowest:.2f} s | {found.slowest_shape}")  # noqa: T201 - the table
    assert found.shapes
    assert not found.problems


def _doubled(text: str, sign: str) -> str:
    """A balanced formula, just shorter than the longest that parsers take, over many copies of one."""
    while 2 * len(text) + 5 <= 19_900:
        text = f"({text}){sign}({text})"
    return text


#: What once took seconds to hours, or ended the process: the reader, and its text. Parsers take 20,000 characters.
_BEFORE = (
    ("regex answer", "The answer: 0{" + " " * 1_500 + "x"),
    ("regex answer, any names", "(" * 140 + "0" * 19_000 + "0)" * 140),
    ("regex answer, any names", "[" + "一-凧" * 6_500 + "]"),
    ("ltl answer, any names", "And(" * 4_900),
    ("ltl answer, any names", "(|" * 5_000 + ")" * 5_000),
    ("ltl answer, any names", "(→" * 9_000),
    ("ltl answer, any names", "x1 " + " # " * 6_000 + "&"),
    ("ltl answer, any names", "x1" + "\n" * 19_000 + "and x2"),
    ("yes or no", "~" * 99_000 + "`"),
    ("yes or no", "a" + "_" * 99_000 + "a"),
    ("yes or no", "$$ \\\\" + " " * 99_000 + "x$$"),
    ("phrases", '"a' + "_" * 99_000 + "a"),
    ("trace", "x1;" + " " * 99_000 + "y z;cycle{x1}"),
    ("Python notation", "not \\\n" * 16_600),
    ("formula of a row", "x" * 19_900),
    ("formula of a row", "∀x. " * 135 + _doubled("P(x)", "∧")),
    ("regex answer", "The answer: 0{" + " " * 99_980 + "x"),
    ("regex answer", "**_" * 6_600),
    ("regex answer", "|" * 4_000 + "[01]" * 3_990),
    ("ltl answer", "(→" * 9_990),
    ("ltl answer", "_" * 99_990 + " !"),
    ("ltl answer", "(|" * 33_000 + ")" * 33_000),
    ("ltl answer", "And(" * 25_000),
    ("ltl answer", "`G x1" + "\n" * 99_990 + "`"),
    ("trace answer", "'" * 100_000),
    ("trace answer", "(x1\n" * 24_750),
    ("trace answer", "[x1 x2 " * 14_000),
    ("yes or no", "Answer: yes\n" * 8_330),
    ("order", "3, " * 33_330),
    ("phrases", "Answer: yes, " + "yes, " * 19_990),
    ("symbols", "P(x, " * 20_000),
    ("symbols", "x1: " * 25_000),
    ("formula of a row", "_" * 50_000 + "<->" * 16_000),
    ("formula of a row", "!" * 8_000 + "forall" * 1_900),
    ("formula of a row", "c1" * 9_990 + "∨"),
    ("propositions of a row", "x1: a opens, x2" + "\u2009" * 99_900 + ": b shuts"),
    ("propositions of a row", ":" * 100_000),
    ("propositions of a row", ", 'a" * 25_000),
    ("propositions of a row", "“a’ : x1 " * 11_100),
    ("ontology of a row", '{"Cub' + "\u2009" * 99_900 + 'e(x)": "x is a cube"}'),
    ("ontology of a row", "\ud800.json"),
    ("recording", "[" * 100_000),
    ("template", "system = {" * 10_000),
    ("template", 'system = "${part:' + "a" * 300 + '}"\nuser = "${formula}"'),
    ("template", "a" + ".a" * 49_990 + " = 1"),
    ("data set, csv", "formula,trace,satisfies\nG x1,cycle{x1" + "sentence" * 12_000 + "},true\n"),
    ("results, version 1", '{"schema_version": 1, "a": ' + "[" * 99_000),
    ("results, version 1", '{"schema_version": 1, "a": ' + '{"a":' * 19_000),
    ("results, version 2", "[" * 100_000),
    ("results, version 2", '{"a":' * 20_000),
    ("data set, json", "[" * 100_000),
)


@pytest.mark.parametrize(
    ("name", "text"), _BEFORE, ids=[f"{name} {number}" for number, (name, _) in enumerate(_BEFORE)]
)
def test_what_once_took_long_is_read_or_refused_in_time(name: str, text: str) -> None:
    assert seconds_of(READERS[name], text) < _ROOM * READERS[name].seconds
