"""A sentence into a formula over names of the model's own: every verdict with its alignment."""

from __future__ import annotations

import pytest
from support.scripted import message_of, part_of, performed, slots_of
from support.task_items import BLOCKS, CUBE, A, Item, item, ltl_item

from pytest_autoeval import prompts
from pytest_autoeval.languages import language
from pytest_autoeval.models.base import Reply
from pytest_autoeval.record.task_parts import Translated
from pytest_autoeval.studies.first_order_translation.parts import Symbols
from pytest_autoeval.tasks.answer_readers import read_symbols

SUBJECT = item("∀x. (Cube(x) → Larger(x, a))", BLOCKS, sentence="Every cube is larger than block a.")
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
        (f"{LISTED.replace('the_a', 'A')}Formula: ∀x. (IsCube(x) → LargerThan(x, A))", "equivalent", "glosses"),
        ("Formula: ∀x. (P(x) → R(x, c))", "equivalent", "oracle"),
        ("Formula: ∀x. (P(x) ∧ R(c, x))", "different", "oracle"),
        (
            RIGHT.replace("LargerThan(x, y): x is larger than y", "LargerThan(x, y): y is larger than x"),
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
def test_an_answer_leads_to_its_outcome(answer: Reply | str, outcome: str, basis: str | None) -> None:
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
    right, wrong = (f"{listed}Formula: Large({left}) → Small({right})" for left, right in ((other, one), (one, other)))
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
    assert "right (actual):  ∃x. (Cube(x) ∧ Larger(x, a))" in message


def test_another_number_of_symbols_may_be_right_over_another_ontology() -> None:
    answer = "SmallCube(x): x is a small cube\nFormula: ∃x. SmallCube(x)"
    message = message_of(performed("open_translation", item("∃x. (Small(x) ∧ Cube(x))", BLOCKS), answer))
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
    trial = performed("open_translation", subject, "Cube(x): x is a cube\nb: block b\nFormula: Cube(b)")
    assert trial.outcome == "undecided"
    assert "another alignment of the names is possible" in message_of(trial)


def test_a_sentence_may_need_no_symbol() -> None:
    trial = performed("open_translation", item("∃x. ∃y. ¬(x = y)"), "Formula: ¬∀x. ∀y. x = y")
    assert (trial.outcome, part_of(trial, Translated).alignment, part_of(trial, Symbols).f1) == ("equivalent", [], 1.0)


def test_examples_of_the_prompt_are_read_as_they_are_meant() -> None:
    for example in prompts.load("open_translation", "first_order").examples:
        listed, rest = read_symbols(example.answer)
        formula = rest.strip().removeprefix("Formula: ")
        lang = language("first_order")
        used = lang.symbols(lang.parse(formula))
        assert used.names == {symbol.name for symbol in listed}


# --- propositions of temporal logic ---

REQUESTS = ltl_item(
    "G (x1 -> F x2)",
    sentence="Every request is granted sooner or later.",
    propositions=[["a request is made", "x1"], ["the request is granted", "x2"]],
)
PHRASES = '"a request is made": request\n"the request is granted": grant\n'
GRANTED = [("request", "x1"), ("grant", "x2")]


@pytest.mark.parametrize(
    ("answer", "outcome", "alignment", "basis"),
    [
        (f"{PHRASES}Formula: G (request -> F grant)", "equivalent", GRANTED, "glosses"),
        (f"{PHRASES}Formula: G (grant -> F request)", "different", GRANTED[::-1], "glosses"),
        ("Formula: G (p -> F q)", "equivalent", [("p", "x1"), ("q", "x2")], "oracle"),
        (f"{PHRASES}Formula: G (request -> F", "unparseable", None, None),
        (f"{PHRASES}Formula: G (request -> F granted_2)", "foreign symbol", None, None),
        (f'{PHRASES}"a door opens": grant\nFormula: G (request -> F grant)', "foreign symbol", None, None),
        ('"a request is made": request\nFormula: G (request -> F grant)', "equivalent", GRANTED, "glosses"),
        ('{"sentence": "Every request …", "formula": "G (request -> F grant)"}', "equivalent", GRANTED, "oracle"),
        (f'{PHRASES}"time passes": t\nFormula: G (request -> F (grant & t))', "foreign symbol", None, None),
        ("I'm sorry, but I can't help with that.", "refused or empty", None, None),
        (Reply(f"{PHRASES}Formula: G (request -> F grant)", finish_reason="length"), "truncated", None, None),
    ],
)
def test_propositions_are_aligned_by_their_phrases(
    answer: Reply | str, outcome: str, alignment: list[tuple[str, str]] | None, basis: str | None
) -> None:
    trial = performed("translate_sentence", REQUESTS, answer)
    assert trial.outcome == outcome
    part = part_of(trial, Translated)
    assert (part.alignment or None, part.alignment_basis) == (alignment, basis)
    assert part.meaningful is (outcome in ("equivalent", "different"))


def test_a_failure_shows_the_names_and_the_formula_over_ours() -> None:
    message = message_of(performed("translate_sentence", REQUESTS, f"{PHRASES}Formula: G (grant -> F request)"))
    assert "names aligned by glosses: grant is x2, request is x1" in message
    assert "right (actual):  G (x2 -> F x1)" in message
    message = message_of(performed("translate_sentence", REQUESTS, f"{PHRASES}Formula: G (request -> F new)"))
    assert message.startswith("the formula uses new, which the answer does not list, and does not use grant")
    trial = performed("translate_sentence", REQUESTS, f"{PHRASES}Formula: G (request -> grant)")
    assert (part_of(trial, Translated).relation, trial.translation) == ("stronger", "G (request -> grant)")


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ('formulaToFind = Always(LImplies(AtomicProposition("request"), Eventually(grant)))', "equivalent"),
        ("formulaToFind = Always(LImplies(grant, Eventually(request)))", "different"),
        ("formulaToFind = Always(request", "unparseable"),
    ],
)
def test_python_lists_phrases_first_and_assigns_then(code: str, outcome: str) -> None:
    assert performed("translate_sentence", REQUESTS, f"{PHRASES}{code}", interface="python").outcome == outcome


