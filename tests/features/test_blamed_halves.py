"""Which half of a failed round trip is blamed, and on what evidence."""

from __future__ import annotations

from typing import Any

import pytest
from support.result_rows import row, suites_of
from support.scripted import Scripted, sample

from pytest_autoeval.features.blame import Blame, blaming, blocks_of_blame
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.suite_judgement import judge_suite
from pytest_autoeval.models.protocols import LimitReachedError, RecordingMissError, Reply
from pytest_autoeval.record.figures import filled
from pytest_autoeval.report.blocks import Figures, Note
from pytest_autoeval.report.suite_summary import summarise
from pytest_autoeval.tasks.equivalence_check import assert_equivalent
from pytest_autoeval.tasks.round_trip import Llm, round_trip
from pytest_autoeval.tasks.trial import MeaningLostError, Trial, current_trial, in_trial
from pytest_autoeval.tasks.wrappers import run_within

DESCRIBED = "p1 holds and p2 does not."
FORMULA = "p1 ∧ ¬p2"


def there_and_back(trial: Trial) -> None:
    assert_equivalent(round_trip(trial.about), trial.about.formula)


def within_blame(trial: Trial, body: Any) -> None:
    run_within([blaming], trial, lambda: body(trial))


def blamed(*replies: Reply | str, body: Any = there_and_back) -> Trial:
    """The trial of a round trip that fails, its replies in order: description, reading, reading of the faithful one."""
    trial = Trial(Scripted(*replies), subject=sample(FORMULA))
    with in_trial(trial), pytest.raises(MeaningLostError):
        within_blame(trial, body)
    return trial


@pytest.mark.parametrize(
    "lost", ["p1 ∨ p2", "p1 ∧ p9", "I do not know.", "", Reply("p1", finish_reason="length")]
)
@pytest.mark.parametrize(
    ("answer", "half", "outcome"),
    [
        ("p1 ∧ ¬p2", "description", "equivalent"),
        ("p1 ∨ ¬p2", "reading", "different"),
        ("p1 ∧ ¬p9", "reading", "foreign symbol"),
        ("I do not know.", "reading", "unparseable"),
        ("", "reading", "refused or empty"),
        (Reply("p1", finish_reason="length"), "reading", "truncated"),
    ],
)
def test_a_model_that_reads_the_faithful_description_lost_the_meaning_in_its_own(
    lost: Reply | str, answer: Reply | str, half: str, outcome: str
) -> None:
    trial = blamed(DESCRIBED, lost, answer)
    found = trial.part(Blame)
    assert found is not None
    assert (found.half, found.outcome) == (half, outcome)
    assert found.answer == (answer if isinstance(answer, str) else answer.text)
    assert [call.stage for call in trial.calls] == ["informalize", "autoformalize", "blame"]


def test_the_question_is_a_fresh_conversation_about_the_faithful_description() -> None:
    trial = blamed(DESCRIBED, "p1 ∨ p2", "p1 ∧ ¬p2")
    assert isinstance(trial.model, Scripted)
    own, faithful = trial.model.asked[1], trial.model.asked[2]
    found = trial.part(Blame)
    assert found is not None
    description = found.description
    assert description == "p1 holds and p2 does not hold."
    assert [message.role for message in faithful] == [message.role for message in own]
    assert faithful[-1].content == own[-1].content.replace(DESCRIBED, description)


def test_a_model_that_describes_nothing_is_blamed_without_a_call() -> None:
    trial = blamed("I'm sorry, but I can't help with that.")
    found = trial.part(Blame)
    assert found == Blame(half="description")
    assert found is not None
    assert found.was_not_asked
    assert len(trial.calls) == 1


def test_a_round_trip_that_succeeds_is_not_asked_about() -> None:
    trial = Trial(Scripted(DESCRIBED, FORMULA), subject=sample(FORMULA))
    with in_trial(trial):
        within_blame(trial, there_and_back)
    assert trial.part(Blame) is None


