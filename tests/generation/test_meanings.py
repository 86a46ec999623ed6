"""Formulas of one meaning are found, in each language, and every machine finds the same."""

from __future__ import annotations

from itertools import combinations

import pytest

from pytest_autoeval import language
from pytest_autoeval.engine.sample_lines import Meanings
from pytest_autoeval.generation.samples import draw_samples, sample_of
from pytest_autoeval.languages.contract import trivial_kind

SAME = {
    "propositional": ("p1 ∧ p2", "p2 ∧ (p1 ∧ p1)", "p1 ∨ p2"),
    "first_order": (
        "∃x. ∀y. (P(x, y) ∧ Q(b))",
        "Q(b) ∧ ∃y. ∀x. P(y, x)",
        "∀y. ∃x. (P(x, y) ∧ Q(b))",
    ),
    "ltl": ("F F p1", "F p1", "G p1"),
    "regex": ("(0*1*)*0", "(1*0*)*0", "(0*1*)*1"),
}


@pytest.mark.parametrize("grammar", SAME)
def test_equivalent_formulas_have_one_meaning(grammar: str) -> None:
    meanings = Meanings()
    first, same, other = (sample_of(text, grammar) for text in SAME[grammar])
    assert meanings.earlier(first) is None
    assert meanings.earlier(same) == first.text
    assert meanings.earlier(other) is None
    assert meanings.earlier(same) == first.text, "asked again, nothing changes"


@pytest.mark.parametrize(
    "grammar", ["propositional", "first_order", "past_ltl", "regex", "boolean_regex"]
)
def test_equivalent_formulas_have_the_same_fingerprint(grammar: str) -> None:
    samples = draw_samples(
        grammar, range(1, 4), 12, vocabulary=["p1"] if "p" in grammar[:2] else None, warn=False
    )
    lang = language(samples[0].language)
    for left, right in combinations([sample.formula for sample in samples], 2):
        if lang.equivalent(left, right).outcome == "equivalent":
            assert lang.fingerprint(left) == lang.fingerprint(right), f"{left} and {right}"


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("propositional", "p ∨ ¬p", "tautology"),
        ("first_order", "∃x. ∀y. ∀z. (¬P(y, z) ∧ P(c, x))", "contradiction"),
        ("ltl", "G p -> !F !p", "tautology"),
        ("ltl", "(F p & G !p) U q & G !q", "contradiction"),
        ("regex", "(1*0)*1*", "universal"),
    ],
)
def test_what_is_trivial_is_found_by_a_fixed_amount_of_work(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str, kind: str
) -> None:
    lang = language(name)
    monkeypatch.setattr(type(lang), "default_timeout", 0.0)
    assert trivial_kind(lang.parse(text), lang, ("0", "1"), briefly=True) == kind


def test_work_ends_what_is_hard_and_not_time(monkeypatch: pytest.MonkeyPatch) -> None:
    lang = language("regex")
    hard = lang.tree("(0|1)*(0(0|1){12}1|1(0|1){12}0)(0|1)*|(0|1){0,12}")
    monkeypatch.setattr("time.monotonic", lambda: 0.0)  # time stands still
    verdict = lang.decide_briefly(hard, lang.trivial("01")["universal"])
    assert (verdict.outcome, verdict.reason) == ("undecided", "the automata have too many states")
