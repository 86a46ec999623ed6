"""What the rows of one suite and model show about a task, beyond its pass rate. `docs/tasks.md` defines every figure.

Each row names its kind of figures in its key ``figures``. One module for each kind measures the rows and words the
measures. Rows whose outcome is ``error`` do not count as answers, and are left out of every figure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pytest_autoeval.registry import located
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.task_figures import refinement
from pytest_autoeval.reporting.task_figures.wording import packed

__all__ = ["figures", "measured"]

#: Columns of a line at most: what a summary of the narrowest width has room for.
WIDTH = 74


#: The module of each kind of figures, and its function that words the measures: the parts of a sentence.
_KINDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "choices": ("choices", "word"),
        "entailments": ("entailments", "word"),
        "extraction": ("extraction", "word"),
        "judged pairs": ("judged_pairs", "word"),
        "judged traces": ("questions", "word_trace_judging"),
        "ontologies": ("ontologies", "word"),
        "rankings": ("rankings", "word"),
        "scored translation": ("metric_trust", "word"),
        "translation": ("translation", "word"),
        "well-formedness": ("questions", "word_well_formedness"),
        "written traces": ("written_traces", "word"),
    }
)


def figures(rows: Iterable[Row]) -> list[str]:
    """The figures as lines of plain text, at most 74 columns wide; none for rows without a known kind of figures.

    Where the rows have several tasks, interfaces or promptings, each has its figures, under a heading.
    """
    blocks = measured(rows)
    lines: list[str] = []
    for block in blocks:
        if len(blocks) > 1:
            lines.append(_heading(block))
        indent = "  " if len(blocks) > 1 else ""
        module, word = _KINDS[block["figures"]]
        parts = located(f"{__name__}.{module}:{word}")(block)
        if block.get("in_words"):
            parts.append(f"{block['in_words']} answered in words, not by the schema")
        if "refinement" in block:
            parts += refinement.word(block["refinement"])
        lines += [indent + line for line in packed(parts, WIDTH - len(indent))]
    return lines


def measured(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """The figures for programs: plain basic types, a dictionary for each task, interface and prompting among the rows.

    Rates are fractions, None where there is nothing to take a rate of. Every dictionary has ``task``, ``interface``,
    ``way`` (the prompting), ``figures``, ``samples`` and ``passed``; what else it has depends on the kind of figures.
    Where answers by a schema were asked for, ``in_words`` counts those that do not follow it.
    """
    groups: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if row.figures in _KINDS and row.kind != "error":
            key = row.task, row.interface, row.prompting, row.figures
            groups[tuple(part or "" for part in key)].append(row)
    return [_measured(groups[key]) for key in sorted(groups)]


def _measured(rows: Sequence[Row]) -> dict[str, Any]:
    asked = rows[0]
    block = {
        "task": asked.task,
        "interface": asked.interface,
        "way": asked.prompting,
        "figures": asked.figures,
        "samples": len(rows),
        "passed": sum(row.passed for row in rows),
        **located(f"{__name__}.{_KINDS[asked.figures or ''][0]}:measure")(rows),
    }
    if asked.interface == "structured":
        block["in_words"] = sum(row.facts.get("structured") is False for row in rows)
    refined = [row for row in rows if row.facts.get("first_outcome")]
    return block | ({"refinement": refinement.measure(refined)} if refined else {})


def _heading(block: Mapping[str, Any]) -> str:
    asked = ", ".join(filter(None, (block["interface"], block["way"])))
    return f"{block['task']}, {asked}:" if asked else f"{block['task']}:"
