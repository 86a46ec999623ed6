"""The facts of an item as a part of the record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.record.parts import PartError, check_part, encoding_problem
from pytest_autoeval.record.task_parts import GIVEN, Given


def given_part(facts: Mapping[str, Any]) -> Given | None:
    """What the facts of an item say, those that only a data set of your own has in ``more``; None without any.

    Raises `AutoevalError` if a fact has another type than in all data sets, or cannot be written.
    """
    if not facts:
        return None
    for key, value in facts.items():
        if problem := encoding_problem({key: value}):
            raise AutoevalError(f"the fact {key!r} of the sample cannot be written: {problem}")
    known = {key: value for key, value in facts.items() if key in GIVEN}
    more = {key: value for key, value in facts.items() if key not in GIVEN}
    try:
        # A tuple or an enumeration stands for its plain values.
        given = msgspec.convert(msgspec.to_builtins({**known, "more": more}), Given)
        return cast("Given", check_part(given))
    except (msgspec.ValidationError, PartError) as problem:
        text = str(problem).replace("`$.", "`facts.")
        raise AutoevalError(f"a fact of the sample cannot be written: {text}") from None
