"""Long answers that once took the square of their length, or more: each is read or refused in no time."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import process_time

import pytest

from pytest_autoeval.datasets.first_order.formula_repair import repaired
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import Vocabulary, language
from pytest_autoeval.languages.answers import plain
from pytest_autoeval.languages.copies import copied
from pytest_autoeval.languages.ltl.python_notation import read_python
from pytest_autoeval.languages.ltl.traces.lasso import parse_trace
from pytest_autoeval.languages.ltl.traces.notation import read_trace
from pytest_autoeval.tasks.answers import read_phrases, read_symbols, read_yes_no

#: Just below what a parser takes at most, and what a reader of answers does.
TEXT, REPLY = 19_900, 99_000
#: Seconds of processor time, many times what is needed on an idle machine.
ENOUGH = 2.0

regex, ltl = language("regex"), language("ltl")
in_binary = partial(regex.read, vocabulary=Vocabulary(alphabet=("0", "1")))
trace, trace_in_python = partial(read_trace, atoms=("x1",)), partial(read_trace, atoms=("x1",), notation="python")


def doubled(text: str, sign: str) -> str:
    """A balanced formula, just short enough, over many copies of one."""
    while 2 * len(text) + 5 <= TEXT:
        text = f"({text}){sign}({text})"
    return text


CASES: dict[str, tuple[Callable[[str], object], str]] = {
    "spaces in braces": (in_binary, "The answer: 0{" + " " * 1_500 + "x"),
    "groups in groups": (regex.read, "(" * 140 + "0" * 19_000 + "0)" * 140),
    "ranges in a class": (regex.read, "[" + "一-凧" * 6_500 + "]"),
    "functions": (ltl.read, "And(" * 4_900),
    "connectives in brackets": (ltl.read, "(|" * 5_000 + ")" * 5_000),
    "arrows in brackets": (ltl.read, "(→" * 9_000),
    "comments": (ltl.read, "x1 " + " # " * 6_000 + "&"),
    "lines in a formula": (ltl.read, "x1" + "\n" * 19_000 + "and x2"),
    "tildes of a fence": (read_yes_no, "~" * REPLY + "`"),
    "underscores in a word": (read_yes_no, "a" + "_" * REPLY + "a"),
    "spaces in a derivation": (plain, "$$ \\\\" + " " * REPLY + "x$$"),
    "underscores in a phrase": (read_phrases, '"a' + "_" * REPLY + "a"),
    "spaces in a state": (parse_trace, "x1;" + " " * REPLY + "y z;cycle{x1}"),
    "continued lines": (read_python, "not \\\n" * 16_600),
    "a long word": (repaired, "x" * TEXT),
    "too long a cell": (repaired, "_" * 50_000 + "<->" * 16_000),
    "quantifiers over quantifiers": (repaired, "∀x. " * 135 + doubled("P(x)", "∧")),
}


@pytest.mark.parametrize("name", CASES)
def test_long_texts_are_read_or_refused_in_time(name: str) -> None:
    read, text = CASES[name]
    start = process_time()
    with suppress(AutoevalError):
        read(text)
    assert process_time() - start < ENOUGH


def test_a_list_has_so_many_entries_and_places() -> None:
    for read, reply in (
        (read_phrases, "".join(f'"phrase {number}": x{number}\n' for number in range(1_001))),
        (read_symbols, "".join(f"P{number}(x): x is a thing {number}\n" for number in range(1_001))),
        (read_symbols, f"P({', '.join(f'x{place}' for place in range(21))}): x0 is something"),
    ):
        with pytest.raises(AutoevalError, match=r"more than 1,000|at most 20"):
            read(reply)


def test_a_character_that_is_no_number_is_no_error() -> None:
    formula = language("propositional").parse("p1 ∧ p2")
    assert copied("a sign &#" + "9" * 5_000 + ";", formula, language("propositional"))


@pytest.mark.parametrize("code", [r'Trace(prefix=[], loop=[{"\(": True}])', "traceToFind = 1or 2", "Trace(0x1for x)"])
def test_code_that_python_warns_of_is_no_trace(code: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert trace_in_python(code).lasso is None


def test_json_of_any_depth_is_no_error() -> None:
    for depth in range(850, 1_000):
        assert plain(f'{{"answer": {"[" * depth}{"]" * depth}}}')


def test_code_may_go_on_in_the_next_line() -> None:
    assert trace_in_python('traceToFind = \\\nTrace(prefix=[], loop=[{"x1": True}])').lasso is not None
