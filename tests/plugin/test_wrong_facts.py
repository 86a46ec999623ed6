"""Facts of another type than a key of the results: an error of their samples, in a file that can be read."""

from __future__ import annotations

import pytest

from .conftest import Rows, Run, said

DATA = """
from pytest_autoeval import DataSet

FACTS = {facts}

def pytest_autoeval_register(registry):
    entries = [("p → q", {{"sentence": "If p, then q."}} | FACTS), ("p ∧ q", {{"sentence": "p and q."}})]
    registry.add_data_set(DataSet.of("mine", "propositional", entries))
"""
SUITE = """
from pytest_autoeval import autoeval

@autoeval("mine", threshold=0.5)
def test_it(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)
"""
WRONG = {
    "item": ("7", "item is 7, not text or null"),
    "benchmark": ("['b']", "benchmark is a list, not text or null"),
    "scores": ("{'a': 'b'}", "scores is an object, not an object of number or null"),
    "mine": ("{1, 2}", "mine: Object of type set is not JSON serializable"),
    "large": ("10**60", "large: an integer of more than 40 digits"),
}


@pytest.mark.parametrize(("key", "workers"), [*((key, ()) for key in WRONG), ("item", ("-n", "2"))])
def test_a_fact_of_another_type_is_its_sample_s_error(
    pytester: pytest.Pytester, run: Run, rows: Rows, key: str, workers: tuple[str, ...]
) -> None:
    value, problem = WRONG[key]
    pytester.makeconftest(DATA.format(facts=f"{{{key!r}: {value}}}"))
    pytester.makepyfile(test_mine=SUITE)
    result = run("--autoeval-results=r.jsonl", *workers)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    message = f"a fact of the sample cannot be written: {problem}"
    assert f"1 of 2 samples ended in an error:\n{message}" in said(result)
    wrong, right = sorted(rows("r.jsonl"), key=lambda row: str(row["outcome"] != "error"))
    assert (wrong["outcome"], wrong["error"]) == ("error", f"AutoevalError: {message}")
    assert wrong.get(key) is None
    assert right["outcome"] == "equivalent"
    again = run("--autoeval-baseline=r.jsonl")
    assert "1 of 2 samples ended in an error" in said(again)


def test_all_wrong_facts_of_a_sample_are_named(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeconftest(DATA.format(facts="{'item': 7, 'sentence': 8, 'trace': 9}"))
    pytester.makepyfile(test_mine=SUITE)
    assert "item is 7, not text or null; sentence is 8, not text or null; trace is 9, not text or null" in said(run())
