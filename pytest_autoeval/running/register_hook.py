"""The hook `pytest_autoeval_register` of a `conftest.py`: it is called, and mistakes in it become usage errors.

Only the standard library and pytest are imported here, since every pytest run loads this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from traceback import walk_tb
from typing import Any, NoReturn

import pytest
from pluggy import PluginValidationError

from pytest_autoeval.errors import AutoevalError, did_you_mean, near_names
from pytest_autoeval.registry import Registry
from pytest_autoeval.running.run_state import REGISTRY, refusals
from pytest_autoeval.users_code import last_line, typed_text

_HOOK = "pytest_autoeval_register"
#: How the names of our hooks begin. No other plugin has such hooks.
_OURS = "pytest_autoeval"


def register(config: pytest.Config) -> None:
    """Calls the hook of every `conftest.py`, also of one that is loaded later. A mistake is a usage error."""
    registry = config.stash[REGISTRY] = Registry(config.rootpath)
    until_the_end = ExitStack()
    until_the_end.enter_context(registry.active())
    config.add_cleanup(until_the_end.close)
    try:
        config.hook.pytest_autoeval_register.call_historic(kwargs={"registry": registry})
    # The user ends the run on purpose.
    except pytest.exit.Exception:
        raise
    except Exception as error:  # noqa: BLE001  (the user's code may raise anything)
        refuse(config, error)


def refuse(config: pytest.Config, error: BaseException) -> NoReturn:
    """Raises :class:`pytest.UsageError` with the file and line of a mistake that was raised inside the hook."""
    line = last_line(error)
    position = "" if line is None else f"{line.filename}:{line.lineno}: "
    with refusals(config, _HOOK):
        raise AutoevalError(f"{position}{_mistake(error)}")


def _mistake(error: BaseException) -> str:
    if isinstance(error, AutoevalError | pytest.UsageError):
        return str(error)
    hint = ""
    if isinstance(error, AttributeError) and isinstance(error.obj, Registry):
        methods = [name for name in dir(Registry) if name.startswith("add_")]
        hint = f".{did_you_mean(error.name or '', methods)}"
    return f"{typed_text(error)}{hint}"


def refuse_late_mistakes(config: pytest.Config, error: BaseException) -> None:
    """Raises :class:`pytest.UsageError` for a mistake in a `conftest.py` that was loaded while tests are collected."""
    if isinstance(error, PluginValidationError):
        refuse_misnaming(config, error)
    # A `conftest.py` may skip its folder or end the run, which is no mistake.
    is_outcome = isinstance(error, pytest.exit.Exception | pytest.skip.Exception)
    if not is_outcome and any(
        frame.f_code.co_name == _HOOK for frame, _ in walk_tb(error.__traceback__)
    ):
        refuse(config, error)


def refuse_misnaming(config: pytest.Config, problem: PluginValidationError) -> None:
    """Raises :class:`pytest.UsageError` for a wrong name or argument of our hook. pluggy would show a traceback."""
    # pluggy names the hook in its text alone.
    for name in dir(problem.plugin):
        if f"unknown hook {name!r}" in str(problem) and (
            name.startswith(_OURS) or near_names(name, [_HOOK])
        ):
            mistake = f"there is no hook {name}. Did you mean def {_HOOK}(registry)?"
            _refuse_function(config, getattr(problem.plugin, name), mistake)
    hook: Any = getattr(problem.plugin, _HOOK, None)
    code = getattr(hook, "__code__", None)
    if f"'{_HOOK}'" in str(problem) and code is not None:
        wrong = [name for name in code.co_varnames[: code.co_argcount] if name != "registry"]
        if wrong:
            mistake = (
                f"the hook {_HOOK} has no argument {', '.join(wrong)}; write def {_HOOK}(registry)"
            )
            _refuse_function(config, hook, mistake)


def _refuse_function(config: pytest.Config, function: Any, mistake: str) -> NoReturn:
    code = getattr(function, "__code__", None)
    position = "" if code is None else f"{code.co_filename}:{code.co_firstlineno}: "
    with refusals(config):
        raise AutoevalError(f"{position}{mistake}")


@contextmanager
def misnamed_hook(config: pytest.Config) -> Iterator[None]:
    """Inside this ``with`` a wrong name or argument of our hook in a `conftest.py` becomes a usage error."""
    try:
        yield
    except PluginValidationError as problem:
        refuse_misnaming(config, problem)
        raise
