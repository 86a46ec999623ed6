"""Translation into first-order logic over the model's own symbols, which are aligned with ours."""

from __future__ import annotations

import pytest
from support.scripted import message_of, part_of, performed, slots_of
from support.task_items import BLOCKS, CUBE, A, item

from pytest_autoeval import prompts
from pytest_autoeval.languages import language
from pytest_autoeval.models.protocols import Reply
from pytest_autoeval.record.task_parts import Translated
from pytest_autoeval.studies.first_order_translation.parts import Symbols
from pytest_autoeval.tasks.answer_readers import read_symbols

SUBJECT = item(
    "∀x. (Cube(x) → Larger(x, a))", BLOCKS, sentence="Every cube is larger than block a."
)
LISTED = "IsCube(x): x is a cube\nLargerThan(x, y): x is larger than y\nthe_a: block a\n"
RIGHT = f"{LISTED}Formula: ∀x. (IsCube(x) → LargerThan(x, the_a))"
ALIGNED = [("IsCube", "Cube"), ("LargerThan", "Larger"), ("the_a", "a")]


@pytest.mark.parametrize(
    ("answer", "outcome", "basis"),
    [
        (RIGHT, "equivalent", "glosses"),
        (f"{LISTED}Formula: ∀x. (IsCube(x) → LargerThan(the_a, x))", "different", "glosses"),
        (f"{LISTED}Formula: ∀x. (IsCube(x) ∧ LargerThan(x, the_a))", "different", "glosses"),
        ("∀x. (Cube(x) → Larger(x, a))", "equivalent", "glosses"),
        (
            f"{LISTED.replace('the_a', 'A')}Formula: ∀x. (IsCube(x) → LargerThan(x, A))",
            "equivalent",
            "glosses",
        ),
        ("Formula: ∀x. (P(x) → R(x, c))", "equivalent", "oracle"),
        ("Formula: ∀x. (P(x) ∧ R(c, x))", "different", "oracle"),
        (
            RIGHT.replace(
                "LargerThan(x, y): x is larger than y", "LargerThan(x, y): y is larger than x"
            ),
            "different",
            "glosses",
        ),
        (
            "Cube(x): x is a cube\nSmaller(x, y): x is smaller than y\na: block a\n∀x. (Cube(x) → Smaller(a, x))",
            "equivalent",  # what is smaller than the other is what the other is larger than
            "glosses",
        ),
        (
            "Cube(x): x is a cube\nSmaller(x, y): x is smaller than y\na: block a\n∀x. (Cube(x) → Smaller(x, a))",
            "different",
            "glosses",
        ),
        (f"{LISTED}Formula: ∀x. (IsCube(x) → ", "unparseable", None),
        (f"{LISTED}Formula: ∀x. (IsCube(x) → LargerThan(x, y))", "foreign symbol", None),
        (
            "LargerCube(x, y): x is a cube larger than y\na: block a\nFormula: ∀x. LargerCube(x, a)",
            "foreign symbol",
            None,
        ),
        (f"{LISTED}Formula: ∀x. (IsCube(x) → LargerThan(x))", "foreign symbol", None),
        (f"{LISTED}Formula: ∀x. (P(x) → LargerThan(x, the_a))", "foreign symbol", None),
        ("Formula: ∀y. (Cube(y) → Larger(y, x))", "foreign symbol", None),
        ("I'm sorry, but I can't help with that.", "refused or empty", None),
        (Reply(RIGHT, finish_reason="length"), "truncated", None),
    ],
)
def test_an_answer_leads_to_its_outcome(
    answer: Reply | str, outcome: str, basis: str | None
) -> None:
    trial = performed("open_translation", SUBJECT, answer)
    assert (trial.outcome, part_of(trial, Translated).alignment_basis) == (outcome, basis)
    part = part_of(trial, Translated)
    assert (part.alignment is None) is (basis is None)
    assert part.meaningful is (basis is not None)
    assert (part.le_score is None) is (outcome in ("unparseable", "refused or empty", "truncated"))
    assert part_of(trial, Symbols).recall is not None


