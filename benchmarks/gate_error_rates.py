"""How often the gates are right and wrong: the promises of docs/reference/statistics.md, simulated.

    python benchmarks/gate_error_rates.py [--runs 2000] [--seed 1] [--only sizes] [--jobs 2] [--results FILE] [--anew]

Prints Markdown tables with each promise beside its measurement. A share that misses its promise has a mark: ≈ if chance
explains it, **broken** if not. The exit code is 1 if a promise is broken.

The figures of each cell are kept in a file of JSON lines as soon as they are known. The next run continues there; with
``--anew`` it begins anew, which is needed after a change of the statistics.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gate_rates import rates, single_tests, whole_runs
from gate_rates.cells import (
    MARKING_ERROR,
    Measure,
    Results,
    Table,
    markdown,
    monte_carlo_error,
    percent,
)

TABLES: Mapping[str, Callable[[], Table]] = {
    **whole_runs.TABLES,
    **rates.TABLES,
    **single_tests.TABLES,
}
MEASURES: Mapping[str, Measure] = {**whole_runs.MEASURES, **rates.MEASURES, **single_tests.MEASURES}
#: Where the figures are kept, unless another file is given.
RESULTS = Path(__file__).with_suffix(".jsonl")


def printed(tables: Sequence[Table], results: Results) -> tuple[str, list[str]]:
    """The tables as Markdown, and the promises that are broken."""
    promises = sum(value.promise is not None for table in tables for value in table.values)
    error = percent(monte_carlo_error(0.05, results.runs))
    texts = [
        f"{results.runs:,} runs of each cell, seed {results.seed}. 5 % is measured to ±{error}."
    ]
    cells = {value.cell.key for table in tables for value in table.values}
    if missing := len(cells - results.figures.keys()):
        texts[0] += f" {missing} of {len(cells)} cells are not measured yet (…)."
    broken = []
    for table in tables:
        text, missed = markdown(table, results, MARKING_ERROR / max(1, promises))
        texts.append(text)
        broken += missed
    return "\n\n".join(texts), broken


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the tables; returns 1 if a promise is broken."""
    parser = argparse.ArgumentParser(description="Simulates the error rates of the gates.")
    parser.add_argument("--runs", type=int, default=2000, help="simulated runs of each cell")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--only", choices=[*TABLES], action="append", help="print only these tables"
    )
    parser.add_argument(
        "--jobs", type=int, default=2, help="processes; the figures do not depend on them"
    )
    parser.add_argument(
        "--results",
        type=Path,
        default=RESULTS,
        help="where figures are kept; a later run continues",
    )
    parser.add_argument("--anew", action="store_true", help="forget the kept figures")
    parser.add_argument(
        "--print", action="store_true", help="simulate nothing; print what is known"
    )
    asked = parser.parse_args(arguments)
    results = Results(asked.results, runs=asked.runs, seed=asked.seed, anew=asked.anew)
    tables = [table() for name, table in TABLES.items() if not asked.only or name in asked.only]
    if not asked.print:
        cells = [value.cell for table in tables for value in table.values]
        results.simulate(cells, MEASURES, asked.jobs)
    text, broken = printed(tables, results)
    print(text, flush=True)
    for promise in broken:
        print(f"broken: {promise}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
