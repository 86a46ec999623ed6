"""Collection: a pass-rate test becomes one suite, and so one pytest item, for each model and variant.

Other tests that ask a model become one item for each model and prompting.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.inert import inert
from pytest_autoeval.registry import shipped_folder
from pytest_autoeval.reporting.names import reader_label
from pytest_autoeval.running.marker import LeftOutError, Marker, MarkerError, Suite, Target, marker_of
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.settings import Settings

if TYPE_CHECKING:
    from pytest_autoeval.tasks import Task

SHIPPED_SUITES = shipped_folder("suites")
_SHIPPED = "suites/"
_PACKAGE = Path(__file__).resolve().parents[1]
NO_MODEL_OF_SERVER = "no model is named; write --autoeval-model=NAME, a model of that server"
#: The fixtures that ask a model.
ASKING = frozenset({"llm", "round_trip", "perform"})
#: Those of them that describe and read.
_READING = frozenset({"llm", "round_trip"})
#: The argument under which pytest keeps an item's target, suite or reason to be left out.
_ARGUMENT = "autoeval_suite"
#: The suite of an item.
SUITE: pytest.StashKey[Suite] = pytest.StashKey()


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Gives a test its suites or targets. A mistake in the marker is a collection error with the test's name."""
    settings = settings_of(metafunc.config)
    found: list[Suite | Target]
    try:
        marker = marker_of(metafunc.definition)
        if marker is not None:
            found = _suites(metafunc, marker, settings)
        elif ASKING.intersection(metafunc.fixturenames):
            found = list(_targets(None, settings, metafunc.fixturenames))
        else:
            return
        if settings.base_url is not None and not settings.model_named:  # tests that ask no model may run
            raise MarkerError(f"{settings.origin('base_url')}: {NO_MODEL_OF_SERVER}")
    except AutoevalError as problem:
        raise pytest.Collector.CollectError(inert(f"{metafunc.definition.nodeid}: {problem}")) from None
    metafunc.fixturenames.append(_ARGUMENT)
    ids: list[str] = []
    for value in found:
        own = value.target.id if isinstance(value, Suite) else value.id
        alike = [own, *(f"{own}-{number}" for number in range(2, len(found) + 1))]
        ids.append(next(one for one in alike if one not in ids))
    metafunc.parametrize(_ARGUMENT, found, ids=ids)


def complete(item: pytest.Item) -> None:
    """Names the suite of an item that was just made, and leaves it with the item.

    Other tests that ask a model are not divided: of several parts of a run the first runs them.
    """
    draft = _argument(item)
    if isinstance(draft, Suite):
        item.stash[SUITE] = replace(draft, function=function_of(item), parameters=_parameters(item, draft.target.id))
    elif isinstance(draft, Target) and (settings_of(item.config).shard or (1, 1))[0] > 1:
        item.add_marker(pytest.mark.skip(reason="--autoeval-shard divides suites; other tests run in part 1"))


def suite_of(item: pytest.Item) -> Suite | None:
    """The suite of a pass-rate item; None of other items."""
    return item.stash.get(SUITE, None)


def target_of(item: pytest.Item) -> Target | None:
    """The target of an item that asks a model, or cannot, and is not a suite; None of other items."""
    found = _argument(item)
    return found if isinstance(found, Target) else None


def asks(item: pytest.Item) -> bool:
    """Whether an item is a suite, or a test that asks a model."""
    return suite_of(item) is not None or target_of(item) is not None


def function_of(item: pytest.Item) -> str:
    """The test function, however pytest was called: its file from the root folder, then its classes and its name.

    Pytest's own id has no file where a module was named (``--pyargs``), and another path in another folder.
    """
    path, root = item.path, item.config.rootpath
    if path.is_relative_to(SHIPPED_SUITES):
        file = _SHIPPED + path.relative_to(SHIPPED_SUITES).as_posix()
    else:
        file = Path(os.path.relpath(path, root)).as_posix()
    classes = [node.name for node in item.listchain() if isinstance(node, pytest.Class)]
    return "::".join([file, *classes, getattr(item, "originalname", item.name)])


def is_shipped(file: str) -> bool:
    """Whether the file part of a suite's name is that of a packaged suite."""
    return file.startswith(_SHIPPED) and (SHIPPED_SUITES / file.removeprefix(_SHIPPED)).is_file()


def file_of(suite: str, root: Path) -> Path:
    """The file of a suite of that name, on this machine: below the root folder, or among the packaged ones."""
    file = suite.partition("::")[0]
    there = Path(os.path.normpath(root / file))
    return SHIPPED_SUITES / file.removeprefix(_SHIPPED) if is_shipped(file) and not there.exists() else there


