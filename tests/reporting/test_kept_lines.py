"""What the summary says of kept counterexamples."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_autoeval.reporting.counterexample import KeptResult, Status, kept_lines
from pytest_autoeval.reporting.text import width

SUITE = "suites/test_ksat.py::test_round_trip"


def result(status: Status, **more: Any) -> KeptResult:
    known = {"file": "a.json", "suite": SUITE, "formula": "p1", "first_seen": "2026-01-02", "last_seen": "2026-03-04"}
    return KeptResult(status=status, **{**known, **more})


def texts(*results: KeptResult, **more: Any) -> list[str]:
    return [line.text for line in kept_lines(results, **more)]


def test_nothing_kept_is_not_worth_a_line() -> None:
    assert not list(kept_lines([]))


def test_what_fails_comes_first_and_every_status_is_counted() -> None:
    everything: list[Status] = ["fixed", "not asked", "new", "undecided", "still failing"]
    lines = texts(*(result(status) for status in everything))
    assert lines[1] == "kept counterexamples: 1 new, 1 still failing, 1 undecided, 1 fixed, 1 not asked"
    assert lines[2] == f"  {SUITE}"
    assert [line.split(":")[0] for line in lines[3:]] == [
        "    ✗ new",
        "    ✗ still failing",
        "    ? undecided",
        "    ✓ fixed",
        "    ! a.json (p1)",
    ]


def test_each_suite_has_its_own_and_strange_files_come_last() -> None:
    lines = texts(
        result("not asked", suite="", formula="", problem="is no kept counterexample"),
        result("fixed"),
        result("fixed", suite="suites/test_a.py::test_it"),
    )
    assert [line for line in lines if line.startswith("  ") and line[2] != " "] == [
        "  suites/test_a.py::test_it",
        f"  {SUITE}",
        "  files of the folder",
    ]
    assert lines[-1] == "    ! a.json: is no kept counterexample"


@pytest.mark.parametrize("verbose", [False, True])
def test_many_of_one_kind_are_shown_only_if_asked_for(verbose: bool) -> None:
    lines = texts(*(result("fixed", formula=f"p{number}") for number in range(9)), verbose=verbose)
    shown = [line for line in lines if "✓" in line]
    assert len(shown) == (9 if verbose else 5)
    assert ("    … and 4 more fixed, which -v lists" in lines) is not verbose


def test_hostile_text_stays_on_its_line_and_within_the_width() -> None:
    evil = "\x1b[31m\u202ep1\n✓ fixed " * 30
    for line in texts(
        result("new", formula=evil, failing=(evil,)),
        result("not asked", suite=evil, formula=evil, file=evil, problem=evil),
        width=80,
    ):
        assert line.isprintable()
        assert width(line) <= 80
