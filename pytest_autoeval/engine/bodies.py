"""Runs the body of a pass-rate test with one trial and returns how it ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from inspect import isawaitable
from typing import Any, cast

from msgspec import Struct

from pytest_autoeval.engine.asserting import NOTHING_ASKED, NOTHING_VERIFIED, AssertionScan
from pytest_autoeval.engine.crew import BodyLoop
from pytest_autoeval.errors import ArgumentError, AutoevalError, NoThreadError
from pytest_autoeval.generation.samples import Sample as Drawn
from pytest_autoeval.languages.base import FormulaSyntaxError, VerdictOutcome
from pytest_autoeval.models.protocols import ConfigurationError, LimitReachedError
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.prompts.template import PromptError
from pytest_autoeval.record.file import ResultsError
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.tasks.task import check_constraints
from pytest_autoeval.tasks.trial import MeaningLostError, Trial, UndecidedError, in_trial
from pytest_autoeval.tasks.wrappers import Wrapper, run_within

#: Errors after which no further sample of the run can succeed.
FATAL = (ConfigurationError, NoThreadError, PromptError, ResultsError)
#: Errors about an argument of a call in the body: they name the line of the call.
OF_THE_CALL = (ArgumentError, FormulaSyntaxError)
#: Errors after which no further sample of the suite is started.
ENDING = (*FATAL, LimitReachedError)


class NotVerifiedError(AutoevalError):
    """A sample ended without a check that could have failed. ``why`` its comparisons prove nothing, or empty.

    ``cause``: what is to be changed, if it is known.
    """

    def __init__(self, why: str, cause: str = "") -> None:
        super().__init__("; ".join(filter(None, [why, cause or NOTHING_VERIFIED])))


class SkippedSampleError(AutoevalError):
    """The body of a test skipped a sample. ``why`` is the reason that it gave."""

    def __init__(self, why: str) -> None:
        super().__init__(
            "a sample cannot be skipped: choose others with the arguments of the marker, or skip the whole test with "
            f"@pytest.mark.skipif (reason: {why or 'none'})"
        )


class Body(Struct, frozen=True, kw_only=True):
    """The function that runs once for each sample.

    ``test`` is its id in the results; ``scan`` says what it asserts; ``failures`` are the exceptions of a failed
    assertion, ``skips`` those of a skip. ``command`` gives the command that asks about a sample again. ``loop`` runs
    it if it is a coroutine function; None for a new loop. ``needs_verdict``: without a comparison that proves
    something, a sample is not verified. ``needs_answer``: nor is one without a call to the model and without a
    comparison. ``hidden``: which fixtures of ours it does not get, because the project has one of this name; empty if
    it gets all. ``unasked`` is the note on a suite that made no call.
    """

    call: Callable[[Trial], object]
    test: str
    scan: AssertionScan
    failures: tuple[type[BaseException], ...] = (AssertionError,)
    skips: tuple[type[BaseException], ...] = ()
    command: Callable[[Sample], str] = lambda _sample: ""
    loop: BodyLoop | None = None
    needs_verdict: bool = False
    needs_answer: bool = False
    hidden: str = ""
    unasked: str = "the test did not ask the model through pytest-autoeval's fixtures"


class TrialResult(Struct, frozen=True):
    """How one trial ended: the name of its outcome, and the exception of its body."""

    trial: Trial
    outcome: str
    raised: BaseException | None = None

    @property
    def sample(self) -> Drawn:
        """The subject of a suite's trial."""
        return cast("Drawn", self.trial.subject)


def run_body(body: Body, trial: Trial, wrappers: Sequence[Wrapper] = ()) -> TrialResult:
    """Runs one body to its end, within wrappers."""
    with in_trial(trial):
        try:
            if trial.constrained:
                check_constraints(trial)
            value = run_within(wrappers, trial, lambda: _value_of(body, trial))
        except BaseException as error:  # noqa: BLE001  (a body may raise anything; its suite reports it)
            return _raised(trial, error, body)
    mistake = _mistake_of_body(trial, value)
    if mistake:
        return TrialResult(trial, Outcome.ERROR, AutoevalError(mistake))
    # The body caught the exception of a comparison that failed. The sample must not pass for that.
    if trial.failure is not None:
        return _raised(trial, trial.failure, body)
    if body.needs_verdict and not trial.verified:
        return _not_verified(trial, trial.proves_nothing, body)
    # Such as a body that returns at once: every model would pass.
    if body.needs_answer and not trial.calls and not trial.verified:
        return _not_verified(trial, NOTHING_ASKED, body)
    return TrialResult(trial, trial.outcome or _outcome_of_pass(trial))


def _mistake_of_body(trial: Trial, value: object) -> str:
    """What is wrong with the code of a body that ended and returned a value; empty if nothing is."""
    # A body that returns its comparison instead of asserting it would always pass.
    if value is not None:
        return f"the test returned a value ({type(value).__name__}) instead of checking it: write assert"
    if trial.task is not None and not trial.performed:
        return f"the body never called perform(), so the task {trial.task.name} did not run"
    return ""


def _not_verified(trial: Trial, why: str, body: Body) -> TrialResult:
    return TrialResult(trial, Outcome.NOT_VERIFIED, NotVerifiedError(why, body.hidden))


def _outcome_of_pass(trial: Trial) -> Outcome:
    if trial.verdict is not None and trial.verdict.outcome == VerdictOutcome.EQUIVALENT:
        return Outcome.EQUIVALENT
    return Outcome.PASSED


def _raised(trial: Trial, error: BaseException, body: Body) -> TrialResult:
    """The result of a trial that an exception ended."""
    if isinstance(error, MeaningLostError):
        return TrialResult(trial, error.outcome, error)
    if isinstance(error, UndecidedError):
        return TrialResult(trial, error.outcome, error)
    if isinstance(error, body.skips):
        return TrialResult(trial, Outcome.ERROR, SkippedSampleError(text_of(error)))
    outcome = Outcome.ASSERTION_FAILED if isinstance(error, body.failures) else Outcome.ERROR
    return TrialResult(trial, outcome, error)


def _value_of(body: Body, trial: Trial) -> object:
    """What the body returns, when it has ended."""
    # A plain function may return an awaitable too, as a decorated coroutine function does.
    value = body.call(trial)
    if isawaitable(value):
        # Without a loop of the run, the body takes only our fixtures, which would hold up a shared loop.
        coroutine: Coroutine[Any, Any, object] = _awaited(value)
        return asyncio.run(coroutine) if body.loop is None else body.loop.run(coroutine)
    return value


async def _awaited(value: Any) -> object:
    return await value


def none_verified(results: Sequence[TrialResult]) -> bool:
    """Whether there are results, and nothing was verified in any of them."""
    return bool(results) and all(result.outcome == Outcome.NOT_VERIFIED for result in results)


def first_of(
    errors: tuple[type[Exception], ...], results: Iterable[TrialResult]
) -> BaseException | None:
    """The first error of the given types, or None."""
    return next((result.raised for result in results if isinstance(result.raised, errors)), None)


def plain_text(error: BaseException | None) -> str | None:
    """The text of an exception for a sample of the results."""
    if error is None:
        return None
    text = text_of(error)
    # The other lines of these two repeat what the sample has in fields of its own.
    if isinstance(error, MeaningLostError | UndecidedError):
        return text.partition("\n")[0]
    return f"{type(error).__name__}: {text}"


def text_of(error: BaseException) -> str:
    """The message of an exception. A user's class may raise an exception of its own here."""
    try:
        return str(error)
    except BaseException as problem:  # noqa: BLE001
        return f"(its text cannot be had: {type(problem).__name__})"
