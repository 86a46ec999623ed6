"""Collection: a pass-rate test becomes one suite, and so one pytest item, for each model and variant.

Other tests that ask a model become one item for each model and prompting.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from _pytest.unittest import TestCaseFunction
from msgspec import structs

from pytest_autoeval.engine.collector import rarer_collections
from pytest_autoeval.engine.suite import MarkerError, PassRateTest, Suite, Target
from pytest_autoeval.engine.suite_files import suite_path
from pytest_autoeval.engine.suites_of_test import suites_of, targets_of
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.inert import inert
from pytest_autoeval.running.marker import marker_of
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.run_state import REGISTRY

NO_MODEL_OF_SERVER = "no model is named; write --autoeval-model=NAME, a model of that server"
#: The fixtures that ask a model.
ASKING = frozenset({"llm", "round_trip", "perform"})
OURS = ASKING | {"sample", "assert_equivalent"}
#: The fixtures that describe and read.
_READING = frozenset({"llm", "round_trip"})
#: The argument under which pytest stores an item's target, suite or reason for being left out.
_ARGUMENT = "autoeval_suite"
#: The suite of an item.
SUITE: pytest.StashKey[Suite] = pytest.StashKey()


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Gives a test its suites or targets. A mistake in the marker is a collection error with the test's name."""
    settings = settings_of(metafunc.config)
    values: list[Suite | Target]
    fixtures = _our_fixtures(metafunc)
    reads = not _READING.isdisjoint(fixtures)
    try:
        marker = marker_of(metafunc.definition)
        if marker is not None:
            _check(metafunc, marker)
            added = metafunc.config.stash[REGISTRY].prompt_folders
            # It imports most of the package for the first suite, and draws.
            with rarer_collections():
                values = suites_of(marker, settings, reads=reads, prompts=added)
        elif ASKING.intersection(fixtures):
            values = list(targets_of(None, settings, reads=reads))
        else:
            return
        # Only here, and not at the start: tests that ask no model may run.
        if settings.base_url is not None and not settings.model_named:
            raise MarkerError(f"{settings.origin('base_url')}: {NO_MODEL_OF_SERVER}")
    except AutoevalError as problem:
        raise pytest.Collector.CollectError(
            inert(f"{metafunc.definition.nodeid}: {problem}")
        ) from None
    # pytest refuses to parametrize a name that is not among the test's fixtures.
    metafunc.fixturenames.append(_ARGUMENT)
    ids: list[str] = []
    for value in values:
        own = value.target.id if isinstance(value, Suite) else value.id
        labels = [own, *(f"{own}-{number}" for number in range(2, len(values) + 1))]
        ids.append(next(label for label in labels if label not in ids))
    metafunc.parametrize(_ARGUMENT, list(zip(ids, values, strict=True)), ids=ids)


def _our_fixtures(metafunc: pytest.Metafunc) -> set[str]:
    """The fixtures of ours that a test uses. A project may have a fixture or a parameter of such a name of its own."""
    marks = metafunc.definition.iter_markers("parametrize")
    parameters = {name for mark in marks for name in _names_in(mark)}
    # pytest has no public access to the fixtures behind the names.
    definitions: Any = metafunc.definition._fixtureinfo.name2fixturedefs  # noqa: SLF001
    return {
        name
        for name in OURS.intersection(metafunc.fixturenames) - parameters
        if _leads_to_ours(name, definitions.get(name, ()))
    }


def _names_in(parametrize_mark: pytest.Mark) -> list[str]:
    """The parameters of a mark, which pytest takes as a list or as a text with commas."""
    given = (
        parametrize_mark.args[0] if parametrize_mark.args else parametrize_mark.kwargs["argnames"]
    )
    names = given.split(",") if isinstance(given, str) else given
    return [name.strip() for name in names]


