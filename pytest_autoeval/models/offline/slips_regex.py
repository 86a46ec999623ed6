"""What a student gets wrong at one operator of a regular expression."""

from __future__ import annotations

from pytest_autoeval.languages import Formula
from pytest_autoeval.languages.regex.syntax import Concat, Plus, Star


def at_least_once(formula: Formula) -> Formula | None:
    """One or more for zero or more, in a sign that the prompt does not offer."""
    return Plus(formula.inner) if isinstance(formula, Star) else None


def forgotten_star(formula: Formula) -> Formula | None:
    """The star left out."""
    return formula.inner if isinstance(formula, Star) else None


def star_on_the_last(formula: Formula) -> Formula | None:
    """The star of a group on its last part."""
    match formula:
        case Star(Concat(parts)):
            return Concat((*parts[:-1], Star(parts[-1])))
        case _:
            return None


def forgotten_factor(formula: Formula) -> Formula | None:
    """The last part of a sequence left out."""
    if isinstance(formula, Concat):
        return Concat(formula.parts[:-1]) if len(formula.parts) > 2 else formula.parts[0]
    return None


def swapped_factors(formula: Formula) -> Formula | None:
    """The last two parts of a sequence in the other order."""
    match formula:
        case Concat((*first, left, right)):
            return Concat((*first, right, left))
        case _:
            return None


SLIPS = (at_least_once, forgotten_star, star_on_the_last, forgotten_factor, swapped_factors)
