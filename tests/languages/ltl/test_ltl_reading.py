"""Formulas of temporal logic in models' answers: what is read, and what must not be."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from ltl_formulas import formulas, random_formula

from pytest_autoeval.languages import FormulaSyntaxError, Vocabulary, language
from pytest_autoeval.languages.ltl.answers.lenient import parse_leniently
from pytest_autoeval.languages.ltl.syntax import Temporal

LTL = language("ltl")
X3 = Vocabulary(propositions=("x1", "x2", "x3"))
#: Propositions that sound like operators.
WORDS = Vocabulary(propositions=("request", "grant", "next", "once", "until", "release", "a", "Xray", "v"))


def read(answer: str, vocabulary: Vocabulary | None = X3) -> str | None:
    reading = LTL.read(answer, vocabulary=vocabulary)
    assert not (reading.compliant and reading.recovered)
    assert (reading.formula is None) == bool(reading.problem)
    assert (reading.formula is not None) == (reading.compliant or reading.recovered)
    return None if reading.formula is None else str(reading.formula)


COMPLIANT = [
    "G (x1 -> F x2)",
    "x1",
    "  (x1 U x2) & !x3\n",
    "[](x1 -> <>x2)",
    "□(x1 → ◇x2)",
    "X !x1",
    "X!x1",
    "x1 R x2 | x1 W x2",
    "H (x1 -> O x2)\n& Y x1",
    "true U x1",
    "G x4",
]


@pytest.mark.parametrize("vocabulary", [None, X3], ids=["free", "known"])
@pytest.mark.parametrize("answer", COMPLIANT)
def test_strict_answers_are_compliant(answer: str, vocabulary: Vocabulary | None) -> None:
    reading = LTL.read(answer, vocabulary=vocabulary)
    assert reading.compliant
    assert reading.formula == LTL.parse(answer)
    assert reading.text == answer.strip()


#: What surrounds the formula G (x1 -> F x2).
SURROUNDED = [
    "```\nG (x1 -> F x2)\n```",
    "```ltl\nG(x1 -> F x2)\n```",
    "```\nG (x1 -> F x2)",
    "Sure! Here it is:\n\n```\nG (x1 -> F x2)\n```\n\nLet me know if `x3` is needed, too.",
    "`G (x1 -> F x2)`",
    "`G (x1 -> F x2)`.",
    "**G (x1 -> F x2)**",
    "G (x1 -> F x2).",
    "G (x1 -> F x2);",
    "LTLSPEC G (x1 -> F x2);",
    "LTLSPEC NAME response := G (x1 -> F x2)",
    "φ = G (x1 -> F x2)",
    "$\\varphi := \\mathbf{G}(x_1 \\to \\mathbf{F} x_2)$",
    "Formula: G (x1 -> F x2)",
    "LTL: G (x1 -> F x2)",
    "**LTL Formula:** `G (x1 -> F x2)`",
    "The formula is G (x1 -> F x2).",
    "The LTL formula is:\n\nG (x1 -> F x2)\n",
    "Sure! G (x1 -> F x2)",
    "Answer - G (x1 -> F x2)",
    "# Answer\n\n> G (x1 -> F x2)",
    "1. G (x1 -> F x2)",
    "✅ G (x1 -> F x2)",
    "$$\\square (x_1 \\rightarrow \\Diamond x_2)$$",
    "\\[ \\Box\\,(x_{1} \\to \\Diamond\\, x_{2}) \\]",
    "\\( \\mathbf{G}(x_1 \\implies \\mathbf{F}x_2) \\)",
    "$\\mathsf{G}\\left(x_1 \\rightarrow \\mathsf{F}\\, x_2\\right)$",
    "$\\boxed{\\mathcal{G}(x_1 \\Rightarrow \\mathcal F x_2)}$",
    "\\text{G}(\\text{x1} \\to \\text{F } x_2)",
    "G(x₁ → F x₂)",
    "𝐆(x1 → 𝐅 x2)",
    "◻(x1 ⟹ ◊x2)",
    "G[x1 -> F x2]",
    "G{x1 -> F{x2}}",
    'G ("x1" -> F "x2")',
    "G\u00a0(x1 -> F\u200b x2)",
    "always (x1 implies eventually x2)",
    "ALWAYS (x1 IMPLIES EVENTUALLY x2)",
    "Globally(x1 -> Finally(x2))",
    "globally(Implies(x1, F(x2)))",
    "G(Implies(x1, F x2))",
    "G(x1->Fx2)",
    'formulaToFind = Always(LImplies(AtomicProposition("x1"), Eventually(x2)))',
    "```python\nformulaToFind = Always(LImplies(x1, Eventually(x2)))\n```",
    "Always(LImplies(AtomicProposition('x1'), Eventually(AtomicProposition('x2'))))",
    '{"formula": "G (x1 -> F x2)"}',
    '```json\n{"ltl_formula": "G (x1 -> F x2)"}\n```',
    "<answer>G (x1 -> F x2)</answer>",
    "<think>\nMaybe F x1?\n</think>\n\nG (x1 -> F x2)",
    "G (x1 -&gt; F x2)",
    "G (\n  x1\n  ->\n  F x2\n) is it",
    # What is said beside it.
    "`G (x1 -> F x2)`, where `G` means always and `F x2` that x2 holds at last.",
    "G (x1 -> F x2)\n\n- `G`: globally\n- `x1 -> F x2`: x1 leads to x2\n- `F x2`: eventually x2",
    "G (x1 -> F x2)\n\n**Explanation:**\n- **G**: at all times\n- **F x2**: x2 happens eventually",
    "G (x1 -> F x2)\n\nThis means: always x1 is followed by x2.",
    "G (x1 -> F x2)\n\nIn words:\nalways x1",
    "G (x1 -> F x2)\n\n| symbol | meaning |\n|---|---|\n| G | always |\n| F | eventually |",
    "```\nG (x1 -> F x2)\n```\nHere `F x1` would mean something else.",
    "```\nG (x1 -> F x2)\n```\nThis is equivalent to `G (!x1 | x2)`.",
    "I think G (x1 -> F x2) fits, which says that x1 always leads to x2.",
    "First I thought `F x1`, but it is `G (x1 -> F x2)`.",
    "F x1\n\nWait, it must be:\n\nG (x1 -> F x2)",
    "```\nF x1\n```\nCorrected:\n```\nG (x1 -> F x2)\n```",
    "Use `G (x1 -> F x2)` instead of `F x1`.",
    "G (x1 -> F x2)\n\nNote: this differs from `G x1 -> F x2`.",
    "`G (x1 -> F x2)` is right, while `F x1` would be wrong.",
    "x1: a request\nx2: a grant\n\nG (x1 -> F x2)",
    "**G**(x1 → **F** x2)",
    "The formula is G (x1 -> F x2), where G means always and F means eventually.",
    "G (x1 -> F x2)\n\nBreakdown:\n1. x1 -> F x2\n2. F x2",
    "x1 -> F x2\n\nThe corrected formula:\n\nG (x1 -> F x2)",
    "G (x1 -> F x2) ✓",
    "LTLSPEC G (x1 -> F x2) -- every request is granted",
    "```\n# response\nG (x1 -> F x2)  # always\n```",
    "G (x1 -> F x2)\n\nIf x2 must come later, use G (x1 -> X F x2).",
    "G (x1 -> F x2)\n\nAlternatively, with past operators: G (x2 -> O x1)",
    "“G (x1 -> F x2)”",
    "G (x1 -> F x2)\n\nNegation: F (x1 & G !x2)",
    "The formula is `G (x1 -> F x2)`, i.e. `G (!x1 | x2)`.",
    "The formula is `G (x1 -> F x2)` and its negation is `F (x1 & G !x2)`.",
    "Every x1 is followed by x2, so we get G (x1 -> F x2)!",
    "G (x1 -> F x2)\n\nx1 = request, x2 = grant",
]


@pytest.mark.parametrize("answer", SURROUNDED)
def test_a_formula_is_found_in_its_surroundings(answer: str) -> None:
    reading = LTL.read(answer, vocabulary=X3)
    assert reading.formula == LTL.parse("G (x1 -> F x2)"), reading
    assert reading.recovered


NOTATIONS = {
    "\\bigcirc x_1": "X x1",
    "○x1 ∧ ◯ x2": "X x1 & X x2",
    "\\mathbf{X} x_1 \\land \\lnot x_2": "X x1 & !x2",
    "x_1 \\,\\mathcal{U}\\, x_2": "x1 U x2",
    "x_1 \\mathrel{\\mathsf{R}} x_2": "x1 R x2",
    "x_1 \\mathbin{\\mathcal{W}} x_2": "x1 W x2",
    "x1 \\text{ until } x2": "x1 U x2",
    "x1 until x2": "x1 U x2",
    "x1 weak until x2": "x1 W x2",
    "x1 releases x2": "x1 R x2",
    "x1 release x2": "x1 R x2",
    "x1 V x2": "x1 R x2",
    "x1 v x2": "x1 | x2",
    "x1 since x2": "x1 S x2",
    "x1 S x2": "x1 S x2",
    "once x1": "O x1",
    "historically (x1 or not x2)": "H (x1 | !x2)",
    "yesterday x1": "Y x1",
    "previously x1": "Y x1",
    "weak yesterday x1": "Z x1",
    "next next x1": "X X x1",
    "not eventually x1": "!F x1",
    "always eventually x1": "G F x1",
    "x1 if and only if x2": "x1 <-> x2",
    "x1 iff (x2 xor x3)": "x1 <-> (x2 xor x3)",
    "x1 and x2 implies x3": "(x1 & x2) -> x3",
    "(x1 until x2) and x3": "(x1 U x2) & x3",
    "x1 implies eventually x2": "x1 -> F x2",
    "U(x1, x2)": "x1 U x2",
    "Until(x1, Next(x2))": "x1 U X x2",
    "G(R(x1, U(x2, x3)))": "G (x1 R (x2 U x3))",
    "And(x1, x2, x3)": "x1 & x2 & x3",
    "or(x1, not(x2))": "x1 | !x2",
    "W(x1 -> x2, x3)": "(x1 -> x2) W x3",
    "U(x1, x2) & x3": "(x1 U x2) & x3",
    "X U(x1, x2)": "X (x1 U x2)",
    "GF x1": "G F x1",
    "GFx1": "G F x1",
    "XXx1 & FG!x2": "X X x1 & F G !x2",
    "Xx1": "X x1",
    "x1Ux2": "x1 U x2",
    "(x1)U(Xx2)": "x1 U X x2",
    "x1U(x2 & x3)": "x1 U (x2 & x3)",
    "G(x1→Xx2)": "G (x1 -> X x2)",
    "X1": "X1",
    "G X1": "G X1",
    "Gx4": "Gx4",
    "{x1} U {x2}": "x1 U x2",
    "{\\Box} x_1": "G x1",
    "G(x1 ⇒ [](x2 ∨ ⊥))": "G (x1 -> G (x2 | false))",
    "\\boxminus x_1 \\to \\blacklozenge x_2": "H x1 -> O x2",
    "TRUE U x1": "true U x1",
    "x1 -> x2 <-> x3": "x1 -> (x2 <-> x3)",
    "!x1 U x2": "!x1 U x2",
    "x1 U x2 U x3": "(x1 U x2) U x3",
    "x_1 U x2": "x1 U x2",
    "(x1 -> F x2": None,
    # Not linear temporal logic, or not clear.
    "F[0,5] x1": None,
    "F_{[0,5]} x1": None,
    "$\\mathbf{F}_{\\leq 3} x_1$": None,
    "G<=3 x1": None,
    "x1 U[2,4] x2": None,
    "x1 U<=5 x2": None,
    "X^2 x1": None,
    "X[!] x1": None,
    "always[0,5] x1": None,
    "AG x1": None,
    "AG (x1 -> AF x2)": None,
    "The formula is A G x1.": None,
    "EF x1": None,
    "A[x1 U x2]": None,
    "E (x1 U x2)": None,
    "∀x. G x": None,
    "\\forall t. x1": None,
    "G (x1 = x2)": None,
    "G (x1 == x2)": None,
    "G (x1 != x2)": None,
    "G x1 ≡ G x2": None,
    "x1 ^ x2": None,
    "G (x1 -> F x2)\n\nWait, it must be:\n\nx1 -> F x2": "x1 -> F x2",
    "x1 => x2 => ": None,
    "U(x1)": None,
    "U(x1, x2, x3)": None,
    "G(x1, x2)": None,
    "P(x1)": None,
    "G [x1 -> x2)": None,
    "always x1 implies x2": None,
    "eventually x1 & x2": None,
    "x1 and x2 until x3": None,
    "x1 until x2 until x3": None,
    "x1 strong release x2": None,
    "next": "next",
    "The formula is x1.": "x1",
    "The answer is G (x1 -> F x2) or G (x1 -> X F x2).": None,
    "F x1 or F x2": "F x1 | F x2",
    "Formula: F x1 or F x2": "F x1 | F x2",
    "Not possible": None,
    "Not sure.": None,
    "Unable to translate": None,
}


@pytest.mark.parametrize(("answer", "expected"), NOTATIONS.items())
def test_other_notations(answer: str, expected: str | None) -> None:
    assert read(answer) == expected


PROBLEMS = {
    "G (x1 = x2)": "'=' is no connective; write '<->'",
    "```\nx1 == x2\n```": "no formula",
    "F[0,5] x1": "a bound of time",
    "AG x1": "branching time",
    "∃x. G x": "a quantifier",
    "X[!] x1": "finite traces",
    "always x1 implies x2": "write parentheses",
    "(x1": "is never closed",
    "": "the answer is empty",
    "x1 & " * 30_000: "at most 100,000",
}


@pytest.mark.parametrize(("answer", "problem"), PROBLEMS.items(), ids=lambda text: text[:20])
def test_a_problem_says_why_nothing_was_read(answer: str, problem: str) -> None:
    assert problem in LTL.read(answer, vocabulary=X3).problem


FRAGMENTS = [
    "(x1 -> F (x2)",
    "Answer: G (x1 -> (F x2)",
    "```\nG (x1 -> (F x2)\n```",
    "`G (x1 -> F x2`",
    "G x1 F x2",
    "If G x1 then F x2.",
    "If `G x1` then `F x2`.",
    "It is not `G x1`",
    "It is not the case that G (x1 -> x2).",
    "`x1 -> F x2` always holds",
    "It is always the case that `x1 -> F x2`",
    "`x1 & x2` until `x3`",
    "always `x1 -> x2`",
    "`G x1` and not `x3`",
    "`G x1` and `F x2`",
    "`G x1` U `F x2`, it seems",
    "(`G x1`) | `F x2`",
    "Either `G x1` or `F x2`.",
    "Eventually x1 will hold until x2 does.",
    "I cannot do that.",
    "Sorry, no.",
    "Next, I do not know.",
    "x1 is true until x2",
    "It is always x1",
    "Once x1, F x2.",
    "AF x1 or F x1",
    "It should be A F x1",
    "Always be careful.",
    "Once upon a time",
    "x1 holds until x2 holds",
    "x1 is always followed by x2",
    "- x1: request\n- x2: grant",
    "Use G for always and F for eventually.",
    "The operators X F G U R W are of no help.",
    "A common mistake is `G x1`.",
    "<think>\nIt may be G x1",
    "The answer is ! `G x1`",
    "Sure, AG (x1 -> AF x2) is right.",
    "",
    " \n ",
    "...",
    "```\n```",
]


@pytest.mark.parametrize("vocabulary", [None, X3], ids=["free", "known"])
@pytest.mark.parametrize("answer", FRAGMENTS)
def test_fragments_and_prose_are_not_formulas(answer: str, vocabulary: Vocabulary | None) -> None:
    assert read(answer, vocabulary) is None


#: Each is an equation, of which neither side is an answer.
EQUATIONS = [
    "x1 = X x1",
    "x1 = x2 & x1",
    "x1 == X x1",
    "x1 === X x1",
    "x1 := X x1",
    "x1 != X x2",
    "x1 ≡ G x1",
    "x1 ≜ X x2",
    "x1 =\nX x1",
    "x1\n= X x1",
    "X x1 = x1",
    "G(x1) = F x2",
    "(x1) = (X x2)",
    "So x1 = X x1 holds.",
    "x1 ≡ X x2, always",
    "Formula: x1 = X x1",
    "LTL: x1 = F x2",
    "The formula is x1 = X x1.",
    "φ = x1 = F x2",
    "`x1 = X x1`",
    "`x1` = `X x1`",
    "**Formula:** `x1` = `X x1`",
    "`G x1` ≡ `F x2`",
    "**x1 = X x1**",
    "$x_1 = X x_1$",
    "$$x_1 \\equiv \\mathbf{G} x_2$$",
    "```\nx1 = X x1\n```",
    "x1: X x2",
    "x1 is X x2",
    "x1 equals X x2",
    "`x1` is equivalent to `X x2`",
    "G (x1 -> F x2) ≡ !F (x1 & G !x2)",
]


@pytest.mark.parametrize("vocabulary", [None, X3], ids=["free", "known"])
@pytest.mark.parametrize("answer", EQUATIONS)
def test_neither_side_of_an_equation_is_the_answer(answer: str, vocabulary: Vocabulary | None) -> None:
    assert read(answer, vocabulary) is None


@pytest.mark.parametrize(
    "answer",
    [
        "φ = {}",
        "ϕ := {}",
        "phi = {}",
        "f = {}",
        "P = {}",
        "ltl_formula = {}",
        "formula = '{}'",
        'formula = "{}"',
        "LTL formula = {}",
        "**Formula** = {}",
        "Answer = {}",
        "φ ≡ {}",
        "φ ≜ {}",
        "So φ = {}.",
        "The formula φ = {}.",
        "Final answer: φ = {}",
        "`φ = {}`",
        "Formula =\n{}",
        "$\\varphi = {}$",
        "\\text{{LTL}} = {}",
    ],
)
def test_a_name_for_the_formula_is_no_side_of_an_equation(answer: str) -> None:
    assert read(answer.format("G (x1 -> F x2)")) == "G (x1 -> F x2)"


def test_a_proposition_called_like_an_answer_is_one_side_of_an_equation() -> None:
    names = Vocabulary(propositions=("answer", "f", "x1"))
    assert read("answer = X f", names) is None
    assert read("f = X x1", names) is None
    assert read("formula = X f", names) == "X f"


@pytest.mark.parametrize(
    "answer",
    [
        "G x1 -> F x2)",
        "So we get x1 -> F x2).",
        "Formula: G x1 -> F x2)",
        "`G x1 -> F x2)`",
        "(G x1 -> F x2",
        "X x1) & F (x2",
        "x1 F x2",
        "x4 X x1",
        "G F x1 x2",
        "!x1 x1 U x2",
        "G F x1 -> G x2 F",
        "G (x1 -> X x2) !x3",
        "G x1 (-> F x2)",
        "G, (x1 -> F x2)",
        "G: (x1 -> F x2)",
        "G ... x1 -> F x2",
        "G is (x1 -> F x2)",
        "X and X x1",
        "X ? X x1",
        "G ∀ x1 -> F x2",
        "^ x1 U x2",
        "== x1 U x2",
        "... (x1 -> F x2)",
        "(x1 U x2) ... G x3",
        "(x1 U x2) ? G x3",
        "G (x1 -> X x2), G !x3",
        "G F x1, -> G F x2",
        "or X x1",
        "G x1\nor\nG x2",
        "G x1\nF x2",
        "1. G x1\n2. F x2",
        "```\nG x1\nF x2\n```",
        "`G x1` together with `G x2`",
        "`G x1`, `G x2`",
        "x1 is followed by x2 → G (x1 -> F x2)",
        "`G x1` or `G x2`",
        "The answer is `G x1` or `G x2`.",
        "It could be G (x1 -> F x2) or G (x1 -> X x2).",
        "Formula: `G x1`, or maybe `G x2`",
        "Option A: G x1\nOption B: G x2",
        "**Interpretation 1 (weak):** `G x1`\n\n**Interpretation 2 (strict):** `G x2`",
    ],
)
def test_what_lacks_a_bracket_or_leaves_a_choice_is_not_read(answer: str) -> None:
    assert read(answer) is None


@pytest.mark.parametrize(
    "answer",
    [
        "G (x1 -> F x2)\n\nNot: G x1 -> F x2",
        "✅ G (x1 -> F x2)\n❌ G x1 -> F x2",
        "G (x1 -> F x2)\n\nA common mistake is to write `G x1 -> F x2`, which is weaker.",
        "G (x1 -> F x2)\n\nViolated when: F (x1 & G !x2)",
        "**Correct:**\n```\nG (x1 -> F x2)\n```\n**Incorrect:**\n```\nG x1 -> F x2\n```",
        "```\nG (x1 -> F x2)\n```\nDon't write:\n```\nG x1\n-> F x2\n```",
        "Interpretation 1: G x2\nInterpretation 2: G x3\n\nNeither fits. Final formula: G (x1 -> F x2)",
        "`G (x1 -> F x2)` or equivalently `G (!x1 | F x2)`",
        "So (as G binds tighter) G (x1 -> F x2)",
        "a) G (x1 -> F x2)",
        "G (x1 -> F x2)\n\nG x3 would be too strong.",
        "Use `G (x1 -> F x2)`. `G x1` would be too strong.",
        "G (x1 -> F x2)\n\nOne could add G x3.",
        "G (x1 -> F x2)\n\nThe subformula `F x3` is not needed.",
        "Formula: G (x1 -> F x2)\n\nChecking: does G x3 hold? Not needed.",
        "G (x1 -> F x2)\n\nIf x3 should also hold:\n\nG (x1 -> F x2) & G x3",
        "G (x1 -> F x2)\n\nThe past version: G (x2 -> O x1)",
        "```\nG (x1 -> F x2)\n```\nEquivalent formula:\n```\nG (!x1 | F x2)\n```",
        "The trigger is:\n\nx1 -> F x2\n\nSo we need G (x1 -> F x2) overall.",
        "Result → G (x1 → F x2)",
        "so I use F: G (x1 -> F x2)",
        "Here is G (x1 -> F x2). G means always.",
    ],
)
def test_what_an_answer_rejects_is_not_its_formula(answer: str) -> None:
    assert read(answer) == "G (x1 -> F x2)"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("G (request -> next)", "G (request -> next)"),
        ("G next", "G next"),
        ("next next", "X next"),
        ("next U grant", "next U grant"),
        ("next until until", "next U until"),
        ("once(once)", "O once"),
        ("always (once or not until)", "G (once | !until)"),
        ("G (request -> release)", "G (request -> release)"),
        ("a releases release", "a R release"),
        ("v v v", "v | v"),
        ("Xray", "Xray"),
        ("XXray", "X Xray"),
        ("GXa", "G X a"),
        ("The formula:\nonce", "once"),
        ("F Request", "F Request"),
    ],
)
def test_words_are_names_where_the_vocabulary_has_them(answer: str, expected: str) -> None:
    assert read(answer, WORDS) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("G (request -> F grant)", "G (request -> F grant)"),
        ("The formula:\n\n`G (request -> F grant)`\n\nHere `G p` means that p always holds.", "G (request -> F grant)"),
        ("I would write G(request -> F grant) for it.", "G (request -> F grant)"),
        ("**Formula:** request U grant", "request U grant"),
        ("□(request → ◇grant)", "G (request -> F grant)"),
        ("always (request implies eventually grant)", "G (request -> F grant)"),
        ("eventually p", "F p"),
        ("GF p", "G F p"),
        ("GFp", "GFp"),
        ("Xx1", "Xx1"),
        ("X always is what G is", None),
        ("$\\mathbf{G}p$", "G p"),
        ("G (next -> X next)", "G (next -> X next)"),
    ],
)
def test_without_a_vocabulary_names_are_taken_as_they_are(answer: str, expected: str | None) -> None:
    assert read(answer, None) == expected


@given(formulas())
def test_the_canonical_text_is_compliant(formula: Temporal) -> None:
    for vocabulary in (None, LTL.symbols(formula)):
        reading = LTL.read(LTL.format(formula), vocabulary=vocabulary)
        assert reading.compliant
        assert reading.formula == formula


def test_a_drawn_formula_survives_words_brackets_and_prose() -> None:
    rng = random.Random(5)
    for _ in range(150):
        formula = random_formula(rng, rng.randint(2, 25), ("x1", "x2", "x3"))
        text = LTL.format(formula)
        latex = text
        for plain, command in (
            ("&", "\\land"),
            ("G ", "\\mathbf{G}"),
            ("U", "\\mathcal{U}"),
            ("(", "\\left("),
            (")", "\\right)"),
        ):
            latex = latex.replace(plain, command)
        for answer in (
            f"Here you go:\n\n$${latex}$$",
            f"Sure! The formula is: `{text}`. It has all that was asked for.",
            f"```ltl\n{text}\n```\n\nwhere `x1` is the first proposition.",
            text.replace("(", "[").replace(")", "]"),
        ):
            assert LTL.read(answer, vocabulary=X3).formula == formula, answer


def test_the_lenient_parser_agrees_with_the_strict_one_where_both_read() -> None:
    rng = random.Random(6)
    pieces = ["x1", "x2", "(", ")", "!", "X", "G", "F", "U", "S", "->", "<->", "&", "|", "xor", "true", "[]", "<>", "R"]
    agreed = 0
    for _ in range(20_000):
        text = " ".join(rng.choice(pieces) for _ in range(rng.randint(1, 7)))
        try:
            strict = LTL.parse(text)
        except FormulaSyntaxError:
            continue
        agreed += 1
        assert parse_leniently(text, X3) == strict == parse_leniently(text)
    assert agreed > 300


def test_no_answer_raises() -> None:
    rng = random.Random(8)
    answers = [*COMPLIANT, *SURROUNDED, *NOTATIONS, *FRAGMENTS]
    pieces = ["(", ")", "[", "}", "`", "$", "**", "\n", "\\", "G ", "U", "!", " until ", "x1", "=", "é", "\0", ",", "^"]
    for _ in range(600):
        answer = list(rng.choice(answers) + rng.choice(["", "\n", " "]) + rng.choice(answers))
        for _ in range(rng.randint(1, 6)):
            at = rng.randint(0, len(answer))
            answer[at : at + rng.randint(0, 2)] = rng.choice(pieces)
        read("".join(answer), rng.choice([None, X3, WORDS]))


HOSTILE = ["(", "G ", "x1 U ", "`G x1` ", "U(x1, ", "G x1\n", "if `G x1`, ", "$G x1$ and ", "\\text{", "Xx", "x1U"]


@pytest.mark.parametrize("piece", [*HOSTILE, "**G x1** ", "[", "always ", "Next(", "x1!"])
def test_hostile_answers_are_read_or_refused(piece: str) -> None:
    reading = LTL.read(piece * (20_000 // len(piece)), vocabulary=X3)
    assert (reading.formula is None) == bool(reading.problem)