def about(reference: str, *phrases: str) -> Item:
    """A sentence about x1, x2, …, which stand for the phrases."""
    pairs = [[phrase, f"x{number}"] for number, phrase in enumerate(phrases, 1)]
    return ltl_item(reference, sentence="A sentence.", propositions=pairs)


DOORS = about("G (x1 -> F x2)", "door A is open", "door B is open")
SIREN = about("G !x1", "a siren sounds")
WEATHER = about("G (x1 -> X x2) & F x3", "the siren sounds", "rain falls", "clouds gather")
SEVEN = about(
    " & ".join(f"F x{i}" for i in range(1, 7)) + " & G x7", "rain", "snow", "hail", "wind", "fog", "sun", "ice"
)
ALL_SEVEN = "F rain & F snow & F hail & F wind & F fog & F sun"


@pytest.mark.parametrize(
    ("subject", "listed", "formula", "outcome", "pairs"),
    [
        # by one letter of the phrases; by the names where no phrases are listed; our own names are no evidence
        (DOORS, {"a": "the door A gets opened", "b": "the door B gets opened"}, "G (a -> F b)", "equivalent", "a x1"),
        (DOORS, {"a": "the door A gets opened", "b": "the door B gets opened"}, "G (b -> F a)", "different", "b x2"),
        (REQUESTS, {}, "G (grant -> F request)", "different", "grant x2"),
        (DOORS, {"x1": "door B is open", "x2": "door A is open"}, "G (x2 -> F x1)", "equivalent", "x2 x1"),
        # a name for the contrary
        (SIREN, {"quiet": "no siren sounds"}, "G quiet", "equivalent", "quiet ¬x1"),
        (SIREN, {"quiet": "no siren sounds"}, "G !quiet", "different", "quiet ¬x1"),
        (SIREN, {"quiet": "the siren does not sound"}, "!F !quiet", "equivalent", "quiet ¬x1"),
        # what is clear stays, though its exchange would be equivalent
        (WEATHER, {"p": "the siren sounds", "q": "water", "r": "grey"}, "G (q -> X p) & F r", "different", "q x2"),
        # more than six are aligned by their phrases alone
        (SEVEN, {}, f"{ALL_SEVEN} & G ice", "equivalent", "rain x1"),
        (SEVEN, {}, f"{ALL_SEVEN} & F ice", "different", "rain x1"),
        (SEVEN, {}, f"{ALL_SEVEN.replace('rain', 'drizzle')} & F ice", "undecided", "drizzle x1"),
        # words that have nothing in common leave the oracle alone; all that it finds equivalent must be so
        (about("G x1", "a siren sounds"), {"alarm": "the bell rings"}, "G alarm", "equivalent", "alarm x1"),
        (about("F x1 & G x2", "rain falls", "clouds gather"), {}, "F q & G p", "equivalent", "q x1"),
    ],
)
def test_traps_in_which_a_wrong_alignment_would_be_a_wrong_verdict(
    subject: Item, listed: dict[str, str], formula: str, outcome: str, pairs: str
) -> None:
    lines = [f'"{phrase}": {name}\n' for name, phrase in listed.items()]
    trial = performed("translate_sentence", subject, f"{''.join(lines)}Formula: {formula}")
    assert trial.outcome == outcome
    assert (part_of(trial, Translated).alignment or [])[0] == tuple(pairs.split())


def test_without_time_nothing_is_claimed() -> None:
    subject = about("(x2 | !x2) & G (x1 -> F x2)", "rain falls", "clouds gather")
    assert performed("translate_sentence", subject, "Formula: G (p -> F q)").outcome == "equivalent"
    trial = performed("translate_sentence", subject, "Formula: G (p -> F q)", verify_timeout=0.0)
    assert (trial.outcome, part_of(trial, Translated).relation) == ("undecided", None)


@pytest.mark.parametrize(
    ("subject", "answer", "compliant"),
    [
        (SUBJECT, RIGHT, True),
        (SUBJECT, f"Sure!\n{RIGHT}", False),
        (SUBJECT, RIGHT.replace("→", "implies"), False),
        (SUBJECT, "∀x. (Cube(x) → Larger(x, a))", False),
        (REQUESTS, f"{PHRASES}Formula: G (request -> F grant)", True),
        (REQUESTS, f"Sure!\n{PHRASES}Formula: G (request -> F grant)", False),
        (REQUESTS, "Formula: G (request -> F grant)", False),
    ],
)
def test_compliant_is_the_form_that_was_asked_for(subject: Item, answer: str, compliant: bool) -> None:
    reading = performed("open_translation" if subject is SUBJECT else "translate_sentence", subject, answer).reading
    assert reading is not None
    assert reading.formula is not None
    assert (reading.compliant, reading.recovered) == (compliant, not compliant)


@pytest.mark.parametrize("name", ["translate_sentence", "open_translation"])
def test_the_model_is_shown_the_sentence_alone(name: str) -> None:
    subject = REQUESTS if name == "translate_sentence" else SUBJECT
    assert [*slots_of(name, subject).values()] == [subject.facts["sentence"]]
