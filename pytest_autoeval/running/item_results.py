"""What an item shows of its suite: properties of JUnit XML, a counterexample, and the errors of its samples."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import pytest
from msgspec import structs

from pytest_autoeval.engine.bodies import OF_THE_CALL, TrialResult, plain_text, text_of
from pytest_autoeval.engine.events import SuiteJudged
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.gates import NO_MODEL
from pytest_autoeval.judging.stopped_sentences import errors_text
from pytest_autoeval.outcomes import Outcome, OutcomeKind, outcome_named
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.report.blocks import Note
from pytest_autoeval.report.counterexample import Counterexample, ranked
from pytest_autoeval.report.error_kinds import kinds_of
from pytest_autoeval.report.renderers.junit import properties
from pytest_autoeval.report.renderers.terminal import failure_lines
from pytest_autoeval.report.sections.counterexamples import (
    counterexample,
    explains_notation,
    without_notation,
)
from pytest_autoeval.report.sections.suite_details import suite_section
from pytest_autoeval.report.suite_summary import summarise
from pytest_autoeval.users_code import place_of

#: An exit inside a body is an error of its sample, and must not become the suite's result.
_ONE_LINE = (AutoevalError, pytest.exit.Exception)
#: Whether a failure of this process has explained how a trace is written.
_NOTATION_EXPLAINED: pytest.StashKey[bool] = pytest.StashKey()
#: How many kinds of error are shown.
_SHOWN = 5


def properties_of(judged: SuiteJudged, *, with_curve: bool) -> list[tuple[str, str]]:
    """What JUnit XML says of the suite. The curve is fitted only ``with_curve``: it needs more modules."""
    summary = summarise(judged.suite, judged.judgement)
    section = suite_section(
        summary, ranked(judged.counterexamples, summary.outcomes), whole=with_curve
    )
    # The document says it once, of the run. These properties are of one suite alone.
    if judged.judgement.gate.default_model:
        section = structs.replace(section, blocks=(*section.blocks, Note(NO_MODEL, tone="warning")))
    return properties(section)


def example_lines(
    config: pytest.Config, suite: SuiteRecord, examples: Sequence[Counterexample]
) -> Iterator[str]:
    """The smallest example of the most frequent kind of failure, whole; and how many samples failed in other ways."""
    outcomes = Counter(sample.outcome for sample in suite.counted)
    kinds = ranked(examples, outcomes)
    if not kinds:
        return
    block = counterexample(*kinds[0])
    if explains_notation(block):
        # One line about it is enough for all failures of a run.
        if config.stash.get(_NOTATION_EXPLAINED, False):
            block = without_notation(block)
        config.stash[_NOTATION_EXPLAINED] = True
    others = {example.sample.outcome: samples for example, samples in kinds[1:]}
    width = config.get_terminal_writer().fullwidth
    lines = failure_lines(block, others, width=width, verbosity=config.get_verbosity())
    yield from (line.text for line in lines)


def raise_errors(results: Sequence[TrialResult]) -> None:
    """Fails the item if trials ended in errors, with one message and the number for each kind of error.

    A mistake in the body is raised as it is, with its traceback. The message does not depend on the order of the
    results.
    """
    errors = [
        result for result in results if outcome_named(result.outcome).kind == OutcomeKind.ERROR
    ]
    if not errors:
        return
    for result in sorted(errors, key=lambda result: (result.sample.text, result.trial.repeat)):
        if isinstance(result.raised, Exception) and not isinstance(result.raised, _ONE_LINE):
            raise result.raised
    noted: dict[str, list[list[str]]] = defaultdict(list)
    for result in errors:
        # An error of ours is a sentence. Of others the type is a part of what they say.
        text = (
            text_of(result.raised)
            if isinstance(result.raised, AutoevalError)
            else plain_text(result.raised) or ""
        )
        if isinstance(result.raised, OF_THE_CALL):
            text += place_of(result.raised)
        noted[text].append(getattr(result.raised, "__notes__", []))
    unverified = sum(result.outcome == Outcome.NOT_VERIFIED for result in errors)
    lines = [f"{errors_text(len(errors), unverified, len(results))}:"]
    # Once for each sample, since `kinds_of` counts them.
    kinds = kinds_of(text for text, notes in noted.items() for _ in notes)
    for text, number in list(kinds.items())[:_SHOWN]:
        # The smallest of their notes, because samples end in any order.
        text_with_notes = "\n".join([text, *min(noted[text])])
        lines.append(f"{number} × {text_with_notes}" if number > 1 else text_with_notes)
    pytest.fail("\n".join(lines), pytrace=False)
