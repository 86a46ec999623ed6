"""Decides whether the bodies of a suite may run before its item is set up, and with which arguments.

The server must not be idle between two suites. So the next suite's samples start while the last samples of this suite
finish, if nobody can see the difference.
"""

from __future__ import annotations

from typing import Any

import pytest

from pytest_autoeval.running import fixtures as ours
from pytest_autoeval.running.run_state import NEXT
from pytest_autoeval.running.suite_collection import definitions_of, suite_of, taken_by

#: Options with which a test may be the last one: no calls are spent on the next test.
_MAY_STOP = ("maxfail", "stepwise", "usepdb", "setuponly", "setupshow")
#: The set-up fixtures of classes, modules and packages, each with the node at which it ends.
LIVE: pytest.StashKey[dict[Any, pytest.Item | pytest.Collector]] = pytest.StashKey()
#: Marks that change nothing while a test runs.
_PLAIN_MARKS = {"autoeval", "parametrize"}
#: Hooks that prepare what a test runs in. (A suite's item never calls `pytest_pyfunc_call`.)
_PREPARING = (
    "pytest_runtest_protocol",
    "pytest_runtest_setup",
    "pytest_runtest_call",
    "pytest_runtest_teardown",
    "pytest_fixture_setup",
    "pytest_fixture_post_finalizer",
)
#: Plugins that may implement them. The last three act only on their own tests and fixtures: Hypothesis on property
#: tests, which no suite is, the others on asynchronous fixtures, which are set up before a value is known.
_KNOWN_PLUGINS = {
    "_pytest",
    "pytest_autoeval",
    "xdist",
    "_hypothesis_pytestplugin",
    "anyio",
    "pytest_asyncio",
}


def next_suite(item: pytest.Function) -> tuple[pytest.Function, dict[str, Any]] | None:
    """The suite item that runs next, and the arguments of its body if they are known.

    They are known if both items take only our fixtures, which hold no state, their own parameters, and session-scoped
    fixtures that are set up; if no other fixture ends between the two; and if no mark, plugin or `conftest.py` can
    change what either of them runs in. Otherwise None, and with options such as ``-x``.
    """
    following = item.stash.get(NEXT, None)
    if not isinstance(following, pytest.Function) or suite_of(following) is None:
        return None
    if any(getattr(item.config.option, name, None) for name in _MAY_STOP):
        return None
    nodes_that_stay = following.listchain()
    ends_of_fixtures = item.config.stash.get(LIVE, {}).values()
    # A fixture of a class, module or package ends between the two.
    if any(node not in nodes_that_stay for node in ends_of_fixtures):
        return None
    if not (_is_plain(item) and _is_plain(following)) or _known_values(item) is None:
        return None
    values = _known_values(following)
    taken = taken_by(following)
    # `request` is another object for each item, and is made in its set-up.
    if values is None or "request" in taken:
        return None
    return following, {name: values[name] for name in taken}


def _is_plain(item: pytest.Item) -> bool:
    """Whether nothing besides pytest itself prepares an item, skips it or cleans up after it."""
    if any(mark.name not in _PLAIN_MARKS for mark in item.iter_markers()):
        return False
    # Also those of `conftest.py`, which pytest gives only for the folder of an item.
    hooks = [hook for name in _PREPARING for hook in getattr(item.ihook, name).get_hookimpls()]
    return all(hook.function.__module__.partition(".")[0] in _KNOWN_PLUGINS for hook in hooks)


def _known_values(item: pytest.Function) -> dict[str, Any] | None:
    """The values of all fixtures and parameters that an item needs, directly or not.

    None if its set-up would make one of them.
    """
    values: dict[str, Any] = {}
    params = item.callspec.params if hasattr(item, "callspec") else {}
    for name in item.fixturenames:
        if name == "request":  # only a way to the others
            continue
        definitions = definitions_of(item, name)
        if not definitions:
            return None
        # The last definition overrides the others.
        definition = definitions[-1]
        module = definition.func.__module__
        # None before the set-up; then the value, the key of the cache, and the exception of the set-up or None.
        cached = definition.cached_result
        # With `indirect`, a fixture of the user's makes the value of a parameter, which is not known yet.
        if name in params and module == "_pytest.python":
            values[name] = params[name]
        elif name not in params and module == ours.__name__:
            # Each body has its own sample.
            values[name] = None if name == "sample" else definition.func()
        elif name not in params and definition.scope == "session" and cached and cached[2] is None:
            values[name] = cached[0]
        else:
            return None
    return values