def _leads_to_ours(name: str, definitions: Sequence[Any]) -> bool:
    """Whether the fixture of a name is ours, or one of the project's that requests ours; the last definition counts."""
    for definition in reversed(definitions):
        if definition.func.__module__.startswith("pytest_autoeval."):
            return True
        if name not in definition.argnames:
            return False
    return False


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
            raise MarkerError(
                f"{collector.nodeid}::{name}: this test has the marker, but {problem}"
            )
    for name, kind in vars(container).items():
        is_own = (
            isinstance(kind, type) and kind.__module__ == home and getattr(kind, "__test__", True)
        )
        # A class with subclasses is a base, and its tests run in those.
        if is_own and id(kind) not in collected and not kind.__subclasses__():
            for test, _ in _marked_tests(collector, kind):
                problem = "pytest does not collect its class; begin the name with Test, or write __test__ = False in it"
                raise MarkerError(
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
        if item.get_closest_marker("autoeval") and _argument(item)[1] is None:
            raise MarkerError(f"{item.nodeid}: {_why_idle(item)}")


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
            raise MarkerError(
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


def complete(item: pytest.Item) -> None:
    """Sets the name of a new item's suite, and stores the suite with the item."""
    own, draft = _argument(item)
    if isinstance(draft, Suite):
        # Ours comes first: plugins parametrize before the test's own marks.
        item_id: str = item.callspec.id  # type: ignore[attr-defined]
        # pytest escapes what is not ASCII in an id.
        if not item_id.startswith(own):
            own = own.encode("unicode_escape").decode()
        parameters = None if item_id == own else item_id.removeprefix(f"{own}-")
        item.stash[SUITE] = structs.replace(
            draft, function=function_of(item), parameters=parameters
        )


def suite_of(item: pytest.Item) -> Suite | None:
    """The suite of a pass-rate item; None for other items."""
    return item.stash.get(SUITE, None)


def target_of(item: pytest.Item) -> Target | None:
    """The target of an item that asks a model and is not a suite; None for other items."""
    _, value = _argument(item)
    return value if isinstance(value, Target) else None


def asks(item: pytest.Item) -> bool:
    """Whether an item is a suite, or a test that asks a model."""
    return suite_of(item) is not None or target_of(item) is not None


def taken_by(item: Any) -> tuple[str, ...]:
    names: tuple[str, ...] = item._fixtureinfo.argnames  # noqa: SLF001  (pytest offers only those of all fixtures)
    return names


def definitions_of(item: Any, name: str) -> Sequence[pytest.FixtureDef[Any]]:
    """The definitions of a fixture for a test. The last one counts."""
    definitions: Sequence[pytest.FixtureDef[Any]] = item._fixtureinfo.name2fixturedefs.get(name, ())  # noqa: SLF001
    return definitions


def hidden_fixtures(item: pytest.Function) -> str:
    """Which fixtures of the project stand in the place of ours in a suite, in one sentence; empty if none do.

    The body gets our sample in any case.
    """
    parameters = item.callspec.params
    sentences = []
    for name in sorted(OURS.intersection(item.fixturenames) - {"sample", *parameters}):
        definitions = definitions_of(item, name)
        if definitions and not _leads_to_ours(name, definitions):
            # A callable object has no code of its own.
            code = getattr(inspect.unwrap(definitions[-1].func), "__code__", None)
            file = code and suite_path(Path(code.co_filename), item.config.rootpath)
            where = f" in {file}" if file else ""
            sentences.append(f"your fixture {name}{where} hides ours")
    return "; ".join(sentences)


def function_of(item: pytest.Item) -> str:
    """The test function: its file relative to the root folder, then its classes and its name.

    It does not depend on how pytest was called. Pytest's own id has no file with ``--pyargs``, and another path in
    another folder.
    """
    file = suite_path(item.path, item.config.rootpath)
    classes = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
    return "::".join([file, *classes, getattr(item, "originalname", item.name)])


def _argument(item: pytest.Item) -> tuple[str, object]:
    """Our part of an item's id, and its value."""
    callspec = getattr(item, "callspec", None)
    value: tuple[str, object] = (
        ("", None) if callspec is None else callspec.params.get(_ARGUMENT, ("", None))
    )
    return value


def _check(metafunc: pytest.Metafunc, marker: PassRateTest) -> None:
    names = metafunc.fixturenames
    # Hypothesis runs the body many times for one item, and a suite does so too.
    if hasattr(metafunc.function, "hypothesis"):
        problem = "use @pytest.mark.autoeval (pass rate) or @given (property), not both"
    elif {"sample", "perform"}.isdisjoint(names):
        problem = "a pass-rate test takes the argument 'sample', or 'perform' for the marker's task"
    elif "perform" in names and marker.task is None:
        problem = "the fixture 'perform' needs a task: give the marker task=…"
    else:
        return
    raise MarkerError(problem)
