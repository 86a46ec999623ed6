"""Parts: typed groups of values that a task or a feature adds to a sample, each under a name of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, ClassVar, TypeVar, final

import msgspec
from msgspec import Struct

from pytest_autoeval.errors import AutoevalError

P = TypeVar("P", bound="Part")


class PartError(AutoevalError):
    """A part cannot be written to a results file."""


class Part(Struct, frozen=True, omit_defaults=True):
    """What a task or feature adds to a sample. A subclass declares typed fields::

        class PhraseScores(Part, frozen=True):
            recall: float

    In the results file, the sample then has ``"parts": {"phrase_scores": {"recall": 0.5}}``. Fields hold plain basic
    types, or lists, dicts and structs of them. Two parts may have fields of one name.

    Attributes:
        part_name: the name in the results file; by default the name of the class in small letters.
    """

    part_name: ClassVar[str] = ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "part_name" not in cls.__dict__:
            cls.part_name = _CAPITAL.sub("_", cls.__name__).lower()
        _KNOWN[cls.part_name] = cls


#: A capital letter inside a name.
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
#: The declared parts by their names.
_KNOWN: dict[str, type[Part]] = {}


@final
class Parts(Mapping[str, Any]):
    """The parts of a sample by their names. A part that nothing here declares is kept as plain values."""

    __slots__ = ("_parts",)

    def __init__(self, parts: Iterable[Part] = ()) -> None:
        self._parts: dict[str, Any] = {part.part_name: part for part in parts}

    @classmethod
    def read(cls, values: Any) -> Parts:
        """The parts of a line, from plain values; raises :class:`msgspec.ValidationError`, which names the path."""
        if not isinstance(values, dict):
            raise msgspec.ValidationError("Expected `object` - at `$.parts`")
        made = cls()
        for name, value in values.items():
            kind = _KNOWN.get(name)
            try:
                made._parts[name] = value if kind is None else msgspec.convert(value, kind)
            except msgspec.ValidationError as problem:
                raise msgspec.ValidationError(str(problem).replace("$", f"$.parts.{name}")) from None
        return made

    def of(self, kind: type[P]) -> P | None:
        """The part of a type; None if there is none."""
        found = self._parts.get(kind.part_name)
        if isinstance(found, dict):  # read before its type was declared
            found = msgspec.convert(found, kind)
        return found if isinstance(found, kind) else None

    def with_part(self, part: Part) -> Parts:
        """These parts and another one, which replaces one of its name."""
        made = Parts()
        made._parts.update(self._parts)
        made._parts[part.part_name] = part
        return made

    def plain(self) -> dict[str, Any]:
        """The parts as they are written."""
        return self._parts

    def __getitem__(self, name: str) -> Any:
        return self._parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __repr__(self) -> str:
        return f"Parts({', '.join(map(repr, self._parts.values()))})"


@cache
def empty(kind: type[P]) -> P:
    """The part of a type with all its defaults. It is shared, as parts are frozen."""
    return kind()


def check_part(part: Part) -> None:
    """Raises :class:`PartError` if a part could not be read again from a results file."""
    try:
        text = msgspec.json.encode(part)
        again = msgspec.json.decode(text, type=type(part))
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as problem:
        raise PartError(f"the part {part.part_name!r} cannot be written: {problem}") from None
    if again != part and msgspec.json.encode(again) != text:
        raise PartError(f"the part {part.part_name!r} cannot be written: it would be read as {again!r}")
