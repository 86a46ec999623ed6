"""Whether the bodies of a suite may run before its item is set up, and with which arguments.

The server must not be idle between two suites. So the next suite's samples start while the last ones of this suite
finish, where nobody can see the difference.
"""

from __future__ import annotations

from typing import Any

import pytest

from pytest_autoeval.running import fixtures as ours
from pytest_autoeval.running.shared import NEXT
from pytest_autoeval.running.suites import suite_of

#: Options with which a test may be the last one: nothing is spent on the next.
_MAY_STOP = ("maxfail", "stepwise", "usepdb", "setuponly", "setupshow")
#: Marks whose outcome is known only when the item is set up.
_DECIDED_LATER = ("skip", "skipif", "xfail")


class _UnknownValueError(Exception):
    """A fixture has no value before the item is set up."""


def next_suite(item: pytest.Function) -> tuple[pytest.Function, dict[str, Any]] | None:
    """The suite's item that runs after an item, and the arguments of its body, where they are known already.

    That is so where both items take no fixtures but ours, which hold no state, their own parameters, and session-scoped
    ones that are made; where no other fixture ends between the two; and where nobody else has a say in the set-up. None
    where that is not so, and with options such as ``-x``.
    """
    following = item.stash.get(NEXT, None)
    if following is None or suite_of(following) is None or not isinstance(following, pytest.Function):
        return None
    if any(getattr(item.config.option, name, None) for name in _MAY_STOP):
        return None
    if any(following.get_closest_marker(name) for name in _DECIDED_LATER):
        return None
    if _ends_between(item, following) or _others_set_up(following):
        return None
    try:
        for name in _fixtures(item):
            _value(item, name)
        known = {name: _value(following, name) for name in _fixtures(following)}
    except _UnknownValueError:
        return None
    taken = following._fixtureinfo.argnames  # noqa: SLF001
    return None if "request" in taken else (following, {name: known[name] for name in taken})


def _ends_between(item: pytest.Item, following: pytest.Item) -> bool:
    """Whether a fixture of a class, module or package ends after the one item and before the other."""
    stay = following.listchain()
    # Each node that is set up has a finalizer of its own; fixtures add theirs.
    set_up = item.session._setupstate.stack  # noqa: SLF001
    return any(len(finalizers) > 1 for node, (finalizers, _) in set_up.items() if node not in (item, *stay))


def _others_set_up(item: pytest.Item) -> bool:
    """Whether a plugin or a `conftest.py` takes part in setting an item up: it may skip it."""
    plugins = [hook.plugin for hook in item.ihook.pytest_runtest_setup.get_hookimpls()]
    names = [getattr(plugin, "__name__", type(plugin).__module__) for plugin in plugins]
    return any(name.partition(".")[0] not in {"_pytest", "pytest_autoeval", "xdist"} for name in names)


def _fixtures(item: pytest.Function) -> list[str]:
    """All fixtures and parameters that an item takes, also through others; `request` is only a way to them."""
    return [name for name in item.fixturenames if name != "request"]


def _value(item: pytest.Function, name: str) -> Any:
    """The value that a fixture or parameter will have; raises :class:`_UnknownValueError`."""
    definitions = item._fixtureinfo.name2fixturedefs.get(name)  # noqa: SLF001
    if not definitions:
        raise _UnknownValueError
    definition = definitions[-1]
    params = item.callspec.params if hasattr(item, "callspec") else {}
    if name in params:
        # An indirect parameter goes through a fixture of the user's.
        if definition.func.__module__ == "_pytest.python":
            return params[name]
    elif definition.func.__module__ == ours.__name__:
        return None if name == "sample" else definition.func()  # each body has its own sample
    elif definition.scope == "session" and definition.cached_result and definition.cached_result[2] is None:
        return definition.cached_result[0]
    raise _UnknownValueError