def test_an_error_in_the_question_leaves_the_sample_its_outcome() -> None:
    class OneCallTooMany(Scripted):
        def complete(self, messages: Any, **more: Any) -> Reply:
            if len(self.asked) == 2:
                raise LimitReachedError("2 calls were made, which is the limit")
            return super().complete(messages, **more)

    trial = Trial(OneCallTooMany(DESCRIBED, "p1"), subject=sample(FORMULA))
    with in_trial(trial), pytest.raises(MeaningLostError) as lost:
        within_blame(trial, there_and_back)
    assert lost.value.outcome == "different"
    found = trial.part(Blame)
    assert found is not None
    assert (found.half, found.outcome) == ("undecided", "error")
    assert found.problem == "2 calls were made, which is the limit"


def test_a_body_that_makes_no_round_trip_is_not_asked_about() -> None:
    def asks(trial: Trial) -> None:
        _ = trial
        raise MeaningLostError("unparseable", Llm().ask("What is p1?"))

    trial = blamed("A proposition.", body=asks)
    assert trial.part(Blame) is None
    assert len(trial.calls) == 1


def test_the_question_is_put_as_the_trial_puts_its_own() -> None:
    seen: list[Trial] = []

    class Watching(Scripted):
        def complete(self, messages: Any, **more: Any) -> Reply:
            seen.append(current_trial())
            return super().complete(messages, **more)

    trial = Trial(
        Watching(DESCRIBED, "p1", FORMULA), subject=sample(FORMULA), repeat=3, verify_timeout=1.5
    )
    with in_trial(trial), pytest.raises(MeaningLostError):
        within_blame(trial, there_and_back)
    assert seen[2] is not trial
    assert (seen[2].repeat, seen[2].verify_timeout, seen[2].prompts) == (3, 1.5, trial.prompts)


def test_where_the_meaning_was_lost_is_counted() -> None:
    halves = ["description", "reading", "reading", "undecided"]
    rows = [
        row("different", formula=f"p{n}", blame={"half": half}) for n, half in enumerate(halves)
    ]
    (suite,) = suites_of([*rows, row("equivalent", blame=None)])
    (block,) = blocks_of_blame(summarise(suite, judge_suite(suite, Rules())))
    assert isinstance(block, Figures)
    assert {figure.name: figure.value for figure in block.figures} == {
        "in the description": 1,
        "of these not asked": 1,
        "in the reading": 2,
        "undecided": 1,
    }


def figures_of(*blames: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The figures of samples that failed with these blames, and the sentences below them."""
    rows = [row("different", formula=f"p{n}", blame=blame) for n, blame in enumerate(blames)]
    (suite,) = suites_of(rows)
    figures, *notes = blocks_of_blame(summarise(suite, judge_suite(suite, Rules())))
    assert isinstance(figures, Figures)
    sentences = [filled(note.text, note.values) for note in notes if isinstance(note, Note)]
    return {figure.name: figure.value for figure in figures.figures}, sentences


def test_descriptions_that_are_blamed_without_a_call_are_counted() -> None:
    asked = {"half": "description", "description": "p1 holds.", "outcome": "equivalent"}
    figures, _ = figures_of(asked, {"half": "description"}, {"half": "description"})
    assert figures == {"in the description": 3, "of these not asked": 2, "in the reading": 0}


def test_a_half_that_is_unknown_has_its_reason() -> None:
    class NothingRecorded(Scripted):
        def complete(self, messages: Any, **more: Any) -> Reply:
            if len(self.asked) == 2:
                raise RecordingMissError("maker/model: no recording of this request in here.")
            return super().complete(messages, **more)

    trial = Trial(NothingRecorded(DESCRIBED, "p1"), subject=sample(FORMULA))
    with in_trial(trial), pytest.raises(MeaningLostError):
        within_blame(trial, there_and_back)
    found = trial.part(Blame)
    assert found is not None
    assert found.problem is not None
    assert found.problem.startswith("the recording of the question for --autoeval-blame is missing")
    undecided = {"half": "undecided", "outcome": "error", "problem": found.problem}
    figures, notes = figures_of(undecided, undecided)
    assert figures["undecided"] == 2
    assert notes == [f"undecided in 2 samples: {found.problem}"]
