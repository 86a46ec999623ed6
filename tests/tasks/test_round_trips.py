"""The round trip with scripted answers: outcomes, the record, refusals, copies."""

from __future__ import annotations

import threading

import pytest
from msgspec import structs
from support.scripted import Scripted, sample

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import language
from pytest_autoeval.models.protocols import Reply
from pytest_autoeval.record.calls import Call, SentMessage
from pytest_autoeval.tasks.equivalence_check import assert_equivalent
from pytest_autoeval.tasks.round_trip import Llm, round_trip
from pytest_autoeval.tasks.task import answer_text
from pytest_autoeval.tasks.trial import MeaningLostError, Trial, current_trial, in_trial


def outcome(
    *replies: Reply | str, formula: str = "p1 ∧ ¬p2", name: str = "propositional"
) -> tuple[str, Trial]:
    """How a round trip ends, with the record of it."""
    subject = sample(formula, name)
    trial = Trial(Scripted(*replies), subject=subject)
    with in_trial(trial):
        try:
            assert_equivalent(round_trip(subject), subject.formula)
        except MeaningLostError as lost:
            return lost.outcome, trial
    return "equivalent", trial


DESCRIBED = "p1 holds and p2 does not."


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("p1 ∧ ¬p2", "equivalent"),
        ("<think>p1 ∨ p2?</think>p1 ∧ ¬p2", "equivalent"),
        ("I'm sorry.\n\nFormula: p1 ∧ ¬p2", "equivalent"),
        ("p1 ∧ p2", "different"),
        ("p1 ∧ ¬p5", "foreign symbol"),
        ("P(p1) ∧ ¬P(p2)", "unparseable"),
        ("(p1 ∧ ¬p2", "unparseable"),
        ("I'm sorry, but I can't help with that.", "refused or empty"),
        ("", "refused or empty"),
        ("<think>p1 ∧ ¬p2</think>", "refused or empty"),
        (Reply("p1 ∧ ¬p2", finish_reason="length"), "truncated"),
        (Reply("p1 ∧ ¬p2", finish_reason="content_filter"), "refused or empty"),
    ],
)
def test_an_answer_leads_to_its_outcome(answer: Reply | str, expected: str) -> None:
    ended, trial = outcome(DESCRIBED, answer)
    assert ended == expected
    assert [call.stage for call in trial.calls] == ["informalize", "autoformalize"]
    assert trial.answer == (answer if isinstance(answer, str) else answer.text)


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("", "refused or empty"),
        ("I cannot describe this formula.", "refused or empty"),
        (Reply("p1 holds and", finish_reason="length"), "truncated"),
        (Reply("", refusal="No."), "refused or empty"),
    ],
)
def test_without_a_description_there_is_no_second_half(
    description: Reply | str, expected: str
) -> None:
    ended, trial = outcome(description)
    assert ended == expected
    assert [call.stage for call in trial.calls] == ["informalize"]
    assert trial.reading is None


def test_thoughts_are_no_part_of_a_description() -> None:
    ended, trial = outcome(f"<think>The formula is p1 ∧ ¬p2.</think>\n\n{DESCRIBED}", "p1 ∧ ¬p2")
    assert ended == "equivalent"
    assert trial.description == DESCRIBED
    assert trial.leaked is False
    assert isinstance(trial.model, Scripted)
    assert "∧" not in trial.model.asked[1][-1].content.partition(DESCRIBED)[0][-40:]
    assert "think" not in trial.model.asked[1][-1].content


def test_a_difference_has_a_witness_and_its_sides() -> None:
    subject = sample("p1 ∧ ¬p2")
    trial = Trial(Scripted(), subject=subject)
    with (
        in_trial(trial),
        pytest.raises(MeaningLostError, match=r"given:    p1 ∧ ¬p2") as lost,
    ):
        assert_equivalent("p1", subject.formula)
    assert "model's:  p1\n" in str(lost.value)
    assert trial.witness is not None
    witness = trial.witness.to_json()
    assert (witness["left"], witness["right"]) == (False, True)
    assert witness["values"] == {"p1": True, "p2": True}


def test_a_plain_test_speaks_of_its_arguments_and_of_no_model() -> None:
    with pytest.raises(MeaningLostError) as lost:
        assert_equivalent("p1", "p1 ∧ ¬p2", language="propositional")
    assert str(lost.value).splitlines() == [
        "not equivalent",
        "  expected:  p1 ∧ ¬p2",
        "  actual:    p1",
        "  they differ on:  p1 = true, p2 = true (expected: false, actual: true)",
    ]


