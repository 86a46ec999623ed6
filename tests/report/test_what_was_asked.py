"""Differences of what two runs asked are said first in a comparison, each once."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from support.result_rows import call, row, suites_of

from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.suite_judgement import judge_suite
from pytest_autoeval.record.lines import SuiteRecord


def asked(
    release: str = "3.0", *, calls: dict[str, Any] | None = None, **changes: Any
) -> SuiteRecord:
    """A suite that was asked in some way, by a release that records it."""
    given = {} if calls is None else {"calls": [call("informalize"), call("autoformalize")]}
    (suite,) = suites_of(
        [row("equivalent", formula=f"p{number}", index=number, **given) for number in range(3)]
    )
    suite.asked = replace(suite.asked, **changes)
    suite.run = replace(suite.run, release=release)
    if calls is not None:
        suite.samples[:] = [
            replace(sample, calls=tuple(replace(one, **calls) for one in sample.calls))
            for sample in suite.samples
        ]
    return suite


def flags(here: SuiteRecord, *there: SuiteRecord) -> tuple[str, ...]:
    comparison = judge_suite(here, Rules(), baseline=Baseline(there)).comparison
    assert comparison is not None
    return tuple(map(str, comparison.flags))


@pytest.mark.parametrize(
    ("here", "there", "flag"),
    [
        (
            {"temperature": 1.0},
            {"temperature": 0.1},
            "the temperature differs: 1.0 (baseline: 0.1)",
        ),
        (
            {"temperature": None},
            {"temperature": 0.1},
            "the temperature differs: default (baseline: 0.1)",
        ),
        (
            {"max_tokens": 100},
            {"max_tokens": "none"},
            "the length limit differs: 100 (baseline: none)",
        ),
        (
            {"parameters_sent": {"top_p": 0.9}},
            {},
            'the parameters differ: {"top_p": 0.9} (baseline: default)',
        ),
        (
            {"source": "ksat"},
            {"source": "propositional"},
            "the grammar differs: ksat (baseline: propositional)",
        ),
        (
            {"vocabulary": "few"},
            {"vocabulary": "many"},
            "the vocabulary differs: few (baseline: many)",
        ),
    ],
)
def test_a_difference_is_said_first_and_once(here: Any, there: Any, flag: str) -> None:
    assert flags(asked(**here), asked(**there)) == (flag,)


def test_what_is_equal_is_not_said() -> None:
    assert flags(asked(temperature=0.1, max_tokens=50), asked(temperature=0.1, max_tokens=50)) == ()


def test_a_file_that_does_not_say_how_it_was_asked_differs_in_nothing() -> None:
    assert flags(asked(temperature=1.0), asked(release="")) == ()
    assert flags(asked(release=""), asked(temperature=1.0)) == ()


def test_another_version_of_the_model_is_said_if_both_are_known() -> None:
    old, new = (
        asked(calls={"model": "gpt-5-2025-08-07"}),
        asked(calls={"model": "gpt-5-2026-02-01"}),
    )
    assert flags(new, old) == (
        "the version of the model differs: gpt-5-2026-02-01 (baseline: gpt-5-2025-08-07)",
    )
    assert flags(new, asked(calls={})) == ()


def test_several_runs_of_a_baseline_are_one_whose_values_are_all_said() -> None:
    there = asked(temperature=0.0), asked(temperature=0.5)
    assert "the temperature differs: 1.0 (baseline: 0.0, 0.5)" in flags(
        asked(temperature=1.0), *there
    )


def test_suites_are_found_by_what_they_ask_and_not_by_their_names() -> None:
    here, there = asked(), asked(name="another name")
    comparison = judge_suite(here, Rules(), baseline=Baseline([there])).comparison
    assert comparison is not None
    assert len(comparison.compared.pairs) == 3
    there.asked = replace(there.asked, name=here.name, parameters="hard")
    comparison = judge_suite(here, Rules(), baseline=Baseline([there])).comparison
    assert comparison is not None
    assert str(comparison.compared.refusal) == "the baseline does not have this suite (renamed?)"
