"""Regular expressions that are compiled when they are used first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, AnyStr, Generic


class LazyPattern(Generic[AnyStr]):
    """Stands for the result of `re.compile`, and compiles it when an attribute is read first.

    Compiling takes up to 3 ms, and most runs use few of the patterns of the modules that they import. The functions of
    `re` do not take it in place of a pattern; its own methods do the same. The member ``re`` of a match is the compiled
    pattern, and not this object.
    """

    pattern: AnyStr
    flags: int
    search: Callable[..., re.Match[AnyStr] | None]
    match: Callable[..., re.Match[AnyStr] | None]
    fullmatch: Callable[..., re.Match[AnyStr] | None]
    finditer: Callable[..., Iterator[re.Match[AnyStr]]]
    findall: Callable[..., list[Any]]
    split: Callable[..., list[Any]]
    sub: Callable[..., AnyStr]
    subn: Callable[..., tuple[AnyStr, int]]

    def __init__(self, text: AnyStr, flags: int) -> None:
        self._arguments: tuple[AnyStr, int] = text, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self.__dict__["_arguments"]), name)
        # From now on it is an attribute of this object, as fast as that of a pattern.
        setattr(self, name, value)
        return value


def lazy_pattern(text: AnyStr, flags: int = 0) -> LazyPattern[AnyStr]:
    """As `re.compile`, without its time at import."""
    return LazyPattern(text, flags)
