"""A pass-rate test becomes one suite, and so one pytest item, for each model and variant.

Other tests that ask a model become one item for each model and prompting.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from pytest_autoeval.engine.collector import rarer_collections
from pytest_autoeval.engine.suite import MarkerError, PassRateTest, Suite, Target
from pytest_autoeval.engine.suite_files import suite_path
from pytest_autoeval.engine.suites_of_test import suites_of, targets_of
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.inert import inert
from pytest_autoeval.running.marker import marker_of
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.run_state import REGISTRY, keep_collected
from pytest_autoeval.running.suite_collection import (
    ARGUMENT,
    ASKING,
    NO_MODEL_OF_SERVER,
    OURS,
    SUITE,
    argument_of,
    definitions_of,
    function_of,
    suite_of,
)

#: The fixtures that describe and read.
_READING = frozenset({"llm", "round_trip"})


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
    metafunc.fixturenames.append(ARGUMENT)
    ids: list[str] = []
    for value in values:
        own = value.target.id if isinstance(value, Suite) else value.id
        labels = [own, *(f"{own}-{number}" for number in range(2, len(values) + 1))]
        ids.append(next(label for label in labels if label not in ids))
    metafunc.parametrize(ARGUMENT, list(zip(ids, values, strict=True)), ids=ids)


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


def complete(item: pytest.Item) -> None:
    """Sets the name of a new item's suite, and stores the suite with the item."""
    own, draft = argument_of(item)
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


def number_suites(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """Gives the suites of a run their numbers, and keeps their names for the whole run."""
    suites = {item.nodeid: suite for item in items if (suite := suite_of(item)) is not None}
    named = {test: (suite.name, suite.target.model) for test, suite in suites.items()}
    numbered = keep_collected(config, named)
    for item in items:
        if item.nodeid in numbered:
            number = numbered[item.nodeid].number
            item.stash[SUITE] = structs.replace(suites[item.nodeid], number=number)


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
