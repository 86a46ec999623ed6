"""How alike texts are to a model that only embeds them: the cosine of the angle between their vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pytest_autoeval.models.base import Embedder, Form
from pytest_autoeval.tasks.trial import Trial

#: Digits of a similarity that count: the rest is noise of the arithmetic, which differs between machines.
DIGITS = 6


def similarities(
    embedder: Embedder, sentence: str, candidates: Sequence[str], form: Form, trial: Trial
) -> tuple[float, ...] | None:
    """The similarity of a sentence to each of the candidates, from -1 to 1, to :data:`DIGITS` digits.

    None where one of the vectors has no direction. Both calls are recorded in the trial.
    """
    asked = embedder.embed([sentence], "english", repeat=trial.repeat)
    trial.add_call("embed sentence", asked.reply)
    offered = embedder.embed(list(candidates), form, repeat=trial.repeat)
    trial.add_call("embed candidates", offered.reply)
    values = [cosine(asked.vectors[0], vector) for vector in offered.vectors]
    known = tuple(round(value, DIGITS) for value in values if value is not None)
    return known if len(known) == len(candidates) else None


def cosine(left: Sequence[float], right: Sequence[float]) -> float | None:
    """The cosine of the angle between two vectors.

    None where there is no angle: a vector is zero or not finite, or the two are not of one length.
    """
    first, second = _unit(left), _unit(right)
    if first is None or second is None or len(first) != len(second):
        return None
    return max(-1.0, min(1.0, math.fsum(x * y for x, y in zip(first, second, strict=True))))


def _unit(vector: Sequence[float]) -> list[float] | None:
    if not all(map(math.isfinite, vector)):
        return None
    largest = max(map(abs, vector), default=0.0)
    if not largest:
        return None
    scaled = [value / largest for value in vector]  # so that no square overflows
    length = math.hypot(*scaled)
    return [value / length for value in scaled]
