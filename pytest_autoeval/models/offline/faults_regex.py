"""Misreadings of regular expressions that were reported of real models.

Source: the ∀uto∃val paper, appendix H.3 (one or more for zero or more, stars on the wrong part).
"""

from __future__ import annotations

from pytest_autoeval.languages import Formula
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.models.offline.behaviour import Behaviour, Misreading, everywhere

REGEX = ("regex",)


def one_or_more(formula: Formula) -> Formula | None:
    """What is under an innermost star once before it; with outer stars too the text would grow without bound."""
    if isinstance(formula, regex.Star) and not any(
        isinstance(part, regex.Star) for part in formula.inner.subformulas()
    ):
        return regex.Concat((formula.inner, formula))
    return None


def misplaced_star(formula: Formula) -> Formula:
    """Moves the star of a group onto its last part, and that of a part onto the next one."""
    match formula:
        case regex.Star(regex.Concat(parts)):
            *first, last = parts
            return regex.Concat((*first, last if isinstance(last, regex.Star) else regex.Star(last)))
        case regex.Concat(parts):
            return regex.Concat(tuple(_slid(parts)))
        case _:
            return formula.map_children(misplaced_star)


def _slid(parts: tuple[regex.Expression, ...]) -> list[regex.Expression]:
    read: list[regex.Expression] = []
    star_is_due = False
    for at, part in enumerate(parts):
        changed = misplaced_star(part)
        assert isinstance(changed, regex.Expression)
        follows = parts[at + 1] if at + 1 < len(parts) else None
        if star_is_due:
            changed, star_is_due = regex.Star(changed), False
        elif changed == part and isinstance(part, regex.Star) and follows and not isinstance(follows, regex.Repetition):
            changed, star_is_due = part.inner, True
        read.append(changed)
    return read


BEHAVIOURS: tuple[Behaviour, ...] = (
    Misreading("one-or-more", "reads zero or more as one or more: 0* as 00*", everywhere(one_or_more), REGEX),
    Misreading(
        "misplaced-star", "puts a star on the wrong part: reads 1*0 as 10*, (01)* as 01*", misplaced_star, REGEX
    ),
)
