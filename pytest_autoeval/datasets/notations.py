"""What a text is in the two notations of temporal logic: NuSMV's, and ours."""

from __future__ import annotations

from collections.abc import Callable

from pytest_autoeval.languages import FormulaSyntaxError, LimitError
from pytest_autoeval.languages.ltl.nusmv import parse_nusmv
from pytest_autoeval.languages.ltl.parser import parse
from pytest_autoeval.languages.ltl.syntax import Temporal


def formula_of(text: str) -> Temporal:
    """The formula that a text is as NuSMV reads it, or else as we do; raises :class:`FormulaSyntaxError`."""
    try:
        return parse_nusmv(text)
    except FormulaSyntaxError:
        return parse(text)


def is_well_formed(text: str) -> bool | None:
    """Whether a text is a formula; None where only one of the notations has it.

    Raises :class:`LimitError` for a text that is too large to tell.
    """
    both = {_takes(parser, text) for parser in (parse_nusmv, parse)}
    return both.pop() if len(both) == 1 else None


def _takes(parser: Callable[[str], object], text: str) -> bool:
    try:
        parser(text)
    except LimitError:
        raise
    except FormulaSyntaxError:
        return False
    return True
