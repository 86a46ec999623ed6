"""Odd answers that once ended in another error, or in a warning, than readers document."""

from __future__ import annotations

import warnings
from functools import partial

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import language
from pytest_autoeval.languages.copies import copied
from pytest_autoeval.languages.ltl.traces.notation import read_trace
from pytest_autoeval.languages.plain_replies import plain
from pytest_autoeval.tasks.answer_readers import read_phrases, read_symbols

trace_in_python = partial(read_trace, atoms=("x1",), notation="python")


def test_a_list_has_so_many_entries_and_places() -> None:
    for read, reply in (
        (read_phrases, "".join(f'"phrase {number}": x{number}\n' for number in range(1_001))),
        (
            read_symbols,
            "".join(f"P{number}(x): x is a thing {number}\n" for number in range(1_001)),
        ),
        (read_symbols, f"P({', '.join(f'x{place}' for place in range(21))}): x0 is something"),
    ):
        with pytest.raises(AutoevalError, match=r"more than 1,000|at most 20"):
            read(reply)


def test_a_character_that_is_no_number_is_no_error() -> None:
    formula = language("propositional").parse("p1 ∧ p2")
    assert copied("a sign &#" + "9" * 5_000 + ";", formula, language("propositional"))


@pytest.mark.parametrize(
    "code", [r'Trace(prefix=[], loop=[{"\(": True}])', "traceToFind = 1or 2", "Trace(0x1for x)"]
)
def test_code_that_python_warns_of_is_no_trace(code: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert trace_in_python(code).lasso is None


def test_json_of_any_depth_is_no_error() -> None:
    for depth in range(850, 1_000):
        assert plain(f'{{"answer": {"[" * depth}{"]" * depth}}}')


def test_code_may_go_on_in_the_next_line() -> None:
    assert (
        trace_in_python('traceToFind = \\\nTrace(prefix=[], loop=[{"x1": True}])').lasso is not None
    )
