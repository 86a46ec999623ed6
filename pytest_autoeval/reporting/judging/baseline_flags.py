"""In what two runs that are compared differ apart from their results, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pytest_autoeval.reporting.items import Paired
from pytest_autoeval.reporting.row import Call, Row
from pytest_autoeval.reporting.text import count, one_line, shorten

#: What a formula was drawn with.
_SETTINGS = ("seed", "grammar", "vocabulary")
_VALUES = 60


def differences(here: Sequence[Row], there: Sequence[Row], pairs: Sequence[Paired]) -> Iterator[str]:
    """What the two runs of a suite do not share, a phrase each; ``here`` and ``there`` are all their rows."""
    models = [_named(row.model for row in rows) for rows in (here, there)]
    if models[0] != models[1]:
        yield f"compared with another model: {models[1]}"
    for key in _SETTINGS:
        ours, theirs = (_named(row.value(key) for row in rows) for rows in (here, there))
        if ours != theirs:
            yield f"other {key}: {ours} (baseline: {theirs})"
    changed = sum(_other_prompt(pair.here[0], pair.there[0]) for pair in pairs)
    if changed:
        yield f"other prompts for {changed:,} of {count(len(pairs), 'formula')}"
    repeats = [_repeats(pair.here for pair in pairs), _repeats(pair.there for pair in pairs)]
    if pairs and repeats[0] != repeats[1]:
        yield f"other repeats: {repeats[0]} (baseline: {repeats[1]})"
    for whose, rows in (("", here), (" of the baseline", there)):
        if errors := sum(row.kind == "error" for row in rows):
            yield f"{count(errors, 'sample')}{whose} ended in an error and {'is' if errors == 1 else 'are'} left out"
    asked = ([row for pair in pairs for row in pair.here], [row for pair in pairs for row in pair.there])
    undecided = [sum(row.outcome == "undecided" for row in rows) for rows in asked]
    if any(undecided):
        yield f"undecided, and counted as not passed: {undecided[0]} (baseline: {undecided[1]})"


def _other_prompt(here: Row, there: Row) -> bool:
    """Whether the prompt was another one.

    The first call shows it. The second holds what the model answered in the first, so it shows it only where that
    answer is the same.
    """
    same_text = here.description is not None and here.description == there.description
    shown = 2 if same_text and len(here.calls) == len(there.calls) == 2 else 1
    return any(map(_differ, here.calls[:shown], there.calls[:shown]))


def _differ(one: Call, other: Call) -> bool:
    """Whether two calls sent different messages; nothing is known of a call without a digest."""
    digests = one.prompt_digest, other.prompt_digest
    return one.stage != other.stage or (all(digests) and digests[0] != digests[1])


def _repeats(items: Iterable[Sequence[Row]]) -> str:
    """How often each item was asked: ``3``, or ``2–3``."""
    numbers = sorted({len(rows) for rows in items})
    return "–".join(str(number) for number in dict.fromkeys((numbers[0], numbers[-1]))) if numbers else "0"


def _named(values: Iterable[object]) -> str:
    return shorten(one_line(", ".join(sorted({str(value) for value in values}))), _VALUES)
