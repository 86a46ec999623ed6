"""Formulas of temporal logic as published files write them."""

from __future__ import annotations

import re

from pytest_autoeval.languages import FormulaSyntaxError
from pytest_autoeval.languages.ltl.nusmv import parse_nusmv
from pytest_autoeval.languages.ltl.parser import parse
from pytest_autoeval.languages.ltl.syntax import Temporal

#: ``XX`` for ``X X``, as in the sentences of nl2spec.
_NEXTS = re.compile(r"\bX{2,}\b")


def formula_of(text: str) -> Temporal:
    """The formula of a text in NuSMV's notation, or else in ours; ``XX`` may stand for ``X X``.

    Raises :class:`FormulaSyntaxError`.
    """
    try:
        return parse_nusmv(text)
    except FormulaSyntaxError:
        pass
    try:
        return parse(text)
    except FormulaSyntaxError:
        spaced = _NEXTS.sub(lambda nexts: " ".join(nexts[0]), text)
        if spaced == text:
            raise
        return parse(spaced)
