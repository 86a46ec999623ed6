"""Wrappers: code that runs around the body of a test, once for each sample."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TypeAlias, TypeVar

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.models.protocols import ModelError
from pytest_autoeval.tasks.trial import Trial
from pytest_autoeval.users_code import place_of, typed_text

T = TypeVar("T")

#: A generator function with one ``yield``, at which the body runs; a body that fails raises its error there.
Wrapper: TypeAlias = Callable[[Trial], Generator[None, None, None]]


class WrapperError(AutoevalError):
    """A wrapper failed, which says nothing about the model."""


def run_within(wrappers: Sequence[Wrapper], trial: Trial, body: Callable[[], T]) -> T:
    """Runs a body within wrappers, the first one outermost. Its value and its error are those of the body.

    Raises :class:`ModelError` if a wrapper asks the model and gets no answer, :class:`WrapperError` if it fails
    otherwise.
    """
    if not wrappers:
        return body()
    outermost, *others = wrappers
    steps = _Steps(outermost, trial)
    steps.begin()
    try:
        value = run_within(others, trial, body)
    except BaseException as failure:
        steps.end(failure)
        raise
    steps.end(None)
    return value


class _Steps:
    """The two parts of a wrapper: before the body, and after it."""

    def __init__(self, wrapper: Wrapper, trial: Trial) -> None:
        self._name = getattr(wrapper, "__qualname__", repr(wrapper))
        self._generator = wrapper(trial)

    def begin(self) -> None:
        if not self._go_on(lambda: next(self._generator)):
            raise WrapperError(
                f"the wrapper {self._name} ended without a yield, at which the body runs"
            )

    def end(self, failure: BaseException | None) -> None:
        """Lets the wrapper go on after the body, which ended with this failure."""
        step = (
            (lambda: next(self._generator))
            if failure is None
            else (lambda: self._generator.throw(failure))
        )
        if self._go_on(step, failure):
            raise WrapperError(f"the wrapper {self._name} has more than one yield")

    def _go_on(self, step: Callable[[], None], failure: BaseException | None = None) -> bool:
        """Whether the wrapper comes to a yield; False if it ends, or raises the failure of the body again."""
        try:
            step()
        except StopIteration:
            return False
        except (ModelError, KeyboardInterrupt):
            raise
        except BaseException as problem:
            if problem is failure:
                return False
            raise WrapperError(
                f"the wrapper {self._name}: {typed_text(problem)}{place_of(problem)}"
            ) from problem
        return True