@pytest.mark.parametrize(
    ("name", "formula", "answer", "expected"),
    [
        ("first_order", "∀x. P(x)", "∀y P(y)", "equivalent"),
        ("first_order", "∀x. P(x)", "∀x. P(x, x)", "foreign symbol"),
        ("first_order", "∀x. P(x)", "∃x. P(x)", "different"),
        ("regex", "0*1", "`0*1`", "equivalent"),
        ("regex", "0*1", "0+1", "different"),
        ("regex", "(0*1)*", ".*1|()", "equivalent"),
        # The answer is read over the symbols of the formula, and so is the formula.
        ("regex", "0.1", "0.1", "equivalent"),
        ("regex", "0.1", "0(0|1)1", "equivalent"),
        ("regex", "01.", "01.", "equivalent"),
        ("regex", "01.", "01", "different"),
        ("regex", "[^0]1", "[^0]1", "equivalent"),
        ("regex", "~(.*00.*)1*", "~(.*00.*)1*", "equivalent"),
        ("regex", "~(0)1*", "0", "different"),
    ],
)
def test_the_other_languages(name: str, formula: str, answer: str, expected: str) -> None:
    assert outcome("A description.", answer, formula=formula, name=name)[0] == expected


def test_a_formula_with_a_wildcard_is_compared_over_the_symbols_that_its_answer_was_read_over() -> (
    None
):
    formula = language("regex").tree("a.b")
    trial = Trial(Scripted("The letter a, then any symbol, then the letter b.", "a.b"))
    with in_trial(trial):
        assert assert_equivalent(round_trip(formula), formula).outcome == "equivalent"


def test_without_a_round_trip_the_alphabet_of_a_wildcard_is_not_known() -> None:
    with pytest.raises(AutoevalError, match="it depends on the alphabet"):
        assert_equivalent("a[ab]b", "a.b", language="regex")


def test_a_question_of_ones_own_is_answered_without_thoughts() -> None:
    trial = Trial(Scripted("<think>Hm.</think>Yes.", Reply("Ye", finish_reason="length")))
    with in_trial(trial):
        assert Llm().ask("Is it?", system="Be brief.") == "Yes."
        with pytest.raises(MeaningLostError, match="cut off"):
            Llm().ask("Is it?")
    assert isinstance(trial.model, Scripted)
    assert [message.role for message in trial.model.asked[0]] == ["system", "user"]


def test_outside_a_pass_rate_test_a_formula_gives_its_own_names() -> None:
    trial = Trial(Scripted(DESCRIBED, "p1 ∧ ¬p3"))
    with in_trial(trial), pytest.raises(MeaningLostError) as lost:
        round_trip(language("propositional").parse("p1 ∧ ¬p2"))
    assert lost.value.outcome == "foreign symbol"


# --- the record of a trial ---


def test_trials_nest_and_end() -> None:
    outer, inner = Trial(Scripted()), Trial(Scripted())
    with in_trial(outer):
        with in_trial(inner):
            assert current_trial() is inner
        assert current_trial() is outer
    with pytest.raises(AutoevalError, match="no trial is under way"):
        current_trial()


def test_a_thread_has_its_own_trial() -> None:
    errors: list[str] = []

    def ask() -> None:
        try:
            current_trial()
        except AutoevalError as error:
            errors.append(str(error))

    with in_trial(Trial(Scripted())):
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert len(errors) == 1


def test_a_trial_has_nothing_at_the_start() -> None:
    trial = Trial(Scripted())
    assert (trial.description, trial.description_read, trial.translation, trial.witness) == (
        None,
        None,
        None,
        None,
    )
    assert (trial.compliant, trial.recovered, trial.calls, len(trial.parts)) == (None, None, [], 0)


