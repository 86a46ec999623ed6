"""The pass rates of a suite with several variants, as a grid: interfaces down, promptings across."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from pytest_autoeval.reporting.items import plain_suite
from pytest_autoeval.reporting.suite_summary import SuiteSummary
from pytest_autoeval.reporting.text import Line, aligned, bounds_text, one_line, shorten_start


def grids(summaries: Sequence[SuiteSummary], width: int) -> Iterator[Line]:
    """A grid for each suite and model of which there are several variants; none where there are not."""
    grouped: dict[str, dict[tuple[str, str], SuiteSummary]] = defaultdict(dict)
    for summary in summaries:
        suite = plain_suite(summary.suite, summary.interface, summary.prompting)
        grouped[f"{suite}[{summary.model}]"][summary.interface, summary.prompting] = summary
    several = {name: variants for name, variants in grouped.items() if len(variants) > 1}
    if several:
        yield Line("")
        yield Line("pass rates by interface and prompting", "title")
    for name, variants in several.items():
        yield Line(f"  {shorten_start(one_line(name), width - 2)}")
        yield from (Line(f"    {line}") for line in _table(variants))


def _table(variants: dict[tuple[str, str], SuiteSummary]) -> list[str]:
    interfaces, promptings = (sorted({variant[part] for variant in variants}) for part in range(2))
    rows = [["", *promptings]]
    rows += [[one, *(_cell(variants.get((one, prompting))) for prompting in promptings)] for one in interfaces]
    return aligned(rows)


def _cell(summary: SuiteSummary | None) -> str:
    return f"{bounds_text(summary.whole.rate)} %" if summary is not None and summary.whole.rate.total else "–"
