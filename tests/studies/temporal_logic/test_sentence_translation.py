"""Translation into temporal logic over the model's own names, which are aligned with ours by their phrases."""

from __future__ import annotations

import pytest
from support.scripted import message_of, part_of, performed, slots_of
from support.task_items import Item, ltl_item

from pytest_autoeval.models.protocols import Reply
from pytest_autoeval.record.task_parts import Translated

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
        (
            f'{PHRASES}"a door opens": grant\nFormula: G (request -> F grant)',
            "foreign symbol",
            None,
            None,
        ),
        (
            '"a request is made": request\nFormula: G (request -> F grant)',
            "equivalent",
            GRANTED,
            "glosses",
        ),
        (
            '{"sentence": "Every request …", "formula": "G (request -> F grant)"}',
            "equivalent",
            GRANTED,
            "oracle",
        ),
        (
            f'{PHRASES}"time passes": t\nFormula: G (request -> F (grant & t))',
            "foreign symbol",
            None,
            None,
        ),
        ("I'm sorry, but I can't help with that.", "refused or empty", None, None),
        (
            Reply(f"{PHRASES}Formula: G (request -> F grant)", finish_reason="length"),
            "truncated",
            None,
            None,
        ),
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
    message = message_of(
        performed("translate_sentence", REQUESTS, f"{PHRASES}Formula: G (grant -> F request)")
    )
    assert "names aligned by glosses: grant is x2, request is x1" in message
    assert "model's:  G (x2 -> F x1)" in message
    message = message_of(
        performed("translate_sentence", REQUESTS, f"{PHRASES}Formula: G (request -> F new)")
    )
    assert message.startswith(
        "the formula uses new, which the answer does not list, and does not use grant"
    )
    trial = performed("translate_sentence", REQUESTS, f"{PHRASES}Formula: G (request -> grant)")
    assert (part_of(trial, Translated).relation, trial.translation) == (
        "stronger",
        "G (request -> grant)",
    )


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (
            'formulaToFind = Always(LImplies(AtomicProposition("request"), Eventually(grant)))',
            "equivalent",
        ),
        ("formulaToFind = Always(LImplies(grant, Eventually(request)))", "different"),
        ("formulaToFind = Always(request", "unparseable"),
    ],
)
def test_python_lists_phrases_first_and_assigns_then(code: str, outcome: str) -> None:
    assert (
        performed("translate_sentence", REQUESTS, f"{PHRASES}{code}", interface="python").outcome
        == outcome
    )


def about(reference: str, *phrases: str) -> Item:
    """A sentence about x1, x2, …, which stand for the phrases."""
    pairs = [[phrase, f"x{number}"] for number, phrase in enumerate(phrases, 1)]
    return ltl_item(reference, sentence="A sentence.", propositions=pairs)


DOORS = about("G (x1 -> F x2)", "door A is open", "door B is open")
SIREN = about("G !x1", "a siren sounds")
WEATHER = about("G (x1 -> X x2) & F x3", "the siren sounds", "rain falls", "clouds gather")
SEVEN = about(
    " & ".join(f"F x{i}" for i in range(1, 7)) + " & G x7",
    "rain",
    "snow",
    "hail",
    "wind",
    "fog",
    "sun",
    "ice",
)
ALL_SEVEN = "F rain & F snow & F hail & F wind & F fog & F sun"


@pytest.mark.parametrize(
    ("subject", "listed", "formula", "outcome", "pairs"),
    [
        # by one letter of the phrases; by the names where no phrases are listed; our own names are no evidence
        (
            DOORS,
            {"a": "the door A gets opened", "b": "the door B gets opened"},
            "G (a -> F b)",
            "equivalent",
            "a x1",
        ),
        (
            DOORS,
            {"a": "the door A gets opened", "b": "the door B gets opened"},
            "G (b -> F a)",
            "different",
            "b x2",
        ),
        (REQUESTS, {}, "G (grant -> F request)", "different", "grant x2"),
        (
            DOORS,
            {"x1": "door B is open", "x2": "door A is open"},
            "G (x2 -> F x1)",
            "equivalent",
            "x2 x1",
        ),
        # a name for the contrary
        (SIREN, {"quiet": "no siren sounds"}, "G quiet", "equivalent", "quiet ¬x1"),
        (SIREN, {"quiet": "no siren sounds"}, "G !quiet", "different", "quiet ¬x1"),
        (SIREN, {"quiet": "the siren does not sound"}, "!F !quiet", "equivalent", "quiet ¬x1"),
        # what is clear stays, though its exchange would be equivalent
        (
            WEATHER,
            {"p": "the siren sounds", "q": "water", "r": "grey"},
            "G (q -> X p) & F r",
            "different",
            "q x2",
        ),
        # more than six are aligned by their phrases alone
        (SEVEN, {}, f"{ALL_SEVEN} & G ice", "equivalent", "rain x1"),
        (SEVEN, {}, f"{ALL_SEVEN} & F ice", "different", "rain x1"),
        (SEVEN, {}, f"{ALL_SEVEN.replace('rain', 'drizzle')} & F ice", "undecided", "drizzle x1"),
        # words that have nothing in common leave the oracle alone; all that it finds equivalent must be so
        (
            about("G x1", "a siren sounds"),
            {"alarm": "the bell rings"},
            "G alarm",
            "equivalent",
            "alarm x1",
        ),
        (
            about("F x1 & G x2", "rain falls", "clouds gather"),
            {},
            "F q & G p",
            "equivalent",
            "q x1",
        ),
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
    ("answer", "compliant"),
    [
        (f"{PHRASES}Formula: G (request -> F grant)", True),
        (f"Sure!\n{PHRASES}Formula: G (request -> F grant)", False),
        ("Formula: G (request -> F grant)", False),
    ],
)
def test_compliant_is_the_form_that_was_asked_for(answer: str, compliant: bool) -> None:
    reading = performed("translate_sentence", REQUESTS, answer).reading
    assert reading is not None
    assert reading.formula is not None
    assert (reading.compliant, reading.recovered) == (compliant, not compliant)


def test_the_model_is_shown_the_sentence_alone() -> None:
    assert [*slots_of("translate_sentence", REQUESTS).values()] == [REQUESTS.facts["sentence"]]
