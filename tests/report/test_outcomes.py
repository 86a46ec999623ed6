"""The outcomes: stable codes and an explanation for each."""

from __future__ import annotations

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.outcomes import OUTCOMES, SampleOutcome, explain


def test_names_codes_and_kinds_are_stable() -> None:
    assert {outcome.code: (name, outcome.kind) for name, outcome in OUTCOMES.items()} == {
        "AE100": ("equivalent", "pass"),
        "AE101": ("different", "model failure"),
        "AE102": ("unparseable", "model failure"),
        "AE103": ("foreign symbol", "model failure"),
        "AE104": ("refused or empty", "model failure"),
        "AE105": ("truncated", "model failure"),
        "AE106": ("undecided", "undecided"),
        "AE107": ("error", "error"),
        "AE108": ("assertion failed", "model failure"),
        "AE109": ("passed", "pass"),
        "AE110": ("correct", "pass"),
        "AE111": ("wrong answer", "model failure"),
        "AE112": ("unreadable answer", "model failure"),
        "AE113": ("malformed trace", "model failure"),
        "AE114": ("invalid answer", "model failure"),
        "AE115": ("copied", "model failure"),
        "AE116": ("consistent", "pass"),
        "AE117": ("inconsistent", "model failure"),
        "AE118": ("contradicts an answer", "model failure"),
        "AE119": ("not verified", "error"),
    }


@pytest.mark.parametrize("outcome", OUTCOMES.values(), ids=lambda outcome: str(outcome.code))
def test_explanation_says_what_it_means_why_and_what_to_do(outcome: SampleOutcome) -> None:
    text = explain(outcome.code)
    assert text.startswith(f"{outcome.code} {outcome.name}: {outcome.title}\n")
    flat = " ".join(text.split())
    for part in (outcome.meaning, *outcome.causes, outcome.advice, f"Counts as: {outcome.kind}"):
        assert part in flat
    assert max(map(len, text.splitlines())) <= 88


def test_a_code_is_found_in_any_case() -> None:
    assert explain(" ae101 ") == explain("AE101")


def test_the_number_of_a_code_is_enough() -> None:
    assert explain("101") == explain("AE101")


def test_an_unknown_code_lists_the_codes() -> None:
    with pytest.raises(AutoevalError, match=r"'AE999'") as caught:
        explain("AE999")
    for outcome in OUTCOMES.values():
        assert f"{outcome.code}  {outcome.name}" in str(caught.value)
    assert "The page Words of the documentation explains the other words" in str(caught.value)
