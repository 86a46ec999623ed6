"""What offline models do with a formula on finite traces: they describe it.

Many of these formulas are formulas on infinite traces too. So the prompt has a label of its own.
"""

from __future__ import annotations

from random import Random

from pytest_autoeval.features.finite_traces.language import LANGUAGE
from pytest_autoeval.languages import EnglishError, FormulaSyntaxError
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour, Request


def describe(behaviour: Behaviour, request: Request, _chance: Random) -> Answer:
    """The description of the formula of a request; raises `EnglishError` if it is none."""
    try:
        formula = LANGUAGE.parse(request.payloads["Formula on finite traces"])
    except FormulaSyntaxError as problem:
        raise EnglishError(f"this is no formula on finite traces: {problem}") from problem
    return Answer(behaviour.describe(formula, LANGUAGE.describe))
