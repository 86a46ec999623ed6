"""What pytest's items are for us: suites, tests that ask a model, and others; and markers that have no effect.

Every run of pytest imports this file: what makes suites is in :mod:`pytest_autoeval.running.parametrization`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

import pytest
from _pytest.unittest import TestCaseFunction

from pytest_autoeval.engine.suite_files import suite_path
from pytest_autoeval.errors import AutoevalError

if TYPE_CHECKING:
    from pytest_autoeval.engine.suite import Suite, Target

NO_MODEL_OF_SERVER = "no model is named; write --autoeval-model=NAME, a model of that server"
#: The fixtures that ask a model.
ASKING = frozenset({"llm", "round_trip", "perform"})
OURS = ASKING | {"sample", "assert_equivalent"}
#: The argument under which pytest stores an item's target, suite or reason for being left out.
ARGUMENT = "autoeval_suite"
#: The suite of an item.
SUITE: pytest.StashKey[Suite] = pytest.StashKey()


def refuse_idle_markers(
    collector: pytest.Collector, items: Sequence[pytest.Item | pytest.Collector]
) -> None:
    """Raises :class:`AutoevalError` if a marker of the collector's tests does nothing, so that they check nothing.

    ``items`` is what was collected. pytest parametrizes no method of `unittest.TestCase`, and it does not collect the
    tests of a class with a constructor, nor a class with another name than a test. A function with another name may be
    for `run_suites`, and a class may be the base of others.
    """
    refuse_unused_markers(item for item in items if isinstance(item, pytest.Item))
    if not isinstance(collector, pytest.Module | pytest.Class):
        return
    container: Any = collector.obj
    if not getattr(container, "__test__", True):
        return
    collected = {id(_plain(getattr(item, "obj", None))) for item in items}
    # Imported functions and classes are collected in their own module.
    home = container.__name__ if isinstance(collector, pytest.Module) else container.__module__
    for name, function in _marked_tests(collector, container):
        is_own = isinstance(container, type) or function.__module__ == home
        if is_own and id(function) not in collected:
            problem = "pytest does not collect it; is there a constructor in its class?"
            raise AutoevalError(
                f"{collector.nodeid}::{name}: this test has the marker, but {problem}"
            )
    for name, kind in vars(container).items():
        is_own = (
            isinstance(kind, type) and kind.__module__ == home and getattr(kind, "__test__", True)
        )
        # A class with subclasses is a base, and its tests run in those. A metaclass itself has only that of `type`.
        if is_own and id(kind) not in collected and not type.__subclasses__(kind):
            for test, _ in _marked_tests(collector, kind):
                problem = "pytest does not collect its class; begin the name with Test, or write __test__ = False in it"
                raise AutoevalError(
                    f"{collector.nodeid}::{name}::{test}: this test has the marker, but {problem}"
                )


def _marked_tests(
    collector: pytest.Module | pytest.Class, container: Any
) -> Iterator[tuple[str, FunctionType]]:
    """The functions of a module or a class, also inherited ones, that have the marker and the name of a test."""
    members: dict[str, Any] = {}
    # Bases first: a method of the class itself replaces the one that it overrides.
    for namespace in reversed(container.__mro__ if isinstance(container, type) else (container,)):
        members |= vars(namespace)
    for name, value in members.items():
        function = _plain(value)
        marks = [
            mark.name
            for mark in getattr(function, "pytestmark", ())
            if isinstance(mark, pytest.Mark)
        ]
        is_test = (
            "autoeval" in marks
            and isinstance(function, FunctionType)
            and getattr(function, "__test__", True)
        )
        if is_test and collector.funcnamefilter(name):
            yield name, function


def refuse_unused_markers(items: Iterable[pytest.Item]) -> None:
    """Raises :class:`AutoevalError` for an item with a marker that is no suite, also if a hook added the marker."""
    for item in items:
        if has_marker(item) and argument_of(item)[1] is None:
            raise AutoevalError(f"{item.nodeid}: {_why_idle(item)}")


def refuse_equal_ids(items: Iterable[pytest.Item]) -> None:
    """Raises :class:`AutoevalError` for two suites with one test id, whose samples could not be told apart.

    pytest leaves the file out of the id of a test that is outside of its root folder and was named by itself. So two
    modules of an installed package have equal ids.
    """
    files: dict[str, str] = {}
    for item in items:
        if suite_of(item) is None:
            continue
        first_file = files.setdefault(item.nodeid, str(item.path))
        if first_file != str(item.path):
            raise AutoevalError(
                f"pytest gives the id {item.nodeid} to tests of two files, {first_file} and {item.path}; name their "
                "folder or package and choose by -k, such as --pyargs pytest_autoeval.suites "
                "-k 'propositional or regex', or start one run for each"
            )


def _why_idle(item: pytest.Item) -> str:
    if isinstance(item, TestCaseFunction):
        return "a method of unittest.TestCase cannot be a pass-rate test; write a function, or a class without a base"
    if isinstance(item, pytest.Function):
        return "the marker was added after the test was collected, and so has no effect; write it above the test"
    return f"the marker has no effect on a {type(item).__name__}; write a test function"


def _plain(function: Any) -> Any:
    """The function of a method."""
    return getattr(function, "__func__", function)


def suite_of(item: pytest.Item) -> Suite | None:
    """The suite of a pass-rate item; None for other items."""
    return item.stash.get(SUITE, None)


def target_of(item: pytest.Item) -> Target | None:
    """The target of an item that asks a model and is not a suite; None for other items."""
    _, value = argument_of(item)
    # No `isinstance`: that would need the classes, in every run of pytest.
    return None if suite_of(item) is not None else cast("Target | None", value)


def asks(item: pytest.Item) -> bool:
    """Whether an item is a suite, or a test that asks a model."""
    _, value = argument_of(item)
    return value is not None


def may_ask(metafunc: pytest.Metafunc) -> bool:
    """Whether a test has the marker, or a fixture with a name of ours: asked for each test of every project."""
    has_fixture = not OURS.isdisjoint(metafunc.fixturenames)
    return has_fixture or has_marker(metafunc.definition)


def has_marker(item: pytest.Item) -> bool:
    """Whether a test has our marker, itself or from its class or module: asked several times for each test.

    As `get_closest_marker`, which takes five times as long for a test without markers.
    """
    node: Any = item
    while node is not None:
        for mark in node.own_markers:
            # As pytest: whatever other plugins add need not be a mark.
            if getattr(mark, "name", None) == "autoeval":
                return True
        node = node.parent
    return False


def taken_by(item: Any) -> tuple[str, ...]:
    names: tuple[str, ...] = item._fixtureinfo.argnames  # noqa: SLF001  (pytest offers only those of all fixtures)
    return names


def definitions_of(item: Any, name: str) -> Sequence[pytest.FixtureDef[Any]]:
    """The definitions of a fixture for a test. The last one counts."""
    definitions: Sequence[pytest.FixtureDef[Any]] = item._fixtureinfo.name2fixturedefs.get(name, ())  # noqa: SLF001
    return definitions


def function_of(item: pytest.Item) -> str:
    """The test function: its file relative to the root folder, then its classes and its name.

    It does not depend on how pytest was called. Pytest's own id has no file with ``--pyargs``, and another path in
    another folder.
    """
    file = suite_path(item.path, item.config.rootpath)
    classes = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
    return "::".join([file, *classes, getattr(item, "originalname", item.name)])


def argument_of(item: pytest.Item) -> tuple[str, object]:
    """Our part of an item's id, and its value."""
    callspec = getattr(item, "callspec", None)
    value: tuple[str, object] = (
        ("", None) if callspec is None else callspec.params.get(ARGUMENT, ("", None))
    )
    return value
