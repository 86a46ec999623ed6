"""The registry of a run: filled by the hook `pytest_autoeval_register`, and in force until the run is over."""

from __future__ import annotations

import pytest

from pytest_autoeval.errors import AutoevalError, did_you_mean
from pytest_autoeval.registry import Registry
from pytest_autoeval.running.options import OPTIONS
from pytest_autoeval.running.settings import settings_of

_REGISTRY: pytest.StashKey[Registry] = pytest.StashKey()


def register(config: pytest.Config) -> None:
    """Calls every `pytest_autoeval_register`, also of a `conftest.py` that is read only later."""
    registry = config.stash[_REGISTRY] = Registry(config.rootpath)
    registry.activate()
    try:
        config.hook.pytest_autoeval_register.call_historic(kwargs={"registry": registry})
    except AutoevalError as problem:
        raise pytest.UsageError(f"pytest_autoeval_register: {problem}") from None


def registry_of(config: pytest.Config) -> Registry:
    """The registry of the run."""
    return config.stash[_REGISTRY]


def forget_registry(config: pytest.Config) -> None:
    """Ends the registry: a later run in the same process starts with nothing added."""
    if _REGISTRY in config.stash:
        config.stash[_REGISTRY].deactivate()


def check_names(config: pytest.Config) -> None:
    """Refuses the name of an offline model or of an interface that does not exist, before anything runs."""
    _check_models(config)
    settings = settings_of(config)
    if not settings.interface:
        return
    from pytest_autoeval.tasks import task, task_names

    known = sorted({interface for name in task_names() for interface in task(name).interfaces})
    for interface in settings.interface:
        if interface not in known:
            hint = did_you_mean(interface, known)
            origin = settings.origin("interface")
            raise pytest.UsageError(
                f"{origin}: no task has an interface {interface!r}; known are: {', '.join(known)}.{hint}"
            )


def _check_models(config: pytest.Config) -> None:
    default = next(option.default for option in OPTIONS if option.name == "model")
    for name in settings_of(config).model:
        if name in registry_of(config).models or name in default:
            continue
        from pytest_autoeval.models import ConfigurationError
        from pytest_autoeval.models.names import is_embedder, is_offline
        from pytest_autoeval.models.offline.catalogue import check_model

        try:
            if is_offline(name) or is_embedder(name):
                check_model(name)
        except ConfigurationError as problem:
            raise pytest.UsageError(str(problem)) from None
