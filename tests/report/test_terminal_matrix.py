"""The terminal's matrix of suites and models, what a suite that failed adds, and the next steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from msgspec import structs
from support.analyses import analyse, baseline_of
from support.result_rows import call, changed, row
from support.screens import render, texts
from support.snapshot import assert_snapshot

from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.item_groups import grouped
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.analysis import analyse as analyse_suites
from pytest_autoeval.report.counterexample import Counterexample, smallest_failures
from pytest_autoeval.text import width

STUDENT, TEACHER = "offline/student?strength=0.97", "offline/student?strength=0.9"
#: Formulas with a connective that is hard, at sizes from 0 to 12.
_SIZES = 60


def suite_rows(
    suite: str, model: str, failing: Sequence[int] = (), number: int = _SIZES, **changes: Any
) -> list[Sample]:
    """The rows of a suite and model; the formulas of these numbers fail."""
    return [
        row(
            "different" if index in failing else "equivalent",
            suite=suite,
            model=model,
            index=index,
            operators=index % 13,
            formula=f"¬(p{index} ∧ (q ∨ ¬r)) → (p{index} ∨ (q ∧ ¬(s → t)))",
            description=f"It is not the case that p{index} holds and either q or not r; " * 3,
            translation=f"¬p{index} ∧ (q ∨ ¬r) → (p{index} ∨ (q ∧ ¬(s → t)))",
            witness_text=f"p{index} = true, q = false, r = true, s = false, t = true",
            calls=[
                call("informalize", replayed=True, cost=0.0),
                call("autoformalize", replayed=True, cost=0.0),
            ],
            **changes,
        )
        for index in range(number)
    ]


def suite(number: int) -> str:
    names = ("propositional", "first_order", "regex", "ltl", "ksat", "sentences")
    return f"suites/test_{names[number % 6]}.py::test_round_trip_{number:02}"


def run(
    failing: Mapping[tuple[int, str], Sequence[int]],
    *,
    models: Sequence[str] = (STUDENT, TEACHER),
    suites: int = 30,
    threshold: float | None = 0.8,
    **rest: Any,
) -> Analysis:
    """A run of these suites and models, with a counterexample of each failing suite."""
    rows = [
        one
        for number in range(suites)
        for model in models
        for one in suite_rows(suite(number), model, failing.get((number, model), ()))
    ]
    examples = [
        Counterexample(
            sample=failed,
            shrunk=changed(failed, operators=2),
            round_trips_spent=14,
            confirmed="2 of 2",
            command=(
                f"pytest {failed.suite.name} '--autoeval-model={failed.model}' '--autoeval-formula={failed.formula}'"
            ),
        )
        for some in grouped(rows, lambda one: (one.suite.name, one.model)).values()
        for failed in smallest_failures(some).values()
    ]
    analysis = analyse(rows, Rules(threshold=threshold), counterexamples=examples, **rest)
    return structs.replace(
        analysis, page_steps={"see why": "pytest suites --autoeval-html=autoeval.html"}
    )


def test_two_models_and_thirty_green_suites_take_at_most_45_lines() -> None:
    few = {(number, TEACHER): (5, 17, 44) for number in range(0, 30, 3)}
    lines = render(run({**few, (7, STUDENT): (9,)}))
    assert_snapshot("matrix_green", lines)
    assert len(lines) <= 45
    assert max(width(line.text) for line in lines) <= 80


def test_without_room_the_notes_and_what_the_baseline_says_stay() -> None:
    before = [one for number in range(29) for one in suite_rows(suite(number), STUDENT)]
    analysis = run({(3, STUDENT): range(30)}, threshold=None, baseline=baseline_of(before))
    lines = texts(structs.replace(analysis, notes=["4 samples occurred twice and counted once"]))
    assert not any("are corrected for" in line for line in lines)  # there is no room for all
    shown = " ".join(" ".join(lines).split())
    # The row of a significant loss.
    assert any(f"{suite(3).partition('/')[2]}[" in line for line in lines)
    assert "2 suites: not compared: the baseline does not have this suite" in shown
    assert "4 samples occurred twice and counted once" in shown


@pytest.mark.parametrize("verbosity", [-1, 0])
def test_a_mean_never_stands_without_what_it_leaves_out(verbosity: int) -> None:
    stopped = {(suite(5), TEACHER): Extent(planned=90, interrupted=True)}
    lines = texts(run({(3, STUDENT): range(30)}, extents=stopped), verbosity=verbosity)
    assert any(line.startswith("  mean ") for line in lines)
    assert any(line.startswith(f"  the mean leaves out 1 suite ({suite(5)})") for line in lines)


@pytest.mark.parametrize("models", [(STUDENT,), (STUDENT, TEACHER)])
def test_a_red_suite_adds_at_most_14_lines(models: Sequence[str]) -> None:
    green = render(run({}, models=models))
    bad = range(40)
    lines = render(run({(3, STUDENT): bad}, models=models))
    if len(models) == 2:
        assert_snapshot("matrix_red", lines)
    steps = 4  # the next steps come once
    legend = sum("significantly worse" in line.text for line in lines)
    assert len(lines) - len(green) <= 14 + steps + legend
    more = render(run({(3, STUDENT): bad, (9, STUDENT): bad, (21, STUDENT): bad}, models=models))
    assert len(more) - len(lines) <= 2 * 14


def test_a_table_as_witness_and_many_figures_also_fit_into_14_lines() -> None:
    table = "domain {0, 1}\n\ncall | 0 1\n-----+----\n0    | ⊤ ⊥\n1    | ⊥ ⊤\n\nsleep | 0 1\n------+----\n      | ⊤ ⊥"
    rows = suite_rows(suite(0), STUDENT, range(50))
    rows = [changed(one, witness_text=table, copies="count", leaked=True) for one in rows]
    rows += [one for number in range(1, 5) for one in suite_rows(suite(number), STUDENT)]
    example = Counterexample(sample=rows[0], round_trips_spent=3, command="pytest …")
    old = baseline_of([one for number in range(4) for one in suite_rows(suite(number), STUDENT)])
    analysis = analyse(
        rows, Rules(threshold=0.9, drop=0.05), counterexamples=[example], baseline=old
    )
    lines = [line.text for line in render(analysis)]
    start = lines.index(f"✗ {suite(0)}", lines.index("") + 1)
    block = lines[start - 1 : lines.index("  and 4 other suites (passed 4); -v shows them", start)]
    assert 10 <= len(block) <= 14
    assert any(line.startswith("    witness      domain {0, 1}") for line in block)
    assert any(line.startswith("    reproduce") for line in block)
    assert len(render(analysis, verbosity=1)) > len(lines) + 20


def test_the_pass_rate_of_a_failing_suite_appears_once() -> None:
    lines = render(run({(1, STUDENT): range(30)}, suites=3, models=(STUDENT,)))
    assert sum("50.0 %" in line.text for line in lines) == 1
    assert "    pass rate (30 of 60) is below the threshold 80 %" in [line.text for line in lines]
    assert sum("95 % interval" in line.text for line in lines) == 0


def test_with_one_model_samples_and_horizons_stand_in_columns() -> None:
    lines = render(run({(1, STUDENT): range(30, 60)}, suites=5, models=(STUDENT,)))
    assert_snapshot("matrix_one_model", lines)
    assert lines[2].text.split()[1:] == ["pass", "rate", "(95", "%)", "n", "horizon", "50", "%"]


def test_what_all_models_share_is_shown_once_and_no_name_looks_like_a_figure() -> None:
    lines = [line.text for line in render(run({}, suites=5))]
    assert any("headings begin with offline/student?" in line for line in lines)
    (heading,) = [line for line in lines if "strength=0.97" in line]
    assert "strength=0.9 " in f"{heading} "
    assert not any("offline/student?strength" in line for line in lines)


@pytest.mark.parametrize("count", [3, 5, 8])
def test_models_that_do_not_fit_stand_in_further_parts(count: int) -> None:
    models = [f"organisation/a-model-with-a-long-name-{number}-instruct" for number in range(count)]
    lines = render(run({(0, models[-1]): range(40)}, models=models, suites=4))
    assert (
        max(width(line.text) for line in lines if "::" not in line.text[:60] or "%" in line.text)
        <= 80
    )
    table = [line.text for line in lines if "_03  " in line.text]
    assert len(table) == -(-count // 2)
    assert sum(line.count("✓") for line in table) == count
    if count == 5:
        assert_snapshot("matrix_five_models", lines)


def test_a_significant_difference_is_a_star_with_one_line_of_legend() -> None:
    lines = [line.text for line in render(run({(2, TEACHER): range(40)}, suites=5, threshold=None))]
    (red,) = [line for line in lines if suite(2).partition("/")[2] in line]
    assert red.endswith("*")
    assert sum("*" in line for line in lines) == 2
    assert sum("significantly worse" in line for line in lines) == 1
    assert not any("significantly worse" in line.text for line in render(run({}, suites=5)))


def test_without_a_gate_nothing_is_said_of_gates() -> None:
    lines = [line.text for line in render(run({(2, TEACHER): range(40)}, suites=5, threshold=None))]
    assert lines[0] == "560 of 600 samples passed; no threshold was given"
    assert not any("gate" in line for line in lines)
    assert "next steps" not in lines


def test_each_state_that_is_neither_passed_nor_failed_is_explained() -> None:
    rows = [one for number in range(4) for one in suite_rows(suite(number), STUDENT, (1, 2, 3))]
    rows = [changed(one, threshold=0.9) if one.suite.name != suite(3) else one for one in rows]
    extents = {(suite(1), STUDENT): Extent(planned=90, interrupted=True)}
    lines = [line.text for line in render(analyse(rows, Rules(gate="interval"), extents=extents))]
    assert lines[:2] == [
        "interrupted: 240 samples ran; 1 suite could not be judged",
        "2 of 2 suites are inconclusive, none failed; 1 without a gate",
    ]
    for state in ("? inconclusive: ", "! interrupted: ", "· no gate: "):
        assert sum(line.startswith(f"  {state}") for line in lines) == 1


def test_a_failure_ends_with_a_command_that_shows_why() -> None:
    lines = [line.text for line in render(run({(2, TEACHER): range(40)}, suites=5))]
    assert lines[-2:] == ["next steps", "  see why:  pytest suites --autoeval-html=autoeval.html"]
    # That of the counterexample stands there, and is not said again.
    command = f"pytest {suite(2)} '--autoeval-model={TEACHER}' '--autoeval-formula=¬(p0 "
    assert sum(command in line for line in lines) == 1
    assert "next steps" not in [line.text for line in render(run({}, suites=5))]


def test_a_failure_without_any_answer_has_no_next_steps() -> None:
    rows = [
        changed(one, outcome="error", code="AE190", error="no key")
        for one in suite_rows(suite(0), STUDENT)
    ]
    analysis = structs.replace(
        analyse(rows, Rules(threshold=0.9)),
        page_steps={"see why": "pytest --autoeval-html=autoeval.html"},
    )
    assert analysis.summaries[0].judgement.verdict == "failed"
    assert "next steps" not in [line.text for line in render(analysis)]


def test_a_comparison_with_the_baseline_takes_a_line_for_each_suite() -> None:
    old = baseline_of([one for number in range(30) for one in suite_rows(suite(number), STUDENT)])
    analysis = run({(4, STUDENT): range(20)}, models=(STUDENT,), threshold=None, baseline=old)
    assert_snapshot("matrix_reported_baseline", render(analysis))
    assert "  and 29 other comparisons; -v shows them" in texts(analysis)
    lines = texts(analyse_suites(analysis.suites, Rules(drop=0.2), baseline=old))
    assert any(line.endswith("significantly worse") for line in lines)


def test_a_quiet_summary_has_the_matrix_and_the_reasons() -> None:
    lines = [line.text for line in render(run({(2, TEACHER): range(40)}, suites=5), verbosity=-1)]
    assert "    pass rate (20 of 60) is below the threshold 80 %" in lines
    assert "next steps" not in lines
    assert len(lines) < 15
