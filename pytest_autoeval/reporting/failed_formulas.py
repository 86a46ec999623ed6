"""The formulas on which a model failed, as a data file that later runs can ask about."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.reporting.row import Row


@dataclass(frozen=True, slots=True)
class FailedFormulas:
    """The lines of the file, and how many failures have no line.

    ``other_tasks`` counts the failures of tasks that are no round trips of a formula: their items have more than a
    formula, and stand in a data file already.
    """

    lines: tuple[str, ...]
    other_tasks: int


def failed_formulas(rows: Iterable[Row]) -> FailedFormulas:
    """The formulas of the round trips that a model failed, each once, in the order of the rows.

    A formula that was shrunk stands in its simplest form.
    """
    lines: dict[str, None] = {}
    other_tasks = 0
    for row in rows:
        if row.kind != OutcomeKind.MODEL_FAILURE:
            continue
        if row.task is not None or not row.formula:
            other_tasks += 1
            continue
        data = {
            "formula": row.shrunk_to or row.formula,
            "language": row.language,
            "grammar": row.grammar,
            "vocabulary": row.vocabulary,
        }
        lines[json.dumps(data, ensure_ascii=False)] = None
    return FailedFormulas(tuple(f"{line}\n" for line in lines), other_tasks)
