"""A suite of temporal logic on finite traces: a language that a plugin brings."""

from __future__ import annotations

import pytest

from .conftest import FAITHFUL, Run, said

SUITE = """
from pytest_autoeval import autoeval

@autoeval("ltlf", operators=range(6), samples=3, threshold=0.9)
def test_round_trip(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert description.startswith("At the first step of the finite trace, ")
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
"""


def test_a_round_trip_passes_with_the_faithful_model(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(test_suite=SUITE)
    result = run(FAITHFUL)
    assert result.ret == pytest.ExitCode.OK
    assert "100.0 %" in said(result)
