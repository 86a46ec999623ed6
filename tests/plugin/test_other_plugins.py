"""Plugins that cut long tests off, or run failed tests again, leave suites alone and do the rest of their work."""

from __future__ import annotations

import pytest

from .conftest import Run, Suite, said

#: What pytest-rerunfailures and pytest-timeout do, under the names of their plugins.
CONFTEST = """
import pytest
from _pytest.runner import runtestprotocol

class Reruns:
    def pytest_runtest_protocol(self, item, nextitem):
        for _ in range(1 + int(item.config.getini("reruns"))):
            print("RAN", item.name)
            if all(report.passed for report in runtestprotocol(item, nextitem=nextitem)):
                break
        return True

class Specifications:
    @pytest.hookspec(firstresult=True)
    def pytest_timeout_set_timer(self, item, settings):
        pass

class Timeout:
    @pytest.hookimpl(trylast=True)
    def pytest_timeout_set_timer(self, item, settings):
        print("LIMITED", item.name)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        if item.config.getini("timeout"):
            item.config.hook.pytest_timeout_set_timer(item=item, settings=None)
        return (yield)

def pytest_addoption(parser):
    parser.addini("reruns", "", default="0")
    parser.addini("timeout", "")

def pytest_configure(config):
    config.pluginmanager.add_hookspecs(Specifications)
    config.pluginmanager.register(Reruns(), "rerunfailures")
    config.pluginmanager.register(Timeout(), "timeout")
"""
FAILING = (
    "--autoeval-model=offline/negation-scope",
    "--autoeval-threshold=99%",
    "--autoeval-operators=2,3",
)


@pytest.fixture(autouse=True)
def _project(pytester: pytest.Pytester, suite: Suite) -> None:
    suite()
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_zzz="def test_other():\n    assert False\n")


def test_a_suite_is_not_run_again_and_has_no_limit(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeini("[pytest]\nreruns = 2\ntimeout = 60\n")
    result = run("-s", *FAILING)
    result.assert_outcomes(failed=1 + 3)
    text = said(result)
    assert text.count("RAN test_other") == 3
    assert text.count("LIMITED test_other") == 1
    assert "RAN test_round_trip" not in text
    assert "LIMITED test_round_trip" not in text
    assert "ran more than once" not in text
    assert (
        "note: suites are not run again by pytest-rerunfailures (--reruns); --autoeval-repeats asks"
        in text
    )
    assert (
        "note: suites have no limit of pytest-timeout's; --autoeval-timeout limits each call"
        in text
    )


def test_nothing_is_said_of_plugins_that_are_not_used(run: Run) -> None:
    text = said(run("-s", *FAILING))
    assert "pytest-rerunfailures" not in text
    assert "pytest-timeout" not in text


def test_the_variable_of_pytest_timeout_counts_too(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_TIMEOUT", "60")
    assert "suites have no limit of pytest-timeout's" in said(run(*FAILING))
