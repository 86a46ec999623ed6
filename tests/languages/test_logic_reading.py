"""Formulas of logic in models' answers: what is read, and what must not be."""

from __future__ import annotations

import pytest

from pytest_autoeval.languages import Vocabulary, language

PROPOSITIONAL = language("propositional")
FIRST_ORDER = language("first_order")

#: A vocabulary of propositional logic, and one of first-order logic, as the suites have them.
P12 = Vocabulary(propositions=tuple(f"p{number}" for number in range(1, 13)))
SIGNATURE = Vocabulary(
    predicates=(("P", 1), ("Q", 1), ("R", 2), ("is_tall", 1)),
    functions=(("f", 1),),
    constants=("a", "b", "mary-ann"),
    variables=("x1", "x2"),
)
WORDS = Vocabulary(propositions=("tall", "call", "wet", "umbrella", "v", "some", "person", "mary-ann", "is_tall", "P"))


def read(answer: str, vocabulary: Vocabulary | None, name: str = "first_order") -> str | None:
    reading = language(name).read(answer, vocabulary=vocabulary)
    assert not (reading.compliant and reading.recovered)
    assert (reading.formula is None) == bool(reading.problem)
    assert (reading.formula is not None) == (reading.compliant or reading.recovered)
    return None if reading.formula is None else str(reading.formula)


COMPLIANT = ["p1", "p1 & !p2", "  (p1 ∨ p2) → p3\n", "p1 <-> p2 ^ p3", "⊤", "true -> p1", "p1\n∧ p2"]


@pytest.mark.parametrize("answer", COMPLIANT)
def test_strict_answers_are_compliant(answer: str) -> None:
    reading = PROPOSITIONAL.read(answer, vocabulary=P12)
    assert reading.compliant
    assert reading.formula == PROPOSITIONAL.parse(answer)
    assert reading.text == answer.strip()


