"""The formulas on which a model failed, as a data file that later runs can ask about."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.lines import SuiteRecord


@dataclass(frozen=True, slots=True)
class FailedFormulas:
    """The lines of the file, and how many failures have no line.

    ``other_tasks`` counts the failures of tasks that are no round trips of a formula: their items have more than a
    formula, and stand in a data file already.
    """

    lines: tuple[str, ...]
    other_tasks: int


def failed_formulas(suites: Iterable[SuiteRecord]) -> FailedFormulas:
    """The formulas of the round trips that a model failed, each once, in the order of the samples.

    A formula that was shrunk stands in its simplest form.
    """
    lines: dict[str, None] = {}
    other_tasks = 0
    for suite in suites:
        settings = suite.asked
        examples = () if suite.end is None else suite.end.counterexamples
        shrunk_to = {example.place: example.shrunk_to for example in examples}
        for sample in suite.counted:
            if sample.kind != OutcomeKind.MODEL_FAILURE:
                continue
            if settings.task is not None or not sample.formula:
                # An item of another task is more than a formula.
                other_tasks += 1
                continue
            data = {
                "formula": shrunk_to.get(sample.place) or sample.formula,
                "language": settings.language,
                "grammar": settings.source,
                "vocabulary": settings.vocabulary,
            }
            # A dict has each line once, in the order in which they came.
            lines[json.dumps(data, ensure_ascii=False)] = None
    return FailedFormulas(tuple(f"{line}\n" for line in lines), other_tasks)
