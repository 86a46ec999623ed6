"""Cells that are simulated once and kept in a file, and the Markdown tables that are made of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from hashlib import sha256
from math import sqrt
from pathlib import Path
from time import monotonic
from typing import Any, TypeAlias

import numpy as np

from pytest_autoeval.statistics.exact_bounds import at_least

#: A share, as (how often, of how many), or another number.
Figure: TypeAlias = "tuple[int, int] | float"
Figures: TypeAlias = Mapping[str, Figure]
#: Simulates a cell: from its arguments, the number of runs, and a source of chance.
Measure: TypeAlias = Callable[..., Figures]
#: The error of all marks "broken" together: how often any is wrong if all promises are just kept.
MARKING_ERROR = 0.05


@dataclass(frozen=True)
class Cell:
    """One simulation: the name of a measure, and its arguments."""

    measure: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The cell as text, equal for equal cells."""
        return json.dumps([self.measure, self.arguments], sort_keys=True)

    def random(self, seed: int) -> np.random.Generator:
        """A source of chance of its own, so that no figure depends on the order of the cells."""
        digest = sha256(self.key.encode()).digest()
        return np.random.default_rng([seed, *digest[:16]])


@dataclass(frozen=True)
class Promise:
    """A share that is promised: at most ``bound``, or ``at_least`` that."""

    bound: float
    at_least: bool = False

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {percent(self.bound)}"

    def broken_by(self, share: tuple[int, int], error: float) -> bool:
        """Whether the share breaks the promise by more than chance explains, at this error."""
        count, total = share
        if self.at_least:
            return at_least(total - count, total, 1 - self.bound) < error
        return at_least(count, total, self.bound) < error

    def missed_by(self, share: tuple[int, int]) -> bool:
        """Whether the measured share is on the wrong side of the bound."""
        measured = share[0] / share[1]
        return measured < self.bound if self.at_least else measured > self.bound


@dataclass(frozen=True)
class Value:
    """A figure of a cell in a table, with what is promised of it."""

    cell: Cell
    figure: str
    promise: Promise | None = None


@dataclass(frozen=True)
class Table:
    """A table: a heading, the heads of its columns, and rows of texts and values."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str | Value]]

    @property
    def values(self) -> Iterator[Value]:
        for row in self.rows:
            yield from (value for value in row if isinstance(value, Value))


class Results:
    """The figures of cells, kept in a file with a line for each. A line is written as soon as its cell is done."""

    def __init__(self, file: Path, *, runs: int, seed: int, anew: bool = False) -> None:
        self.file, self.runs, self.seed = file, runs, seed
        self.figures: dict[str, Figures] = {}
        if anew:
            file.unlink(missing_ok=True)
        for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
            kept = json.loads(line)
            if (kept["runs"], kept["seed"]) == (runs, seed):
                figures = {
                    name: tuple(one) if isinstance(one, list) else one
                    for name, one in kept["figures"].items()
                }
                self.figures[Cell(kept["measure"], kept["arguments"]).key] = figures

    def keep(self, cell: Cell, figures: Figures) -> None:
        self.figures[cell.key] = figures
        line = {
            "measure": cell.measure,
            "arguments": cell.arguments,
            "runs": self.runs,
            "seed": self.seed,
            "figures": figures,
        }
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def simulate(self, cells: Iterable[Cell], measures: Mapping[str, Measure], jobs: int) -> None:
        """Simulates the cells that are missing, in so many processes, with a line of progress for each."""
        missing = list({cell.key: cell for cell in cells if cell.key not in self.figures}.values())
        missing.sort(key=_work)  # so that most figures are soon known
        start = monotonic()
        for done, (cell, figures) in enumerate(self._simulated(missing, measures, jobs), 1):
            self.keep(cell, figures)
            spent = monotonic() - start
            print(
                f"{done}/{len(missing)} cells, {spent:,.0f} s: {cell.key}",
                file=sys.stderr,
                flush=True,
            )

    def _simulated(
        self, cells: Sequence[Cell], measures: Mapping[str, Measure], jobs: int
    ) -> Iterator[tuple[Cell, Figures]]:
        tasks = [(measures[cell.measure], cell, self.runs, self.seed) for cell in cells]
        if jobs == 1:
            for cell, task in zip(cells, tasks, strict=True):
                yield cell, _simulate(*task)
            return
        with ProcessPoolExecutor(jobs) as pool:
            running = {pool.submit(_simulate, *task): task[1] for task in tasks}
            for future in as_completed(running):
                yield running[future], future.result()


def _work(cell: Cell) -> float:
    """About how much work a cell is, in no unit. Without a number of formulas it searches for that number."""
    sizes = [
        cell.arguments.get(name, 1000 if name == "formulas" else 1)
        for name in ("models", "suites", "formulas", "repeats", "repeats_after")
    ]
    return float(np.prod([size for size in sizes if isinstance(size, int)]))


def _simulate(measure: Measure, cell: Cell, runs: int, seed: int) -> Figures:
    return measure(runs, cell.random(seed), **cell.arguments)


def markdown(table: Table, results: Results, error: float) -> tuple[str, list[str]]:
    """The table as Markdown, and its broken promises. ``error`` is that of one mark."""
    lines = [
        f"### {table.title}\n",
        f"| {' | '.join(table.heads)} |",
        "|" + "---|" * len(table.heads),
    ]
    broken = []
    for row in table.rows:
        texts = []
        for value in row:
            text = value if isinstance(value, str) else _shown(value, results, error)
            texts.append(text)
            if text.endswith(_BROKEN):
                labels = ", ".join(label for label in row if isinstance(label, str) and label)
                broken.append(
                    f"{table.title}: {labels}: {table.heads[len(texts) - 1]}: {text.removesuffix(_BROKEN)}"
                )
        lines.append(f"| {' | '.join(texts)} |")
    return "\n".join(lines), broken


_BROKEN = " **broken**"


def _shown(value: Value, results: Results, error: float) -> str:
    figures = results.figures.get(value.cell.key)
    if figures is None:
        return "…"
    figure = figures[value.figure]
    if not isinstance(figure, tuple):
        return f"{figure:,.1f}".removesuffix(".0")
    if not figure[1]:
        return ""
    text = percent(figure[0] / figure[1])
    if value.promise is None or not value.promise.missed_by(figure):
        return text
    return text + (_BROKEN if value.promise.broken_by(figure, error) else " ≈")


def percent(share: float) -> str:
    """A share as ``5.0 %``."""
    return f"{100 * share:.1f} %"


def monte_carlo_error(share: float, runs: int) -> float:
    """Two standard deviations of a share that is measured with so many runs."""
    return 2 * sqrt(share * (1 - share) / runs)
