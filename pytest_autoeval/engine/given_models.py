"""Models that a program gives as objects, under names of their own."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from inspect import signature
from types import SimpleNamespace
from typing import Any, cast

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.models.protocols import Model
from pytest_autoeval.registry import Registry
from pytest_autoeval.users_code import takes_repeat


def with_own_models(models: Any, registry: Registry) -> tuple[tuple[str, ...], Registry]:
    """The names of the given models, and a registry that has those that are objects or classes.

    The given registry stays as it is, since its owner may use it for another run. Raises :class:`AutoevalError` for
    what is neither a name nor a model.
    """
    try:
        listed = [models] if _is_single(models) else list(models)
    except TypeError:
        raise AutoevalError(_refusal(models)) from None
    extended = copy(registry)
    extended.models = dict(registry.models)
    taken = {*registry.models, *(model for model in listed if isinstance(model, str))}
    names = []
    for model in listed:
        name = model
        if not isinstance(model, str):
            make = _maker_of(model)
            name = _free_name(model, taken)
            taken.add(name)
            extended.add_model(name, make)
        names.append(name)
    return tuple(names), extended


def _maker_of(model: Any) -> Callable[[], Model]:
    """What makes a model for a run: the given class, or a function that gives the given object.

    Raises :class:`AutoevalError` for what is no model.
    """
    if not callable(getattr(model, "complete", None)):
        raise AutoevalError(_refusal(model))
    if not takes_repeat(model.complete):
        kind = model if isinstance(model, type) else type(model)
        raise AutoevalError(
            f"models: {kind.__name__}.complete has no parameter 'repeat'; write complete(messages, *, repeat=0)"
        )
    if not isinstance(model, type):
        # Without its method `close`: the caller made the object, and may use it again.
        without_close = cast("Model", SimpleNamespace(complete=model.complete))
        return partial(_same, without_close)
    try:
        signature(model).bind()
    except TypeError as problem:
        raise AutoevalError(
            f"models: {model.__name__} cannot be made without arguments ({problem}); "
            f"give an object: {model.__name__}(…)"
        ) from None
    return model


def _same(model: Model) -> Model:
    return model


def _is_single(models: Any) -> bool:
    """Whether a single name or model stands without a list around it."""
    return isinstance(models, str) or hasattr(models, "complete")


def _free_name(model: Any, taken: set[str]) -> str:
    """The name of a model: its attribute, or that of its class; with a number if another model has it."""
    given = getattr(model, "name", None)
    kind = model if isinstance(model, type) else type(model)
    has_name = isinstance(given, str) and given.strip()
    base = str(given) if has_name else kind.__name__
    name = base
    number = 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    return name


def _refusal(model: Any) -> str:
    return (
        f"models: {model!r:.60} is no model; give names, such as 'offline/faithful', or objects with a method "
        "complete(messages, *, repeat=0)"
    )
