"""The means over models, interfaces and promptings."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import pytest
from support.analyses import analyse
from support.documents_read import data_of, section
from support.result_rows import row
from support.screens import texts

from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.document import document

#: Of ten formulas, so many pass for each model and prompting.
PASSED = {("a", "few-shot"): 9, ("a", "zero-shot"): 5, ("b", "few-shot"): 4, ("b", "zero-shot"): 2}


def run(passed: dict[tuple[str, str], int] = PASSED) -> list[Sample]:
    return [
        row(
            "equivalent" if index < right else "different",
            formula=f"p{index}",
            index=index,
            suite=f"t.py::test_a[{prompting}]",
            test="t.py::test_a",
            model=model,
            variant=prompting,
            way=prompting,
        )
        for (model, prompting), right in passed.items()
        for index in range(10)
    ]


def table_of(samples: list[Sample]) -> dict[str, Any]:
    [table] = section(data_of(document(analyse(samples, Rules()))), "means")["blocks"]
    return dict(table)


def rates(table: dict[str, Any]) -> dict[tuple[str, str], float]:
    return {tuple(line["cells"][:2]): line["cells"][2]["value"] for line in table["rows"]}


def test_each_value_has_the_mean_over_all_others() -> None:
    found = rates(table_of(run()))
    for position, factor in enumerate(("model", "prompting")):
        for value in {key[position] for key in PASSED}:
            expected = fmean(
                number / 10 for key, number in PASSED.items() if key[position] == value
            )
            assert found[factor, value] == pytest.approx(expected)


def test_values_are_ranked_by_their_mean_pass_rate() -> None:
    assert list(rates(table_of(run()))) == [
        ("model", "a"),
        ("model", "b"),
        ("prompting", "few-shot"),
        ("prompting", "zero-shot"),
    ]


def test_each_suite_has_the_same_weight() -> None:
    few_samples = [sample for sample in run() if sample.model == "a" or sample.index in (0, 9)]
    # Of two formulas of model b, one passes in each of its suites.
    assert rates(table_of(few_samples))["prompting", "few-shot"] == pytest.approx((0.9 + 0.5) / 2)


@pytest.mark.parametrize("fixed", [0, 1])
def test_there_are_no_means_if_the_suites_differ_in_one_way(fixed: int) -> None:
    value = ("a", "few-shot")[fixed]
    samples = run({key: number for key, number in PASSED.items() if key[fixed] == value})
    names = [found["name"] for found in data_of(document(analyse(samples, Rules())))["sections"]]
    assert "means" not in names


def test_tests_are_not_mixed() -> None:
    models_alone = {("a", "few-shot"): 9, ("b", "few-shot"): 4}
    first = run(models_alone)
    other = [
        row(
            "equivalent",
            formula="q",
            suite=f"t.py::test_b[{prompting}]",
            test="t.py::test_b",
            variant=prompting,
            way=prompting,
        )
        for prompting in ("few-shot", "zero-shot")
    ]
    names = [
        found["name"] for found in data_of(document(analyse([*first, *other], Rules())))["sections"]
    ]
    assert "means" not in names


def test_the_section_is_for_v() -> None:
    analysis = analyse(run(), Rules())
    assert "means over" not in " ".join(texts(analysis))
    assert "means over models, interfaces and promptings" in " ".join(texts(analysis, verbosity=1))
