"""The hooks of pytest-autoeval, and nothing else: each calls a module that is imported when a run needs it."""

from __future__ import annotations

import json
import sys
from collections.abc import Generator
from functools import partial
from typing import Any

import pytest

from pytest_autoeval.running import shared, suites
from pytest_autoeval.running.checking import check_names, check_settings, refused
from pytest_autoeval.running.controller_hooks import ControllerHooks
from pytest_autoeval.running.fixtures import assert_equivalent, llm, perform, round_trip, sample, suit_to_models
from pytest_autoeval.running.marker import KEYWORDS
from pytest_autoeval.running.options import add_options
from pytest_autoeval.running.printing import Printing

__all__ = ["assert_equivalent", "llm", "perform", "round_trip", "sample"]


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    from pytest_autoeval import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Prints the information that was asked for instead of a run."""
    if config.option.autoeval_explain:
        from pytest_autoeval.outcomes import explain

        with refused(""):
            sys.stdout.write(explain(config.option.autoeval_explain))
        return 0
    if config.option.autoeval_models:
        from pytest_autoeval.models.offline.catalogue import offline_models

        listed = offline_models()
        width = max(len(name) for name, _ in listed)
        sys.stdout.writelines(f"{name:<{width}}  {text}\n" for name, text in listed)
        return 0
    return None


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"autoeval(grammar or data set, {'=…, '.join(KEYWORDS)}=…): run the test once per sample, and judge it by its "
        "pass rate",
    )
    with shared.telling_refusals(config):
        check_settings(config)
        if config.option.autoeval_plan:
            config.option.dist, config.option.tx = "no", []
        with refused("pytest_autoeval_register"):
            shared.register(config)
    config.pluginmanager.register(Printing(config), "autoeval-printing")
    if not shared.is_worker(config):
        config.pluginmanager.register(ControllerHooks(config), "autoeval-controller")


def pytest_sessionstart(session: pytest.Session) -> None:
    with shared.telling_refusals(session.config):
        check_names(session.config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    from pytest_autoeval.running.remote import equip

    equip(node)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    suites.parametrize(metafunc)


def pytest_itemcollected(item: pytest.Item) -> None:
    suites.complete(item)
    if suites.suite_of(item) is not None:
        # Plugins that run coroutines on their own (pytest-asyncio, anyio) would run a body once, without a sample.
        item.runtest = partial(_run_suite, item)  # type: ignore[method-assign]


def _run_suite(item: Any) -> None:
    from pytest_autoeval.running.items import run_suite

    run_suite(item, item.stash[suites.SUITE])


def pytest_collection_finish(session: pytest.Session) -> None:
    found = {item.nodeid: suite for item in session.items if (suite := suites.suite_of(item)) is not None}
    named = {test: (suite.name, suite.target.model) for test, suite in found.items()}
    shared.keep_collected(session.config, named)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Under xdist a run that stops after failures (``-x``) stops on all workers."""
    item.stash[shared.NEXT] = nextitem
    failures = shared.failures_of_all_workers(item.config)
    if failures and failures >= item.config.getvalue("maxfail"):
        item.session.shouldfail = f"stopping after {failures} failures"
        return True
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    target = suites.target_of(item)
    if target is not None and target.left_out is not None:
        from pytest_autoeval.running.items import leave_out

        leave_out(item, target.left_out)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    target = suites.target_of(item)
    if target is None:
        return (yield)
    from pytest_autoeval.running.run import run_of
    from pytest_autoeval.tasks.trial import under_trial

    suit_to_models(item)
    with under_trial(run_of(item.config).trial(target)):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        shared.count_failure(item.config)
    if call.when != "teardown" and (suite := item.stash.get(shared.REPORT, None)) is not None:
        report.autoeval = json.dumps(suite.to_json(), default=str)  # type: ignore[attr-defined]
        # xfail is about the model's answers, not about the network
        if suite.errors and hasattr(report, "wasxfail"):
            del report.wasxfail
            report.outcome = "failed"
    return report


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    hub, run = session.config.stash.get(shared.HUB_CLIENT, None), session.config.stash.get(shared.RUN, None)
    if hub is None:  # no worker
        return
    for topic, value in run.account().items() if run is not None else ():
        hub.tell(topic, value)
    hub.close()  # xdist ends the connection before a worker has cleaned up
