"""Variants of a test beside each other: the differences on the same formulas, in one run and against a baseline."""

from __future__ import annotations

from math import comb
from typing import Any

import pytest
from support.analyses import analyse
from support.documents_read import data_of, section
from support.result_rows import row, suites_of
from support.wordings import worded

from pytest_autoeval.features.variants import VariantPair, differences
from pytest_autoeval.judging.baseline_runs import Variant
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.analysis import analyse as analysed
from pytest_autoeval.report.document import document

TEST = "t.py::test_a"


def asked(passed: str, prompting: str, start: int = 0, **more: Any) -> list[Sample]:
    """``1`` for each formula that passes, ``0`` for one that fails; of sizes 1 and 2 in turn."""
    return [
        row(
            "equivalent" if sign == "1" else "different",
            formula=f"p{index}",
            index=index,
            operators=1 + index % 2,
            suite=f"{TEST}[{prompting}]",
            test=TEST,
            model="m",
            variant=prompting,
            prompting=prompting,
            **more,
        )
        for index, sign in enumerate(passed, start)
    ]


def compared(*samples: Sample) -> list[VariantPair]:
    return differences(suites_of(samples))


def test_two_variants_are_compared_on_the_same_formulas() -> None:
    first, second = "1" * 10 + "0" * 2 + "1" * 20, "0" * 10 + "1" * 2 + "1" * 20
    [found] = compared(*asked(first, "few-shot"), *asked(second, "zero-shot"))
    assert (found.first, found.second) == ("few-shot", "zero-shot")
    assert (found.test.pairs, found.test.won, found.test.lost) == (32, 10, 2)
    assert found.test.difference == pytest.approx((10 - 2) / 32)
    # McNemar's exact test: of 12 formulas that differ, 10 or more, or 2 or fewer, went one way.
    assert found.p == pytest.approx(2 * sum(comb(12, k) for k in range(3)) / 2**12)
    assert [(size, test.pairs) for size, test in found.by_size] == [(1, 16), (2, 16)]
    assert sum(test.difference * test.pairs for _, test in found.by_size) == pytest.approx(8)


def test_formulas_of_one_variant_alone_do_not_count() -> None:
    [found] = compared(*asked("1" * 8, "few-shot"), *asked("0" * 8, "zero-shot", start=4))
    assert (found.test.pairs, found.test.won) == (4, 4)
    assert compared(*asked("1" * 4, "few-shot"), *asked("1" * 4, "zero-shot", start=4)) == []
    assert compared(*asked("1" * 4, "few-shot")) == []


def test_p_values_are_corrected_over_all_pairs() -> None:
    rows = [
        *asked("1" * 8, "few-shot"),
        *asked("0" * 8, "zero-shot"),
        *asked("1" * 8, "self-refine"),
    ]
    found = compared(*rows)
    assert len(found) == 3
    corrected = {frozenset((pair.first, pair.second)): pair.p_corrected for pair in found}
    alike = frozenset(("few-shot", "self-refine"))
    assert corrected.pop(alike) == 1.0
    assert list(corrected.values()) == pytest.approx([3 * 2 / 2**8] * 2)


def test_the_section_has_the_differences_and_those_by_size() -> None:
    rows = [*asked("1" * 10, "few-shot"), *asked("0" * 10, "zero-shot")]
    shown = section(data_of(document(analyse(rows, Rules()))), "variants")
    *_, table, curve = shown["blocks"]
    [line] = table["rows"]
    assert line["cells"][1:3] == ["few-shot", "zero-shot"]
    assert line["cells"][3]["value"] == 1.0
    assert line["marked"] == [3]
    assert [point["value"] for point in curve["series"][0]["points"]] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("text", "variant"),
    [
        ("few-shot", Variant(prompting="few-shot")),
        ("structured", Variant(interface="structured")),
        ("zero-shot, reasoning", Variant(prompting="zero-shot", interface="reasoning")),
        ("reader:gpt", Variant(reader="gpt")),
        ("few-shot, prompts:own/exact", Variant(prompting="few-shot", prompts="own/exact")),
    ],
)
def test_a_variant_is_read(text: str, variant: Variant) -> None:
    assert Variant.read(text) == variant


@pytest.mark.parametrize(
    "text", ["", "few-shot,zero-shot", "reader:", "prompts:", "a,b", "few-shot,"]
)
def test_what_names_no_variant_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"empty name|two of one kind"):
        Variant.read(text)


def wordings(first: str, second: str) -> VariantPair:
    """Two folders of prompts, with the formulas that each passes."""
    suites = [
        worded(asked(passed, "zero-shot"), folder, number=number)
        for number, (folder, passed) in enumerate({"own/exact": first, "terse": second}.items(), 1)
    ]
    [pair] = differences(suites)
    return pair


def test_two_folders_of_prompts_are_compared_on_the_same_formulas() -> None:
    pair = wordings("1110", "0110")
    assert (pair.first, pair.second) == ("exact", "terse")
    assert (pair.test.pairs, pair.test.won, pair.test.lost) == (4, 1, 0)


def test_the_formulas_that_one_wording_alone_passed_are_kept_the_smallest_first() -> None:
    pair = wordings("1010", "0110")
    shown = [(one.formula, one.passed, other.passed) for one, other in pair.disagreements]
    assert shown == [("p0", True, False), ("p1", False, True)]


def test_promptings_explain_more_than_a_wording_and_are_not_listed() -> None:
    [pair] = compared(*asked("10", "few-shot"), *asked("01", "zero-shot"))
    assert pair.disagreements == ()


def test_the_section_shows_both_texts_of_a_formula_that_one_wording_passed() -> None:
    exact = worded(asked("11", "zero-shot", description="exact words"), "exact")
    terse = worded(asked("10", "zero-shot", description="terse words"), "terse", number=2)
    analysis = analysed([exact, terse], Rules())
    blocks = section(data_of(document(analysis)), "variants")["blocks"]
    rates, *_ = blocks
    assert [column["name"] for column in rates["columns"]] == ["prompts", "zero-shot"]
    [example] = [block for block in blocks if block["block"] == "counterexample"]
    fields = {field["name"]: field["text"] for field in example["fields"]}
    assert fields["formula"] == "p1"
    assert fields["passed: exact"] == "exact words"
    assert fields["failed: terse"] == "terse words"
    assert example["sample"]["suite"] == 2
