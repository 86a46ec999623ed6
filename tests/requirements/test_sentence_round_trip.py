"""Sentence → formula → description → formula: what is asked, how it ends, and which half is to blame."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from support.scripted import Answer, Scripted, message_of, part_of, performed
from support.task_items import Item

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.features.blame import blame
from pytest_autoeval.languages import Vocabulary
from pytest_autoeval.languages.base import NoFormula
from pytest_autoeval.models.protocols import Reply
from pytest_autoeval.record.task_parts import Formalized, Translated
from pytest_autoeval.requirements.listing import list_names
from pytest_autoeval.tasks import task
from pytest_autoeval.tasks.trial import Trial, UnsuitableSampleError

GLOSSARY = {"door": "the door is open", "lift": "the lift moves"}
SENTENCE = "The lift moves only while the door is shut."
SAFE = "G (lift -> !door)"
SAID = "At every moment at which the lift moves, it is not so that the door is open."


def requirement(glossary: Mapping[str, str] | None = GLOSSARY, sentence: str = SENTENCE) -> Item:
    facts = {"sentence": sentence, **({} if glossary is None else {"glossary": dict(glossary)})}
    return Item(NoFormula(), Vocabulary(propositions=tuple(glossary or ())), facts)


def rule(glossary: Mapping[str, str]) -> Item:
    names = Vocabulary(predicates=(("Nurse", 1), ("Trusts", 2)), constants=("mara",))
    facts = {"sentence": "Every nurse trusts Mara.", "glossary": dict(glossary)}
    return Item(NoFormula(), names, facts, "first_order")


def ended(*answers: Answer, subject: Item | None = None) -> Trial:
    return performed("sentence_round_trip", subject or requirement(), *answers)


def test_the_description_is_written_and_read_by_models_that_have_not_seen_the_sentence() -> None:
    model = Scripted(SAFE, SAID, SAFE)
    trial = Trial(model, subject=requirement())
    task("sentence_round_trip").perform(trial)
    first, second, third = (messages[-1].content for messages in model.asked)
    names = '"the door is open": door\n"the lift moves": lift'
    assert first == f"Propositions:\n{names}\n\nSentence:\n{SENTENCE}"
    assert second == f"Propositions:\n{names}\n\nFormula to describe:\n{SAFE}"
    assert third == f"Propositions:\n{names}\n\nSentence:\n{SAID}"
    assert all(
        SENTENCE not in message.content for messages in model.asked[1:] for message in messages
    )
    assert [call.stage for call in trial.calls] == [
        "formalize_sentence",
        "describe_formula",
        "formalize_sentence",
    ]


def test_two_equivalent_formulas_are_consistent_and_all_is_in_the_row() -> None:
    trial = ended(SAFE, SAID, "!F (lift & door)")
    assert trial.outcome == "consistent"
    assert (trial.description, trial.translation) == (SAID, "!F (lift & door)")
    assert trial.part(Formalized) == Formalized(formula=SAFE, answer=SAFE, glossary=GLOSSARY)


def test_two_different_formulas_are_inconsistent_with_a_witness() -> None:
    trial = ended(SAFE, SAID, "lift -> !door")
    assert trial.outcome == "inconsistent"
    assert trial.witness is not None
    assert (trial.witness.to_json()["left"], trial.witness.to_json()["right"]) == (False, True)
    assert part_of(trial, Translated).relation == "weaker"
    assert f"sentence's:     {SAFE}" in message_of(trial)


@pytest.mark.parametrize(
    ("answers", "outcome", "formalization", "translation"),
    [
        (("I do not know.",), "unparseable", None, None),
        (("G window",), "foreign symbol", None, "G window"),
        ((Reply("G (li", finish_reason="length"),), "truncated", None, None),
        (("",), "refused or empty", None, None),
        ((SAFE, "G (lift -> !door)"), "copied", SAFE, None),
        ((SAFE, "Globally, lift -> not door."), "copied", SAFE, None),
        ((SAFE, "I'm sorry, but I can't help with that."), "refused or empty", SAFE, None),
        ((SAFE, SAID, "I do not know."), "unparseable", SAFE, None),
        ((SAFE, SAID, "G window"), "foreign symbol", SAFE, "G window"),
        ((SAFE, SAID, Reply("G (li", finish_reason="length")), "truncated", SAFE, None),
    ],
)
def test_each_step_may_fail_in_the_usual_ways(
    answers: tuple[Answer, ...], outcome: str, formalization: str | None, translation: str | None
) -> None:
    model = Scripted(*answers)
    trial = Trial(model, subject=requirement())
    with pytest.raises(AssertionError) as caught:
        task("sentence_round_trip").perform(trial)
    assert getattr(caught.value, "outcome", "") == outcome
    assert (part_of(trial, Formalized).formula, trial.translation) == (formalization, translation)


@pytest.mark.parametrize(
    ("constant", "subject"),
    [
        *((text, requirement()) for text in ("true", "false", "G (true -> F true)", "Y true")),
        ("∀x. x = x", rule({"mara": "Mara"})),
    ],
)
def test_a_formula_without_names_says_nothing_of_the_sentence(constant: str, subject: Item) -> None:
    trial = Trial(Scripted(constant, "It is always so.", constant), subject=subject)
    with pytest.raises(
        AssertionError, match=r"has no names, so it says nothing of the sentence"
    ) as caught:
        task("sentence_round_trip").perform(trial)
    assert getattr(caught.value, "outcome", "") == "refused or empty"
    assert len(trial.calls) == 1
    assert part_of(trial, Formalized).formula == constant


def test_a_rule_may_speak_of_things_without_names() -> None:
    two = "∃x. ∃y. ¬(x = y)"
    assert (
        ended(two, "There are at least two things.", two, subject=rule({"mara": "Mara"})).outcome
        == "consistent"
    )


@pytest.mark.parametrize(
    ("formula", "description"),
    [
        ("door", "The door is open."),
        ("G door", "The door is open at every moment."),
        (SAFE, "Whenever the lift moves, not: the door is open."),
        ("door & lift", "At the start the door is open and the lift moves."),
    ],
)
def test_phrases_of_the_glossary_are_no_copy(formula: str, description: str) -> None:
    assert ended(formula, description, formula).outcome == "consistent"


@pytest.mark.parametrize(
    ("phrase", "description"),
    [
        ("the R&D door is open", "At every moment, the R&D door is open."),
        ("alarm -> bell is lit", "It is always so that Alarm ->\nbell is lit."),
        ("the key ~ is pressed", "The key ~ is pressed at every moment."),
    ],
)
def test_signs_in_a_phrase_are_no_copy_and_other_signs_are(phrase: str, description: str) -> None:
    subject = requirement({"door": phrase, "lift": "the lift moves"})
    assert ended("G door", description, "G door", subject=subject).outcome == "consistent"
    copied = ended("G (door -> lift)", f"{description} -> the lift moves", subject=subject)
    assert copied.leaked


def test_signs_in_the_phrase_of_a_predicate_are_no_copy() -> None:
    subject = rule({"Nurse(x)": "x is a nurse of the R&D lab", "mara": "Mara"})
    assert ended(
        "Nurse(mara)", "Mara is a nurse of the R&D lab.", "Nurse(mara)", subject=subject
    ).outcome == ("consistent")


def test_letters_that_are_their_own_phrases_are_no_copy() -> None:
    letters = requirement({"a": "a", "b": "b"}, "Every a is eventually followed by a b.")
    assert ended(
        "G (a -> F b)", "Whenever a holds, b holds then or later.", "G (a -> F b)", subject=letters
    ).outcome == ("consistent")
    assert ended("G (a -> F b)", "G (a -> F b)", subject=letters).translation is None


def test_first_order_rules_show_their_symbols() -> None:
    glossary = {"Nurse(x)": "x is a nurse", "Trusts(x, y)": "x trusts y", "mara": "Mara"}
    model = Scripted(
        "∀x. (Nurse(x) → Trusts(x, mara))",
        "All nurses trust Mara.",
        "∀y. (¬Trusts(y, mara) → ¬Nurse(y))",
    )
    trial = Trial(model, subject=rule(glossary))
    assert task("sentence_round_trip").perform(trial).outcome == "consistent"
    listed = "Symbols:\nNurse(x): x is a nurse\nTrusts(x, y): x trusts y\nmara: Mara"
    assert all(messages[-1].content.startswith(listed) for messages in model.asked)


def test_sentences_of_other_data_sets_have_their_propositions_for_a_glossary() -> None:
    facts = {
        "sentence": SENTENCE,
        "propositions": [[phrase, name] for name, phrase in GLOSSARY.items()],
    }
    subject = Item(NoFormula(), Vocabulary(propositions=("door", "lift")), facts)
    assert part_of(ended(SAFE, SAID, SAFE, subject=subject), Formalized).glossary == GLOSSARY
    ontology = [["Nurse(x)", "predicate", "x is a nurse", ""]]
    subject = Item(
        NoFormula(),
        Vocabulary(predicates=(("Nurse", 1),)),
        {"sentence": "Some.", "ontology": ontology},
        "first_order",
    )
    trial = ended("∃x. Nurse(x)", "There is a nurse.", "∃x. Nurse(x)", subject=subject)
    assert part_of(trial, Formalized).glossary == {"Nurse(x)": "x is a nurse"}


def test_a_sample_without_names_does_not_suit() -> None:
    with pytest.raises(UnsuitableSampleError):
        ended(subject=requirement(None))


# --- its halves ---


@pytest.mark.parametrize(
    ("last", "half"),
    [
        (SAFE, "description"),  # the faithful description is read rightly
        ("lift -> !door", "reading"),
        ("What?", "reading"),
    ],
)
def test_blame_asks_with_a_faithful_description(last: str, half: str) -> None:
    model = Scripted(
        SAFE, "If the lift moves now, the door is not open now.", "lift -> !door", last
    )
    trial = Trial(model, subject=requirement(), task=task("sentence_round_trip"))
    with pytest.raises(AssertionError):
        task("sentence_round_trip").perform(trial)
    found = blame(trial)
    assert found is not None
    assert found.half == half
    assert found.description == (
        "At the start, at this and every later step, if the lift moves, then it is not the case that the door is open."
    )
    assert trial.calls[-1].stage == "blame"
    assert trial.translation == "lift -> !door"


def test_a_copy_is_the_descriptions_fault_and_a_sentence_without_a_formula_is_nobodys() -> None:
    copied, unread = ended(SAFE, SAFE), ended("What?")
    copied.task = unread.task = task("sentence_round_trip")
    found = blame(copied)
    assert found is not None
    assert found.half == "description"
    assert blame(unread) is None


# --- the names ---


@pytest.mark.parametrize(
    ("language", "answer", "names"),
    [
        ("ltl", '"the door is open": door\n"the lift moves": lift', GLOSSARY),
        ("propositional", 'Sure!\n- "the door is open": door', {"door": "the door is open"}),
        (
            "first_order",
            "Nurse(x): x is a nurse\nmara: Mara",
            {"Nurse(x)": "x is a nurse", "mara": "Mara"},
        ),
    ],
)
def test_the_names_of_sentences_are_listed_once(
    language: str, answer: str, names: dict[str, str]
) -> None:
    model = Scripted(answer)
    assert list_names(Trial(model), language, ["It opens.", "It moves."]) == names
    assert model.asked[0][-1].content.endswith(":\n1. It opens.\n2. It moves.")


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("I cannot say.", "scripted listed none: the answer lists no phrases with names"),
        (
            Reply('"the do', finish_reason="length"),
            "scripted listed none: list_names: the answer was cut off",
        ),
        (
            '"the door is open": door\n"the lift moves": door',
            "scripted gave the name door two phrases",
        ),
    ],
)
def test_a_list_without_names_is_refused(answer: Answer, problem: str) -> None:
    with pytest.raises(AutoevalError) as caught:
        list_names(Trial(Scripted(answer)), "ltl", ["It opens."])
    assert str(caught.value).startswith(problem)