#: What surrounds the formula p1 ∧ ¬p2.
SURROUNDED = [
    "```\np1 ∧ ¬p2\n```",
    "```logic\np1 ∧ ¬p2\n```",
    "Sure! Here it is:\n\n```\np1 ∧ ¬p2\n```\n\nLet me know if p3 is needed, too.",
    "```\np1 ∧ ¬p2",
    "`p1 ∧ ¬p2`",
    "`p1 ∧ ¬p2`.",
    "**p1 ∧ ¬p2**",
    "**`p1 ∧ ¬p2`**",
    "*p1 ∧ ¬p2*",
    '"p1 ∧ ¬p2"',
    "p1 ∧ ¬p2.",
    "Sure! p1 ∧ ¬p2",
    "Of course! (p1 ∧ ¬p2)",
    "Sure!p1 ∧ ¬p2",
    "Here you go! `p1 & !p2`",
    "Answer - p1 ∧ ¬p2",
    "Answer: - p1 ∧ ¬p2",
    "Formula ~ p1 ∧ ¬p2",
    "Formula: p1 ∧ ¬p2",
    "**Formula:** p1 ∧ ¬p2.",
    "Formula: `p1 ∧ ¬p2`",
    "The formula is p1 ∧ ¬p2.",
    "The formula is: p1 ∧ ¬p2",
    "# Answer\n\np1 ∧ ¬p2",
    "Answer:\np1 ∧ ¬p2\n",
    "Answer: $p_1 \\land \\lnot p_2$",
    "$$p_1 \\wedge \\neg p_2$$",
    "\\[ p_{1} \\land \\neg p_{2} \\]",
    "\\( p_1 \\land \\lnot p_2 \\)",
    "$\\boxed{p_1 \\land \\lnot p_2}$",
    "\\boxed{\\text{p1} \\land \\lnot \\mathrm{p2}}",
    "\\left( p_1 \\, \\land \\; \\lnot p_2 \\right)",
    "Sure! `p1 ∧ ¬p2`",
    "Sure, p1 ∧ ¬p2 is the formula that you want.",
    "The sentence means p1 ∧ ¬p2, which says that p1 holds and p2 does not.",
    "- p1 ∧ ¬p2\n",
    "The result:\n- p1 ∧ ¬p2",
    "1. p1 ∧ ¬p2",
    "> p1 ∧ ¬p2",
    "p1 and not p2",
    "p1 AND NOT p2",
    "p1 · ~p2",
    "p1∧¬p2",
    "[p1 ∧ ¬p2]",
    "{p1} ∧ {¬p2}",
    "p₁ ∧ ¬p₂",
    "p_1 & !p_2",
    "`p1` ∧ `¬p2`",
    "p1 ∧\n¬p2 is it",
    "(p1)\n∧\n(¬p2).",
    "We need `p1 ∧ ¬p2`, where `p1` says that it rains and `p2` that it snows.",
    "`p1 ∧ ¬p2`\n\n- `p1`: rain\n- `p2`: snow",
    "p1 ∧ ¬p2\n\nThanks",
    "p1 ∨ p2\n\nWait, it must be:\n\np1 ∧ ¬p2",
    "First I thought `p1 ∨ p2`, but it is `p1 ∧ ¬p2`.",
    "```\np1 ∨ p2\n```\nCorrected:\n```\np1 ∧ ¬p2\n```",
    "p1 ∨ p2\n\nor\n\np1 ∧ ¬p2",
    "```\np1 ∨ p2\np1 ∧ ¬p2\n```",
    "It is `p1 ∨ p2` or `p1 ∧ ¬p2`.",
    "p1 ∧ ¬p2\n(p1 ∧ (¬p2",
    "\u200bp1 ∧\u00a0¬p2\ufeff.",
    # What servers and programs put around an answer.
    "<think>The formula: `p1 ∨ p2`</think>p1 ∧ ¬p2",
    "<think>\nFormula: p1 ∨ p2\n</think>\n\nFormula: p1 ∧ ¬p2",
    "So p1 ∨ p2, or rather …\n</think>\n\np1 ∧ ¬p2",
    "[THINK]p1 ∨ p2[/THINK]p1 ∧ ¬p2",
    "<|channel|>analysis<|message|>p1 ∨ p2?<|end|><|start|>assistant<|channel|>final<|message|>p1 ∧ ¬p2",
    "<thinking>p1</thinking>\n<answer>p1 ∧ ¬p2</answer>\nThe formula is not p1 ∨ p2.",
    "<answer>The formula is: p1 ∧ ¬p2</answer>",
    '{"formula": "p1 ∧ ¬p2"}',
    '```json\n{"formula": "p1 \\u2227 \\u00acp2"}\n```',
    '{"reasoning": "p1 ∨ p2", "final_answer": "p_{1} \\land \\neg p_{2}", "sure": true}',
    '{"formula": "p_1 \\\\land \\\\neg p_2"}',
    "p1 &and; &not;p2",
    "p1 &amp; ~p2",
    "<p><code>p1 ∧ ¬p2</code></p>",
    "<b>p<sub>1</sub> ∧ ¬p<sub>2</sub></b>",
    "\\begin{align*}\n& p_1 \\\\\n& \\land \\neg p_2\n\\end{align*}",
    "$$\\begin{aligned} p_1 \\land \\neg p_2 \\end{aligned}$$",
    "```\nFormula: p1 ∧ ¬p2\n```",
    "✅ **Final formula:** p1 ∧ ¬p2",
    "φ = p1 ∧ ¬p2",
    "_p1 ∧ ¬p2_",
    "$p_1$ $\\land$ $\\lnot p_2$",
    "$p_1$\n$\\land$\n$\\lnot p_2$",
    # What the answer is told apart from.
    "Use `p1 ∧ ¬p2` instead of `p1 ∨ p2`.",
    "p1 ∧ ¬p2\n\nNote: this differs from `¬(p1 ∧ p2)`.",
    "p1 ∧ ¬p2\n\nA common mistake would be `p1 ∨ p2`.",
    "Correct: p1 ∧ ¬p2\nIncorrect: p1 ∨ p2",
    "`p1 ∧ ¬p2` is right, while `p1 ∨ p2` would be wrong.",
]


