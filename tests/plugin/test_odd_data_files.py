"""A run with a damaged or odd data file ends without a traceback."""

from __future__ import annotations

import pytest
from support.odd_tables import FILES, odd_file

from .conftest import Run, said

SUITE = """
from pytest_autoeval import autoeval

@autoeval("ltl_future", task="translate")
def test_temporal(sample, perform):
    perform(sample)

@autoeval("fol_translation", task="logical_translation")
def test_first_order(sample, perform):
    perform(sample)

@autoeval("propositional", operators=[1], samples=1)
def test_round_trip(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)
"""


@pytest.mark.parametrize("number", range(0, FILES, 20))
def test_a_run_with_an_odd_file_ends_without_a_traceback(
    pytester: pytest.Pytester, run: Run, number: int
) -> None:
    pytester.makepyfile(test_suite=SUITE)
    path = odd_file(number, pytester.path)
    result = run(f"--autoeval-dataset={path.name}")
    assert "INTERNALERROR" not in said(result)
    assert "Traceback" not in said(result)
    assert result.ret in (
        pytest.ExitCode.OK,
        pytest.ExitCode.USAGE_ERROR,
        pytest.ExitCode.INTERRUPTED,
    )
