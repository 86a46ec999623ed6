"""Runs the body of a pass-rate test once per trial, many at a time, and returns how each ended."""

from __future__ import annotations

import queue
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from unittest import SkipTest

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.models.base import ConfigurationError, LimitReachedError
from pytest_autoeval.prompts import PromptError
from pytest_autoeval.tasks.trial import MeaningLostError, Trial, UndecidedError, under_trial

#: Errors after which no further sample of the run can succeed.
FATAL = (ConfigurationError, LimitReachedError, PromptError)
#: A skip or an exit inside a body is an error of its sample, and must not become the suite's result.
_ONE_LINE = (AutoevalError, SkipTest, pytest.exit.Exception)
#: How many kinds of error are shown.
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class TrialResult:
    """How one trial ended: its outcome's name, and the exception of its body."""

    trial: Trial
    outcome: str
    raised: BaseException | None = None

    @property
    def sample(self) -> Sample:
        """What a suite's trial is about."""
        if not isinstance(self.trial.subject, Sample):
            raise TypeError("a suite's trial is about a sample")
        return self.trial.subject


def run_bodies(body: Callable[[Trial], object], trials: Sequence[Trial], threads: int) -> Iterator[TrialResult]:
    """Yields the results as they come. After a fatal error, and when the caller stops, no further body starts.

    The threads are daemons: on Ctrl-C calls in flight are left behind, not waited for.
    """
    todo: queue.SimpleQueue[Trial] = queue.SimpleQueue()
    for trial in trials:
        todo.put(trial)
    done: queue.SimpleQueue[TrialResult | None] = queue.SimpleQueue()
    stop = threading.Event()

    def work() -> None:
        try:
            while not stop.is_set():
                result = run_body(body, todo.get_nowait())
                if isinstance(result.raised, FATAL):
                    stop.set()
                done.put(result)
        except queue.Empty:
            pass
        finally:
            done.put(None)

    crew = min(threads, len(trials))
    for _ in range(crew):
        context = copy_context()
        threading.Thread(target=context.run, args=(work,), name="autoeval-body", daemon=True).start()
    try:
        while crew:
            result = done.get()
            if result is None:
                crew -= 1
            else:
                yield result
    finally:
        stop.set()


def run_body(body: Callable[[Trial], object], trial: Trial) -> TrialResult:
    """Runs one body to its end."""
    with under_trial(trial):
        try:
            value = body(trial)
        except MeaningLostError as lost:
            return TrialResult(trial, lost.outcome, lost)
        except UndecidedError as undecided:
            return TrialResult(trial, "undecided", undecided)
        except (AssertionError, pytest.fail.Exception) as failed:
            return TrialResult(trial, "assertion failed", failed)
        except BaseException as error:  # noqa: BLE001  (a body may raise anything; its suite reports it)
            return TrialResult(trial, "error", error)
    if value is not None:
        returned = f"the body returned a value ({type(value).__name__}); it is not checked: write assert"
        return TrialResult(trial, "error", AutoevalError(returned))
    asked = trial.verdict is not None and trial.verdict.outcome == "equivalent"
    return TrialResult(trial, trial.outcome or ("equivalent" if asked else "passed"))


def raise_errors(results: Sequence[TrialResult], in_full: Callable[[str], bool]) -> None:
    """Fails the item where trials ended in errors, with one message for each kind of error.

    A mistake of the body is raised as it is, with its traceback. ``in_full`` decides whether a message of several lines
    is shown whole: other items may have shown it. Nothing that is shown depends on the order of the results.
    """
    errors = [result for result in results if result.outcome == "error"]
    if not errors:
        return
    for result in sorted(errors, key=lambda one: (one.sample.text, one.trial.repeat)):
        if isinstance(result.raised, Exception) and not isinstance(result.raised, _ONE_LINE):
            raise result.raised
    kinds: dict[str, list[list[str]]] = defaultdict(list)
    for result in errors:
        text = str(result.raised) if isinstance(result.raised, AutoevalError) else plain_text(result.raised) or ""
        kinds[text].append(getattr(result.raised, "__notes__", []))
    lines = [f"{len(errors)} of {len(results)} samples ended in an error:"]
    for text, notes in sorted(kinds.items(), key=lambda kind: (-len(kind[1]), kind[0]))[:_SHOWN]:
        brief = f"{text.partition(chr(10))[0]} (shown in full with another item)"
        shown = "\n".join([text, *min(notes)]) if in_full(text) else brief
        lines.append(f"{len(notes)} × {shown}" if len(notes) > 1 else shown)
    pytest.fail("\n".join(lines), pytrace=False)


def first_fatal(results: Iterable[TrialResult]) -> BaseException | None:
    """The error that stops the run, where there was one."""
    return next((result.raised for result in results if isinstance(result.raised, FATAL)), None)


def plain_text(error: BaseException | None) -> str | None:
    """An exception as it stands in a row of the results."""
    if isinstance(error, MeaningLostError | UndecidedError):
        return str(error).partition("\n")[0]
    return None if error is None else f"{type(error).__name__}: {error}"
