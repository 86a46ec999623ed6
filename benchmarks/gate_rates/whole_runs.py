"""The verdict on whole runs: how often it is red, green and inconclusive, and what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from gate_rates.cells import Cell, Figure, Figures, Measure, Promise, Table, Value
from gate_rates.verdicts import by_old_gate, judged
from gate_rates.worlds import World
from pytest_autoeval.judging.rules import Rules

ALPHA = 0.05
_SELDOM = Promise(ALPHA)


def verdicts(
    runs: int, random: np.random.Generator, *, asked: float, looks: bool = False, **world: Any
) -> Figures:
    """How often a run with `drop:D` is red, green and inconclusive; D is ``asked``.

    A run is red if any of its models is; the other shares are of models. ``each``: green with `suite-drop:D`.
    ``whole`` and ``alone``: red by all pairs together, and by a suite. ``holds``: the interval of the difference holds
    the true one. ``named``: the share of fallen suites that are listed; ``wrongly``: the runs that list any other.
    ``saved``: the percentage of samples that planned looks saved.
    """
    simulated = World(**world)
    rules = Rules(drop=asked, alpha=ALPHA)
    counts: Counter[str] = Counter()
    saved = 0.0
    for run in simulated.runs(runs, random):
        models = judged(simulated, rules, run, looks=looks)
        counts["red"] += any(model.decision == "failed" for model in models)
        for model in models:
            saved += model.saved
            counts["green"] += model.decision == "passed"
            counts["inconclusive"] += model.decision == "inconclusive"
            counts["each"] += model.each == "passed"
            counts["whole"] += model.fell
            counts["alone"] += any(model.alone)
            low, high = model.whole.worst.interval.low, model.whole.best.interval.high
            counts["holds"] += low <= simulated.difference <= high
            counts["named"] += sum(model.listed[: simulated.fallen])
            counts["wrongly"] += any(model.listed[simulated.fallen if simulated.drop else 0 :])
    models_judged = runs * simulated.models
    totals = {"red": runs, "named": models_judged * simulated.fallen}
    names = ("red", "green", "inconclusive", "each", "whole", "alone", "holds", "named", "wrongly")
    figures: dict[str, Figure] = {
        name: (counts[name], totals.get(name, models_judged)) for name in names
    }
    if looks:
        figures["saved"] = 100 * saved / models_judged
    return figures


def calls_needed(
    runs: int,
    random: np.random.Generator,
    *,
    suites: int,
    drop: float,
    falling: str,
    churn: float,
    old: bool,
) -> Figures:
    """The number of answers with which a run is red in 80 % of runs, by `drop:5%` or by the ``old`` gate."""

    def is_enough(formulas: int) -> bool:
        world = World(suites=suites, formulas=formulas, churn=churn, drop=drop, falling=falling)  # type: ignore[arg-type]
        return sum(map(_is_red(world, old=old), world.runs(runs, random))) >= 0.8 * runs

    most = 8
    while not is_enough(most):
        most *= 2
    least = most // 2
    while most - least > max(1, least // 25):
        middle = (least + most) // 2
        least, most = (least, middle) if is_enough(middle) else (middle, most)
    return {"calls": float(suites * most), "formulas": float(most)}


def _is_red(world: World, *, old: bool) -> Callable[[Any], bool]:
    if old:
        return lambda run: "failed" in by_old_gate(world, 0.05, ALPHA, run)
    return lambda run: judged(world, Rules(drop=0.05, alpha=ALPHA), run)[0].decision == "failed"


MEASURES: dict[str, Measure] = {"verdicts": verdicts, "calls_needed": calls_needed}


# ---- the tables ----

Row: TypeAlias = "list[str | Value]"

_HEADS = (
    "nothing changed: red (≤ 5.0 %)",
    "green",
    "fell by D: green (≤ 5.0 %)",
    "green in each suite (≤ 5.0 %)",
    "red",
    "interval holds D",
)


def _cell(asked: float, drop: float, **world: Any) -> Cell:
    if drop:
        world["drop"] = drop
    return Cell("verdicts", {"asked": asked, **world})


def _promises(asked: float = 0.05, **world: Any) -> list[Value]:
    """The columns of what is promised: without a change, and with exactly the drop in question."""
    same, fell = _cell(asked, 0.0, **world), _cell(asked, asked, **world)
    return [
        Value(same, "red", _SELDOM),
        Value(same, "green"),
        Value(fell, "green", _SELDOM),
        Value(fell, "each", _SELDOM),
        Value(fell, "red"),
        Value(fell, "holds"),
    ]


def _sizes() -> Table:
    """Every number of suites and formulas, and every churn."""
    heads = [
        *("suites", "formulas", "churn", *_HEADS[:2], "fell by D/2: red", "green"),
        *(*_HEADS[2:], "fell by 2 D: red", "green"),
    ]
    rows: list[Row] = []
    for suites in (1, 5, 30):
        for formulas in (20, 60, 200, 1000) if suites < 30 else (20, 60, 200):
            for churn in (0.05, 0.1, 0.2) if suites * formulas < 5_000 else (0.1,):
                world = {"suites": suites, "formulas": formulas, "churn": churn}
                half, twice = _cell(0.05, 0.025, **world), _cell(0.05, 0.1, **world)
                promised = _promises(**world)
                values = [
                    *promised[:2],
                    *(Value(half, "red"), Value(half, "green")),
                    *promised[2:],
                    *(Value(twice, "red"), Value(twice, "green")),
                ]
                rows.append([str(suites), f"{formulas:,}", f"{churn:.0%}", *values])
    return Table("`drop:5%`: suites, formulas and churn (D = 5 points)", heads, rows)


def _small_drop() -> Table:
    rows: list[Row] = []
    for suites, formulas in ((1, 1000), (5, 200), (5, 1000), (30, 60), (30, 200)):
        world = {"suites": suites, "formulas": formulas}
        rows.append([str(suites), f"{formulas:,}", *_promises(0.02, **world)])
    return Table("`drop:2%` (D = 2 points), churn 10 %", ["suites", "formulas", *_HEADS], rows)


def _repeats() -> Table:
    rows: list[Row] = []
    for before, after in ((5, 5), (1, 5), (5, 1)):
        for alike, name in ((0.0, "independent"), (0.5, "half agree"), (1.0, "all agree")):
            for suites, formulas in (
                (1, 60),
                (1, 200),
                (5, 60),
                *([(30, 20)] if alike == 0.5 else []),
            ):
                world = {
                    "suites": suites,
                    "formulas": formulas,
                    "repeats": before,
                    "repeats_after": after,
                    "alike": alike,
                }
                rows.append(
                    [f"{before} and {after}", name, str(suites), str(formulas), *_promises(**world)]
                )
    weak = {
        "suites": 1,
        "formulas": 60,
        "repeats": 5,
        "repeats_after": 5,
        "alike": 0.0,
        "weakening": True,
    }
    rows.append(["5 and 5, all weaken", "independent", "1", "60", *_promises(**weak)])
    weak = {**weak, "repeats_after": 1}
    rows.append(["5 and 1, all weaken", "independent", "1", "60", *_promises(**weak)])
    weak = {**weak, "repeats": 1, "repeats_after": 5}
    rows.append(["1 and 5, all weaken", "independent", "1", "60", *_promises(**weak)])
    heads = [
        "repeats before and after",
        "trials of a formula in one run",
        "suites",
        "formulas",
        *_HEADS,
    ]
    return Table("`drop:5%`: repeats", heads, rows)


def _shared() -> Table:
    rows: list[Row] = []
    for suites, formulas in ((4, 20), (4, 60), (4, 200), (28, 20)):
        for correlation in (0.0, 0.5, 1.0):
            world = {
                "suites": suites,
                "formulas": formulas,
                "shared": 4,
                "correlation": correlation,
            }
            rows.append(
                [str(suites), str(formulas), str(correlation), "1 and 1", *_promises(**world)]
            )
    for repeats, after in ((1, 5), (5, 1), (5, 5)):
        for correlation in (0.5, 1.0):
            world = {
                "suites": 4,
                "formulas": 60,
                "shared": 4,
                "correlation": correlation,
                "repeats": repeats,
                "repeats_after": after,
                "alike": 0.5,
            }
            rows.append(
                ["4", "60", str(correlation), f"{repeats} and {after}", *_promises(**world)]
            )
    heads = ["suites", "formulas", "correlation", "repeats", *_HEADS]
    return Table("`drop:5%`: 4 suites have the same formulas", heads, rows)


def _documents() -> Table:
    rows: list[Row] = []
    for suites, formulas in ((1, 60), (1, 200), (5, 60), (30, 60)):
        for size in (1, 3, 10):
            for correlation in (0.0, 0.5, 1.0) if size > 1 else (0.0,):
                enough = formulas // size * size
                world = {
                    "suites": suites,
                    "formulas": enough,
                    "rows": size,
                    "correlation": correlation,
                }
                rows.append(
                    [
                        str(suites),
                        str(enough),
                        str(size),
                        str(correlation),
                        "1 and 1",
                        *_promises(**world),
                    ]
                )
    for repeats, after in ((1, 5), (5, 1), (5, 5)):
        for size, correlation in ((3, 0.5), (3, 1.0), (10, 1.0)):
            world = {
                "suites": 1,
                "formulas": 60,
                "rows": size,
                "correlation": correlation,
                "repeats": repeats,
                "repeats_after": after,
                "alike": 0.5,
            }
            rows.append(
                [
                    "1",
                    "60",
                    str(size),
                    str(correlation),
                    f"{repeats} and {after}",
                    *_promises(**world),
                ]
            )
    heads = ["suites", "formulas", "rows of a document", "correlation", "repeats", *_HEADS]
    return Table("`drop:5%`: rows of one document", heads, rows)


def _errors() -> Table:
    rows: list[Row] = []
    for hiding, name in (
        (False, "any, in both runs"),
        (True, "only answers of the new run that would fail"),
    ):
        for suites, formulas, more in (
            (1, 60, {}),
            (1, 200, {}),
            (5, 200, {}),
            (30, 60, {}),
            (1, 60, {"repeats": 5, "repeats_after": 5, "alike": 0.5}),
            (1, 60, {"repeats": 1, "repeats_after": 5, "alike": 0.5}),
            (1, 60, {"rows": 3, "correlation": 1.0}),
            (4, 60, {"shared": 4, "correlation": 1.0}),
        ):
            world = {
                "suites": suites,
                "formulas": formulas,
                "errors": 0.03,
                "hiding": hiding,
                **more,
            }
            rows.append([name, str(suites), str(formulas), _named(more), *_promises(**world)])
    heads = ["3 % of samples end in an error", "suites", "formulas", "besides", *_HEADS]
    return Table("`drop:5%`: errors", heads, rows)


def _named(more: dict[str, Any]) -> str:
    if "repeats" in more:
        return f"{more['repeats']} and {more['repeats_after']} repeats"
    if "rows" in more:
        return f"{more['rows']} rows of a document"
    return "4 suites have the same formulas" if "shared" in more else ""


def _models() -> Table:
    rows: list[Row] = []
    for models in (1, 2, 4):
        for suites, formulas in ((1, 60), (5, 60), (10, 60)):
            world = {"suites": suites, "formulas": formulas, "models": models}
            rows.append([str(models), str(suites), str(formulas), *_promises(**world)])
    return Table(
        "`drop:5%`: several models in one run",
        ["models", "suites of each", "formulas", *_HEADS],
        rows,
    )


def _some_fall() -> Table:
    rows: list[Row] = []
    for suites, formulas in ((5, 200), (30, 60), (30, 200)):
        for falling, drop in (("one", 0.05), ("one", 0.2), ("third", 0.1), ("all", 0.05)):
            cell = Cell(
                "verdicts",
                {
                    "asked": 0.05,
                    "suites": suites,
                    "formulas": formulas,
                    "falling": falling,
                    "drop": drop,
                },
            )
            values = [
                *(Value(cell, name) for name in ("red", "whole", "alone", "green")),
                Value(cell, "each", _SELDOM),
                *(Value(cell, name) for name in ("named", "wrongly")),
            ]
            rows.append(
                [str(suites), str(formulas), f"{falling}, by {100 * drop:.0f} points", *values]
            )
    heads = [
        "suites",
        "formulas",
        "what falls",
        "red",
        "by all pairs",
        "by a suite alone",
        "green with `drop:5%`",
        "green with `suite-drop:5%` (≤ 5.0 %)",
        "fallen suites that are listed",
        "runs that list another",
    ]
    return Table("Some suites fall", heads, rows)


def _baselines() -> Table:
    rows: list[Row] = []
    for suites, formulas in ((1, 200), (5, 60), (30, 60)):
        for name, more in (
            ("one run", {}),
            ("five runs, as one baseline", {"repeats": 5, "alike": 0.0}),
            ("the best of five runs", {"chosen": 5}),
        ):
            world = {"suites": suites, "formulas": formulas, **more}
            values = _promises(**world)
            if "chosen" in more:  # nothing is promised, since no test can know it
                values = [Value(value.cell, value.figure) for value in values]
            rows.append([name, str(suites), str(formulas), *values])
    return Table("`drop:5%`: the baseline", ["baseline", "suites", "formulas", *_HEADS], rows)


def _looks() -> Table:
    rows: list[Row] = []
    for suites, formulas in ((1, 60), (1, 200), (5, 200), (30, 60)):
        world = {"suites": suites, "formulas": formulas, "looks": True}
        cells = [_cell(0.05, drop, **world) for drop in (0.0, 0.05, 0.1, 0.2)]
        values = [Value(cells[0], "red", _SELDOM), Value(cells[1], "green", _SELDOM)]
        values += [Value(cell, name) for cell in cells[2:] for name in ("red", "saved")]
        rows.append([str(suites), str(formulas), *values])
    heads = [
        *("suites", "formulas", "nothing changed: red (≤ 5.0 %)", "fell by D: green (≤ 5.0 %)"),
        "fell by 10 points: red",
        "samples saved, in per cent",
        "fell by 20 points: red",
        "samples saved, in per cent",
    ]
    return Table("`drop:5%` with `--autoeval-stop-early`: five looks", heads, rows)


def _calls() -> Table:
    rows: list[Row] = []
    for suites in (5, 30):
        for falling, drop, name in (
            ("all", 0.05, "every suite, by 5 points"),
            ("third", 0.1, "a third of the suites, by 10 points"),
            ("one", 0.2, "one suite, by 20 points"),
        ):
            arguments = {"suites": suites, "drop": drop, "falling": falling, "churn": 0.1}
            ways = [Cell("calls_needed", {**arguments, "old": old}) for old in (True, False)]
            rows.append([str(suites), name, *(Value(way, "calls") for way in ways)])
    heads = ["suites", "what falls", "each suite alone", "`drop:5%`"]
    return Table("Answers of a run with which it is red in 80 % of runs, churn 10 %", heads, rows)


TABLES = {
    "sizes": _sizes,
    "repeats": _repeats,
    "shared": _shared,
    "documents": _documents,
    "errors": _errors,
    "models": _models,
    "some-fall": _some_fall,
    "baselines": _baselines,
    "small-drop": _small_drop,
    "looks": _looks,
    "calls": _calls,
}
