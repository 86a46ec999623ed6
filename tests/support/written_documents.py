"""Documents of runs, written by hand for tests of the renderers: a suite, a matrix, and a run of many suites."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from pytest_autoeval.judging.gate_verdicts import STATES_WORST_FIRST, State
from pytest_autoeval.record.figures import Figure, Value
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Cell,
    Column,
    Command,
    Counterexample,
    Curve,
    Document,
    Field,
    Figures,
    Note,
    Point,
    Row,
    SampleKey,
    Section,
    Series,
    SuiteName,
    Table,
    Verdict,
)
from support.documents import MODELS


def verdict_section(text: str, state: State = "failed", **values: Value) -> Section:
    """The first section of a document: the verdict on the run."""
    return Section(
        name="verdict", blocks=(Verdict(state=state, text=text, values=values),), level="quiet"
    )


def document_of(*sections: Section, state: State = "failed", exit_code: int = 1) -> Document:
    """A document of these sections."""
    return Document(
        state=state,
        exit_code=exit_code,
        sections=sections,
        release="1.0.0",
        created="2026-11-26T12:00:00Z",
    )


def rate(passed: int, total: int, *, undecided: int = 0, name: str = "pass rate") -> Figure:
    """A pass rate with its interval, roughly that of 95 %."""
    value = passed / total
    margin = (0.25 / total) ** 0.5
    return Figure(
        name,
        value,
        "rate",
        low=max(0.0, value - margin),
        high=min(1.0, value + margin),
        upper=(passed + undecided) / total if undecided else None,
        n=total,
    )


def suite_section(
    name: str, model: str, number: int, *more: AnyBlock, state: State = "failed"
) -> Section:
    """The section of a suite that failed: why, its curve, and its smallest counterexample."""
    why = Verdict(
        state=state,
        text="pass rate {rate} ({passed} of {samples}) is below the threshold {threshold}",
        values={
            "rate": Figure("rate", 1 / 3, "rate"),
            "passed": Figure("passed", 20, "count"),
            "samples": Figure("samples", 60, "count"),
            "threshold": Figure("threshold", 0.8, "rate"),
        },
    )
    curve = Curve(
        over="operators",
        unit="rate",
        series=(Series("pass rate", tuple(Point(size, 1 - size / 15, n=5) for size in range(13))),),
        level="default",
    )
    shell = shlex.join(
        [
            "pytest",
            name,
            f"--autoeval-model={model}",
            "--autoeval-formula=¬(p0 ∧ (q ∨ ¬r)) → (p0 ∨ q)",
        ]
    )
    failed = Counterexample(
        outcome="different",
        code="AE101",
        loses_meaning=True,
        samples=40,
        fields=(
            Field("formula", "¬(p0 ∧ (q ∨ ¬r)) → (p0 ∨ (q ∧ ¬(s → t)))"),
            Field("description", "It is not the case that p0 holds and either q or not r; " * 5),
            Field("translation", "¬p0 ∧ (q ∨ ¬r) → (p0 ∨ (q ∧ ¬(s → t)))"),
            Field("witness", "p0 = true, q = false, r = true, s = false, t = true"),
        ),
        history="from size {before} to {after} in {trips}; fails {times} times; no smaller variant fails",
        values={
            "before": Figure("before", 7, "count"),
            "after": Figure("after", 2, "count"),
            "trips": Figure("trips", 14, "count", measure="round trip"),
            "times": "2 of 2",
        },
        command=shell,
        level="default",
        sample=SampleKey(number, 7, 0),
    )
    suite = SuiteName(number, name, model)
    return Section(
        name="suite",
        title=name,
        blocks=(why, curve, *more, failed),
        level="quiet",
        suite=suite,
        state=state,
    )


def matrix(
    suites: Sequence[str], models: Sequence[str], states_of: Sequence[Sequence[State]], **more: Any
) -> Table:
    """Suites down, models across: for each model a pass rate and a horizon."""
    columns = [Column("suite")]
    for model in models:
        columns.append(Column("pass rate", "rate", group=model))
        columns.append(
            Column("horizon 50 %", "size", group=model, optional=True, measure="operators")
        )
    rows = []
    for suite, row_states in zip(suites, states_of, strict=True):
        row_cells: list[Cell] = [suite]
        cell_states: list[State | None] = [None]
        for state in row_states:
            row_cells += [
                rate(20 if state == "failed" else 60, 60),
                Figure("horizon", 4.8, "size", low=3.5, high=6.1),
            ]
            cell_states += [state, None]
        worst = min(row_states, key=STATES_WORST_FIRST.index)
        rows.append(Row(tuple(row_cells), state=worst, states=tuple(cell_states)))
    return Table(columns=tuple(columns), rows=tuple(rows), thing="suite", **more)


def large_document(
    *, failing: int, suites: int = 30, models: Sequence[str] = MODELS[:2]
) -> Document:
    """A run of many suites and a few models, of whose suites the first ``failing`` failed with every model."""
    suite_names = [
        f"suites/test_file_{number % 6}.py::test_round_trip_{number:02}" for number in range(suites)
    ]
    states_of: list[list[State]] = [
        ["failed" if at < failing else "passed"] * len(models) for at in range(suites)
    ]
    ids = [
        (f"{name}[{model}]", model, suite_states[at])
        for name, suite_states in zip(suite_names, states_of, strict=True)
        for at, model in enumerate(models)
    ]
    of_suites = [
        suite_section(name, model, number)
        if state == "failed"
        else Section(
            name="suite",
            title=name,
            blocks=(Figures(figures=(rate(60, 60),)),),
            level="verbose",
            suite=SuiteName(number, name, model),
            state=state,
        )
        for number, (name, model, state) in enumerate(ids, 1)
    ]
    headline = verdict_section(
        "{failed} of {all} failed ({suites}, {models})",
        "failed" if failing else "passed",
        failed=Figure("failed", failing * len(models), "count"),
        all=Figure("all", suites * len(models), "count"),
        suites=Figure("suites", suites, "count", measure="suite"),
        models=Figure("models", len(models), "count", measure="model"),
    )
    mark = "significantly worse than another model (corrected for all pairs and suites)"
    table = matrix(suite_names, models, states_of, mark=mark)
    mean = Row(("mean", *[rate(60, 60), None] * len(models)), total=True)
    marked = replace(table.rows[0], marked=(3,))
    spent = Figures(
        figures=(Figure("calls", 7_200, "count"), Figure("cost", 0.42, "usd")), level="default"
    )
    remark = Note(
        text="{suites}, and more to read about them",
        values={"suites": Figure("suites", 30, "count", measure="suite")},
        level="default",
    )
    matrix_section = Section(
        name="suites",
        title="suites",
        blocks=(replace(table, rows=(marked, *table.rows[1:], mean)), *[remark] * 3),
        level="quiet",
    )
    next_steps = Section(
        name="next steps",
        title="next steps",
        blocks=(
            Command(purpose="see why", command="pytest suites --autoeval-html=autoeval.html"),
            Command(purpose="reproduce", command=f"pytest {shlex.quote(ids[0][0])}"),
        ),
    )
    state: State = "failed" if failing else "passed"
    headline = replace(headline, blocks=(*headline.blocks, spent))
    return document_of(
        headline, matrix_section, *of_suites, next_steps, state=state, exit_code=int(bool(failing))
    )
