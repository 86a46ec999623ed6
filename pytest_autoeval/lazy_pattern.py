"""Regular expressions that are compiled when they are used first."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` returns, without its time at import.

    Compiling takes up to 3 ms, and most runs use few of the patterns of the modules that they import. The functions of
    `re` do not take the result in place of a pattern; its own methods do the same.
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(text, flags))


class _LazyPattern:
    """Stands for a pattern, and compiles it when an attribute is read first."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._arguments = text, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self.__dict__["_arguments"]), name)
        # From now on it is an attribute of this object, as fast as that of a pattern.
        setattr(self, name, value)
        return value
