"""In what two runs that are compared differ apart from their results, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.items import Paired
from pytest_autoeval.reporting.numbers import count
from pytest_autoeval.reporting.results import Row
from pytest_autoeval.reporting.text import one_line, shorten

#: What a formula was drawn with.
_SETTINGS = ("seed", "grammar", "vocabulary")
_VALUES = 60


def differences(here: Sequence[Row], there: Sequence[Row], pairs: Sequence[Paired]) -> Iterator[str]:
    """What the two runs of a suite do not share, a phrase each; ``here`` and ``there`` are all their rows."""
    models = [_named(row["model"] for row in rows) for rows in (here, there)]
    if models[0] != models[1]:
        yield f"compared with another model: {models[1]}"
    for key in _SETTINGS:
        ours, theirs = (_named(row[key] for row in rows) for rows in (here, there))
        if ours != theirs:
            yield f"other {key}: {ours} (baseline: {theirs})"
    changed = sum(_other_prompt(pair.here[0], pair.there[0]) for pair in pairs)
    if changed:
        yield f"other prompts for {changed:,} of {count(len(pairs), 'formula')}"
    repeats = [_repeats(pair.here for pair in pairs), _repeats(pair.there for pair in pairs)]
    if pairs and repeats[0] != repeats[1]:
        yield f"other repeats: {repeats[0]} (baseline: {repeats[1]})"
    for whose, rows in (("", here), (" of the baseline", there)):
        if errors := sum(outcome_named(row["outcome"]).kind == "error" for row in rows):
            yield f"{count(errors, 'sample')}{whose} ended in an error and {'is' if errors == 1 else 'are'} left out"
    undecided = [sum(row["outcome"] == "undecided" for pair in pairs for row in side(pair)) for side in (_here, _there)]
    if any(undecided):
        yield f"undecided, and counted as not passed: {undecided[0]} (baseline: {undecided[1]})"


def _other_prompt(here: Row, there: Row) -> bool:
    """Whether the formula was put in other words.

    The first call shows it. The second holds what the model said in the first, so that it tells only where that is the
    same.
    """
    ours, theirs = here["calls"] or [], there["calls"] or []
    if not ours or not theirs:
        return False
    same_text = here["description"] is not None and here["description"] == there["description"]
    shown = 2 if same_text and len(ours) == len(theirs) == 2 else 1
    return any(map(_differ, ours[:shown], theirs[:shown]))


def _differ(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two calls put different things; a call without a digest tells nothing."""
    digests = one["prompt_digest"], other["prompt_digest"]
    return one["stage"] != other["stage"] or (all(digests) and digests[0] != digests[1])


def _repeats(items: Iterable[Sequence[Row]]) -> str:
    """How often each item was asked: ``3``, or ``2–3``."""
    numbers = sorted({len(rows) for rows in items})
    return "–".join(str(number) for number in dict.fromkeys((numbers[0], numbers[-1]))) if numbers else "0"


def _here(pair: Paired) -> Sequence[Row]:
    return pair.here


def _there(pair: Paired) -> Sequence[Row]:
    return pair.there


def _named(values: Iterable[object]) -> str:
    return shorten(one_line(", ".join(sorted({str(value) for value in values}))), _VALUES)
