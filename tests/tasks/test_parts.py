"""Parts that a task or a test adds to its trial, and the part that an item's facts are."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from support.scripted import Scripted, sample
from support.task_items import choice_item, ltl_item

from pytest_autoeval import AutoevalError, Judgement, Part, Task
from pytest_autoeval.engine.sample_lines import given_part, parts_of
from pytest_autoeval.models import CallError, ConfigurationError
from pytest_autoeval.models.protocols import Reply, StructuredOutputsUnsupportedError
from pytest_autoeval.outcomes import Prompting
from pytest_autoeval.record.sample_parts import PartError, Parts
from pytest_autoeval.record.task_parts import Answered, First, Given
from pytest_autoeval.tasks import task
from pytest_autoeval.tasks.trial import MeaningLostError, PromptChoice, Trial

SUBJECT = sample("p1 ∧ p2")


class Scores(Part, frozen=True):
    """Scores of a user's own."""

    recall: float
    precision: float = 0.0


class Problem(Part, frozen=True):
    """What was wrong."""

    problem: str
    line: int | None = None


class Kinds(Part, frozen=True):
    """The kinds of the formula's parts."""

    kinds: list[str]
    more: Any = None


class Counting(Task):
    """Formula → the number of its operators."""

    name = "counting"

    def slots(self, trial: Trial) -> dict[str, str]:
        return {"formula": str(trial.about.formula)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        kinds = Kinds(["conjunction"], more={"of": str(trial.about.formula)})
        if not answer.isdecimal():
            return Judgement(outcome="unreadable answer", parts=(Problem("no number"), kinds))
        outcome = "correct" if int(answer) == 1 else "wrong answer"
        return Judgement(
            outcome=outcome, parts=(Scores(recall=0.5), Problem("none", line=3), kinds)
        )


class Giving(Counting):
    """Gives the parts that it was made with."""

    def __init__(self, *parts: Any) -> None:
        self.parts: Any = parts

    def judge(self, answer: str, trial: Trial) -> Judgement:
        return Judgement(outcome="correct", parts=self.parts)


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    (tmp_path / "counting").mkdir()
    (tmp_path / "counting/propositional.toml").write_text("user = 'Count: ${formula}'", "utf-8")
    return tmp_path


def trial_of(prompts: Path, *answers: str, prompting: Prompting = Prompting.ZERO_SHOT) -> Trial:
    return Trial(Scripted(*answers), PromptChoice(prompting, folders=(prompts,)), SUBJECT)


# --- parts of a task ---


def test_a_users_parts_may_have_any_names_and_fields(prompts: Path) -> None:
    trial = trial_of(prompts, "1")
    assert Counting().perform(trial).part(Scores) == Scores(recall=0.5)
    assert trial.outcome == "correct"
    assert trial.part(Problem) == Problem("none", line=3)
    assert trial.parts.plain() == {
        "scores": Scores(recall=0.5),
        "problem": Problem("none", line=3),
        "kinds": Kinds(["conjunction"], more={"of": "p1 ∧ p2"}),
    }


def test_a_wrong_answer_has_the_parts_of_its_judgement(prompts: Path) -> None:
    trial = trial_of(prompts, "many")
    with pytest.raises(MeaningLostError):
        Counting().perform(trial)
    assert (trial.part(Problem), trial.part(Scores)) == (Problem("no number"), None)


#: A dict where a number is declared; a type checker sees it, a run may not.
MISPLACED: Any = {"one": 1}
UNWRITABLE: list[tuple[Any, str]] = [
    (
        Problem("p", line=MISPLACED),
        "the part 'problem' cannot be written: Expected `int.*got `object` - at `$.parts.problem.line`",
    ),
    (
        Scores(recall=math.nan),
        "the part 'scores' cannot be written: .* - at `$.parts.scores.recall`",
    ),
    (
        Kinds(["a", 2]),  # type: ignore[list-item]
        "the part 'kinds' cannot be written: Expected `str`, got `int` - at `$.parts.kinds.kinds[1]`",
    ),
    (
        Kinds([], more=[{"a": math.inf}]),
        "the part 'kinds' cannot be written: .* - at `$.parts.kinds.more[0]['a']`",
    ),
    (
        Kinds([], more=object()),
        "the part 'kinds' cannot be written: .*object is unsupported - at `$.parts.kinds.more`",
    ),
    (
        Kinds([], more=[{"b", "a"}]),
        "the part 'kinds' cannot be written: a set has no order: write a list - at `$.parts.kinds.more[0]`",
    ),
    (
        Kinds([], more="\ud800"),
        "the part 'kinds' cannot be written: .*surrogates.* - at `$.parts.kinds.more`",
    ),
    (Kinds([], more={1: "a"}), "the part 'kinds' cannot be written: it would be read as Kinds"),
    ({"recall": 0.5}, "{'recall': 0.5} is no part: write a class that derives from Part"),
    ("recall", "'recall' is no part"),
    (Scores, "is no part: write a class that derives from Part, and give an object of it"),
]


def pattern(message: str) -> str:
    return ".*".join(map(re.escape, message.split(".*")))


@pytest.mark.parametrize(("part", "message"), UNWRITABLE)
def test_a_part_that_cannot_be_written_is_an_error_that_names_part_and_path(
    prompts: Path, part: Any, message: str
) -> None:
    with pytest.raises(PartError, match=pattern(message)):
        Giving(part).perform(trial_of(prompts, "1"))
    trial = Trial(Scripted())
    with pytest.raises(PartError, match=pattern(message)):
        trial.add(part)
    assert len(trial.parts) == 0


def test_a_list_that_has_itself_in_it_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(PartError, match="the part 'kinds' cannot be written"):
        Trial(Scripted()).add(Kinds([], more=endless))


@pytest.mark.parametrize("parts", [Scores(recall=1), [Scores(recall=1)], {"scores": 1}, None])
def test_the_parts_of_a_judgement_are_a_tuple(parts: Any) -> None:
    with pytest.raises(AutoevalError, match=re.escape("write a tuple: parts=(…,)")):
        Judgement(outcome="correct", parts=parts)


def test_a_part_replaces_one_of_its_type_in_a_judgement() -> None:
    first = Judgement(outcome="correct", parts=(Scores(recall=1), Problem("p")))
    second = first.with_part(Scores(recall=0))
    assert (second.part(Scores), second.part(Problem), second.part(Kinds)) == (
        Scores(recall=0),
        Problem("p"),
        None,
    )
    assert len(second.parts) == 2
    assert first.part(Scores) == Scores(recall=1)


# --- parts of a trial ---


def test_a_trial_keeps_a_copy_of_a_part() -> None:
    trial, kinds = Trial(Scripted()), ["a"]
    trial.add(Kinds(kinds, more=(1, [2])))
    kinds.append("b")
    assert trial.part(Kinds) == Kinds(["a"], more=[1, [2]])


def test_fields_are_noted_in_the_part_that_is_there() -> None:
    trial = Trial(Scripted())
    trial.note(First, answer="yes")
    trial.note(First, outcome="correct")
    assert trial.part(First) == First(answer="yes", outcome="correct")
    with pytest.raises(PartError, match=re.escape("$.parts.first.answer")):
        trial.note(First, answer=5)
    trial.add(First(answer="no"))
    assert trial.part(First) == First(answer="no")


def test_two_types_of_one_name_do_not_replace_each_other() -> None:
    class Other(Part, frozen=True):
        part_name = "scores"
        value: int = 0

    trial = Trial(Scripted())
    trial.add(Scores(recall=1))
    with pytest.raises(PartError, match=r"two parts of the name 'scores': .*Scores and .*Other"):
        trial.add(Other())
    # A file may have either, so neither is taken for the other.
    read = Parts.read({"scores": {"value": 3}})
    assert dict(read) == {"scores": {"value": 3}}
    assert read.of(Other) == Other(value=3)


def test_the_name_of_a_shipped_part_is_refused() -> None:
    with pytest.raises(
        PartError,
        match="the name 'answered' of the part Answered is taken by a part that is shipped",
    ):
        type("Answered", (Part,), {}, frozen=True)


def test_another_trial_shares_no_list() -> None:
    trial = Trial(Scripted(), subject=SUBJECT)
    trial.add(Scores(recall=1))
    trial.add_call("ask", Reply("yes"))
    probe = trial.anew()
    probe.add(Problem("p"))
    probe.add_call("ask", Reply("no"))
    assert ([*trial.parts], len(trial.calls), [*probe.parts], len(probe.calls)) == (
        ["scores"],
        1,
        ["problem"],
        1,
    )
    trial.take_calls(probe)
    assert (len(trial.calls), len(probe.calls)) == (2, 1)


UNSUPPORTED = StructuredOutputsUnsupportedError("scripted takes no schema")


def test_a_question_in_words_leaves_its_calls_and_its_parts_in_the_trial() -> None:
    trial = Trial(
        Scripted(UNSUPPORTED, structs.replace(Reply("Answer: 3"), taken_over=True)),
        subject=choice_item(),
    )
    task("most_similar_formulas").perform(trial)
    assert trial.part(Answered) == Answered(value=3, structured=False)
    assert (len(trial.calls), trial.taken_over) == (1, 1)


def test_a_question_in_words_that_fails_leaves_the_calls_before_it() -> None:
    trial = Trial(
        Scripted(UNSUPPORTED, "Answer: 3", CallError("the line is dead")),
        PromptChoice(Prompting.SELF_REFINE),
        choice_item(),
    )
    with pytest.raises(CallError):
        task("most_similar_formulas").perform(trial)
    assert [call.stage for call in trial.calls] == ["most_similar_formulas"]


# --- names that are gone ---


def test_names_of_earlier_releases_say_what_to_write() -> None:
    trial = Trial(Scripted())
    with pytest.raises(
        AttributeError, match=r"Trial\.notes was removed .*give an object of it to trial\.add"
    ):
        trial.notes  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match=r"Trial\.findings was removed .*by trial\.part"):
        trial.findings()  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="a Trial has no attribute 'note_'"):
        trial.note_  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(
        AutoevalError, match=r"Judgement\(notes=…\) was removed .*give parts=\(…,\)"
    ):
        Judgement(outcome="correct", notes={"answered": 1})  # type: ignore[call-arg]
    with pytest.raises(
        ConfigurationError,
        match=r"Old: Task\.notes_without_answer was removed .*parts_without_answer",
    ):
        type("Old", (Counting,), {"notes_without_answer": lambda *_: {}})


