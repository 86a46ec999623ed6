"""The note that names the extra `prover` where first-order samples stayed undecided without it."""

from __future__ import annotations

import pytest
from support.analyses import analyse
from support.result_rows import row

from pytest_autoeval.judging.rules import Rules

NOTE = "2 samples undecided without the provers E and cvc5, which decide more: pip install 'pytest-autoeval[prover]'"


@pytest.mark.parametrize(
    ("language", "outcome", "method", "notes"),
    [
        ("first_order", "undecided", "z3", [NOTE]),
        ("first_order", "undecided", "z3 and E", []),
        ("first_order", "different", "z3", []),
        ("propositional", "undecided", "z3", []),
    ],
)
def test_the_note_is_shown_once_where_the_prover_was_missing(
    language: str, outcome: str, method: str, notes: list[str]
) -> None:
    samples = [
        row(outcome, language=language, verdict_method=method, index=index) for index in range(2)
    ]
    rows = [*samples, row("equivalent", language=language, index=2)]
    assert [*map(str, analyse(rows, Rules()).notes)] == notes
