"""The call phase of a suite's item: the engine runs the suite, then the item passes, fails or is inconclusive."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

import pytest
from _pytest.outcomes import Skipped

from pytest_autoeval.engine.asserting import AssertionScan
from pytest_autoeval.engine.bodies import Body
from pytest_autoeval.engine.collector import rarer_collections
from pytest_autoeval.engine.events import SuiteLeftOut
from pytest_autoeval.engine.reproducing import TestFile, command_of
from pytest_autoeval.engine.suite import LeftOutError, NothingDrawnError, Suite
from pytest_autoeval.engine.suite_run import RunStoppedError, SuiteResult, SuiteRun
from pytest_autoeval.errors import NoThreadError
from pytest_autoeval.record.file import ResultsError
from pytest_autoeval.running.early_start import next_suite
from pytest_autoeval.running.held_output import HeldOutput
from pytest_autoeval.running.run_services import run_of
from pytest_autoeval.running.run_state import NEXT, is_worker
from pytest_autoeval.running.suite_collection import ASKING, OURS, SUITE, function_of, taken_by
from pytest_autoeval.tasks.trial import Trial

#: The suite of an item whose samples started before the item, and their output.
_STARTED: pytest.StashKey[tuple[SuiteRun, HeldOutput] | None] = pytest.StashKey()


class Ended(NamedTuple):
    """How an item's suite ended.

    ``undecided``: how, if it neither passed nor failed. ``errors``: whether there were errors. ``explained``: the
    number of the suite, if the text of the failure has its verdict and a counterexample.
    """

    undecided: str
    errors: bool
    explained: int | None = None


ENDED: pytest.StashKey[Ended] = pytest.StashKey()


class Unjudged(Skipped):
    """Ends an item that neither passed nor failed: inconclusive, or without a gate because only a part of it ran."""


def leave_out(item: pytest.Item, why: LeftOutError) -> NoReturn:
    """Skips an item that cannot be run, and gives the reason."""
    event = SuiteLeftOut(
        test=item.nodeid, function=function_of(item), obstacle=why.obstacle, reason=str(why)
    )
    run_of(item.config).engine.emit(event)
    raise Skipped(str(why), _use_item_location=True)


def run_suite(item: pytest.Function, suite: Suite) -> None:
    """The call phase of a suite's item; raises the exception that ends it."""
    run, end = run_of(item.config), _carried_out(item, suite)
    from pytest_autoeval.running.item_results import example_lines, properties_of, raise_errors

    judgement, examples, shard = end.judged.judgement, end.judged.counterexamples, run.settings.part
    undecided = "no gate" if shard else ""
    if judgement.verdict == "inconclusive":
        undecided = "inconclusive"
    item.stash[ENDED] = Ended(undecided, judgement.gate.errors > 0)
    junit = bool(item.config.getoption("xmlpath", None))
    item.user_properties += properties_of(end.judged, with_curve=junit)
    if end.fatal is not None:
        _stop(item, end.fatal, run.where)
    raise_errors(end.results)
    without_figures = end.judged.end.without_figures
    if judgement.verdict == "inconclusive":
        raise Unjudged(f"inconclusive: {judgement.reason}", _use_item_location=True)
    if not judgement.passes:
        item.stash[ENDED] = item.stash[ENDED]._replace(explained=judgement.key)
        lines = [
            *judgement.reasons,
            *example_lines(item.config, end.judged.suite, examples),
            *without_figures,
        ]
        pytest.fail("\n".join(lines), pytrace=False)
    # The code of a `conftest.py` is broken: as after a fixture that fails, the run is not green.
    if without_figures:
        pytest.fail("\n".join(without_figures), pytrace=False)
    if shard:
        raise Unjudged(judgement.gate.reason, _use_item_location=True)


@rarer_collections()
def _carried_out(item: pytest.Function, suite: Suite) -> SuiteResult:
    """Runs an item's suite, which may have been started before; raises the exception that ends the item."""
    # An item may be run twice, and the second time its suite has to start anew.
    started, item.stash[_STARTED] = item.stash.get(_STARTED, None), None
    try:
        if started is None:
            begun = _suite_run(item, suite, {name: item.funcargs[name] for name in taken_by(item)})
        else:
            begun, output = started
            output.release()
        return begun.carry_out(_import_results)
    except LeftOutError as why:
        raise Skipped(str(why), _use_item_location=True) from None
    except NothingDrawnError as why:
        item.stash[ENDED] = Ended("", errors=True)
        raise pytest.fail.Exception(str(why), pytrace=False) from None
    except NoThreadError as problem:
        _exit(problem)
    except ResultsError as problem:
        _stop(item, problem, run_of(item.config).where)
    # The item's outcome counts for nothing any more.
    except RunStoppedError as stopped:
        item.session.shouldstop = str(stopped)
        raise Unjudged(str(stopped), _use_item_location=True) from None


def _import_results() -> None:
    """Imports what shows a suite's results, while the first answers are on their way."""
    import_module("pytest_autoeval.running.item_results")


def _stop(item: pytest.Item, fatal: BaseException, where: str) -> NoReturn:
    """Fails an item, and starts no further one."""
    if isinstance(fatal, NoThreadError):
        _exit(fatal)
    item.session.shouldstop = "autoeval: no further sample can succeed; the failure says why"
    pytest.fail(f"{fatal}{where}", pytrace=False)


def _exit(problem: NoThreadError) -> NoReturn:
    """Ends the run with one line: no further suite can run either."""
    raise pytest.exit.Exception(str(problem), returncode=pytest.ExitCode.INTERRUPTED)


def _suite_run(item: pytest.Function, suite: Suite, arguments: Mapping[str, Any]) -> SuiteRun:
    """The run of an item's suite. ``arguments`` are the values of the fixtures that the body takes."""
    config, engine = item.config, run_of(item.config).engine

    def call(trial: Trial) -> object:
        values = arguments.items()
        return item.obj(
            **{name: trial.subject if name == "sample" else value for name, value in values}
        )

    # A body that uses our fixtures blocks while it waits for answers. It gets a loop of its own.
    alone = OURS.issuperset(arguments) and not ASKING.isdisjoint(arguments)
    body = Body(
        call=call,
        test=item.nodeid,
        failures=(AssertionError, pytest.fail.Exception),
        scan=AssertionScan(item.obj),
        command=lambda sample: command_of(
            sample, TestFile(item.path, config.rootpath, engine.settings.folder)
        ),
        loop=None if alone else engine.body_loop,
    )
    return SuiteRun(suite, engine, body, lambda: _begin_next(item))


def _begin_next(item: pytest.Function) -> None:
    """Starts the suite of the next item, once, if nobody can see the difference. With batches, all further suites."""
    while (upcoming := next_suite(item)) is not None:
        item.stash[NEXT] = None
        following, arguments = upcoming
        if _STARTED not in following.stash:
            begun, output = _suite_run(following, following.stash[SUITE], arguments), HeldOutput()
            following.stash[_STARTED] = None
            # Whatever it raises is raised again in its own item.
            with suppress(Exception), output.holding():
                begun.begin(later=True)
                following.stash[_STARTED] = begun, output
        if run_of(item.config).settings.batch is None or is_worker(item.config):
            return
        item, items = following, item.session.items
        item.stash[NEXT] = next(iter(items[items.index(item) + 1 :]), None)
    item.stash[NEXT] = None