@pytest.mark.parametrize("answer", SURROUNDED)
@pytest.mark.parametrize("name", ["propositional", "first_order"])
def test_a_formula_is_found_in_its_surroundings(answer: str, name: str) -> None:
    if answer == "- p1 ∧ ¬p2\n":  # alone, a minus is a negation
        assert read(answer, P12, name) == "¬p1 ∧ ¬p2"
        return
    assert read(answer, P12, name) == "p1 ∧ ¬p2"
    assert language(name).read(answer, vocabulary=P12).recovered == (answer != "p1∧¬p2")


NOTATIONS = {
    "p1 v p2": "p1 ∨ p2",
    "p1 V p2": "p1 ∨ p2",
    "p1∨p2": "p1 ∨ p2",
    "p1 \\lor p2": "p1 ∨ p2",
    "p1 or p2": "p1 ∨ p2",
    "p1 xor p2": "p1 ⊕ p2",
    "p1 \\oplus p2": "p1 ⊕ p2",
    "p1 implies p2 implies p3": "p1 → (p2 → p3)",
    "p1 \\to p2": "p1 → p2",
    "p1 if and only if p2": "p1 ↔ p2",
    "p1 \\& p2": "p1 ∧ p2",
    "True | FALSE": "⊤ ∨ ⊥",
    "p1 \\rightarrow p2": "p1 → p2",
    "p1 \\Rightarrow p2": "p1 → p2",
    "p1 \\implies p2": "p1 → p2",
    "p1 ⟹ p2": "p1 → p2",
    "p1 iff p2": "p1 ↔ p2",
    "p1 \\iff p2": "p1 ↔ p2",
    "p1 \\leftrightarrow p2": "p1 ↔ p2",
    "p1 \\text{ or } p2": "p1 ∨ p2",
    "not (p1 or p2)": "¬(p1 ∨ p2)",
    "not p1 or p2": "¬p1 ∨ p2",
    "not not p1": "¬¬p1",
    "\\top \\land \\bot": "⊤ ∧ ⊥",
    "true or false": "⊤ ∨ ⊥",
    "p1 -> p2 | p3 & ~p4": "p1 → (p2 ∨ (p3 ∧ ¬p4))",
    "p_{1} \\quad \\vee \\quad p_{12}": "p1 ∨ p12",
}


@pytest.mark.parametrize(("answer", "expected"), NOTATIONS.items())
def test_other_notations_of_propositional_logic(answer: str, expected: str) -> None:
    assert read(answer, P12, "propositional") == expected