# --- the facts of an item ---


def test_the_facts_of_an_item_are_a_part() -> None:
    facts = {
        "sentence": "It rains.",
        "propositions": (("rain", "x1"),),
        "expected": [1, 2],
        "mood": {"grey": (1, 2)},
    }
    assert given_part(facts) == Given(
        sentence="It rains.",
        propositions=[("rain", "x1")],
        expected=[1, 2],
        more={"mood": {"grey": [1, 2]}},
    )
    assert given_part({"more": 3}) == Given(more={"more": 3})
    assert given_part({}) is None


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"sentence": 3}, "sentence: Expected `str | null`, got `int`"),
        ({"propositions": ["rain"]}, "propositions: Expected `array`, got `str` - at `$[0]`"),
        ({"mood": math.nan}, "mood: Out of range float values are not JSON compliant"),
        ({"expected": math.inf}, "expected: Out of range float values are not JSON compliant"),
        ({"sentence": object()}, "sentence: Encoding objects of type object is unsupported"),
        ({"mood": {"grey"}}, "mood: a set has no order: write a list"),
        ({"mood": {1: "grey"}}, "mood: the keys of a dict are texts"),
        ({3: "x"}, "3: the name of a fact is a text"),
        ({"item": 7, "mood": {1}, "trace": 9}, "item: .*; mood: .*; trace: .*"),
    ],
)
def test_a_fact_of_another_type_is_an_error_that_names_it(facts: Any, message: str) -> None:
    with pytest.raises(
        AutoevalError, match=pattern(f"a fact of the sample cannot be written: {message}")
    ):
        given_part(facts)


