"""Long chains are read, decided and kept; what cannot use them refuses them with a LimitError, and nothing recurs."""

from __future__ import annotations

import copy
import pickle

import pytest

from pytest_autoeval.languages import LimitError, language
from pytest_autoeval.languages.base import Tree, substitute

LONG = 1_200
CHAINS = [
    *[("propositional", sign) for sign in "∧∨⊕↔"],
    *[("ltl", sign) for sign in ("&", "|", "xor", "<->", "U", "R", "W", "S", "T")],
]


def flat(sign: str, length: int = LONG) -> str:
    return f" {sign} ".join(f"p{at % 20}" for at in range(length))


def nested(sign: str) -> str:
    return f" {sign} (".join(f"p{at % 20}" for at in range(LONG)) + ")" * (LONG - 1)


TEXTS = [(name, text(sign)) for name, sign in CHAINS for text in (flat, nested)]
TEXTS += [
    ("propositional", flat("∧", 5_000)),
    ("ltl", flat("U", 5_000)),
    ("ltl", "X " * 5_000 + "p0"),
]
TEXTS += [("ltl", f"{sign} " * LONG + "p0") for sign in "XYZ"]


@pytest.mark.parametrize(
    ("name", "text"), TEXTS, ids=[f"{name} {text[:9]}" for name, text in TEXTS]
)
def test_a_long_chain_can_be_used(name: str, text: str) -> None:
    lang = language(name)
    formula = lang.parse(text)
    assert isinstance(formula, Tree)
    assert formula.height >= LONG
    assert formula.levels == 2
    assert lang.parse(str(formula)) == formula == pickle.loads(pickle.dumps(formula))
    assert copy.deepcopy(formula) == formula
    assert lang.owns(formula)
    assert lang.read(text).formula == formula
    symbols = lang.symbols(formula)
    assert 0 < len(symbols.propositions) <= 20
    assert lang.foreign(formula, symbols) == ()
    assert lang.measure(formula)["operators"] >= LONG - 1
    assert lang.differences(formula, lang.parse("p0")) is not None
    assert list(lang.simpler(formula, symbols)) == []
    assert next(lang.rewritings(formula), None) != formula
    assert next(lang.edits(formula, symbols), None) != formula
    renamed = substitute(formula, {lang.parse("p0"): lang.parse("q")})
    assert "q" in lang.symbols(renamed).propositions
    verdict = lang.equivalent(formula, lang.parse(text))
    assert (verdict.outcome, verdict.method) in {
        ("equivalent", "normal form"),
        ("equivalent", "truth table"),
    }
    with pytest.raises(LimitError, match="nested too deeply"):
        lang.describe(formula)


def test_chains_inside_other_operators_count_once() -> None:
    lang = language("propositional")
    clauses = " ∧ ".join(f"(p{at} ∨ ¬q{at} ∨ (r ⊕ s ⊕ t))" for at in range(1_000))
    formula = lang.parse(clauses)
    assert isinstance(formula, Tree)
    assert formula.levels == 4
    assert isinstance(lang.parse("p ∧ (q ∨ (r ∧ s))"), Tree)
    assert lang.parse("p ∧ (q ∨ (r ∧ s))").levels == 4  # type: ignore[attr-defined]
    with pytest.raises(LimitError, match="nested too deeply"):
        language("first_order").parse(" ∧ ".join(["p"] * 151))
