"""Choices of the most similar: was the candidate chosen that means what the sentence says, or what misled?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_autoeval.reporting.items import item_of
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.task_figures.wording import share
from pytest_autoeval.reporting.text import ratio, tally


def measure(rows: Sequence[Row]) -> dict[str, Any]:
    """Counts and rates.

    ``valid`` answers are a number in range, ``accuracy`` is of these; ``problems`` counts the others by what is wrong
    with them. ``misled_by`` counts the wrong choices by the edit that made the chosen candidate. ``first_chosen`` is
    the share of valid answers that are the first candidate, ``first_right`` the share of them where that is right.
    ``perturbations`` counts the items by how many wrong candidates there were. ``tied`` counts those in which an
    embedding model found several candidates equally near, and nearest.
    """
    valid = [row for row in rows if _chosen(row) is not None]
    wrong = [row for row in valid if row.outcome != "correct"]
    right = len(valid) - len(wrong)
    return {
        "valid": len(valid),
        "accuracy": ratio(right, len(valid)),
        "problems": problems(rows),
        "misled_by": dict(sorted(Counter(kind for row in wrong if (kind := _kind(row))).items())),
        "first_chosen": ratio(sum(_chosen(row) == 1 for row in valid), len(valid)),
        "first_right": ratio(sum(row.expected == 1 for row in valid), len(valid)),
        "perturbations": perturbations(rows),
        "tied": sum(_is_tied(row) for row in rows),
    }


def word(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    misled = [f"misled by: {tally(measures['misled_by'])}"] if measures["misled_by"] else []
    tied = [f"several equally near in {measures['tied']}"] if measures["tied"] else []
    return [
        f"right {share(measures['accuracy'])} of {measures['valid']} valid answers",
        *word_problems(measures),
        *misled,
        *tied,
        f"first candidate chosen {share(measures['first_chosen'])}, right {share(measures['first_right'])}",
        word_perturbations(measures),
    ]


def problems(rows: Sequence[Row]) -> dict[str, int]:
    """How many answers were no possible one, by what is wrong with them."""
    invalid = (row for row in rows if row.outcome not in ("correct", "wrong answer"))
    found = Counter(row.facts.get("problem") or row.outcome for row in invalid)
    return dict(sorted(found.items()))


def word_problems(measures: Mapping[str, Any]) -> list[str]:
    """The invalid answers as a part of a sentence."""
    return [f"not valid: {tally(measures['problems'])}"] if measures["problems"] else []


def perturbations(rows: Sequence[Row]) -> dict[int, int]:
    """How many items have how many perturbations, whatever the number of their repeats."""
    numbers = {item_of(row): row.facts.get("perturbations") for row in rows}
    return dict(sorted(Counter(number for number in numbers.values() if number is not None).items()))


def word_perturbations(measures: Mapping[str, Any]) -> str:
    """How many perturbations there were, as a part of a sentence: fewer than wanted where no more are possible."""
    counts = measures["perturbations"]
    return f"perturbations: {', '.join(f'{number} in {samples}' for number, samples in counts.items()) or 'none'}"


def _chosen(row: Row) -> int | None:
    answered = row.answered
    return answered if isinstance(answered, int) and not isinstance(answered, bool) else None


def _kind(row: Row) -> str | None:
    """The edit that made the chosen candidate."""
    edits, chosen = row.facts.get("edits"), _chosen(row)
    if not isinstance(edits, list) or chosen is None or not 1 <= chosen <= len(edits):
        return None
    return str(edits[chosen - 1])


def _is_tied(row: Row) -> bool:
    similarities: list[float] = row.facts.get("similarities") or []
    return bool(similarities) and similarities.count(max(similarities)) > 1