@pytest.mark.parametrize(("one", "other"), [("A", "B"), ("B1", "B2"), ("First", "Second")])
def test_constants_are_matched_by_their_glosses_whatever_their_names(one: str, other: str) -> None:
    subject = item("Large(a) → Small(b)", BLOCKS)
    listed = f"Large(x): x is large\nSmall(x): x is small\n{one}: block b\n{other}: block a\n"
    right, wrong = (
        f"{listed}Formula: Large({left}) → Small({right})"
        for left, right in ((other, one), (one, other))
    )
    assert performed("open_translation", subject, right).outcome == "equivalent"
    assert performed("open_translation", subject, wrong).outcome == "different"


def test_the_alignment_and_the_own_signature_are_in_the_row() -> None:
    trial = performed("open_translation", SUBJECT, RIGHT)
    assert part_of(trial, Translated).alignment == ALIGNED
    assert part_of(trial, Symbols).f1 == 1.0
    assert part_of(trial, Translated).le_score == 1.0
    assert trial.translation == "∀x. (IsCube(x) → LargerThan(x, the_a))"


def test_a_failure_shows_the_alignment_and_the_formula_over_our_symbols() -> None:
    answer = RIGHT.replace("∀x. (IsCube(x) →", "∃x. (IsCube(x) ∧")
    message = message_of(performed("open_translation", SUBJECT, answer))
    assert "names aligned by glosses: IsCube is Cube, LargerThan is Larger, the_a is a" in message
    assert "model's:  ∃x. (Cube(x) ∧ Larger(x, a))" in message


def test_another_number_of_symbols_may_be_right_over_another_ontology() -> None:
    answer = "SmallCube(x): x is a small cube\nFormula: ∃x. SmallCube(x)"
    message = message_of(
        performed("open_translation", item("∃x. (Small(x) ∧ Cube(x))", BLOCKS), answer)
    )
    assert message == (
        "the formula is about SmallCube(x), the reference about Small(x), Cube(x): they cannot be compared; "
        "the formula may be right over its own names"
    )


def test_where_the_right_alignment_may_have_been_missed_the_verdict_is_open() -> None:
    answer = "Formula: ∀x. (Q(x) → R(x, c))"
    assert performed("open_translation", SUBJECT, answer).outcome == "equivalent"
    trial = performed("open_translation", SUBJECT, answer, verify_timeout=0.0)
    assert (trial.outcome, part_of(trial, Translated).relation) == ("undecided", None)


def test_an_equivalence_under_an_alignment_that_the_glosses_exclude_is_left_open() -> None:
    subject = item("Cube(a)", (CUBE, A))
    trial = performed(
        "open_translation", subject, "Cube(x): x is a cube\nb: block b\nFormula: Cube(b)"
    )
    assert trial.outcome == "undecided"
    assert "another alignment of the names is possible" in message_of(trial)


def test_a_sentence_may_need_no_symbol() -> None:
    trial = performed("open_translation", item("∃x. ∃y. ¬(x = y)"), "Formula: ¬∀x. ∀y. x = y")
    assert (trial.outcome, part_of(trial, Translated).alignment, part_of(trial, Symbols).f1) == (
        "equivalent",
        [],
        1.0,
    )


def test_examples_of_the_prompt_are_read_as_they_are_meant() -> None:
    for example in prompts.load("open_translation", "first_order").examples:
        listed, rest = read_symbols(example.answer)
        formula = rest.strip().removeprefix("Formula: ")
        lang = language("first_order")
        used = lang.symbols(lang.parse(formula))
        assert used.names == {symbol.name for symbol in listed}


@pytest.mark.parametrize(
    ("answer", "compliant"),
    [
        (RIGHT, True),
        (f"Sure!\n{RIGHT}", False),
        (RIGHT.replace("→", "implies"), False),
        ("∀x. (Cube(x) → Larger(x, a))", False),
    ],
)
def test_compliant_is_the_form_that_was_asked_for(answer: str, compliant: bool) -> None:
    reading = performed("open_translation", SUBJECT, answer).reading
    assert reading is not None
    assert reading.formula is not None
    assert (reading.compliant, reading.recovered) == (compliant, not compliant)


def test_the_model_is_shown_the_sentence_alone() -> None:
    assert [*slots_of("open_translation", SUBJECT).values()] == [SUBJECT.facts["sentence"]]
