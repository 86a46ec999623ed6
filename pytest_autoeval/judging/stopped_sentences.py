"""The sentences about a suite that was stopped early, and about samples that ended in errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.figure_sentences import given_rate, number, sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.stop_reasons import Stopped
from pytest_autoeval.statistics.look_levels import LOOKS

#: How the error of a sample begins that no recording answers: with the type of the exception.
NOT_RECORDED = "RecordingMissError"


def stopped_text(stopped: Stopped) -> Sentence:
    """How much of a suite ran: ``stopped early after 40 of 100 samples, which saved 120 calls``."""
    text = "stopped early after {ran} of {planned}" + (
        ", which saved {saved}" if stopped.saved else ""
    )
    planned = number(stopped.planned, "sample", name="planned")
    return sentence(text, ran=number(stopped.ran, name="ran"), planned=planned, saved=stopped.saved)


def look_text(look: int) -> Sentence:
    """At which planned look a suite was judged: ``at look 2 of 5``."""
    return sentence(
        "at look {look} of {looks}",
        look=number(look, name="look"),
        looks=number(LOOKS, name="looks"),
    )


def certainty_text(
    stopped: Stopped,
    verdict: Literal["passed", "failed", "inconclusive"],
    threshold: Sentence,
    measured: Sentence,
) -> Sentence:
    """What is certain of a threshold by the rule ``point``, before the other samples ran."""
    others = number(stopped.left, "other sample", name="left")
    if verdict == "inconclusive":
        text = "the {left} may change whether {threshold} is met; {measured}"
    else:
        met = "not met" if verdict == "failed" else "met"
        text = f"the {{left}} cannot change that {{threshold}} is {met}; {{measured}}"
    return sentence(text, left=others, threshold=threshold, measured=measured)


def sequential_text(
    stopped: Stopped,
    verdict: Literal["passed", "failed", "inconclusive"],
    threshold: Sentence,
    measured: Sentence,
) -> Sentence:
    """What the sequential test of an older release decided."""
    met = {
        "passed": "met",
        "failed": "not met",
        # Samples that were in flight when the test decided ended after it, and changed the rate.
        "inconclusive": "met before the last samples ended, but not with them",
    }[verdict]
    return sentence(
        f"{{threshold}} is {met} (sequential test, error rate {{alpha}}); {{measured}}",
        threshold=threshold,
        alpha=given_rate("error rate", stopped.alpha),
        measured=measured,
    )


def missing_answers(samples: Iterable[Sample]) -> Sentence | None:
    """What helps before more samples do: ``record the 27 missing answers``; None if every sample was answered."""
    errors = [sample for sample in samples if sample.kind == OutcomeKind.ERROR]
    if not errors:
        return None
    unrecorded = sum((sample.error or "").startswith(NOT_RECORDED) for sample in errors)
    if unrecorded:
        missing = number(unrecorded, "missing answer", name="missing answers")
        return sentence("record the {missing}", missing=missing)
    unanswered = number(len(errors), "sample", name="errors")
    return sentence("ask the {unanswered} again that ended in an error", unanswered=unanswered)


def what_decides(needed: Figure, samples: Iterable[Sample]) -> Sentence:
    """How many pairs a decision needs, and how to get them: with answers that are missing, and with more samples."""
    first = missing_answers(samples)
    if first is None:
        return sentence("a decision needs about {needed} (more samples)", needed=needed)
    text = "a decision needs about {needed}: first {missing_answers}, then run more samples"
    return sentence(text, needed=needed, missing_answers=first)


def errors_text(errors: int, unverified: int, samples: int) -> Sentence:
    """How many of some samples have no verdict: ``2 of 8 samples ended in an error``, ``6 … were not verified``."""
    total = number(samples, "sample")
    not_verified = number(unverified, name="not verified")
    other_errors = number(errors - unverified, name="errors")
    if not unverified:
        return sentence(
            "{errors} of {samples} ended in an error", errors=other_errors, samples=total
        )
    if unverified == errors:
        return sentence(
            "{unverified} of {samples} were not verified", unverified=not_verified, samples=total
        )
    text = "{errors} of {samples} ended in an error, and {unverified} were not verified"
    return sentence(text, errors=other_errors, samples=total, unverified=not_verified)
