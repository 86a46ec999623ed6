"""The sections that a user's functions add (`registry.add_blocks`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar, get_args

import msgspec

from pytest_autoeval.record.figures import Sentence
from pytest_autoeval.record.sample_parts import encoding_problem
from pytest_autoeval.record.whole_types import whole_type
from pytest_autoeval.report.added_figures import (
    FigureError,
    checked_figure,
    checked_table,
    given_by,
)
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import AnyBlock, Figures, Section, Table
from pytest_autoeval.report.sections.values import note
from pytest_autoeval.users_code import place_of, typed_text

_Value = TypeVar("_Value")


def added(analysis: Analysis) -> Iterator[Section]:
    """The sections that the functions give. One that fails becomes a section that says so."""
    for function in analysis.added_blocks:
        name = getattr(function, "__name__", type(function).__name__)
        try:
            values = given_by(
                function(analysis),
                (Section, *get_args(AnyBlock)),
                "Section, Figures, Table, Curve or Note",
            )
        except KeyboardInterrupt:
            raise
        except FigureError as problem:
            yield _failed(name, str(problem))
        except BaseException as problem:  # noqa: BLE001  (a test's outcome is no Exception)
            yield _failed(name, f"{typed_text(problem)}{place_of(problem)}")
        else:
            yield from _sections(name, values)


def _sections(name: str, values: Iterable[object]) -> Iterator[Section]:
    """The given sections, and one with the blocks that stand alone."""
    # Blocks without a section share one, which has the name of the function.
    alone: list[AnyBlock] = []
    for value in values:
        try:
            if isinstance(value, Section):
                yield _checked(
                    msgspec.structs.replace(value, blocks=tuple(map(_checked_block, value.blocks)))
                )
            else:
                alone.append(_checked_block(value))
        except FigureError as problem:
            yield _failed(name, str(problem))
    if alone:
        yield Section(name=name, title=name.replace("_", " "), blocks=tuple(alone))


def _checked_block(block: Any) -> AnyBlock:
    """The block with plain numbers. Raises :class:`FigureError` if a screen could not show it."""
    if not isinstance(block, AnyBlock):
        raise FigureError(f"it gave {block!r:.100}, which is no section and no block")
    if isinstance(block, Table):
        return checked_table(block)
    if isinstance(block, Figures):
        return msgspec.structs.replace(block, figures=tuple(map(checked_figure, block.figures)))
    return _checked(block)


def _checked(value: _Value) -> _Value:
    """The value as it would be read from a file."""
    about = f"the {type(value).__name__.lower()} {getattr(value, 'title', '') or ''}".strip()
    # msgspec alone would make null of a number that is not finite, without a word.
    problem = encoding_problem(value)
    if problem:
        raise FigureError(f"{about}: {problem}")
    try:
        return msgspec.convert(msgspec.to_builtins(value), whole_type(type(value)))
    except (msgspec.MsgspecError, TypeError) as problem:
        raise FigureError(f"{about}: {problem}") from None


def _failed(name: str, why: str) -> Section:
    statement = Sentence(
        "the section of {function} is missing: {why}", {"function": name, "why": why}
    )
    return Section(
        name=name,
        title=name.replace("_", " "),
        blocks=(note(statement, "error", "quiet"),),
        level="quiet",
    )
