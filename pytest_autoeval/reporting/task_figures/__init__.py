"""What the rows of one suite and model show about a task, beyond its pass rate. `docs/tasks.md` defines every figure.

Each row names its kind of figures in its key ``figures``. For each kind, one function measures the rows and another
words the measures. Rows whose outcome is ``error`` do not count as answers, and are left out of every figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pytest_autoeval.reporting.items import grouped
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.task_figures import answers, translations

#: Columns of a line at most: what a summary of the narrowest width has room for.
WIDTH = 74

#: Of each kind of figures what measures some rows, and what words the measures as the parts of a sentence.
_KINDS: Mapping[str, tuple[Callable[[Sequence[Row]], dict[str, Any]], Callable[[Mapping[str, Any]], list[str]]]] = {
    "choices": (answers.choices, answers.choice_words),
    "entailments": (answers.entailments, answers.entailment_words),
    "extraction": (translations.extraction, translations.extraction_words),
    "judged pairs": (answers.judged_pairs, answers.judged_pair_words),
    "judged traces": (answers.questions, answers.judged_trace_words),
    "ontologies": (translations.ontologies, translations.ontology_words),
    "rankings": (answers.rankings, answers.ranking_words),
    "scored translation": (translations.scored_translations, translations.scored_translation_words),
    "translation": (translations.translations, translations.translation_words),
    "well-formedness": (answers.questions, answers.well_formedness_words),
    "written traces": (answers.written_traces, answers.written_trace_words),
}


def figures(rows: Iterable[Row]) -> list[str]:
    """The figures as lines of plain text, at most 74 columns wide; none for rows without a known kind of figures.

    Where the rows have several tasks, interfaces or promptings, each has its figures, under a heading.
    """
    blocks = measured(rows)
    lines: list[str] = []
    for block in blocks:
        parts = _KINDS[block["figures"]][1](block)
        if block.get("in_words"):
            parts.append(f"{block['in_words']} answered in words, not by the schema")
        if "refinement" in block:
            parts += translations.refinement_words(block["refinement"])
        if len(blocks) == 1:
            return _packed(parts, WIDTH)
        asked = ", ".join(filter(None, (block["task"], block["interface"], block["way"])))
        lines += [f"{asked}:", *(f"  {line}" for line in _packed(parts, WIDTH - 2))]
    return lines


def measured(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """The figures for programs: plain basic types, a dictionary for each task, interface and prompting among the rows.

    Rates are fractions, None where there is nothing to take a rate of. Every dictionary has ``task``, ``interface``,
    ``way`` (the prompting), ``figures``, ``samples`` and ``passed``; what else it has depends on the kind of figures.
    Where answers by a schema were asked for, ``in_words`` counts those that do not follow it.
    """
    answered = (row for row in rows if row.figures in _KINDS and row.kind != "error")
    groups = grouped(
        answered, lambda row: tuple(part or "" for part in (row.task, row.interface, row.prompting, row.figures))
    )
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
        **_KINDS[asked.figures or ""][0](rows),
    }
    if asked.interface == "structured":
        block["in_words"] = sum(row.facts.get("structured") is False for row in rows)
    if refined := [row for row in rows if row.facts.get("first_outcome")]:
        block["refinement"] = translations.refinement(refined)
    return block


def _packed(parts: Iterable[str], width: int) -> list[str]:
    """The parts of a sentence in lines, as many on a line as go into ``width``, with semicolons between."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 3 <= width:
            lines[-1] += f"; {part}"
        else:
            lines.append(part)
    return lines
