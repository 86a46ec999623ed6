"""The smaller neighbours of regular expressions."""

from __future__ import annotations

from hypothesis import given
from support.regex_expressions import boolean_expressions, expressions, strict_expressions

from pytest_autoeval.languages import Vocabulary
from pytest_autoeval.languages.regex import LANGUAGE as REGEX
from pytest_autoeval.languages.regex.syntax import Expression

BINARY = Vocabulary(alphabet=("0", "1"))


def texts(text: str) -> list[str]:
    return [str(neighbour) for neighbour in REGEX.simpler(REGEX.parse(text), BINARY)]


def test_neighbours_are_one_step_smaller_and_the_smallest_come_first() -> None:
    assert texts("0") == []
    assert texts("1") == ["0"]
    assert texts("1*") == ["0", "1", "0*"]
    assert texts("(01)*1") == ["0", "1", "01", "(01)*", "0*1", "011", "1*1", "(00)*1", "(01)*0"]
    assert set(texts("0101")) == {"0", "1", "01", "001", "010", "101", "011", "0001", "0100"}


def test_of_one_size_those_of_different_symbols_come_first() -> None:
    assert texts("111")[-3:] == ["011", "101", "110"]
    assert "00" not in texts("01")


@given(strict_expressions())
def test_neighbours_of_a_strict_expression_are_strict_and_distinct(expression: Expression) -> None:
    neighbours = list(REGEX.simpler(expression, BINARY))
    assert len(set(neighbours)) == len(neighbours)
    assert expression not in neighbours
    for neighbour in neighbours:
        assert REGEX.parse(str(neighbour)) == neighbour
        assert REGEX.foreign(neighbour, BINARY) == ()


@given(expressions() | boolean_expressions())
def test_repeated_steps_end_at_the_first_symbol(expression: Expression) -> None:
    steps, bound = 0, sum(1 for _ in expression.subformulas()) * 8
    while (smaller := list(REGEX.simpler(expression, BINARY))) and steps <= bound:
        expression = REGEX.tree(smaller[-1])
        steps += 1
    assert str(expression) == "0"
