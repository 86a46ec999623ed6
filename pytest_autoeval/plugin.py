"""The hooks of pytest-autoeval, and nothing else: each hands over to a module that is imported when a run needs it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from pytest_autoeval.running.cells import cell_of, parametrize
from pytest_autoeval.running.controller_hooks import ControllerHooks
from pytest_autoeval.running.fixtures import assert_equivalent, llm, perform, round_trip, sample
from pytest_autoeval.running.option_checks import check_options
from pytest_autoeval.running.options import add_options
from pytest_autoeval.running.registry import check_models, register
from pytest_autoeval.running.shared import INFO, RUN, STATE_DIR, close_run, is_worker, remove_state, state_dir

__all__ = ["assert_equivalent", "llm", "perform", "round_trip", "sample"]


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    from pytest_autoeval import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    if not (config.option.autoeval_models or config.option.autoeval_explain):
        return None
    from pytest_autoeval.running.answers import answer

    return answer(config)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "autoeval(grammar or data set, task=None, operators=range(0, 9), samples=10, threshold=None, vocabulary=None, "
        "language=None): run the test once per sample, and judge it by its pass rate",
    )
    check_options(config)
    if config.option.autoeval_plan:
        config.option.dist, config.option.tx = "no", []
    register(config)
    if not is_worker(config):
        config.pluginmanager.register(ControllerHooks(config), "autoeval-controller")


def pytest_sessionstart(session: pytest.Session) -> None:
    check_models(session.config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput[STATE_DIR] = str(state_dir(node.config))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    parametrize(metafunc)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if cell_of(pyfuncitem) is None or pyfuncitem.get_closest_marker("autoeval") is None:
        return None
    from pytest_autoeval.running.items import run_item

    run_item(pyfuncitem)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    cell = cell_of(item)
    if cell is None or item.get_closest_marker("autoeval") is not None:
        return (yield)
    from pytest_autoeval.running.properties import suit_to_models
    from pytest_autoeval.running.run import run_of
    from pytest_autoeval.tasks.trial import under_trial

    suit_to_models(item)
    with under_trial(run_of(item.config).trial(cell)):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "call" and (told := item.stash.get(INFO, None)) is not None:
        report.autoeval = told  # type: ignore[attr-defined]
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    run = session.config.stash.get(RUN, None)
    if run is not None and is_worker(session.config):
        run.tell_used_recordings(session.config.workerinput["workerid"])  # type: ignore[attr-defined]


def pytest_unconfigure(config: pytest.Config) -> None:
    close_run(config)
    remove_state(config)
