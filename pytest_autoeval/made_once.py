"""A property that many threads may ask for at once."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class made_once(Generic[T]):  # noqa: N801 - used as a decorator
    """A property that is computed once for each object, whichever thread asks first; the others wait.

    `functools.cached_property` did so too until Python 3.11. Since then, each thread that asks before the first one has
    the value computes a value of its own.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._lock = RLock()
        self.__doc__ = compute.__doc__

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> Self | T:
        if instance is None:
            return self
        with self._lock:
            values = instance.__dict__
            if self._name not in values:
                values[self._name] = self._compute(instance)
            value: T = values[self._name]
            return value