def added_to(trial: Trial) -> list[Part]:
    """The parts of a sample, all of which can be written."""
    parts, problems = parts_of(trial)
    assert not problems
    return [*parts.values()]


def test_a_sample_has_the_facts_of_its_item_and_what_was_added() -> None:
    trial = Trial(Scripted(), subject=ltl_item(sentence="It rains.", expected=True, mood="grey"))
    trial.add(Scores(recall=1))
    given = Given(sentence="It rains.", expected=True, more={"mood": "grey"})
    assert added_to(trial) == [given, Scores(recall=1)]
    assert [*trial.parts] == ["scores"]
    trial.add(Given(expected=3, more={"wet": True}))
    joined = Given(sentence="It rains.", expected=3, more={"mood": "grey", "wet": True})
    assert added_to(trial) == [joined, Scores(recall=1)]


def test_a_drawn_formula_has_what_was_added_alone() -> None:
    trial = Trial(Scripted(), subject=SUBJECT)
    assert added_to(trial) == []
    trial.add(Given(expected=3))
    assert added_to(trial) == [Given(expected=3)]


def test_a_fact_that_cannot_be_written_is_left_out_and_named() -> None:
    trial = Trial(Scripted(), subject=ltl_item(sentence="It rains.", item=7, mood=math.inf))
    trial.add(Scores(recall=1))
    parts, problems = parts_of(trial)
    assert [*parts.values()] == [Given(sentence="It rains."), Scores(recall=1)]
    assert len(problems) == 1
    assert re.fullmatch("a fact of the sample cannot be written: item: .*; mood: .*", problems[0])
