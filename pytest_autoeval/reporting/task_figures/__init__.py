"""What the rows of one suite and model say about a task, beyond its pass rate. `docs/tasks.md` defines every figure.

One module a kind of task measures its rows and words the outcome. Rows whose outcome is ``error`` are nobody's answers
and are left out of every figure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.results import Row
from pytest_autoeval.reporting.task_figures import (
    choices,
    entailments,
    extraction,
    judged_pairs,
    metric_trust,
    ontologies,
    questions,
    rankings,
    refinement,
    translation,
    written_traces,
)
from pytest_autoeval.reporting.task_figures.wording import packed

__all__ = ["figures", "measured"]

#: Columns of a line at most: what a summary of the narrowest width has room for.
WIDTH = 74
_INTERFACES = ("minimal", "detailed", "python", "direct", "reasoning", "text", "structured")
_WAYS = ("zero-shot", "few-shot", "self-refine")


class _Kind(NamedTuple):
    """How the rows of a task are measured, and how its measures are worded: the parts of a sentence."""

    measure: Callable[[Sequence[Row]], dict[str, Any]]
    word: Callable[[Mapping[str, Any]], list[str]]


_TRANSLATION = _Kind(translation.measure, translation.word)
_SCORED_TRANSLATION = _Kind(metric_trust.measure, metric_trust.word)
_CHOICE = _Kind(choices.measure, choices.word)
_RANKING = _Kind(rankings.measure, rankings.word)
_ENTAILMENT = _Kind(entailments.measure, entailments.word)
_KINDS: Mapping[str, _Kind] = MappingProxyType(
    {
        "propositions": _Kind(extraction.measure, extraction.word),
        "well_formed": _Kind(questions.measure, questions.word_well_formedness),
        "translate": _TRANSLATION,
        "translate_past": _TRANSLATION,
        "translate_sentence": _TRANSLATION,
        "judge_trace": _Kind(questions.measure, questions.word_trace_judging),
        "write_trace": _Kind(written_traces.measure, written_traces.word),
        "judge": _Kind(judged_pairs.measure, judged_pairs.word),
        "logical_translation": _SCORED_TRANSLATION,
        "informalization": _SCORED_TRANSLATION,
        "open_translation": _SCORED_TRANSLATION,
        "ontology_extraction": _Kind(ontologies.measure, ontologies.word),
        "most_similar_formulas": _CHOICE,
        "most_similar_english": _CHOICE,
        "ranking_formulas": _RANKING,
        "ranking_english": _RANKING,
        "entailment_formulas": _ENTAILMENT,
        "entailment_english": _ENTAILMENT,
    }
)


def figures(rows: Iterable[Row]) -> list[str]:
    """The figures as lines of plain text, at most 74 columns wide; none for rows of no task that is known here.

    Where the rows were asked for in several ways or through several interfaces, each has its figures, under a heading.
    """
    blocks = measured(rows)
    lines: list[str] = []
    for block in blocks:
        if len(blocks) > 1:
            lines.append(_heading(block))
        indent = "  " if len(blocks) > 1 else ""
        parts = _KINDS[block["task"]].word(block)
        if block.get("in_words"):
            parts.append(f"{block['in_words']} answered in words, not by the schema")
        if "refinement" in block:
            parts += refinement.word(block["refinement"])
        lines += [indent + line for line in packed(parts, WIDTH - len(indent))]
    return lines


def measured(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """The figures for machines: plain basic types, a dictionary for each task, interface and way among the rows.

    Rates are fractions, None where there is nothing to take a rate of. Every dictionary has ``task``, ``interface``,
    ``way``, ``samples`` and ``passed``; what else it has depends on the task. Where answers by a schema were asked for,
    ``in_words`` counts those that keep to none.
    """
    groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("task") in _KINDS and outcome_named(row["outcome"]).kind != "error":
            groups[row["task"], row.get("interface") or "", row.get("way") or ""].append(row)
    return [_measured(*key, groups[key]) for key in sorted(groups, key=_rank)]


def _measured(task: str, interface: str, way: str, rows: list[Row]) -> dict[str, Any]:
    passed = sum(outcome_named(row["outcome"]).kind == "pass" for row in rows)
    block = {"task": task, "interface": interface or None, "way": way or None, "samples": len(rows), "passed": passed}
    block |= _KINDS[task].measure(rows)
    if interface == "structured":
        block["in_words"] = sum(row.get("structured") is False for row in rows)
    refined = [row for row in rows if row.get("first_outcome")]
    return block | ({"refinement": refinement.measure(refined)} if refined else {})


def _rank(key: tuple[str, str, str]) -> tuple[int, int, int, tuple[str, str, str]]:
    task, interface, way = key
    return _place(task, tuple(_KINDS)), _place(interface, _INTERFACES), _place(way, _WAYS), key


def _place(name: str, order: Sequence[str]) -> int:
    return order.index(name) if name in order else len(order)


def _heading(block: Mapping[str, Any]) -> str:
    asked = ", ".join(filter(None, (block["interface"], block["way"])))
    return f"{block['task']}, {asked}:" if asked else f"{block['task']}:"
