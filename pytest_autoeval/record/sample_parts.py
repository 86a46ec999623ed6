"""Parts: typed groups of values that a task or a feature adds to a sample, each under a name of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, ClassVar, TypeVar, final

import msgspec
from msgspec import Struct

from pytest_autoeval.built_in import load, provided
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.record.whole_types import whole_type

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
    #: For a shipped part: other names of fields in a flat object, where the fields of all shipped parts stand side by
    #: side. Samples in the page and in the summary are such objects.
    flat_names: ClassVar[Mapping[str, str]] = {}
    #: Whether its fields stand there beside those of the sample; if not, the part stands there as one object.
    is_flat: ClassVar[bool] = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "part_name" not in cls.__dict__:
            cls.part_name = _CAPITAL.sub("_", cls.__name__).lower()
        _declare(cls)


def _declare(part: type[Part]) -> None:
    """Makes a type of part known by its name.

    Two types of one name, in two test modules, are both kept as plain values when a file is read: which of them a
    sample has, only its task knows. A file with shipped parts must always be read, so their names are reserved.
    """
    name = part.part_name
    earlier = _KNOWN.get(name)
    is_taken = name in provided("part") or (earlier is not None and _is_shipped(earlier))
    if is_taken and not _is_shipped(part):
        raise PartError(
            f"the name {name!r} of the part {part.__name__} is taken by a part that is shipped: give the class "
            f'another name, or write in it part_name = "…"'
        )
    # A module that is loaded anew declares the same type again.
    if name not in _KNOWN or (earlier is not None and _place(earlier) == _place(part)):
        _KNOWN[name] = part
    else:
        _KNOWN[name] = None


def _is_shipped(part: type[Part]) -> bool:
    return part.__module__.startswith(_SHIPPED)


def declared(name: str) -> type[Part] | None:
    """The declared part of a name, whose plugin is loaded if it is a shipped one; None if nothing declares it."""
    plugin = provided("part").get(name)
    if plugin is not None and name not in _KNOWN:
        load(plugin)
    return _KNOWN.get(name)


def _place(part: type[Part]) -> tuple[str, str]:
    """Where a type is declared. A module that is loaded anew declares its types again."""
    return part.__module__, part.__qualname__


#: How the modules of shipped parts begin.
_SHIPPED = "pytest_autoeval."
#: A capital letter inside a name.
_CAPITAL = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])")
#: The declared parts by their names; None for a name that several have.
_KNOWN: dict[str, type[Part] | None] = {}


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
        # Most samples have none.
        if not values:
            return _NO_PARTS
        parts = cls()
        for name, value in values.items():
            kind = declared(name)
            try:
                parts._parts[name] = msgspec.convert(
                    value, dict[str, Any] if kind is None else whole_type(kind)
                )
            except msgspec.ValidationError as problem:
                raise msgspec.ValidationError(_with_path(str(problem), name)) from None
        return parts

    def of(self, kind: type[P]) -> P | None:
        """The part of a type; None if there is none."""
        # Most samples have no parts, and a report asks each of them for a dozen.
        if not self._parts:
            return None
        part = self._parts.get(kind.part_name)
        if isinstance(part, dict):  # its type was not known when it was read
            part = msgspec.convert(part, whole_type(kind))
        return part if isinstance(part, kind) else None

    def with_part(self, part: Part) -> Parts:
        """These parts and another one, which replaces one of its name."""
        parts = Parts()
        parts._parts.update(self._parts)
        parts._parts[part.part_name] = part
        return parts

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


#: Shared, as parts never change.
_NO_PARTS = Parts()


@cache
def empty(kind: type[P]) -> P:
    """The part of a type with all its defaults. It is shared, as parts are frozen."""
    return kind()


def check_part(part: object) -> Part:
    """The part as it would be read from a results file: a copy, which no later change of a list reaches.

    Raises :class:`PartError`, which names the part and the path, if it could not be written and read again.
    """
    if not isinstance(part, Part):
        raise PartError(
            f"{part!r:.100} is no part: write a class that derives from Part, and give an object of it"
        )
    name = part.part_name
    problem = encoding_problem(part)
    if problem:
        path = _path_of(part, f"$.parts.{name}")
        raise PartError(f"the part {name!r} cannot be written: {problem} - at `{path}`")
    # Written and read again: a field may hold a value of another type than it declares, which only reading notices.
    try:
        again = msgspec.json.decode(msgspec.json.encode(part), type=whole_type(type(part)))
    except msgspec.MsgspecError as error:
        raise PartError(
            f"the part {name!r} cannot be written: {_with_path(str(error), name)}"
        ) from None
    if again != part and _plain(again) != _plain(part):
        raise PartError(f"the part {name!r} cannot be written: it would be read as {again!r:.200}")
    return again


def _with_path(problem: str, name: str) -> str:
    """The message of a `ValidationError`, with the place of the part in its path."""
    message, marker, path = problem.rpartition(" - at `$")
    if not marker:
        return f"{problem} - at `$.parts.{name}`"
    return f"{message} - at `$.parts.{name}{path}"


def encoding_problem(value: Any) -> str:
    """Why a value cannot be encoded as JSON; empty if it can be."""
    try:
        msgspec.json.encode(value)
        # msgspec writes a number that is not finite as null, and a set in any order.
        json.dumps(value, allow_nan=False, default=_for_json)
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as problem:
        return str(problem)
    return ""


def _for_json(value: Any) -> Any:
    """A value that JSON does not know, as one that it knows; raises `TypeError` if there is none."""
    if isinstance(value, Struct):
        fields = {name: getattr(value, name) for name in value.__struct_fields__}
        return {name: member for name, member in fields.items() if member is not msgspec.UNSET}
    if isinstance(value, set | frozenset):
        raise TypeError("a set has no order: write a list")
    return msgspec.to_builtins(value)


def _path_of(value: Any, path: str) -> str:
    """The path of the innermost value that cannot be encoded."""
    members: Iterable[tuple[str, Any]] = ()
    if isinstance(value, Struct):
        members = [(f".{name}", getattr(value, name)) for name in value.__struct_fields__]
    elif isinstance(value, dict):
        members = [(f"[{key!r}]", member) for key, member in value.items()]
    elif isinstance(value, list | tuple):
        members = [(f"[{index}]", member) for index, member in enumerate(value)]
    # The first member that cannot be encoded alone; if each can be, it is the value itself that cannot.
    for step, member in members:
        if member is not value and encoding_problem(member) and len(path) < _LONGEST_PATH:
            return _path_of(member, path + step)
    return path


#: Characters. A list that contains itself has a path without end.
_LONGEST_PATH = 200


def _plain(value: Any) -> Any:
    """A value as plain values, in which a tuple equals a list."""
    return _with_lists(msgspec.to_builtins(value))


def _with_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_lists(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_with_lists(member) for member in value]
    return value
