"""Slices: which sorts of formula fail more, or got worse, and that no other is named."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from support.analyses import analyse, baseline_of
from support.result_rows import changed, row, suites_of
from support.screens import texts

from pytest_autoeval.features.slices import Slice, failing_slices, slice_kinds, slices_of
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.languages import language
from pytest_autoeval.record.lines import Sample

PASS, FAIL = "equivalent", "different"


def run(
    measures: Sequence[dict[str, Any]],
    passes: Callable[[int, dict[str, Any]], bool],
    **changes: Any,
) -> list[Sample]:
    """A row for each formula of these measures."""
    return [
        row(
            PASS if passes(index, measure) else FAIL,
            index=index,
            formula=f"p{index}",
            operators=measure["operators"],
            measures=measure,
            **changes,
        )
        for index, measure in enumerate(measures)
    ]


def formulas(count: int) -> list[dict[str, Any]]:
    """Measures in which every combination of connectives is equally frequent at each size."""
    return [
        {
            "operators": 1 + index // 8 % 5,
            "operators_with_literal_negations": 1 + index // 8 % 5 + index % 2,
            "negations": index % 2 + index // 4 % 2,
            "conjunctions": index // 2 % 2,
            "depth": 2 + index // 8 % 5,
        }
        for index in range(count)
    ]


def named(rows: Sequence[Sample]) -> list[str]:
    (suite,) = suites_of(rows)
    return [one.name for one in failing_slices(suite, alpha=0.05)]


def slices(after: Sequence[Sample], before: Sequence[Sample]) -> list[Slice]:
    """The slices of a run that is compared with a baseline."""
    (summary,) = analyse(after, Rules(), baseline=baseline_of(before)).summaries
    return slices_of(summary)


def test_a_connective_that_fails_more_is_named() -> None:
    rows = run(formulas(320), lambda index, one: not one["conjunctions"] or index % 3 > 0)
    (suite,) = suites_of(rows)
    (found,) = failing_slices(suite, alpha=0.05)
    assert (found.kind, found.name) == ("level", "formulas with ∧")
    assert (found.inside.total, found.beside.lower) == (160, 1.0)
    assert found.difference == pytest.approx(found.inside.lower - 1.0, abs=0.02)
    assert found.p_value < 0.0001


def test_a_negation_over_a_compound_formula_is_told_from_one_over_an_atom() -> None:
    rows = run(formulas(320), lambda index, one: index // 4 % 2 == 0 or index % 3 > 0)
    assert "a negation over a compound formula" in named(rows)
    assert named(run(formulas(320), lambda index, one: index % 2 == 0 or index % 5 > 0)) == [
        "formulas with ¬"
    ]


def test_size_alone_makes_no_slice() -> None:
    """Longer formulas have more of everything: among those of one size nothing differs."""
    measures = [
        {"operators": size, "depth": size, "conjunctions": int(index % 10 < size)}
        for size in (1, 5, 9)
        for index in range(100)
    ]
    rows = run(measures, lambda index, one: index // 10 % 10 >= one["operators"])
    with_and = [one for one in rows if one.measures["conjunctions"]]
    rates = [sum(one.outcome == PASS for one in some) / len(some) for some in (with_and, rows)]
    assert rates[0] < rates[1] - 0.1
    assert named(rows) == []


def test_chance_is_rarely_named() -> None:
    """Of runs in which nothing matters, Holm's method lets at most one in twenty name any slice."""
    chance = random.Random(0)
    alarms = sum(
        bool(named(run(formulas(160), lambda *_: chance.random() < 0.8))) for _ in range(300)
    )
    # 5 % of 300 is 15; with 300 runs 24 is beyond the 98th percentile of an honest test.
    assert alarms <= 24


def test_repeats_of_a_formula_are_no_further_formulas() -> None:
    """A few formulas with ∧ that always fail are as weak evidence however often they are asked."""
    once = run(formulas(80), lambda index, one: not one["conjunctions"] or index % 16 != 2)
    assert named(once) == []
    assert named([changed(one, repeat=repeat) for one in once for repeat in range(10)]) == []


def test_undecided_samples_are_no_failures() -> None:
    rows = run(formulas(320), lambda *_: True)
    rows = [
        changed(one, outcome="undecided") if one.measures["conjunctions"] else one for one in rows
    ]
    assert named(rows) == []
    half = [
        one if index % 4 < 3 else changed(one, outcome="undecided")
        for index, one in enumerate(rows)
    ]
    assert named(half) == []


def test_what_got_worse_is_named_with_what_it_was() -> None:
    before = run(formulas(320), lambda index, _: index % 10 > 0)
    after = run(
        formulas(320),
        lambda index, one: index % 10 > 0 and (not one["conjunctions"] or index % 3 > 0),
    )
    found = slices(after, before)
    worse = [one for one in found if one.kind == "baseline"]
    assert worse[0].name == "formulas with ∧"
    assert (worse[0].kind, worse[0].beside.total) == ("baseline", 160)
    assert worse[0].difference == pytest.approx(worse[0].inside.lower - worse[0].beside.lower)
    assert not [one for one in slices(before, after) if one.kind == "baseline"]


def test_what_is_true_of_every_formula_is_no_slice() -> None:
    measures = [{"operators": 2, "conjunctions": 1, "depth": 3} for _ in range(100)]
    before, after = run(measures, lambda *_: True), run(measures, lambda *_: False)
    assert slices(after, before) == []


@pytest.mark.parametrize(
    ("tongue", "text", "names"),
    [
        (
            "propositional",
            "¬(p1 ∧ p2)",
            {"formulas with ¬", "formulas with ∧", "a negation over a compound formula"},
        ),
        ("first_order", "∀x. (P(x) → Q(x))", {"formulas with ∀", "formulas with →"}),
        ("first_order", "∃x. ¬P(x)", {"formulas with ∃", "formulas with ¬"}),
        (
            "ltl",
            "G (a -> F b)",
            {"formulas with G (always)", "formulas with F (eventually)", "formulas with →"},
        ),
        ("regex", "(01)*2", {"formulas with *"}),
    ],
)
def test_measures_of_every_language_have_names(tongue: str, text: str, names: set[str]) -> None:
    measures = dict(language(tongue).measure(text))
    kinds = list(slice_kinds([row(measures=measures)]))
    assert {name for name, holds in kinds if holds(measures)} == names
    assert not [name for name, _ in kinds if "_" in name]


def test_one_slice_is_shown_with_its_suite_and_all_when_asked_for() -> None:
    measures = [one | {"disjunctions": one["conjunctions"]} for one in formulas(320)]
    analysis = analyse(
        run(measures, lambda index, one: not one["conjunctions"] or index % 3 > 0), Rules()
    )
    shown = texts(analysis)
    title = shown.index("    fails more often than on other formulas (difference at equal size)")
    assert shown[title + 2].startswith("    formulas with ∧  ")
    assert shown[title + 3] == "    and 1 other slice; -v shows it"
    verbose = texts(analysis, verbosity=1)
    assert (
        sum(line.startswith(("    formulas with ∧  ", "    formulas with ∨  ")) for line in verbose)
        == 2
    )
