"""Misreadings of regular expressions that were reported of real models.

Source: the ∀uto∃val paper, appendix H.3 (one or more for zero or more, stars on the wrong part).
"""

from __future__ import annotations

from pytest_autoeval.languages import Formula
from pytest_autoeval.languages.regex.syntax import Concat, Expression, Repetition, Star
from pytest_autoeval.models.offline.behaviour import Behaviour, Misreading

REGEX = ("regex",)


def one_or_more(formula: Formula) -> Formula:
    """Writes what is under an innermost star once before it; with outer stars too the text would grow without bound."""
    if isinstance(formula, Star) and not _has_star(formula.inner):
        return Concat((formula.inner, formula))
    return formula.map_children(one_or_more)


def misplaced_star(formula: Formula) -> Formula:
    """Moves the star of a group onto its last part, and that of a part onto the next one."""
    match formula:
        case Star(Concat(parts)):
            return Concat((*parts[:-1], _starred(parts[-1])))
        case Concat(parts):
            return Concat(tuple(_slid(parts)))
        case _:
            return formula.map_children(misplaced_star)


def _slid(parts: tuple[Expression, ...]) -> list[Expression]:
    read: list[Expression] = []
    star_is_due = False
    for at, part in enumerate(parts):
        changed = misplaced_star(part)
        assert isinstance(changed, Expression)
        follows = parts[at + 1] if at + 1 < len(parts) else None
        if star_is_due:
            changed, star_is_due = Star(changed), False
        elif changed == part and isinstance(part, Star) and follows and not isinstance(follows, Repetition):
            changed, star_is_due = part.inner, True
        read.append(changed)
    return read


def _starred(part: Expression) -> Expression:
    return part if isinstance(part, Star) else Star(part)


def _has_star(expression: Expression) -> bool:
    return isinstance(expression, Star) or any(_has_star(child) for child in expression.children())


BEHAVIOURS: tuple[Behaviour, ...] = (
    Misreading("one-or-more", "reads zero or more as one or more: 0* as 00*", one_or_more, languages=REGEX),
    Misreading(
        "misplaced-star",
        "puts a star on the wrong part: reads 1*0 as 10*, (01)* as 01*",
        misplaced_star,
        languages=REGEX,
    ),
)
