"""The parts of a sample: the facts of its item as one part, and those that a task or a feature added."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

import msgspec

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.record.parts import PartError, Parts, check_part, encoding_problem
from pytest_autoeval.record.task_parts import GIVEN, Given
from pytest_autoeval.record.whole_types import whole_type
from pytest_autoeval.tasks.trial import Trial


def given_part(facts: Mapping[str, Any]) -> Given | None:
    """What the facts of an item say, those that only a data set of your own has in ``more``; None without any.

    Raises `AutoevalError` if a fact has another type than in all data sets, or cannot be written.
    """
    if not facts:
        return None
    if not encoding_problem(dict(facts)):
        with suppress(msgspec.ValidationError, PartError):
            return _converted(facts)
    # Only now one by one, which takes ten times as long: all wrong facts are named at once.
    problems = [f"{key}: {problem}" for key, value in facts.items() if (problem := _problem_of(key, value))]
    raise AutoevalError(f"a fact of the sample cannot be written: {'; '.join(problems)}")


def _converted(facts: Mapping[str, Any]) -> Given:
    """The part of facts that can be encoded; raises `ValidationError` or `PartError`."""
    known = {key: value for key, value in facts.items() if key in GIVEN}
    more = {key: value for key, value in facts.items() if key not in GIVEN}
    # A tuple or an enumeration stands for its plain values.
    given = msgspec.convert(msgspec.to_builtins({**known, "more": more}), whole_type(Given))
    return cast("Given", check_part(given))


def _problem_of(key: object, value: Any) -> str:
    """Why a fact cannot be written; empty if it can be."""
    if not isinstance(key, str):
        return "the name of a fact is a text"
    if problem := encoding_problem(value):
        return problem
    try:
        _converted({key: value})
    except msgspec.ValidationError as error:
        return str(error).replace(f" - at `$.{key}`", "").replace(f"`$.{key}", "`$")
    except PartError:
        return "the keys of a dict are texts"
    return ""


def parts_of(trial: Trial) -> tuple[Parts, list[str]]:
    """All parts of the sample of a trial, and what cannot be written and is left out.

    They are `Given`, from the facts of its item, and those that were added. A task that knows the right answer only
    itself adds a `Given` of its own, whose fields count.
    """
    facts: Mapping[str, Any] = getattr(trial.subject, "facts", {})
    problems = []
    try:
        given = given_part(facts)
    except AutoevalError as problem:
        problems.append(str(problem))
        given = given_part({key: value for key, value in facts.items() if not _problem_of(key, value)})
    own = trial.part(Given)
    if given is None:
        return trial.parts, problems
    if own is not None:
        given = _joined(given, own)
    others = [part for part in trial.parts.values() if not isinstance(part, Given)]
    return Parts([given, *others]), problems


def _joined(given: Given, own: Given) -> Given:
    """The facts of an item, with those that a task set itself."""
    unset = Given()
    names = [name for name in Given.__struct_fields__ if getattr(own, name) != getattr(unset, name)]
    changes = {name: getattr(own, name) for name in names}
    return msgspec.structs.replace(given, **{**changes, "more": {**given.more, **own.more}})
