"""Quantifiers with lists of variables, ``∀x1 x2. …``, as the AutoEval paper's prompts ask for them.

The strict notation has a quantifier for each variable, and the shipped prompts ask for that. Where a prompt asks for
lists, an answer that has them is compliant. What it means was read before, and stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.base import Formula, Reading
from pytest_autoeval.languages.logic.quantifiers import VARIABLE
from pytest_autoeval.languages.logic.reserved import QUANTIFIER_WORDS
from pytest_autoeval.lazy_pattern import lazy_pattern

_VARIABLE = rf"{VARIABLE.pattern}(?!\w)"
#: A quantifier, variables with spaces between them, and a dot.
_LIST = lazy_pattern(
    rf"(?P<sign>[∀∃]|(?<!\w)(?:{'|'.join(QUANTIFIER_WORDS)})(?!\w))\s*(?P<variables>{_VARIABLE}(?:\s+{_VARIABLE})+)\."
)


def allowing_lists(reading: Reading, answer: str, parse: Callable[[str], Formula]) -> Reading:
    """The reading of an answer, also compliant if the whole answer has the strict notation but for lists.

    ``parse`` is the strict parser. Only the flags change, and only if the formula with a quantifier for each variable
    is the one that was read.
    """
    if reading.formula is None or reading.compliant:
        return reading
    try:
        written_out = parse(_LIST.sub(_one_by_one, answer.strip()))
    except AutoevalError:
        return reading
    if written_out != reading.formula:
        return reading
    return replace(reading, compliant=True, recovered=False)


def _one_by_one(match: re.Match[str]) -> str:
    sign, variables = match["sign"], match["variables"].split()
    return " ".join(f"{sign} {variable}." for variable in variables)
