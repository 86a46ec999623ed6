"""The formulas of a sentence in classes of equal meaning, and the question that decides between the largest two."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.lassos import short_lassos
from support.logic_formulas import propositional
from support.ltl_formulas import random_formula
from support.naive_semantics import NaiveSemantics
from support.result_rows import changed, suites_of
from support.sentence_rows import GLOSSARY, sentence_row

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import Formula, Language, Verdict, language
from pytest_autoeval.languages.author_cases import AuthorAnswer
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.propositional.evaluate import evaluate
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Formalized, Given
from pytest_autoeval.requirements.agreement import Attempt, SentenceMeanings, mean_agreements
from pytest_autoeval.requirements.author_questions import questions_of
from pytest_autoeval.requirements.meanings import sentence_meanings

STRONG, WEAK, OTHER = "G (door_open -> X red)", "G (door_open -> F red)", "F (door_open & red)"
#: The table of the file that the rows are from.
TABLE = "requirements.answers.csv"
LTL = language("ltl")


def meanings(rows: Iterable[Sample], **more: object) -> SentenceMeanings:
    [one] = sentence_meanings(rows, **more)  # type: ignore[arg-type]
    return one


def found_classes(one: SentenceMeanings) -> set[frozenset[str]]:
    assert not one.undecided
    return {frozenset(meaning.formulas) for meaning in one.meanings}


def classes_by(values: Iterable[tuple[str, Hashable]]) -> set[frozenset[str]]:
    by_value: dict[Hashable, set[str]] = {}
    for text, value in values:
        by_value.setdefault(value, set()).add(text)
    return set(map(frozenset, by_value.values()))


@given(st.lists(propositional(names=2, max_leaves=4), min_size=1, max_size=12))
def test_classes_of_propositional_formulas_have_the_same_truth_tables(
    formulas: list[Sentence],
) -> None:
    assignments = [
        dict(zip(("p1", "p2"), row, strict=True)) for row in product([False, True], repeat=2)
    ]
    tables = [
        (str(one), tuple(evaluate(one, values) for values in assignments)) for one in formulas
    ]
    rows = [
        sentence_row(text, language="propositional", repeat=at)
        for at, (text, _) in enumerate(tables)
    ]
    assert found_classes(meanings(rows)) == classes_by(tables)


@pytest.mark.parametrize("seed", range(20))
def test_classes_of_temporal_formulas_hold_on_the_same_traces(seed: int) -> None:
    draw = random.Random(seed)
    formulas = [random_formula(draw, draw.randint(1, 4), atoms=("a", "b")) for _ in range(10)]
    traces = [NaiveSemantics(lasso) for lasso in short_lassos(("a", "b"), 4)]
    values = [(str(one), tuple(trace.holds(one, 0) for trace in traces)) for one in formulas]
    rows = [sentence_row(text, repeat=at) for at, (text, _) in enumerate(values)]
    assert found_classes(meanings(rows)) == classes_by(values)


def test_the_order_of_the_rows_does_not_matter() -> None:
    rows = [
        sentence_row(text, repeat=at)
        for at, text in enumerate([STRONG, WEAK, OTHER, WEAK, "G !door_open", None])
    ]
    assert meanings(rows) == meanings(rows[::-1])


def test_meanings_name_who_read_which_formula() -> None:
    same = "G (!door_open | F red)"
    rows = [
        sentence_row(WEAK, model="gpt"),
        sentence_row(same, model="gpt", repeat=1, paraphrase=2),
        sentence_row(STRONG, model="qwen"),
        sentence_row(None, model="qwen", repeat=1),
        sentence_row(None, model="qwen", repeat=2, outcome="error", error="no network"),
    ]
    one = meanings(rows)
    assert [dict(meaning.formulas) for meaning in one.meanings] == [
        {WEAK: (Attempt("gpt"),), same: (Attempt("gpt", 1, 2),)},
        {STRONG: (Attempt("qwen"),)},
    ]
    assert one.unread == (Attempt("qwen", 1),)
    assert (one.place, one.group, one.models) == ("requirements.md:3", "Doors", ["gpt", "qwen"])


def test_agreement_of_each_model_and_over_models() -> None:
    rows = [
        *(
            sentence_row(text, repeat=at)
            for at, text in enumerate([WEAK, "G (!door_open | F red)", WEAK])
        ),
        *(
            sentence_row(text, model="qwen", repeat=at)
            for at, text in enumerate([STRONG, WEAK, None])
        ),
        *(sentence_row(OTHER, item="requirements-2", repeat=at) for at in range(3)),
        *(sentence_row(OTHER, item="requirements-2", model="qwen", repeat=at) for at in range(3)),
    ]
    gpt, qwen, every = mean_agreements(sentence_meanings(rows))
    assert (gpt.model, gpt.share.passed, gpt.share.total, gpt.sentences) == ("gpt", 6, 6, 2)
    assert (qwen.share.passed, qwen.share.total) == (1 + 3, 6)
    assert every.model == ""
    assert (every.share.passed, every.share.total) == (4 + 6, 12)
    assert qwen.classes is not None
    assert qwen.entropy is not None
    assert (qwen.classes.low, qwen.entropy.high) == (1.5, 0.5)
    assert gpt.share.interval().low < 0.5  # two sentences show little, however often they are asked


def test_a_sentence_with_one_answer_has_no_agreement() -> None:
    assert (
        mean_agreements(sentence_meanings([sentence_row(WEAK), sentence_row(OTHER, item="other")]))
        == []
    )


def test_undecided_formulas_open_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    hard = "∀x. ∃y. R(x, y)", "∃y. ∀x. R(x, y)"
    rows = [sentence_row(text, language="first_order", repeat=at) for at, text in enumerate(hard)]
    monkeypatch.setattr("pytest_autoeval.requirements.meanings._SAME", {})
    [agreed] = mean_agreements(sentence_meanings(rows))
    assert (agreed.share.lower, agreed.share.upper) == (0.5, 1.0)
    assert agreed.classes is not None
    assert (agreed.classes.low, agreed.classes.high) == (1.0, 2.0)
    assert meanings(rows).question is None


def test_many_undecided_pairs_get_little_time_and_are_decided_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: Counter[frozenset[str]] = Counter()
    lang = type(language("propositional"))

    def decide(self: Language, left: Formula, right: Formula) -> Verdict:
        asked[frozenset((str(left), str(right)))] += 1
        return Verdict(VerdictOutcome.UNDECIDED, "given up")

    monkeypatch.setattr(lang, "equivalent", decide)
    monkeypatch.setattr(lang, "decide_briefly", decide)
    rows = [
        sentence_row(f"once_{number}", language="propositional", repeat=number)
        for number in range(10)
    ]
    one = meanings(rows)
    # In another order.
    meanings([*rows[::-1], changed(rows[-1], repeat=11), changed(rows[-1], repeat=12)])
    assert (len(asked), set(asked.values())) == (45, {1})
    assert one.brief == 45 - 20
    agreed = one.agreement()
    assert (agreed.classes.low, agreed.classes.high) == (1, 10)
    assert (agreed.largest.low, agreed.largest.high) == (1, 10)


def test_the_question_separates_the_two_largest_classes() -> None:
    rows = [
        sentence_row(text, repeat=at)
        for at, text in enumerate([OTHER, WEAK, WEAK, STRONG, STRONG, STRONG])
    ]
    one = meanings(rows)
    question = one.question
    assert question is not None
    assert question.text == (
        "“If the door opens, the light is red.” can be read in two ways. Suppose the following for steps 1 and 2. "
        "The door is open at step 1, but not at step 2. The light is red at step 1, but not at step 2. "
        "From step 2 on, everything stays the same. Is that allowed?"
    )
    assert one.meanings[question.yes].formula == WEAK
    assert one.meanings[question.no].formula == STRONG
    assert LTL.holds_in(LTL.parse(WEAK), question.case) is True
    assert LTL.holds_in(LTL.parse(STRONG), question.case) is False
    assert question.case_text == "door_open & red; cycle{!door_open & !red}"


def test_an_answer_rules_a_meaning_out_and_leads_to_the_next_question() -> None:
    rows = [
        sentence_row(text, repeat=at)
        for at, text in enumerate([OTHER, WEAK, WEAK, STRONG, STRONG, STRONG])
    ]
    first = meanings(rows).question
    assert first is not None
    answer = AuthorAnswer(first.id, first.text, first.case, allowed=True)
    one = meanings(rows, answers={(TABLE, "ltl", "If the door opens, the light is red."): [answer]})
    # The answer first, and without the sentence: a table cuts the text.
    assert one.meanings[0].contradicts.startswith(
        "allowed: Suppose the following for steps 1 and 2."
    )
    assert one.question is None or one.question.id != first.id
    stored = [
        sentence_row(text, repeat=at, answers=[answer.to_fact()])
        for at, text in enumerate([WEAK, STRONG])
    ]
    assert [bool(meaning.contradicts) for meaning in meanings(stored).meanings] == [False, True]
    assert meanings(stored).question is None


def test_the_glossary_of_the_rows_gives_the_words() -> None:
    rows = [
        sentence_row(text, language="propositional", repeat=at)
        for at, text in enumerate(["bell", "¬bell"])
    ]
    question = meanings(rows).question
    assert question is not None
    assert GLOSSARY["bell"] in question.text


def test_a_paraphrase_with_the_words_of_another_is_no_further_answer() -> None:
    said = {
        1: "The light is red whenever the door opens.",
        2: "the light is red, whenever the door opens",
        3: None,
    }
    rows = [
        sentence_row(WEAK),
        *(sentence_row(WEAK, paraphrase=number, paraphrased=text) for number, text in said.items()),
        sentence_row(WEAK, paraphrase=4, paraphrased="if the door opens the light is red"),
        sentence_row(STRONG, repeat=1, paraphrase=1, paraphrased=said[1]),
    ]
    one, other = (
        meanings(sample for suite in suites_of(in_turn) for sample in suite.samples)
        for in_turn in (rows, rows[::-1])
    )
    assert one.attempts == [Attempt("gpt", *place) for place in ((0, 0), (0, 1), (0, 3), (1, 1))]
    assert other == one


def test_sentences_of_two_files_with_one_item_stay_apart() -> None:
    other = "The light may be red."
    rows = [
        *(sentence_row(text, repeat=at) for at, text in enumerate([WEAK, STRONG])),
        *(sentence_row(text, repeat=at, sentence=other) for at, text in enumerate([WEAK, STRONG])),
    ]
    first, second = sentence_meanings(rows)
    assert (len(first.attempts), second.sentence) == (2, other)
    assert len(questions_of([first, second])) == 2
    [agreed] = mean_agreements([first, second])
    assert (agreed.sentences, agreed.share.total) == (2, 4)


def test_one_formula_that_contradicts_an_answer_rules_its_meaning_out() -> None:
    case = {"kind": "assignment", "values": {"red": True}}
    answer = AuthorAnswer("1", "Is that allowed?", case, allowed=False)
    longer = "red ∧ (red ∨ red)"
    rows = [
        sentence_row(text, language="propositional", repeat=at, answers=[answer.to_fact()])
        for at, text in enumerate(["red ∨ (a ∧ ¬a)", longer])
    ]
    assert meanings(rows).meanings[0].contradicts == "not allowed: Is that allowed?"


def test_a_later_answer_to_the_same_case_counts() -> None:
    case = {"values": {"red": True}, "kind": "assignment"}
    old, new = (
        AuthorAnswer(name, "Allowed?", some, allowed=name == "new")
        for name, some in (("old", case), ("new", dict(sorted(case.items()))))
    )
    rows = [sentence_row("red", language="propositional", answers=[old.to_fact()])]
    assert meanings(rows).meanings[0].contradicts
    given = {(TABLE, "propositional", str(rows[0].part_or_empty(Given).sentence)): [new]}
    assert not meanings(rows, answers=given).meanings[0].contradicts


@pytest.mark.parametrize(
    "fact",
    [{"id": "1"}, {"id": "1", "question": "?", "case": {"values": {}}, "allowed": "no"}, "yes", 3],
)
def test_results_with_something_else_than_answers_are_refused(fact: object) -> None:
    with pytest.raises(AutoevalError, match="of an author"):
        meanings([sentence_row(WEAK, answers=[fact])])


def test_an_answer_for_other_phrases_of_its_names_does_not_count() -> None:
    rows = [sentence_row(text, repeat=at) for at, text in enumerate([WEAK, STRONG])]
    question = meanings(rows).question
    assert question is not None
    assert question.names == {name: GLOSSARY[name] for name in ("door_open", "red")}
    answer = AuthorAnswer(
        question.id, question.text, question.case, allowed=False, names=question.names
    )
    given = {(TABLE, "ltl", str(rows[0].part_or_empty(Given).sentence)): [answer]}
    assert meanings(rows, answers=given).question is None
    glossary = {**GLOSSARY, "red": "the lamp is off"}
    formulas = [row.part_or_empty(Formalized).formula for row in rows]
    other = [sentence_row(text, repeat=at, glossary=glossary) for at, text in enumerate(formulas)]
    assert meanings(other, answers=given).question is not None


def test_formulas_over_other_names_are_not_compared() -> None:
    rows = [
        sentence_row("G (a -> F b)", glossary={"a": "the door is open", "b": "the light is red"}),
        sentence_row(
            "G (b -> F a)",
            model="qwen",
            glossary={"b": "the door is open", "a": "the light is red"},
        ),
    ]
    assert [(one.models, one.question) for one in sentence_meanings(rows)] == [
        (["gpt"], None),
        (["qwen"], None),
    ]


def test_a_formula_without_names_is_no_reading_of_the_sentence() -> None:
    rows = [
        sentence_row(text, repeat=at, outcome="refused or empty")
        for at, text in enumerate(["true", WEAK])
    ]
    one = meanings(rows)
    assert [list(meaning.formulas) for meaning in one.meanings] == [[WEAK]]
    assert (one.unread, one.question) == ((Attempt("gpt"),), None)
