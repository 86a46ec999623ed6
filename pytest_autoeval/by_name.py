"""Objects by name: shipped ones, imported at first use, and ones that the innermost run has added."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_autoeval.built_in import Kind, provided
from pytest_autoeval.built_in import shipped as shipped_by_plugin
from pytest_autoeval.errors import AutoevalError, unknown_name

#: The locations of things that the core has of a kind: none.
_NOTHING: Mapping[str, str] = MappingProxyType({})
#: What each run has added; the last one is the innermost.
_ADDED: list[Callable[[Kind], Mapping[str, Any]]] = []


@contextmanager
def adding(entries: Callable[[Kind], Mapping[str, Any]]) -> Iterator[None]:
    """Inside this ``with``, :func:`find` knows the objects of a run too: ``entries`` gives those of a kind, by name."""
    _ADDED.append(entries)
    try:
        yield
    finally:
        # By value, since it need not be the last: a script may end two runs in any order.
        _ADDED[:] = [run_entries for run_entries in _ADDED if run_entries != entries]


def added(kind: Kind) -> Mapping[str, Any]:
    """What the innermost run has added of a kind; empty outside of runs."""
    return _ADDED[-1](kind) if _ADDED else {}


def find(
    kind: Kind, name: str, error: type[AutoevalError], core: Mapping[str, str] = _NOTHING
) -> Any:
    """The object of a name: one that the run added, else one of the core, else one of a shipped plugin.

    ``core`` has the locations of those in the core. Raises ``error`` for any other name; the message lists the known
    names.
    """
    if name in added(kind):
        return added(kind)[name]
    if name in core:
        return located(core[name])
    if name in provided(kind):
        return shipped_by_plugin(kind, name)
    raise error(unknown_name(kind, name, names(kind, core)))


def names(kind: Kind, core: Mapping[str, object] = _NOTHING) -> tuple[str, ...]:
    """The names of the objects of a kind: those of the core, of shipped plugins, and those that the run added."""
    return tuple(dict.fromkeys((*core, *provided(kind), *added(kind))))


def located(location: str) -> Any:
    """The object at ``module:attribute``; imports its module.

    Not kept: a run of pytest inside a test removes the modules that it imported, and the next run has others.
    """
    module, _, attribute = location.partition(":")
    return getattr(import_module(module), attribute)


def shipped_folder(name: str) -> Path:
    """Where shipped files are: beside the package in a checkout, inside it when installed from a wheel."""
    package = Path(__file__).resolve().parent
    return package / name if (package / name).is_dir() else package.parent / name
