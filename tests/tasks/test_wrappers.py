"""Wrappers: what runs around a body, in which order, and what happens when one fails."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest
from support.scripted import Scripted, sample

from pytest_autoeval.models.protocols import CallError
from pytest_autoeval.tasks.trial import MeaningLostError, Trial
from pytest_autoeval.tasks.wrappers import WrapperError, run_within

LOST = MeaningLostError("different", "it means something else")


def trial() -> Trial:
    return Trial(Scripted(), subject=sample("p1"))


def noting(seen: list[str], name: str) -> Any:
    def wrapper(_trial: Trial) -> Generator[None, None, None]:
        seen.append(f"{name} begins")
        yield
        seen.append(f"{name} ends")

    return wrapper


def test_wrappers_run_around_the_body_the_first_one_outermost() -> None:
    seen: list[str] = []

    def body() -> str:
        seen.append("body")
        return "value"

    assert run_within([noting(seen, "a"), noting(seen, "b")], trial(), body) == "value"
    assert seen == ["a begins", "b begins", "body", "b ends", "a ends"]


def failing_body() -> None:
    raise LOST


def test_a_wrapper_sees_the_error_of_the_body_and_cannot_hide_it() -> None:
    seen: list[BaseException] = []

    def hiding(_trial: Trial) -> Generator[None, None, None]:
        try:
            yield
        except MeaningLostError as lost:
            seen.append(lost)

    with pytest.raises(MeaningLostError) as caught:
        run_within([hiding], trial(), failing_body)
    assert caught.value is LOST
    assert seen == [LOST]


def test_what_follows_the_yield_is_left_out_if_the_body_fails() -> None:
    seen: list[str] = []
    with pytest.raises(MeaningLostError):
        run_within([noting(seen, "a")], trial(), failing_body)
    assert seen == ["a begins"]


def fails_before(_trial: Trial) -> Generator[None, None, None]:
    assert _trial is None
    yield


def fails_after(_trial: Trial) -> Generator[None, None, None]:
    yield
    raise LOST


def fails_with_the_body(_trial: Trial) -> Generator[None, None, None]:
    try:
        yield
    finally:
        raise ValueError("no number")


def yields_twice(_trial: Trial) -> Generator[None, None, None]:
    yield
    yield


def yields_never(_trial: Trial) -> Generator[None, None, None]:
    yield from ()


@pytest.mark.parametrize(
    ("wrapper", "said"),
    [
        (fails_before, r"the wrapper fails_before: AssertionError: .*\(test_wrappers.py:\d+\)$"),
        (
            fails_after,
            r"the wrapper fails_after: MeaningLostError: it means something else \(test_wrappers.py:\d+\)$",
        ),
        (fails_with_the_body, "the wrapper fails_with_the_body: ValueError: no number"),
        (yields_twice, "the wrapper yields_twice has more than one yield"),
        (yields_never, "the wrapper yields_never ended without a yield"),
    ],
)
def test_an_error_in_a_wrapper_names_it_and_is_no_failure_of_the_model(
    wrapper: Any, said: str
) -> None:
    with pytest.raises(WrapperError, match=said):
        run_within([wrapper], trial(), lambda: None)


def test_an_error_in_a_wrapper_counts_also_where_the_body_failed() -> None:
    with pytest.raises(WrapperError, match="ValueError: no number"):
        run_within([fails_with_the_body], trial(), failing_body)


def test_a_call_that_fails_in_a_wrapper_is_an_error_of_the_call() -> None:
    def asks(_trial: Trial) -> Generator[None, None, None]:
        yield
        raise CallError("no answer")

    with pytest.raises(CallError, match="no answer"):
        run_within([asks], trial(), lambda: None)
