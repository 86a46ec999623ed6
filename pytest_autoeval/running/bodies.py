"""Runs the body of a pass-rate test once per sample, many at a time, and says how each ended."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_autoeval.models.base import ConfigurationError, LimitReachedError, ModelError
from pytest_autoeval.prompts import PromptError
from pytest_autoeval.tasks.failures import MeaningLostError, UndecidedError, UnsuitableSampleError
from pytest_autoeval.tasks.trial import Trial, under_trial

#: Errors after which no further sample of the run can succeed.
FATAL = (ConfigurationError, LimitReachedError, PromptError)
_FAILED = (AssertionError, pytest.fail.Exception)


@dataclass(frozen=True, slots=True)
class Ending:
    """How one body ended: the trial, the outcome's name, and what was raised."""

    trial: Trial
    outcome: str
    raised: BaseException | None = None

    @property
    def fault_of_the_test(self) -> bool:
        """Whether the body itself broke: neither the model's failure nor the network's, nor told in a line."""
        told = ModelError | PromptError | UnsuitableSampleError
        return self.outcome == "error" and not isinstance(self.raised, told)


def run_bodies(body: Callable[[Trial], object], trials: Iterable[Trial], threads: int) -> Iterator[Ending]:
    """Yields the endings as they come. After a fatal error, and when the caller stops, no further body is begun.

    The threads are daemons: on Ctrl-C calls in flight are left behind, not waited for.
    """
    waiting = list(trials)
    todo: queue.SimpleQueue[Trial] = queue.SimpleQueue()
    for trial in waiting:
        todo.put(trial)
    done: queue.SimpleQueue[Ending | None] = queue.SimpleQueue()
    stop = threading.Event()

    def work() -> None:
        try:
            while not stop.is_set():
                ending = run_body(body, todo.get_nowait())
                if isinstance(ending.raised, FATAL):
                    stop.set()
                done.put(ending)
        except queue.Empty:
            pass
        finally:
            done.put(None)

    crew = min(threads, len(waiting))
    for _ in range(crew):
        context = copy_context()
        threading.Thread(target=context.run, args=(work,), name="autoeval-body", daemon=True).start()
    try:
        while crew:
            ending = done.get()
            if ending is None:
                crew -= 1
            else:
                yield ending
    finally:
        stop.set()


def run_body(body: Callable[[Trial], object], trial: Trial) -> Ending:
    """Runs one body to its end."""
    with under_trial(trial):
        try:
            body(trial)
        except MeaningLostError as lost:
            return Ending(trial, lost.outcome, lost)
        except UndecidedError as undecided:
            return Ending(trial, "undecided", undecided)
        except _FAILED as failed:
            return Ending(trial, "assertion failed", failed)
        except BaseException as error:  # noqa: BLE001  (a body may raise anything; it is reported with its item)
            return Ending(trial, "error", error)
    asked = trial.verdict is not None and trial.verdict.outcome == "equivalent"
    return Ending(trial, trial.outcome or ("equivalent" if asked else "passed"))


def raise_errors(endings: Sequence[Ending], in_full: Callable[[str], bool]) -> None:
    """Fails the item where bodies ended in errors: one message for each kind, not one for each sample.

    ``in_full`` tells whether a message of several lines is to be shown whole: other items may have shown it.
    """
    errors = [ending for ending in endings if ending.outcome == "error"]
    if not errors:
        return
    for ending in errors:
        if ending.fault_of_the_test and ending.raised is not None:
            raise ending.raised
    kinds: dict[str, list[list[str]]] = {}
    for ending in errors:
        kinds.setdefault(str(ending.raised), []).append(getattr(ending.raised, "__notes__", []))
    lines = []
    for text, notes in list(kinds.items())[:_SHOWN]:
        # One error's notes stand for all; which one does not depend on the order in which they came.
        shown = "\n".join([text, *min(notes)]) if in_full(text) else _briefly(text)
        lines.append(f"{len(notes)} × {shown}" if len(notes) > 1 else shown)
    pytest.fail(f"{len(errors)} of {len(endings)} samples ended in an error:\n" + "\n".join(lines), pytrace=False)


_SHOWN = 5


def _briefly(text: str) -> str:
    return f"{text.partition(chr(10))[0]} (shown in full with another item)"


def first_fatal(endings: Iterable[Ending]) -> BaseException | None:
    """The error that stops the run, where there was one."""
    return next((ending.raised for ending in endings if isinstance(ending.raised, FATAL)), None)


def plain_text(error: BaseException | None) -> str | None:
    """An error in a row of the results: its kind and message."""
    if error is None or isinstance(error, MeaningLostError | UndecidedError):
        return None if error is None else str(error).partition("\n")[0]
    return f"{type(error).__name__}: {error}"


def arguments_of(item: pytest.Function) -> dict[str, Any]:
    """The fixtures' values that the body takes."""
    return {name: item.funcargs[name] for name in item._fixtureinfo.argnames}  # noqa: SLF001  (as pytest's own call does)
