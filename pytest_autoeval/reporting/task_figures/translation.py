"""Translations into formulas: equivalence and both entailments of those that could be compared to the reference.

The accounting is the study's: what could not be compared is *not meaningful*, kept out of the accuracy and shown
beside it. The pass rate over all samples counts it as failed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.task_figures.wording import share
from pytest_autoeval.reporting.text import bounds_text, ratio, tally
from pytest_autoeval.statistics import PassRate

_RELATIONS = ("equivalent", "stronger", "weaker", "incomparable")
_COMPARED = ("equivalent", "different")


def measure(rows: Sequence[Row]) -> dict[str, Any]:
    """Counts and rates.

    ``comparable`` formulas have a verdict on equivalence, and are what ``equivalence`` is a rate of; ``undecided`` ones
    have none; all others are ``not_meaningful``. ``soundness`` (the reference entails the answer) and ``completeness``
    (the answer entails the reference) are rates of those whose ``relation`` to the reference is known. ``alignments``
    counts on what evidence the names of comparable answers were taken for ours, where they had to be.
    """
    outcomes = Counter(row.outcome for row in rows)
    compared = [row for row in rows if row.outcome in _COMPARED]
    bases = Counter(row.facts["alignment_basis"] for row in compared if row.facts.get("alignment_basis"))
    comparable = len(compared)
    # Equivalence is proved even where nobody noted the relation.
    relations = Counter("equivalent" if row.outcome == "equivalent" else row.facts.get("relation") for row in compared)
    related = sum(relations[relation] for relation in _RELATIONS)
    equal = relations["equivalent"]
    return {
        "comparable": comparable,
        "not_meaningful": len(rows) - comparable - outcomes["undecided"],
        "undecided": outcomes["undecided"],
        "equivalence": ratio(outcomes["equivalent"], comparable),
        "soundness": ratio(equal + relations["weaker"], related),
        "completeness": ratio(equal + relations["stronger"], related),
        "relations": {relation: relations[relation] for relation in _RELATIONS},
        "relation_unknown": comparable - related,
        "syntactically_correct": ratio(sum(row.facts.get("syntactically_correct") is True for row in rows), len(rows)),
        **({"alignments": dict(sorted(bases.items()))} if bases else {}),
    }


def word(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    apart = [f"{measures['not_meaningful']} not meaningful"]
    if measures["undecided"]:
        apart.append(f"{measures['undecided']} undecided")
    relations = measures["relations"]
    others = [f"{name} {relations[name]}" for name in ("stronger", "weaker", "incomparable")]
    if measures["relation_unknown"]:
        others.append(f"unknown {measures['relation_unknown']}")
    aligned = [f"names aligned by {tally(measures['alignments'])}"] if "alignments" in measures else []
    rate = PassRate(measures["passed"], measures["undecided"], measures["samples"])
    return [
        f"equivalent {share(measures['equivalence'])} of {measures['comparable']} comparable ({', '.join(apart)})",
        f"entails the reference {share(measures['completeness'])}, entailed by it {share(measures['soundness'])}",
        ", ".join(others),
        f"syntactically correct {share(measures['syntactically_correct'])}",
        *aligned,
        f"pass rate over all {measures['samples']}: {bounds_text(rate)} %",
    ]
