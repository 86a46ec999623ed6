"""The call phase of a suite's item: the engine runs the suite, then the item passes, fails or is inconclusive."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple, NoReturn
from unittest import SkipTest

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
from pytest_autoeval.running.parametrization import hidden_fixtures
from pytest_autoeval.running.run_services import run_of
from pytest_autoeval.running.run_state import NEXT, is_worker
from pytest_autoeval.running.suite_collection import (
    ASKING,
    OURS,
    SUITE,
    function_of,
    taken_by,
)
from pytest_autoeval.tasks.trial import Trial

#: The suite of an item whose samples started before the item, and their output.
_STARTED: pytest.StashKey[tuple[SuiteRun, HeldOutput] | None] = pytest.StashKey()


class Ended(NamedTuple):
    """How an item's suite ended.

    ``undecided``: the word for it, if it neither passed nor failed. ``errors``: whether a sample had an error.
    ``explained``: the number of the suite, if the text of the failure has its verdict and a counterexample.
    """

    undecided: str
    errors: bool
    explained: int | None = None


#: How the suite of an item ended; absent if it did not run to its end.
ENDED: pytest.StashKey[Ended] = pytest.StashKey()


#: Whether an item cannot run with the options of the run, which says nothing about how its test would end.
LEFT_OUT: pytest.StashKey[bool] = pytest.StashKey()


class Unjudged(Skipped):
    """Ends an item that neither passed nor failed: inconclusive, or without a gate because only a part of it ran."""


def leave_out(item: pytest.Item, why: LeftOutError) -> NoReturn:
    """Skips an item that cannot be run, and gives the reason."""
    event = SuiteLeftOut(
        test=item.nodeid, function=function_of(item), obstacle=why.obstacle, reason=str(why)
    )
    run_of(item.config).engine.emit(event)
    skip_for_options(item, str(why))


def skip_for_options(item: pytest.Item, reason: str) -> NoReturn:
    """Skips an item that cannot run with the options of the run."""
    item.stash[LEFT_OUT] = True
    raise Skipped(reason, _use_item_location=True)


def run_suite(item: pytest.Function, suite: Suite) -> None:
    """The call phase of a suite's item; raises the exception that ends it.

    An error comes before a verdict, and a verdict before the lack of one.
    """
    run = run_of(item.config)
    with rarer_collections(is_last=item is item.session.items[-1]):
        result = _carried_out(item, suite)
        # Here, because `_import_results` imported the module while the suite waited for its answers.
        from pytest_autoeval.running.item_results import example_lines, properties_of, raise_errors

        judged, judgement = result.judged, result.judged.judgement
        is_inconclusive = judgement.verdict == "inconclusive"
        is_shard = bool(run.settings.part)
        undecided = "no gate" if is_shard else ""
        if is_inconclusive:
            undecided = "inconclusive"
        # Before any exception: the report of the item reads it.
        item.stash[ENDED] = Ended(undecided, judgement.gate.errors > 0)
        junit = bool(item.config.getoption("xmlpath", None))
        item.user_properties += properties_of(judged, with_curve=junit)
    if result.fatal is not None:
        _stop(item, result.fatal, run.where)
    raise_errors(result.results)
    if is_inconclusive:
        raise Unjudged(f"inconclusive: {judgement.reason}", _use_item_location=True)
    without_figures = judged.end.without_figures
    if not judgement.passes:
        item.stash[ENDED] = item.stash[ENDED]._replace(explained=judgement.key)
        examples = example_lines(item.config, judged.suite, judged.counterexamples)
        lines = [*judgement.reasons, *examples, *without_figures]
        pytest.fail("\n".join(lines), pytrace=False)
    # The code of a `conftest.py` is broken: as after a fixture that fails, the run is not green.
    if without_figures:
        pytest.fail("\n".join(without_figures), pytrace=False)
    if is_shard:
        raise Unjudged(judgement.gate.reason, _use_item_location=True)


def _carried_out(item: pytest.Function, suite: Suite) -> SuiteResult:
    """Runs an item's suite, which may have been started before; raises the exception that ends the item."""
    started = item.stash.get(_STARTED, None)
    # An item may be run twice, and the second time its suite has to start anew.
    item.stash[_STARTED] = None
    try:
        if started is None:
            arguments = {name: item.funcargs[name] for name in taken_by(item)}
            suite_run = _suite_run(item, suite, arguments)
        else:
            suite_run, output = started
            # What the suite printed before its item appears with the item.
            output.release()
        return suite_run.carry_out(_import_results)
    except LeftOutError as why:
        skip_for_options(item, str(why))
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
        values = dict(arguments)
        # Every call of the body gets a sample of its own.
        if "sample" in values:
            values["sample"] = trial.subject
        return item.obj(**values)

    # A body that asks by our fixtures blocks its loop while it waits for answers, so it gets a loop of its own. A body
    # with a fixture of the user's does not: the value, such as a client, may work in one loop only.
    needs_own_loop = OURS.issuperset(arguments) and not ASKING.isdisjoint(arguments)
    body = Body(
        call=call,
        test=item.nodeid,
        failures=(AssertionError, pytest.fail.Exception),
        skips=(Skipped, SkipTest),
        scan=AssertionScan(item.obj),
        command=lambda sample: command_of(
            sample, TestFile(item.path, config.rootpath, engine.settings.folder)
        ),
        loop=None if needs_own_loop else engine.body_loop,
        hidden=hidden_fixtures(item),
    )
    return SuiteRun(suite, engine, body, lambda: _begin_next(item))


def _begin_next(item: pytest.Function) -> None:
    """Starts the suite of the next item, once, if nobody can see the difference. With batches, all further suites."""
    starts_all = run_of(item.config).settings.batch is not None and not is_worker(item.config)
    upcoming = next_suite(item)
    while upcoming is not None:
        # Later calls for this item find nothing more to start.
        item.stash[NEXT] = None
        following, arguments = upcoming
        if _STARTED not in following.stash:
            _begin_early(following, arguments)
        if not starts_all:
            return
        items = following.session.items
        # pytest says which item is next only when an item runs, and this one has not run.
        items_after = items[items.index(following) + 1 :]
        following.stash[NEXT] = items_after[0] if items_after else None
        item = following
        upcoming = next_suite(item)
    item.stash[NEXT] = None


def _begin_early(item: pytest.Function, arguments: Mapping[str, Any]) -> None:
    """Starts the suite of an item before the item itself runs."""
    suite_run = _suite_run(item, item.stash[SUITE], arguments)
    output = HeldOutput()
    item.stash[_STARTED] = None
    # Whatever it raises is raised again in its own item, where the suite starts anew.
    with suppress(Exception), output.holding():
        suite_run.begin(later=True)
        item.stash[_STARTED] = suite_run, output