def test_a_call_says_what_was_sent_and_who_answered() -> None:
    trial = Trial(Scripted())
    messages = [{"role": "user", "content": "p1?"}]
    reply = Reply(
        "text",
        prompt_tokens=3,
        prompt_digest="ab",
        model="m-2026",
        system_fingerprint="fp_1",
        seconds=0.5,
    )
    trial.add_call("informalize", structs.replace(reply, messages=messages))
    trial.add_call("ask", Reply("text"))
    first, second = trial.calls
    assert first == Call(
        stage="informalize",
        prompt_tokens=3,
        seconds=0.5,
        finish_reason="stop",
        model="m-2026",
        system_fingerprint="fp_1",
        prompt_digest="ab",
        messages=(SentMessage(role="user", content="p1?"),),
    )
    assert (second.model, second.system_fingerprint, second.prompt_digest) == (None, None, None)


# --- refusals ---


def refused(reply: Reply) -> bool:
    """Whether a reply is a refusal, in its text or as the server says."""
    try:
        answer_text(reply, "ask")
    except MeaningLostError as lost:
        return "the model refused" in str(lost)
    return False


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I cannot translate this formula.",
        "As an AI language model, I cannot do this.",
        "**I cannot help with this.**",
        "I apologize, but I won't be able to complete this.",
        "<think>Should I? p1 holds.</think>\n\nI'm sorry, I can't help with that.",
    ],
)
def test_texts_that_refuse(text: str) -> None:
    assert refused(Reply(text))


@pytest.mark.parametrize(
    "text",
    [
        "p1 holds.",
        "It cannot be that both p1 and p2 hold.",
        "I cannot be tall and small at once.",
        "Unfortunately p1 cannot hold.",
        "If p1 holds, I cannot help concluding p2.",
        "<think>I cannot help with this, or can I?</think>p1 holds.",
        "",
    ],
)
def test_texts_that_do_not_refuse(text: str) -> None:
    assert not refused(Reply(text))


def test_the_server_reports_a_refusal() -> None:
    for reply in (
        Reply("", "content_filter"),
        Reply("p1 holds.", "SAFETY"),
        Reply("p1 holds.", refusal="No."),
    ):
        assert refused(reply)


# --- copies ---


@pytest.mark.parametrize(
    "description", ["p1 ∧ ¬p2", "The formula p1 & !p2 says that p1 holds and p2 does not."]
)
def test_a_copy_fails_before_it_is_read(description: str) -> None:
    ended, trial = outcome(description, "p1 ∧ ¬p2")
    assert (ended, trial.leaked, trial.description, len(trial.calls)) == (
        "copied",
        True,
        description,
        1,
    )


def test_a_copy_that_is_only_counted_is_read() -> None:
    trial = Trial(Scripted("p1 ∧ ¬p2", "p1 ∧ ¬p2"), copies="count")
    with in_trial(trial):
        assert_equivalent(round_trip(language("propositional").parse("p1 ∧ ¬p2")), "p1 ∧ ¬p2")
    assert (trial.leaked, len(trial.calls)) == (True, 2)


def test_a_sample_stands_for_its_formula() -> None:
    subject = sample("p1 ∧ ¬p2", "propositional")
    assert assert_equivalent("¬p2 ∧ p1", subject).outcome == "equivalent"
    assert assert_equivalent(subject, subject).outcome == "equivalent"
    with pytest.raises(MeaningLostError):
        assert_equivalent(subject, "p1 ∧ p2")


def test_the_comparison_that_lost_the_meaning_is_the_one_that_is_kept() -> None:
    trial = Trial(Scripted(), subject=sample("p1 ∧ p2"))
    with in_trial(trial):
        assert_equivalent("p2 ∧ p1", "p1 ∧ p2")
        assert (trial.compared, trial.compared_with) == ("p2 ∧ p1", None)
        for wrong in ("p1 ∨ p2", "p1"):
            with pytest.raises(MeaningLostError):
                assert_equivalent(wrong, "p2 ∧ p1")
        assert_equivalent("p1 ∧ p2", "p2 ∧ p1")
        with pytest.raises(AutoevalError):
            assert_equivalent("p1 ∧", "p1")
    assert (trial.compared, trial.compared_with) == ("p1", "p2 ∧ p1")
    assert trial.witness is not None


def test_a_witness_of_several_lines_is_indented_as_a_whole() -> None:
    with pytest.raises(MeaningLostError) as lost:
        assert_equivalent("∀x. P(x)", "∃x. P(x)", language="first_order")
    lines = str(lost.value).splitlines()
    below = lines[lines.index("  they differ on:") + 1 :]
    assert [line[:4] for line in below] == ["    "] * len(below)
    assert [line.split()[0] for line in below] == ["domain", "P", "expected", "actual"]
