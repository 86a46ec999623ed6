r"""Regular expressions as people write them are read, and match what Python's ``re`` matches, combined by logic."""

from __future__ import annotations

import pytest
from support.written_regexes import Written, written

from pytest_autoeval.languages.regex import LANGUAGE as REGEX
from pytest_autoeval.languages.regex.automaton import END
from pytest_autoeval.languages.regex.boundaries import automaton_of
from pytest_autoeval.languages.regex.decision_budget import DecisionBudget
from pytest_autoeval.languages.regex.evaluate import accepts
from pytest_autoeval.languages.regex.syntax import Character, Expression, concatenated

LINES = list(written(240, seed=5))


def wrong_strings(line: Written, expression: Expression, count: int) -> list[str]:
    """The strings about which the evaluator or the automaton disagrees with the other matcher."""
    strings = line.strings(count, seed=1)
    if r"\B" in line.text:
        strings.remove("")  # Python's \B matched no empty string before 3.14
    automaton = automaton_of([expression, _spelled(strings)], DecisionBudget(20.0))
    wrong = []
    for string in strings:
        state = automaton.starts[0]
        for symbol in string:
            column = [symbol in alike for alike in automaton.alike].index(True)
            state = automaton.successors(state)[column]
        if not line.matches(string) == accepts(expression, string) == bool(state & END):
            wrong.append(string)
    return wrong


def _spelled(strings: list[str]) -> Expression:
    """An expression that names all symbols of the strings, so that an automaton has a column for each."""
    return concatenated(tuple(map(Character, sorted(set("".join(strings))))))


@pytest.mark.parametrize("family", ["conditions", "nested", "fields", "programs"])
def test_lines_are_read_and_match_what_another_program_matches(family: str) -> None:
    lines = [line for line in LINES if line.family == family]
    assert len({line.text for line in lines}) > 45
    for line in lines:
        expression = REGEX.tree(line.text)
        assert wrong_strings(line, expression, 40) == [], line.text


def test_a_verdict_on_two_lines_has_a_witness_that_another_program_confirms() -> None:
    different = 0
    for left, right in zip(LINES, LINES[4:], strict=False):
        verdict = REGEX.equivalent(left.text, right.text)
        if verdict.witness is not None:
            different += 1
            text = verdict.witness.to_json()["text"]
            if text or r"\B" not in left.text + right.text:
                assert left.matches(text) != right.matches(text), (left.text, right.text)
        else:
            for string in (*left.strings(20, seed=2), *right.strings(20, seed=3)):
                alike = left.matches(string) == right.matches(string)
                assert alike or verdict.outcome == "undecided", (left.text, right.text)
    assert different > 200


def test_the_text_and_the_description_of_each_line_are_read_back() -> None:
    for line in LINES:
        expression = REGEX.tree(line.text)
        assert REGEX.parse(REGEX.format(expression)) == expression
        assert REGEX.read_description(REGEX.describe(expression)) == expression
