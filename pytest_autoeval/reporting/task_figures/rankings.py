"""Rankings by meaning: do the formula and its equivalent come first, and the two negations last?

Source of the three scores: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.task_figures.choices import perturbations, problems, word_perturbations, word_problems
from pytest_autoeval.reporting.task_figures.wording import share

_SCORES = ("ranking_equivalence", "ranking_negation")


def measure(rows: Sequence[Row]) -> dict[str, Any]:
    """The three scores, each a rate of all samples: an answer that ranks nothing has none of them.

    ``by_law`` is Ranking-Equivalence by the law that made the equivalent.
    """
    laws: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        if row.facts.get("law"):
            laws[row.facts["law"]].append(row.facts.get("ranking_equivalence") is True)
    held = Counter(key for row in rows for key in _SCORES if row.facts.get(key) is True)
    return {
        **{key: held[key] / len(rows) for key in _SCORES},
        "ranking_both": sum(row.outcome == "correct" for row in rows) / len(rows),
        "problems": problems(rows),
        "by_law": {law: fmean(laws[law]) for law in sorted(laws)},
        "perturbations": perturbations(rows),
    }


def word(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    return [
        f"Ranking-Equivalence {share(measures['ranking_equivalence'])}",
        f"Ranking-Negation {share(measures['ranking_negation'])}",
        f"Ranking-Both {share(measures['ranking_both'])}",
        *word_problems(measures),
        word_perturbations(measures),
    ]
