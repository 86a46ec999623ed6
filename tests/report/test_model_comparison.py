"""The models of a run side by side: in figures, in the terminal, in Markdown, and for programs."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from scipy.stats import binomtest
from support.analyses import analyse
from support.documents_read import data_of, section, table
from support.result_rows import rows_of_models as rows
from support.result_rows import suites_of, write_rows
from support.screens import markdown, render, texts

from pytest_autoeval.features.horizon.fit import Horizon
from pytest_autoeval.features.horizon.measure import horizon_figure
from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.merging import merge
from pytest_autoeval.record.stop_reasons import Stopped
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.analysis import analyse as analyse_suites
from pytest_autoeval.report.document import document
from pytest_autoeval.report.model_comparison import (
    Difference,
    ModelComparison,
    SuiteComparison,
    compare_models,
)
from pytest_autoeval.statistics.multiplicity import holm

KSAT, REGEX, LTL = (f"suites/test_{name}.py::test_round_trip" for name in ("ksat", "regex", "ltl"))


def models_of(analysis: Analysis) -> dict[str, Any]:
    """The section about the models, as programs read it."""
    return section(data_of(document(analysis)), "models")


def model_comparison(
    some: Sequence[Sample], horizons: Mapping[tuple[str, str], Horizon] | None = None
) -> ModelComparison:
    """The standing of some rows, of which there is one."""
    suites = suites_of(some)
    named = ((suite.number, (horizons or {}).get((suite.name, suite.model))) for suite in suites)
    found = compare_models(
        suites, {number: horizon_figure(one, "") for number, one in named if one is not None}, 0.05
    )
    assert found is not None
    return found


def worse(suite: SuiteComparison) -> set[str]:
    """The models that are significantly worse than another."""
    return {pair.worse for pair in suite.pairs if pair.significant}


def horizon(value: float | None, low: float | None, high: float | None) -> Horizon:
    """A horizon at 50 % of sizes from 0 to 40; without a value it lies above them."""
    outside: Literal["", "above"] = "above" if value is None else ""
    return Horizon(level=0.5, value=value, low=low, high=high, bound=outside, least=0, largest=40)


#: Three models on the same 100 formulas of two suites: a is best on both, and b far better than c on one.
THREE = [
    *rows(KSAT, {"a": [1] * 98 + [0] * 2, "b": [1] * 90 + [0] * 10, "c": [0] * 30 + [1] * 70}),
    *rows(REGEX, {"a": [1] * 100, "b": [0] * 5 + [1] * 95, "c": [1] * 94 + [0] * 6}),
]


def test_differences_are_paired_exact_and_corrected_over_all_pairs_of_all_suites() -> None:
    found = model_comparison(THREE)
    pairs = [pair for suite in found.suites for pair in suite.pairs]
    assert [(pair.first, pair.second, pair.won, pair.lost) for pair in pairs] == [
        *(("a", "b", 8, 0), ("a", "c", 30, 2), ("b", "c", 30, 10)),
        *(("a", "b", 5, 0), ("a", "c", 6, 0), ("b", "c", 6, 5)),
    ]
    exact = [binomtest(pair.won, pair.won + pair.lost).pvalue for pair in pairs]
    corrected = holm(exact)
    assert [pair.p for pair in pairs] == pytest.approx(exact)
    assert [pair.p_corrected for pair in pairs] == pytest.approx(corrected)
    assert [pair.significant for pair in pairs] == [p < 0.05 for p in corrected]
    assert {suite.suite: worse(suite) for suite in found.suites} == {KSAT: {"b", "c"}, REGEX: set()}
    first = pairs[0]
    assert first.pairs == 100
    assert first.difference == pytest.approx(0.08)
    assert first.low is not None
    assert first.high is not None
    assert 0 < first.low < 0.08 < first.high
    assert [(model.model, model.mean_rank, model.suites) for model in found.models] == [
        ("a", 1, 2),
        ("b", 2, 2),
        ("c", 3, 2),
    ]


def test_neither_the_order_of_rows_nor_that_of_models_changes_anything() -> None:
    shuffled = list(THREE)
    random.Random(4).shuffle(shuffled)
    assert models_of(analyse(shuffled, Rules())) == models_of(analyse(THREE, Rules()))
    assert analyse(shuffled, Rules()).matrix == analyse(THREE, Rules()).matrix


def test_two_files_of_one_model_each_are_one_run_of_both(tmp_path: Path) -> None:
    for name in "ab":
        write_rows(tmp_path / f"{name}.jsonl", [one for one in THREE if one.model == name])
    both = [one for one in THREE if one.model != "c"]
    merged = merge([tmp_path / "b.jsonl", tmp_path / "a.jsonl"]).suites
    found, expected = analyse_suites(merged, Rules()), analyse(both, Rules())
    assert models_of(found) == models_of(expected)


def test_one_model_is_no_comparison_whatever_its_prompts() -> None:
    one = rows(KSAT, {"a": [1] * 9}, prompting="zero-shot", interface="text")
    other = rows(f"{KSAT}[few-shot]", {"a": [0] * 9}, prompting="few-shot", interface="text")
    assert compare_models(suites_of([*one, *other]), {}, 0.05) is None
    # Two models, no suite of both.
    assert compare_models(suites_of([*one, *rows(REGEX, {"b": [1] * 9})]), {}, 0.05) is None
    assert analyse(THREE[:100], Rules()).model_comparison is None


def test_a_part_of_a_run_compares_nothing() -> None:
    assert (
        analyse(THREE, Rules(), extents={(KSAT, "a"): Extent(part="1/2")}).model_comparison is None
    )


def test_models_that_lack_a_suite_are_named_and_count_in_no_rank_of_it() -> None:
    found = model_comparison([*THREE, *rows(LTL, {"a": [0, 0], "c": [1, 1], "b": [2, 2]})])
    assert [model.suites for model in found.models] == [2, 2, 2]
    assert [model.model for model in found.suites[1].models] == ["c", "a"]
    assert list(map(str, found.notes)) == [
        f"b has no answers in {LTL}: the mean rank leaves out suites that only some models answered",
    ]


def test_what_only_one_answered_is_not_compared() -> None:
    found = model_comparison(rows(KSAT, {"a": [1, 1, 1, 0, 2, 2], "b": [0, 1, 2, 1, 1]}))
    (pair,) = found.suites[0].pairs
    assert (pair.pairs, pair.won, pair.lost, pair.p) == (3, 1, 1, 1.0)
    assert [model.mean_rank for model in found.models] == [1.5, 1.5]
    assert list(map(str, found.notes)) == [
        f"{KSAT}: only the 3 of 4 formulas that every model answered count"
    ]


def test_models_without_a_common_formula_are_told_apart_by_their_horizons() -> None:
    other = [*rows(KSAT, {"a": [1] * 9}), *rows(KSAT, {"b": [1] * 9}, seed=1, text="another")]
    assert model_comparison(other).suites[0].pairs == (Difference(first="a", second="b"),)
    assert list(map(str, model_comparison(other).notes)) == [
        f"{KSAT}: no formula was answered by all of its models"
    ]
    apart = {(KSAT, "a"): horizon(9.0, 8.0, 10.0), (KSAT, "b"): horizon(None, 35.0, None)}
    found = model_comparison(other, apart)
    assert found.suites[0].pairs == (Difference(first="b", second="a", significant=True),)
    assert worse(found.suites[0]) == {"a"}
    assert [(model.model, model.mean_rank) for model in found.models] == [("b", None), ("a", None)]
    near = {**apart, (KSAT, "b"): horizon(11.0, 9.9, 12.0)}
    assert not worse(model_comparison(other, near).suites[0])


def test_a_run_of_an_older_release_is_compared_by_its_horizons_alone() -> None:
    older = rows(
        KSAT, {"a": [0] * 40, "b": [1] * 40}, incomparable="its sizes were chosen by the answers"
    )
    apart = {(KSAT, "a"): horizon(20.0, 18.0, 22.0), (KSAT, "b"): horizon(12.0, None, 15.0)}
    found = model_comparison(older, apart)
    assert found.suites[0].pairs == (Difference(first="a", second="b", significant=True),)
    assert "horizons are compared" in str(found.notes[0])
    assert [model.model for model in model_comparison(older, {}).suites[0].models] == ["b", "a"]


def test_a_suite_that_its_own_results_ended_is_not_compared() -> None:
    stop = {"verdict": "passed", "ran": 40, "planned": 90}
    stopped = rows(KSAT, {"a": [0] * 40, "b": [1] * 40}, stopped_early=stop)
    end = stopped[0].suite.end
    assert end is not None
    assert end.stopped == Stopped(verdict="passed", ran=40, planned=90)
    apart = {(KSAT, "a"): horizon(20.0, 18.0, 22.0), (KSAT, "b"): horizon(12.0, None, 15.0)}
    found = model_comparison(stopped, apart)
    assert found.suites[0].pairs == (Difference(first="a", second="b"),)
    assert "stopped early" in str(found.notes[0])


def test_a_suite_lists_models_by_horizon_where_all_have_one() -> None:
    known = {(KSAT, "a"): horizon(9.0, 8.0, 10.0), (KSAT, "b"): horizon(None, 38.0, None)}
    assert [model.model for model in model_comparison(THREE, known).suites[0].models] == [
        "a",
        "b",
        "c",
    ]
    known[KSAT, "c"] = horizon(12.0, 11.0, 13.0)
    found = model_comparison(THREE, known)
    assert [model.model for model in found.suites[0].models] == ["b", "c", "a"]
    # Who passes less often is worse, wherever it is listed.
    assert worse(found.suites[0]) == {"b", "c"}


def test_texts_of_a_file_cannot_write_to_the_terminal_or_make_markdown() -> None:
    evil = "m\x1b[2J\u202e`@user`](http://x) | "
    some = rows(KSAT + evil, {evil + "a": [1] * 30 + [2], evil + "b": [0] * 30 + [1]})
    assert all(line.text.isprintable() for line in render(analyse(some, Rules()), verbosity=1))
    shown = markdown(analyse(some, Rules()))
    assert "\x1b" not in shown
    assert " @user" not in shown


def test_markdown_begins_with_the_matrix_and_marks_what_is_significantly_worse() -> None:
    shown = markdown(analyse(THREE, Rules())).splitlines()
    columns = [
        f"`{model}` {name}" for model in "abc" for name in ("pass rate (95 %)", "horizon 50 %")
    ]
    assert shown[2] == f"| suite | {' | '.join(columns)} |"
    assert shown[4].startswith(f"| `{KSAT}` | · 98.0 % (93.0–99.8) | \\> 4 | ")
    assert "| · 90.0 % (82.4–95.1) \\* | \\> 4 |" in shown[4]
    assert shown[6].startswith("| mean | 99.0 % (97")
    assert sum("significantly worse than another model" in line for line in shown) == 1


def test_verbose_shows_the_difference_of_each_pair() -> None:
    difference = "+8.0 (+4.0 to +15.0)*"
    assert any(
        difference in line for line in texts(analyse(THREE, Rules()), verbosity=1, width=120)
    )
    assert not any(difference in line for line in texts(analyse(THREE, Rules()), width=120))


def test_the_object_for_programs_is_as_documented() -> None:
    models = models_of(analyse(THREE, Rules()))
    assert [row["model"] for row in table(models)] == ["a", "b", "c"]
