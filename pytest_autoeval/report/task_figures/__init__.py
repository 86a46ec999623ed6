"""Figures of the tasks, from the samples of a suite. `docs/reference/tasks.md` defines every figure.

Each suite names its kind of figures. Samples with the outcome ``error`` are left out of every figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_autoeval.judging.items import grouped
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Answered, First
from pytest_autoeval.report.task_figures import questions, translations
from pytest_autoeval.report.task_figures.questions import Figures

#: The largest width of a line, which fits a summary of the smallest width.
WIDTH = 74

_KINDS: Mapping[str, Callable[[Sequence[Sample]], Figures]] = {
    "choices": questions.choices,
    "entailments": questions.entailments,
    "extraction": translations.extraction,
    "judged pairs": questions.judged_pairs,
    "judged traces": questions.judged_traces,
    "ontologies": translations.ontologies,
    "rankings": questions.rankings,
    "scored translation": translations.scored_translations,
    "translation": translations.translations,
    "well-formedness": questions.well_formedness,
    "written traces": questions.written_traces,
}


def figures(samples: Iterable[Sample]) -> list[str]:
    """The figures as lines of at most 74 columns. Several tasks, interfaces or promptings have a heading each."""
    blocks = list(_blocks(samples))
    lines: list[str] = []
    for measures, parts in blocks:
        if len(blocks) == 1:
            return _packed(parts, WIDTH)
        asked = ", ".join(filter(None, (measures["task"], measures["interface"], measures["way"])))
        lines += [f"{asked}:", *(f"  {line}" for line in _packed(parts, WIDTH - 2))]
    return lines


def measured(samples: Iterable[Sample]) -> list[dict[str, Any]]:
    """The figures as plain basic types, one dictionary for each task, interface and prompting among the samples.

    Rates are fractions, None for a rate of nothing. ``way`` is the prompting; ``in_words`` counts answers that do not
    follow the requested schema.
    """
    return [block.measures for block in _blocks(samples)]


def _asked(sample: Sample) -> tuple[str, str, str, str]:
    asked = sample.suite.asked
    return asked.task or "", asked.interface or "", asked.prompting, asked.figures or ""


def _blocks(samples: Iterable[Sample]) -> Iterator[Figures]:
    known = (sample for sample in samples if sample.suite.asked.figures in _KINDS and sample.kind != OutcomeKind.ERROR)
    asked = grouped(known, _asked)
    for (task, interface, prompting, kind), some in sorted(asked.items()):
        measures, parts = _KINDS[kind](some)
        about = {"task": task, "interface": interface, "way": prompting, "figures": kind}
        measures = {**about, "samples": len(some), "passed": sum(sample.passed for sample in some), **measures}
        if interface == "structured":
            measures["in_words"] = sum(sample.part_or_empty(Answered).structured is False for sample in some)
            if measures["in_words"]:
                parts.append(f"{measures['in_words']} answered as text, not by the schema")
        if refined := [sample for sample in some if sample.part_or_empty(First).outcome]:
            measures["refinement"], changes = translations.refinement(refined)
            parts += changes
        yield Figures(measures, parts)


def _packed(parts: Iterable[str], width: int) -> list[str]:
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 3 <= width:
            lines[-1] += f"; {part}"
        else:
            lines.append(part)
    return lines
