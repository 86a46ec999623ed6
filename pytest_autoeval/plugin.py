"""The hooks of pytest-autoeval. Each calls a module that is imported when a run needs it."""

from __future__ import annotations

import sys
from collections.abc import Generator
from functools import partial
from typing import Any

import pytest
from _pytest.reports import CollectErrorRepr

from pytest_autoeval.engine.collector import rarer_collections
from pytest_autoeval.engine.marker_keywords import KEYWORDS
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.inert import inert
from pytest_autoeval.running import run_state, suite_collection
from pytest_autoeval.running.controller_hooks import ControllerHooks
from pytest_autoeval.running.fixtures import assert_equivalent, llm, perform, round_trip, sample
from pytest_autoeval.running.last_collections import freeze_after_run, thaw
from pytest_autoeval.running.options import add_options, check_options, settings_of
from pytest_autoeval.running.printing import PRINTING, STREAMS, Printing, Streams
from pytest_autoeval.running.register_hook import misnamed_hook, refuse_late_mistakes, register
from pytest_autoeval.running.settings_checks import (
    check_data_is_used,
    check_is_recorded,
    check_names,
    check_settings,
    may_be_useless,
)

__all__ = ["assert_equivalent", "llm", "perform", "round_trip", "sample"]


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    add_options(parser)
    pluginmanager.register(Streams(), STREAMS)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    from pytest_autoeval import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, args: list[str]
) -> Generator[None, object, object]:
    check_options(args)
    with misnamed_hook(early_config):
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Prints requested information instead of running tests."""
    if config.option.autoeval_explain:
        from pytest_autoeval.judging.gate_verdicts import explained_states
        from pytest_autoeval.outcomes import explain

        register(config)  # outcomes of the user's own
        with run_state.refusals(config):
            sys.stdout.write(explain(config.option.autoeval_explain, explained_states()))
        return 0
    if config.option.autoeval_models:
        from pytest_autoeval.models.offline.offline_models import listed_models

        sys.stdout.write(f"{listed_models()}\n")
        return 0
    return None


def pytest_configure(config: pytest.Config) -> None:
    # Before pytest's own: the last one to be added is the first to run.
    config.add_cleanup(partial(thaw, config))
    config.addinivalue_line(
        "markers",
        f"autoeval(grammar or data set, {'=…, '.join(KEYWORDS)}=…): run the test once per sample, and judge it by its "
        "pass rate",
    )
    with run_state.refusals(config):
        check_settings(config)
        if config.option.autoeval_plan:
            config.option.dist, config.option.tx = "no", []
        register(config)
    printing = Printing(config)
    config.pluginmanager.register(printing, PRINTING)
    # This process collects no tests itself.
    if run_state.has_workers(config):
        printing.clean_reports()
    if not run_state.is_worker(config):
        config.pluginmanager.register(ControllerHooks(config), "autoeval-controller")


def pytest_sessionstart(session: pytest.Session) -> None:
    session.config.stash[run_state.SESSION] = session
    with run_state.refusals(session.config):
        check_names(session.config)


@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    freeze_after_run(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    from pytest_autoeval.running.remote import equip

    equip(node)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    # Pytest looks for unknown hooks when it has collected the tests.
    with misnamed_hook(session.config):
        return (yield)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if suite_collection.may_ask(metafunc):
        from pytest_autoeval.running.parametrization import parametrize

        parametrize(metafunc)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    error = getattr(getattr(report, "call", None), "excinfo", None)
    if error is not None:
        refuse_late_mistakes(collector.config, error.value)
    if report.outcome == "passed":
        try:
            suite_collection.refuse_idle_markers(collector, report.result or ())
        except AutoevalError as problem:
            return pytest.CollectReport(
                collector.nodeid, "failed", CollectErrorRepr(inert(str(problem))), []
            )
    return report


def pytest_itemcollected(item: pytest.Item) -> None:
    if not suite_collection.asks(item):
        return
    from pytest_autoeval.running.parametrization import complete

    complete(item)
    if suite_collection.suite_of(item) is not None:
        # Plugins that run coroutines themselves (pytest-asyncio, anyio) would run a body once, without a sample.
        item.runtest = partial(_run_suite, item)  # type: ignore[method-assign]


def _run_suite(item: Any) -> None:
    from pytest_autoeval.running.suite_item import run_suite

    run_suite(item, item.stash[suite_collection.SUITE])


def pytest_collection_finish(session: pytest.Session) -> None:
    asking = [item for item in session.items if suite_collection.asks(item)]
    with run_state.refusals(session.config):
        suite_collection.refuse_unused_markers(session.items)
        suite_collection.refuse_equal_ids(asking)
        # A suite that could not be collected may be the one that takes the data.
        if not session.testsfailed:
            check_data_is_used(session.items, settings_of(session.config))
        check_is_recorded(asking, session.config)
        if may_be_useless(session):
            from pytest_autoeval.running.refused_run import refuse_before_tests

            refuse_before_tests(session)
    # Other runs should not pay for it.
    if asking:
        # It imports much, and all of it lasts.
        with rarer_collections(is_last=True):
            from pytest_autoeval.running import item_hooks
        from pytest_autoeval.running.parametrization import number_suites

        session.config.pluginmanager.register(item_hooks, run_state.ITEM_HOOKS)
        printing: Any = session.config.pluginmanager.get_plugin(PRINTING)
        printing.clean_reports()
        number_suites(session.config, asking)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    # The controller may wait for what this worker has to tell.
    if run_state.LINK in session.config.stash:
        session.config.stash[run_state.LINK].notify("parted", None)