def installed_module(file: Path) -> str:
    """The name that ``--pyargs`` takes for a packaged suite that is installed; empty for any other file."""
    if not file.is_relative_to(SHIPPED_SUITES) or not SHIPPED_SUITES.is_relative_to(_PACKAGE):
        return ""
    return ".".join((_PACKAGE.name, *file.relative_to(_PACKAGE).with_suffix("").parts))


def _argument(item: pytest.Item) -> object:
    callspec = getattr(item, "callspec", None)
    return callspec.params.get(_ARGUMENT) if callspec is not None else None


def _parameters(item: pytest.Item, own: str) -> tuple[str, ...]:
    callspec: Any = getattr(item, "callspec", None)
    ids = list(callspec._idlist)  # noqa: SLF001  (pytest offers the ids only joined with hyphens, which stand in ids too)
    # Pytest may have escaped our id. It is the first one: plugins parametrize before the test's own marks do.
    ids.pop(ids.index(own) if own in ids else 0)
    return tuple(ids)


def _suites(metafunc: pytest.Metafunc, marker: Marker, settings: Settings) -> list[Suite | Target]:
    """The suites of a pass-rate test; instead of each that has nothing to ask, its target with the reason."""
    from pytest_autoeval.running.sources import source_of
    from pytest_autoeval.tasks import task as task_named

    _check(metafunc, marker)
    task = None if marker.task is None else task_named(marker.task)
    targets = _targets(task, settings, metafunc.fixturenames)
    try:
        source = source_of(marker, settings.dataset)
        # A number of the marker is about the items that it names, and not about the user's own data.
        wanted, samples = (None, None) if source.own else (marker.sizes, marker.samples)
        sizes = source.sizes(settings.over_marker("operators", wanted))
        suite = Suite(
            target=targets[0],
            source=source,
            task=task,
            sizes=sizes,
            samples=settings.over_marker("samples", samples) or source.usual_count,
            threshold=settings.threshold if marker.threshold is None else marker.threshold,
            # Formulas that were typed have the sizes that somebody chose.
            horizon={} if settings.formula else marker.horizon,
            copies=marker.copies or settings.copies,
            verified=marker.verified,
        )
        if suite.threshold is None and settings.formula:  # formulas that were typed must all pass
            suite = replace(suite, threshold=1.0)
    except LeftOutError as problem:
        return [replace(target, left_out=problem) for target in targets]
    except (TypeError, ValueError) as problem:
        given = ", ".join(f"{name}={chosen!r}" for name, chosen in marker.drawing.items())
        raise MarkerError(f"the marker's {given} cannot be used: {problem}") from None
    return [target if target.left_out else replace(suite, target=target) for target in targets]


def _targets(task: Task | None, settings: Settings, fixtures: Iterable[str]) -> list[Target]:
    """The models, each with every variant that was asked for; an embedding model reads no prompt, and has one.

    Readers are for round trips: a test of a task, and one that takes no fixture that reads, has none.
    """
    from pytest_autoeval.models.names import is_embedder

    known = task.interfaces if task is not None else ()
    interfaces = [name for name in known if name in settings.interface] or known[:1] or [""]
    unfit = None
    if task is not None and known and settings.interface and interfaces[0] not in settings.interface:
        reason = f"--autoeval-interface: the task {task.name} has no such interface; it has {', '.join(known)}"
        unfit = LeftOutError("interface", reason)
    variants = []
    for interface, prompting in product(interfaces, settings.prompting):
        # The parts of which a run has several.
        several = [(interface, settings.interface), (prompting, settings.prompting)]
        label = "-".join(part for part, among in several if part and len(among) > 1)
        variants.append(Target(model="", interface=interface, prompting=prompting, label=label, left_out=unfit))
    readers = settings.reader if task is None and not _READING.isdisjoint(fixtures) else ()
    found = []
    for model in settings.model:
        if not is_embedder(model):
            for variant, reader in product(variants, readers or [""]):
                label = "-".join(filter(None, (variant.label, reader_label(reader))))
                found.append(replace(variant, model=model, reader=reader, label=label))
        elif task is not None and task.embeds:
            found.append(Target(model=model))
        else:
            reason = f"--autoeval-model: {model} is an embedding model; this test needs a chat model"
            found.append(Target(model=model, left_out=LeftOutError("model", reason)))
    return found


def _check(metafunc: pytest.Metafunc, marker: Marker) -> None:
    names = metafunc.fixturenames
    if hasattr(metafunc.function, "hypothesis"):
        problem = "use @pytest.mark.autoeval (pass rate) or @given (property), not both"
    elif {"sample", "perform"}.isdisjoint(names):
        problem = "a pass-rate test takes the argument 'sample', or 'perform' for the marker's task"
    elif "perform" in names and marker.task is None:
        problem = "the fixture 'perform' needs a task: give the marker task=…"
    else:
        return
    raise MarkerError(problem)