QUANTIFIED = {
    "∀x1 x2. R(x1,x2)": "∀x1. ∀x2. R(x1, x2)",
    "∀ x1, x2. R(x1,x2) → P(x1)": "∀x1. ∀x2. (R(x1, x2) → P(x1))",
    "∀x1∃x2 R(x1,x2)": "∀x1. ∃x2. R(x1, x2)",
    "∀x1∃x2R(x1,x2)": "∀x1. ∃x2. R(x1, x2)",
    "∀x1, ∃x2, R(x1,x2)": "∀x1. ∃x2. R(x1, x2)",
    "∀x1, P(x1) → Q(x1)": "∀x1. (P(x1) → Q(x1))",
    "∀x: P(x) → Q(x)": "∀x. (P(x) → Q(x))",
    "∀x • P(x) → Q(x)": "∀x. (P(x) → Q(x))",
    "&forall;x. (P(x) &rarr; Q(x))": "∀x. (P(x) → Q(x))",
    '{"fol": "\\forall x (P(x) \\to Q(x))"}': "∀x. (P(x) → Q(x))",
    "φ = P(a)": "P(a)",
    "P(a) ∧ Q(b)\n\nwhere P(a) means a is P and Q(b) means b is Q.": "P(a) ∧ Q(b)",
    "∀x (P(x) → Q(x))": "∀x. (P(x) → Q(x))",
    "∀x[P(x) → Q(x)]": "∀x. (P(x) → Q(x))",
    "(∀x)(P(x) → Q(x))": "∀x. (P(x) → Q(x))",
    "(∀x)(∃y)(R(x,y))": "∀x. ∃y. R(x, y)",
    "(∀x,y)(R(x,y))": "∀x. ∀y. R(x, y)",
    "∀x y (P(x) ∧ Q(y))": "∀x. ∀y. (P(x) ∧ Q(y))",
    "∀x1 x2 R(x1,x2)": "∀x1. ∀x2. R(x1, x2)",
    "forall x exists y R(x,y)": "∀x. ∃y. R(x, y)",
    "FORALL x (P(x) AND Q(x))": "∀x. (P(x) ∧ Q(x))",
    "all x. some y. R(x, y)": "∀x. ∃y. R(x, y)",
    "\\forall x_1 \\, \\exists x_2 \\; R(x_1, x_2)": "∀x1. ∃x2. R(x1, x2)",
    "\\forall x_{1} \\left[ P(x_{1}) \\to Q(x_{1}) \\right]": "∀x1. (P(x1) → Q(x1))",
    "\\neg\\exists x.\\,P(x)": "¬∃x. P(x)",
    "\\forall x (\\mathrm{P}(x) \\rightarrow \\text{is\\_tall}(x))": "∀x. (P(x) → is_tall(x))",
    "∀xP(x)": "∀x. P(x)",
    "∀x not P(x)": "∀x. ¬P(x)",
    "∃x !P(x)": "∃x. ¬P(x)",
    "∀x!P(x)": "∀x. ¬P(x)",
    "∃other, x. R(other, x)": "∃other. ∃x. R(other, x)",
    "∀x P(x) v Q(x)": "∀x. (P(x) ∨ Q(x))",
    "∀x P (x)": "∀x. P(x)",
    "a \\neq b": "¬(a = b)",
    "f(a)=b": "f(a) = b",
    "P(mary-ann)->is_tall(mary-ann)": "P(mary-ann) → is_tall(mary-ann)",
    # A quantifier without a dot binds like a negation ...
    "∀x P(x) → Q(a)": "(∀x. P(x)) → Q(a)",
    "∃x P(x) ∧ ∃x Q(x)": "(∃x. P(x)) ∧ ∃x. Q(x)",
    # ... unless its variable would occur free, and its prefix goes with it, what stands inside does not.
    "∀x P(x) → Q(x)": "∀x. (P(x) → Q(x))",
    "¬∀x P(x) → Q(x)": "¬∀x. (P(x) → Q(x))",
    "∀x ∃y R(x,y) → Q(x)": "∀x. ∃y. (R(x, y) → Q(x))",
    "∀x P(x) ∧ ∃y Q(y) → P(x)": "∀x. ((P(x) ∧ ∃y. Q(y)) → P(x))",
    "∀x P(x) ∧ ∀x Q(x) → R(x,a)": "(∀x. P(x)) ∧ ∀x. (Q(x) → R(x, a))",
    "(∀x)(∃y) R(x,y) → Q(y)": "∀x. ∃y. (R(x, y) → Q(y))",
    # A bracket that closes ends its reach; so does a constant of that name.
    "((∀x P(x)) ∧ P(a)) → Q(x)": "((∀x. P(x)) ∧ P(a)) → Q(x)",
    "∀a P(a) → Q(a)": "(∀a. P(a)) → Q(a)",
}


@pytest.mark.parametrize(("answer", "expected"), QUANTIFIED.items())
def test_other_notations_of_first_order_logic(answer: str, expected: str) -> None:
    assert read(answer, SIGNATURE) == expected


