"""Several hops: the formula that was read is described and read again, in fresh conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from support.scripted import Scripted, sample

from pytest_autoeval.models.base import CallError, Message, Reply
from pytest_autoeval.tasks.round_trip import Llm, assert_equivalent, blaming, round_trip
from pytest_autoeval.tasks.trial import MeaningLostError, Trial, UndecidedError, current_trial, in_trial

FIRST = "¬(p1 ∨ p2)"
SAME = "¬p1 ∧ ¬p2"


def there_and_back(trial: Trial) -> None:
    assert_equivalent(round_trip(trial.about), trial.about.formula)


def gone_round(*replies: Reply | str | CallError, hops: int = 3) -> Trial:
    trial = Trial(Scripted(*replies), subject=sample(FIRST), hops=hops)
    with in_trial(trial):
        there_and_back(trial)
    return trial


def test_each_hop_describes_what_the_last_one_read() -> None:
    trial = gone_round("neither", SAME, "not one and not two", FIRST, "neither holds", SAME)
    assert isinstance(trial.model, Scripted)
    formulas = [messages[-1].content for messages in trial.model.asked[::2]]
    assert [text in formula for text, formula in zip((FIRST, SAME, FIRST), formulas, strict=True)] == [True] * 3
    assert {len(messages) for messages in trial.model.asked} == {2}
    assert [call["stage"] for call in trial.calls] == ["informalize", "autoformalize"] * 3
    assert (trial.description, str(trial.read)) == ("neither holds", SAME)
    assert [hop["translation"] for hop in trial.survived] == [SAME, FIRST]


def test_it_goes_on_whichever_formula_the_test_names_first() -> None:
    trial = Trial(Scripted("a", SAME, "b", "p1"), subject=sample(FIRST), hops=3)
    with in_trial(trial), pytest.raises(MeaningLostError, match=r"^hop 2 of 3: not equivalent"):
        assert_equivalent(trial.about.formula, round_trip(trial.about))


def test_every_hop_is_judged_against_the_first_formula() -> None:
    with pytest.raises(MeaningLostError, match=r"^hop 3 of 3: not equivalent") as lost:
        gone_round("a", SAME, "b", FIRST, "c", "p1")
    assert lost.value.outcome == "different"


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [("p9", "foreign symbol"), ("No idea.", "unparseable"), (Reply("p1", finish_reason="length"), "truncated")],
)
def test_a_later_hop_fails_as_the_first_does(reply: Reply | str, outcome: str) -> None:
    trial = Trial(Scripted("a", SAME, "b", reply, "c", "p1"), subject=sample(FIRST), hops=3)
    with in_trial(trial), pytest.raises(MeaningLostError, match=r"^hop 2 of 3: ") as lost:
        there_and_back(trial)
    assert lost.value.outcome == outcome
    assert len(trial.calls) == 4
    assert (trial.description, len(trial.survived), trial.verdict) == ("b", 1, None)


def test_a_hop_without_an_answer_is_an_error() -> None:
    with pytest.raises(CallError):
        gone_round("a", SAME, CallError("gone"))


def test_a_hop_that_nobody_can_decide_is_undecided() -> None:
    class Hurried(Scripted):
        def complete(self, messages: Sequence[Message], **more: Any) -> Reply:
            current_trial().verify_timeout = 5.0 if len(self.asked) < 2 else 1e-9
            return super().complete(messages, **more)

    formula = "∀x. ∃y. (P(x) ∧ P(y))"
    trial = Trial(Hurried("a", formula, "b", "∀x. ∃y. (P(y) ∧ P(x))"), subject=sample(formula, "first_order"), hops=2)
    with in_trial(trial), pytest.raises(UndecidedError, match=r"^hop 2 of 2: "):
        there_and_back(trial)


def test_a_later_hop_is_asked_anew_about_an_equal_formula() -> None:
    repeats = []

    class Noting(Scripted):
        def complete(self, messages: Sequence[Message], **more: Any) -> Reply:
            _ = messages
            repeats.append(more["repeat"])
            return Reply(FIRST if len(repeats) % 2 == 0 else "Words.")

    trial = Trial(Noting(), subject=sample(FIRST), hops=3, repeat=4)
    with in_trial(trial):
        there_and_back(trial)
    assert repeats[:2] == [4, 4]
    assert len(set(repeats)) == 3


def test_a_reader_reads_in_every_hop_and_is_the_one_that_blame_asks() -> None:
    describer, reader = Scripted("a", "b"), Scripted(SAME, "p1", "p2")
    trial = Trial(describer, subject=sample(FIRST), reader=reader, hops=2)
    with in_trial(trial), pytest.raises(MeaningLostError):
        blaming(there_and_back)(trial)
    assert (len(describer.asked), len(reader.asked)) == (2, 3)
    blame = trial.notes["blame"]
    # What the hop that failed described, faithfully.
    assert (blame["half"], blame["description"]) == ("reading", "p1 does not hold and p2 does not hold.")
    assert trial.calls[-1]["stage"] == "blame"


def test_only_the_end_of_a_round_trip_goes_on() -> None:
    trial = Trial(Scripted("a", SAME), subject=sample(FIRST), hops=2)
    with in_trial(trial):
        assert_equivalent(FIRST, FIRST)
        read = Llm().autoformalize(Llm().informalize(FIRST))
        assert_equivalent("¬p2 ∧ ¬p1", read)
