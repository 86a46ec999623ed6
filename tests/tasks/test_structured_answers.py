"""Answers by schema if the server accepts one, else in plain text; replayed in the same way."""

from __future__ import annotations

import pytest
from support.scripted import Placing, Scripted, part_of, performed, performed_by
from support.task_items import choice_item, item

from pytest_autoeval import prompts
from pytest_autoeval.models.protocols import (
    CallError,
    ModelError,
    RecordingMissError,
    StructuredOutputsUnsupportedError,
)
from pytest_autoeval.outcomes import Prompting
from pytest_autoeval.record.task_parts import Answered, First
from pytest_autoeval.tasks.round_trip import Llm
from pytest_autoeval.tasks.task import Prompt, complete
from pytest_autoeval.tasks.trial import Trial, in_trial

TASK = "most_similar_formulas"
UNSUPPORTED = StructuredOutputsUnsupportedError("scripted takes no schema")
MISS = RecordingMissError("nothing is recorded")
STRUCTURED = '{"reasoning": "It is so.", "answer": 3}'


def asked(model: Scripted) -> list[tuple[bool, bool]]:
    """Of each question, whether it came with a schema, and whether its words ask for JSON."""
    return [
        (schema is not None, "object of JSON" in messages[0].content)
        for schema, messages in zip(model.schemas, model.asked, strict=True)
    ]


@pytest.mark.parametrize(
    ("interface", "answer"), [("structured", STRUCTURED), ("text", "Answer: 3")]
)
def test_the_interface_structured_is_the_default_and_asks_by_schema(
    interface: str, answer: str
) -> None:
    model = Scripted(answer)
    is_structured = interface == "structured"
    trial = performed_by(model, TASK, choice_item(), interface="" if is_structured else interface)
    assert asked(model) == [(is_structured, is_structured)]
    assert trial.outcome == "correct"
    assert part_of(trial, Answered).structured is is_structured


def test_where_no_schema_is_taken_the_same_trial_is_asked_in_words() -> None:
    model = Scripted(UNSUPPORTED, "Answer: 3")
    trial = performed_by(model, TASK, choice_item())
    assert asked(model) == [(True, True), (False, False)]
    assert (trial.outcome, part_of(trial, Answered).structured) == ("correct", False)
    assert [call.stage for call in trial.calls] == [TASK]


def test_self_refinement_keeps_to_the_schema() -> None:
    model = Scripted('{"reasoning": "So.", "answer": 1}', STRUCTURED)
    trial = performed_by(model, TASK, choice_item(), prompting=Prompting.SELF_REFINE)
    assert [schema is not None for schema in model.schemas] == [True, True]
    assert (trial.outcome, part_of(trial, First).outcome) == ("correct", "wrong answer")
    assert part_of(trial, Answered).structured is True


@pytest.mark.parametrize(
    "replies",
    [(UNSUPPORTED, "Answer: 1", "Answer: 3"), (STRUCTURED, UNSUPPORTED, "Answer: 1", "Answer: 3")],
    ids=["at once", "at the second question"],
)
def test_self_refinement_in_words_has_both_answers_in_words(
    replies: tuple[str | ModelError, ...],
) -> None:
    model = Scripted(*replies)
    trial = performed_by(model, TASK, choice_item(), prompting=Prompting.SELF_REFINE)
    assert model.schemas[-2:] == [None, None]
    assert part_of(trial, First).answer == "Answer: 1"
    assert (trial.outcome, trial.answer, part_of(trial, Answered).structured) == (
        "correct",
        "Answer: 3",
        False,
    )
    refine = prompts.load(TASK, "first_order", interface="text").refine
    assert [message.content for message in model.asked[-1]][-2:] == ["Answer: 1", refine]


def test_a_recording_of_answers_in_words_is_replayed_where_it_has_no_structured_ones() -> None:
    model = Scripted(MISS, "Answer: 3", in_words=True)
    trial = performed_by(model, TASK, choice_item())
    assert asked(model) == [(True, True), (False, False)]
    assert (trial.outcome, part_of(trial, Answered).structured) == ("correct", False)


def test_where_neither_is_recorded_the_structured_question_is_what_is_missed() -> None:
    model = Scripted(MISS)
    with pytest.raises(RecordingMissError, match="nothing is recorded"):
        performed_by(model, TASK, choice_item())
    assert asked(model) == [(True, True)]


def test_other_failures_of_a_call_are_not_taken_for_a_missing_feature() -> None:
    with pytest.raises(CallError):
        performed(TASK, choice_item(), CallError("the line is dead"), "Answer: 3")


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (STRUCTURED, True),
        (f"<think>{{}}</think>{STRUCTURED}", True),
        ("```json\n" + STRUCTURED + "\n```", False),
        ('{"answer": 3}', False),
        ("{" * 5_000, False),
    ],
)
def test_a_row_shows_whether_the_answer_kept_to_the_schema(answer: str, kept: bool) -> None:
    assert part_of(performed(TASK, choice_item(), answer), Answered).structured is kept


def test_a_task_without_structured_answers_never_passes_a_schema() -> None:
    class OldModel(Scripted):
        """A model of a user's own, written before there were schemas."""

        def complete(self, messages, *, repeat=0, limit=None):  # type: ignore[no-untyped-def, override]
            return super().complete(messages, repeat=repeat, limit=limit)

    for name, interface in (("logical_translation", ""), (TASK, "text")):
        trial = performed_by(OldModel("no answer"), name, choice_item(), interface=interface)
        assert trial.outcome in ("unparseable", "invalid answer")


def test_a_model_that_only_embeds_is_not_asked_in_words() -> None:
    model = Placing({})
    with pytest.raises(ModelError, match="placing is an embedding model"):
        complete(Trial(model), Prompt("ask", []))
    with (
        in_trial(Trial(model, subject=item())),
        pytest.raises(ModelError, match="placing is an embedding model"),
    ):
        Llm().informalize("∀x. Cube(x)")
    with pytest.raises(
        ModelError, match="placing is an embedding model; the task logical_translation"
    ):
        performed_by(model, "logical_translation", item())