def test_taking_the_wide_reading_is_recovering() -> None:
    wide = FIRST_ORDER.read("∀x P(x) → Q(x)", vocabulary=SIGNATURE)
    narrow = FIRST_ORDER.read("∀x P(x) → Q(a)", vocabulary=SIGNATURE)
    assert (wide.recovered, wide.compliant) == (True, False)
    assert (narrow.recovered, narrow.compliant) == (False, True)


FRAGMENTS = [
    "(p1 ∧ (p2 ∨ p3)",
    "Answer: (p1 ∧ (p2 ∨ p3)",
    "```\n(p1 ∧ (p2 ∨ p3)\n```",
    "`(p1 ∧ (p2 ∨ p3)`",
    "p1 ∧ p2 ∨",
    "p1 ∧ p2)",
    "(p1 ∧\np2\n∨ (p3",
    "```\n(p1 ∧\np2)\n∨ p3 ∨ (\np4\n```",
    "[p1 ∨ p2)",
    "p1 ∧ p2 p3 ∨ p4",
    "¬p1 (p2 ∧ p3) ∨ p4",
    "p1 ∧ p2 @ p3 ∨ p4",
    "p1 ∧ p2 if p3",
    "If p1 ∧ p2 then p3 ∨ p4.",
    "If `p1 ∧ p2` then `p3 ∨ p4`.",
    "either `p1` or `p2`, it seems",
    "Both `p1` and `p2` are true.",
    "`p1 ∧ p2` and not `p3`",
    "`p1 ∧ p2` and `p3 ∨ p4`",
    "`p1 ∧ p2` or `p3`",
    "Formula: `p1 ∧ p2` if `p3`",
    "It is not p1 ∧ p2",
    "It is not `p1 ∧ p2`",
    "It is not the case that `p1 ∧ p2`.",
    "It is not the case that p1 ∧ p2.",
    "It is false that `P(a) ∧ Q(a)`",
    "The negation of p1 ∧ p2",
    "the negation of `p1 ∧ p2`",
    "If p3 holds, `p1 ∧ p2`.",
    "When p3 holds, p1 ∧ p2 does.",
    "p1 and p2 hold",
    "Therefore, p1 and p2.",
    "I think that p1 is true.",
    "I cannot do that.",
    "Sorry, no.",
    "Sure!",
    "Yes or no? I do not know.",
    "Rain and wind\nSun and fun\n",
    "- p1: rain\n- p2: snow",
    "`p1 ∨ p2` ∧ `p3 → p4`",
    "(`p1 ∨ p2`) ∧ `p3`",
    "It is `p1 ∨ p2` ∧ `p3`.",
    "Formula: `p1 ∨ p2` → `p3`",
    "Formula: ¬`p1 ∨ p2`",
    "The answer is $\\lnot$ `p1 ∨ p2`",
    "**p1 ∨ p2** ∧ p3",
    "where φ is `p1 ∧ p2`, the answer is ¬φ",
    "p1 is true ∧ p2 is false",
    "A common mistake is `p1 ∨ p2`.",
    "<think>\nIt may be p1 ∧ p2",
    "<think>\np1 ∧ p2\n</think>\n",
    "p1 ∧ p2?\n</think>\nI cannot say.",
    "\\begin{align} ¬(p1 → p2) \\\\ &\\equiv p1 ∧ ¬p2 \\end{align}",
    "∃x such that P(x) ∧ Q(x)",
    "∀x st P(x), Q(x)",
    "∃x: P(x), Q(x)",
    "for all x: P(x)",
    "For every x, `P(x) → Q(x)`.",
    "For all x, P(x) → Q(x)",
    "there is an x such that `P(x) ∧ Q(x)`",
    "Note: ∀x, it holds",
    "the formula (p1) ∧ p2 fits",
    "∃!x P(x)",
    "∃x! P(x)",
    "(∃ x!) P(x)",
    "∃x!(P(x))",
    "∃≥2 x. P(x)",
    "∀ Cube x. P(x)",
    "(∃ Cube x) P(x)",
    "p1 == p2",
    "∀x ∈ D. P(x)",
    "if ∀x. P(x) then Q(a)",
    "",
    " \n ",
    "...",
    "```\n```",
]


