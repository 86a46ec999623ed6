"""The words of witnesses: whose formula each value is of, and how a trace is written."""

from __future__ import annotations

import re

from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Formalized, Given

#: What the two formulas of a witness are called, in the order of the results file's ``left`` and ``right``.
Sides = tuple[str, str]
GIVEN_AND_MODELS: Sides = ("given", "model's")
#: In a test whose own pipeline gave the compared formula: no answer of a model is known.
GIVEN_AND_ANSWERS: Sides = ("given", "answer's")
FIRST_AND_SECOND: Sides = ("first", "second")
#: In a test without a sample, by the arguments of `assert_equivalent`.
EXPECTED_AND_ACTUAL: Sides = ("expected", "actual")
_SENTENCE_AND_DESCRIPTION: Sides = ("sentence's", "description's")
#: How the two formulas of a witness may be called in a report.
ALL_SIDES = (GIVEN_AND_MODELS, GIVEN_AND_ANSWERS, FIRST_AND_SECOND, _SENTENCE_AND_DESCRIPTION)

#: How to read a trace such as ``p1; cycle{!p1}``.
TRACE_NOTATION = '";" next step; cycle{…} repeats forever; "!p1": p1 is false'

#: The ends of the texts that the shipped witnesses have (`Witness.__str__`), one for each kind.
_VALUES = lazy_pattern(r"\(left: (true|false), right: (true|false)\)\Z")
_ACCEPTED = lazy_pattern(r"\(accepted by the (first|second), not by the (?:first|second)\)\Z")
_SYMBOLS = lazy_pattern(r"\((\S+) on the left, (\S+) on the right\)\Z")
_TABLE = lazy_pattern(r"^left( +)(true|false)\nright +(true|false)\Z", re.MULTILINE)


def sides_of(sample: Sample) -> Sides:
    """What the two formulas of a sample's witness are called."""
    if sample.compared is not None and sample.answer is None and sample.translation is None:
        return GIVEN_AND_ANSWERS
    return sides_by_parts(
        other=sample.part_or_empty(Given).other,
        formalized=sample.part_or_empty(Formalized).formula,
    )


def sides_by_parts(*, other: str | None, formalized: str | None) -> Sides:
    """What the two formulas are called.

    ``other`` is the second formula of a judged pair, ``formalized`` the formula of a sentence, if there is one.
    """
    # Both formulas of a judged pair are given, so neither is the model's.
    if other is not None:
        return FIRST_AND_SECOND
    # Both formulas of a sentence are the model's: one of the sentence, one of the description.
    if formalized:
        return _SENTENCE_AND_DESCRIPTION
    return GIVEN_AND_MODELS


def witness_in_words(sample: Sample) -> str | None:
    """The text of a sample's witness, as every screen shows it; None without one."""
    if sample.witness_text is None:
        return None
    return with_sides(sample.witness_text, sides_of(sample))


def with_sides(text: str, sides: Sides) -> str:
    """The text of a witness with these names of its formulas, in place of left and right.

    A text of a user's own language that ends in another way is unchanged.
    """
    first, second = sides
    for pattern in (_VALUES, _SYMBOLS):
        if match := pattern.search(text):
            return f"{text[: match.start()]}({first}: {match[1]}, {second}: {match[2]})"
    if match := _ACCEPTED.search(text):
        accepting, other = (first, second) if match[1] == "first" else (second, first)
        return f"{text[: match.start()]}({accepting}: accepted, {other}: not accepted)"
    if match := _TABLE.search(text):
        return _table_with_sides(text, match, sides)
    return text


def _table_with_sides(text: str, match: re.Match[str], sides: Sides) -> str:
    """The table of a trace, whose last two rows are the values of the formulas."""
    first, second = sides
    # All names of the table are followed by spaces up to its second column.
    old_width = len("left") + len(match[1])
    width = max(old_width, len(first) + 2, len(second) + 2)
    lines = []
    for row in text[: match.start()].splitlines():
        name, values = row[:old_width], row[old_width:]
        lines.append(f"{name:<{width}}{values}")
    lines.append(f"{first:<{width}}{match[2]}")
    lines.append(f"{second:<{width}}{match[3]}")
    return "\n".join(lines)
