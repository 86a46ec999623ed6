"""Objects by name: shipped ones, imported at first use, and ones that the innermost run has added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeVar

from pytest_autoeval.errors import AutoevalError, unknown_name

T = TypeVar("T")
Kind = Literal["language", "grammar", "data set", "task"]
#: What each run has added; the last one is the innermost.
_ADDED: list[Mapping[Kind, Mapping[str, Any]]] = []


@contextmanager
def adding(entries: Mapping[Kind, Mapping[str, Any]]) -> Iterator[None]:
    """Inside this ``with`` these objects are known by name, also those that are added later."""
    _ADDED.append(entries)
    try:
        yield
    finally:
        _ADDED[:] = [others for others in _ADDED if others is not entries]


def added(kind: Kind) -> Mapping[str, Any]:
    """What the innermost run has added of a kind; empty outside of runs."""
    return _ADDED[-1].get(kind, {}) if _ADDED else {}


def find(kind: Kind, name: str, shipped: Mapping[str, str], error: type[AutoevalError]) -> Any:
    """The object of a name: an added one, else a shipped one, given by its location.

    Raises ``error`` for any other name; the message lists the known names.
    """
    if name in added(kind):
        return added(kind)[name]
    if name not in shipped:
        raise error(unknown_name(kind, name, names(kind, shipped)))
    return located(shipped[name])


def names(kind: Kind, shipped: Mapping[str, object]) -> tuple[str, ...]:
    """The names of the shipped objects of a kind, then of the added ones."""
    return tuple(dict.fromkeys((*shipped, *added(kind))))


@cache
def located(location: str) -> Any:
    """The object at ``module:attribute``; imports its module."""
    module, _, attribute = location.partition(":")
    return getattr(import_module(module), attribute)


def shipped_folder(name: str) -> Path:
    """Where shipped files are: beside the package in a checkout, inside it when installed from a wheel."""
    package = Path(__file__).resolve().parent
    return package / name if (package / name).is_dir() else package.parent / name