@pytest.mark.parametrize("answer", FRAGMENTS)
@pytest.mark.parametrize("vocabulary", [None, P12, SIGNATURE], ids=["free", "propositions", "signature"])
@pytest.mark.parametrize("name", ["propositional", "first_order"])
def test_fragments_and_prose_are_not_formulas(answer: str, vocabulary: Vocabulary | None, name: str) -> None:
    assert read(answer, vocabulary, name) is None


@pytest.mark.parametrize("name", WORDS.propositions)
def test_words_are_names_wherever_they_stand_for_themselves(name: str) -> None:
    for answer, expected in {
        f"{name}": name,
        f"{name}.": name,
        f"`{name}`": name,
        f"The formula:\n{name}": name,
        f"Formula: {name}": name,
        f"not {name}": f"¬{name}",
        f"{name} and {name}": f"{name} ∧ {name}",
        f"{name} v {name}": f"{name} ∨ {name}",
        f"({name}) or not {name}": f"{name} ∨ ¬{name}",
        f"{name}->{name}": f"{name} → {name}",
        f"{name}|{name}&{name}": f"{name} ∨ ({name} ∧ {name})",
    }.items():
        assert read(answer, WORDS, "propositional") == expected
        assert read(answer, WORDS, "first_order") == expected


@pytest.mark.parametrize(
    ("answer", "vocabulary", "expected"),
    [
        ("wetvumbrella", None, "wetvumbrella"),
        ("callvtall", P12, "callvtall"),
        ("p1vp20", P12, "p1vp20"),
        ("p_1", None, "p_1"),
        ("p_1", P12, "p1"),
        ("p1", Vocabulary(propositions=("p_1",)), "p_1"),
        ("istall", WORDS, "istall"),
        ("Tall ∧ wet", WORDS, "Tall ∧ wet"),
        ("rain ∧ snow", P12, "rain ∧ snow"),
        ("```\nrain ∧ snow\n```", P12, "rain ∧ snow"),
        ("Sure, rain ∧ snow is right.", P12, None),
        ("The tall, rain", WORDS, None),
        ("It rains.\ntall", WORDS, "tall"),
        ("It rains.\ntall", None, None),
        ("It is `true`.", P12, None),
        ("Formula: `true`", P12, "⊤"),
        ("It is `⊤`.", P12, "⊤"),
        ("some people walk", P12, None),
    ],
)
def test_the_vocabulary_judges_names(answer: str, vocabulary: Vocabulary | None, expected: str | None) -> None:
    assert read(answer, vocabulary, "propositional") == expected


def test_a_bound_variable_is_not_turned_into_a_constant_spelt_alike() -> None:
    constants = Vocabulary(predicates=(("P", 1),), constants=("x1",))
    assert read("∀x_1. P(x_1)", constants) == "∀x_1. P(x_1)"
    assert read("P(x_1)", constants) == "P(x1)"


def test_a_problem_says_why_nothing_was_read() -> None:
    assert PROPOSITIONAL.read("").problem == "the answer is empty"
    assert "is never closed" in PROPOSITIONAL.read("(p1 ∧ p2").problem
    assert "at most 100,000" in PROPOSITIONAL.read("p1 ∧ " * 30_000).problem


@pytest.mark.parametrize(
    "piece",
    [
        "(",
        "p ∧ ",
        "`p` ",
        "∀x P(x) → ",
        "p\n",
        "if `p`, ",
        "$p$ and ",
        "\\text{",
        "p1v",
        "∀x y(",
        "(p ",
        "**p** ",
        "P(x), ",
    ],
)
def test_hostile_answers_are_read_or_refused(piece: str) -> None:
    answer = piece * (20_000 // len(piece))
    reading = FIRST_ORDER.read(answer, vocabulary=SIGNATURE)
    assert (reading.formula is None) == bool(reading.problem)
