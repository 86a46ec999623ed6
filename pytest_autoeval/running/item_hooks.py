"""The hooks around each test of a run in which some test asks a model."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from pytest_autoeval.models.protocols import LimitReachedError
from pytest_autoeval.running import run_state, suite_collection
from pytest_autoeval.running.early_start import LIVE
from pytest_autoeval.running.fixtures import suit_to_models
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.other_plugins import RERUNS, run_once
from pytest_autoeval.running.printing import PRINTING, mark_as_asking
from pytest_autoeval.running.run_services import run_of
from pytest_autoeval.running.suite_item import ENDED, LEFT_OUT, leave_out, skip_for_options
from pytest_autoeval.tasks.trial import in_trial

_AT_A_LIMIT = "Raise the limit, or replay recordings, which are free."
_IN_PART_1 = "--autoeval-shard divides suites; other tests run in part 1"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Under xdist, a run that stops after failures (``-x``) stops on all workers."""
    printing: Any = item.config.pluginmanager.get_plugin(PRINTING)
    printing.prepare(item)
    item.stash[run_state.NEXT] = nextitem
    # Only xdist's controller counts failures, and its workers begin further tests meanwhile.
    failures = run_state.failures_of_all_workers(item.config)
    if failures and failures >= item.config.getvalue("maxfail"):
        item.session.shouldfail = f"stopping after {failures} failures"
        return True
    if suite_collection.suite_of(item) is not None and item.config.pluginmanager.has_plugin(RERUNS):
        return run_once(item, nextitem)
    return None


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_timeout_set_timer(item: pytest.Item) -> bool | None:
    """A suite has no limit of pytest-timeout's: it is as long as its samples, each of which has a limit."""
    return True if suite_collection.suite_of(item) is not None else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    printing: Any = item.config.pluginmanager.get_plugin(PRINTING)
    printing.hold_captured(item)
    target = suite_collection.target_of(item)
    if target is None:
        return
    if target.left_out is not None:
        leave_out(item, target.left_out)
    # Tests that are no suites are not divided: of several parts of a run, the first runs them.
    number_of_part, _ = settings_of(item.config).shard or (1, 1)
    if number_of_part > 1:
        skip_for_options(item, _IN_PART_1)


def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> None:
    # Fixtures of a function end with it, and those of the session last longer than any suite.
    if fixturedef.scope in ("class", "module", "package"):
        request.config.stash.setdefault(LIVE, {})[fixturedef] = request.node


def pytest_fixture_post_finalizer(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> None:
    request.config.stash.get(LIVE, {}).pop(fixturedef, None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    target = suite_collection.target_of(item)
    if target is None:
        return (yield)
    suit_to_models(item)
    with in_trial(run_of(item.config).engine.trial(target)):
        try:
            return (yield)
        except LimitReachedError as error:
            # The summary says it to suites. A batch that is not answered yet is another reason, and names no option.
            if str(error).startswith("--"):
                error.add_note(_AT_A_LIMIT)
            raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    # The report may quote a model's answer or a server's error.
    if suite_collection.asks(item):
        mark_as_asking(report)
    if item.stash.get(LEFT_OUT, False):
        report.autoeval_left_out = True  # type: ignore[attr-defined]
    if report.failed:
        run_state.count_failure(item.config)
    if call.when == "call" and ENDED in item.stash:
        report.autoeval, errors, report.autoeval_explained = item.stash[ENDED]  # type: ignore[attr-defined]
        # xfail applies to the model's answers, not to the network.
        if errors and hasattr(report, "wasxfail"):
            del report.wasxfail
            report.outcome = "failed"
    return report
