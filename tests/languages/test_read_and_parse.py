"""What is read is what was written: drawn formulas in the places of an answer, and texts that `parse` accepts.

A hundred formulas of each grammar are read in every run. ``AUTOEVAL_READ_FORMULAS=10000`` reads so many.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest

from pytest_autoeval import language
from pytest_autoeval.generation.samples import Sample, draw_samples
from pytest_autoeval.languages import Formula, FormulaSyntaxError, Language, Vocabulary
from pytest_autoeval.languages.logic.reading import LogicNotation
from pytest_autoeval.languages.ltl.reading import TemporalNotation
from pytest_autoeval.languages.reading import read_formula

_FORMULAS = int(os.environ.get("AUTOEVAL_READ_FORMULAS", "120"))
#: The shipped grammars of formulas, and the sizes that are drawn.
GRAMMARS: dict[str, Sequence[int]] = {
    "propositional": range(12),
    "ksat": range(5, 30, 6),
    "first_order": range(1, 10),
    "ltl": range(12),
    "past_ltl": range(1, 12),
    "regex": range(1, 12),
    "boolean_regex": range(1, 12),
}
#: The places of a formula, for which the letter F stands.
PLACES = {
    "alone": "F",
    "with a final period": "F.",
    "in a fence": "```\nF\n```",
    "in bold": "**F**",
    "in bold with a final period": "**F.**",
    "after a label": "Answer: F",
    "after a label, with a final period": "Answer: F.",
    "in a sentence": "The formula is F.",
    "after a label in brackets": "[Answer] F",
    "in code in a sentence": "I would write it as `F` here.",
    "in mathematics in a sentence": "It can be written as $F$ here.",
}


def drawn(grammar: str, formulas: int) -> list[Sample]:
    sizes = GRAMMARS[grammar]
    return draw_samples(grammar, sizes, formulas // len(sizes) + 1, warn=False)


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_a_formula_is_read_as_it_was_written_wherever_it_stands(grammar: str) -> None:
    samples = drawn(grammar, _FORMULAS)
    assert len(samples) >= 0.5 * min(_FORMULAS, 1_000)
    wrong = []
    for sample in samples:
        lang = language(sample.language)
        for place, frame in PLACES.items():
            if (
                "in a sentence" in place
                and place != "in a sentence"
                and _is_a_name(sample.formula, lang)
            ):
                continue  # the docs: a name in a sentence may be just mentioned
            answer = frame.replace("F", lang.format(sample.formula), 1)
            reading = lang.read(answer, vocabulary=sample.vocabulary)
            # A complement is written out over the alphabet.
            expected, _ = lang.over(sample.formula, sample.vocabulary)
            if reading.formula != expected:
                wrong.append((answer, str(reading.formula), reading.problem))
    assert not wrong


def _is_a_name(formula: Formula, lang: Language) -> bool:
    return not formula.children() and lang.name != "regex"


#: What is written into a formula, to make other texts of its language.
PIECES = {
    "propositional": [
        "(",
        ")",
        "¬",
        "~",
        "∧",
        "&",
        "|",
        "∨",
        "->",
        "→",
        "<->",
        "⊕",
        "p1",
        "q",
        "⊤",
        ".",
    ],
    "first_order": [
        "(",
        ")",
        "¬",
        "∧",
        "∨",
        "->",
        "↔",
        "P(x)",
        "a",
        "=",
        "x",
        "Q",
        ".",
        "∀x. ",
        "exists y. ",
        "all z: ",
    ],
    "ltl": [
        "(",
        ")",
        "!",
        "&",
        "|",
        "->",
        "U",
        "[]",
        "<>",
        "a",
        "x1",
        "true",
        "W",
        ".",
        "X ",
        "F ",
        "G ",
        "Y ",
        " S ",
    ],
    "regex": [
        *("(", ")", "*", "0", "1", "a", "|", "+", "?", ".", "[01]", "[^0]", "{2}", "ε", "&", "~("),
        *(r"\.", r"\*", r"\[", r"\]", r"\(", r"\)", r"\$", r"\`", r"\"", r"\,"),
    ],
}
#: Texts that are written by hand, each of which `parse` accepts.
WRITTEN = {
    "propositional": ["p", "p -> q", "is", "answer", "~(p && q) -> r", "true"],
    "first_order": ["P(x)", "a = b", "∀x: P(x)", "some x. P(x)", "mary-ann", "is", "answer"],
    "ltl": ["always", "next", "GF", "X1", "door.open", "a xor b", "[]<> a", "answer", "is"],
    "regex": [
        "yes",
        "or",
        "and",
        "answer",
        "is",
        "R&D",
        "yes.",
        "a...",
        ".",
        "..",
        r"\.",
        r"a\.",
        r"\,",
        "01.",
        "0*.",
        ".*and",
        ".*or",
        "0|and",
        "(0|1).",
        r".*\.\.\.",
        "[abc]",
        "[^a]",
        "a?",
        "yes?",
        "0{2}",
        "ε",
        "∅",
        "a&b|c",
        *(r"\(a\)", r"\[a\]", r"\$a\$", r"\`a\`", r"\*\*a\*\*", r"\"a\"", "~(a)", "(~(a))*"),
    ],
}
#: What `read` takes otherwise than `parse`, because answers mean it so; `docs/reference/notation.md` says why.
OTHERWISE = {
    "first_order": [
        ("φ = a", "a"),
    ],
}


@pytest.mark.parametrize("name", PIECES)
def test_a_text_that_parse_accepts_is_read_as_the_same_formula(name: str) -> None:
    lang = language(name)
    wrong = []
    count = 0
    for text in [*WRITTEN[name], *_varied(name, 6 * _FORMULAS)]:
        try:
            formula = lang.parse(text)
        except FormulaSyntaxError:
            assert text not in WRITTEN[name]
            continue
        count += 1
        reading = lang.read(text)
        is_documented = (text, str(reading.formula)) in OTHERWISE.get(name, ())
        if reading.formula != formula and not is_documented:
            wrong.append((text, str(formula), str(reading.formula), reading.problem))
    assert count > _FORMULAS
    assert not wrong


def _varied(name: str, count: int) -> Iterator[str]:
    """Texts made of drawn formulas by up to four insertions and replacements."""
    for _, text in _with_samples(name, count, PIECES[name]):
        yield text


def _with_samples(name: str, count: int, pieces: Sequence[str]) -> Iterator[tuple[Sample, str]]:
    """Varied texts with the samples that they were made of."""
    grammars = ("ltl", "past_ltl") if name == "ltl" else (name,)
    samples = [
        sample
        for grammar in grammars
        for sample in drawn(grammar, min(count, 300))
        if sample.operators < 7
    ]
    chance = Random(name)
    for _ in range(count):
        sample = chance.choice(samples)
        text = sample.text
        for _ in range(chance.randint(0, 4)):
            at = chance.randint(0, len(text))
            text = text[:at] + chance.choice(pieces) + text[at + chance.choice((0, 0, 1, 2)) :]
        yield sample, text


#: Names that have a meaning of their own in the lenient notation, beside those of the drawn formulas.
ODD_NAMES = {
    "propositional": Vocabulary(propositions=("q", "v", "V", "true_", "T", "phi")),
    "first_order": Vocabulary(
        propositions=("Q", "v"),
        predicates=(("P", 1),),
        constants=("a", "phi", "true_"),
        variables=("x", "y", "psi"),
    ),
    "ltl": Vocabulary(
        propositions=("once", "until", "Fa", "V1", "Until", "not", "weak", "x_1", "on.off", "Xor")
    ),
}
#: Pieces with these names.
ODD_PIECES = {
    "propositional": [*ODD_NAMES["propositional"].propositions, "true", " v "],
    "first_order": [
        "∀x.",
        "∃y.",
        "∀psi.",
        "∃x",
        "P(psi)",
        "psi = a",
        "phi",
        "true",
        " v ",
        "xP(x)",
    ],
    "ltl": [
        *ODD_NAMES["ltl"].propositions,
        "true",
        "(",
        ")",
        "()",
        " & ",
        "&& ",
        " xor ",
        " xnor ",
        " V ",
        "before!",
        "next!",
        " until ",
        "^",
        "-- ",
    ],
}


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_plain_text_is_read_as_by_both_parsers(name: str) -> None:
    lang = language(name)
    wrong = []
    plain = 0
    for sample, text in _with_samples(name, 10 * _FORMULAS, [*PIECES[name], *ODD_PIECES[name]]):
        names = sample.vocabulary.including(ODD_NAMES[name])
        notation: Any = TemporalNotation(names)
        if name != "ltl":
            notation = LogicNotation(names, quantifiers=name == "first_order")
        by_both = read_formula(text, notation, names.names)
        reading = lang.read(text, vocabulary=names)
        plain += notation.is_plain(text.strip()) and by_both.compliant
        if reading != by_both:
            wrong.append((text, str(reading.formula), str(by_both.formula)))
    assert plain > _FORMULAS
    assert not wrong


@pytest.mark.parametrize(
    ("name", "text", "read"),
    [(name, text, read) for name, texts in OTHERWISE.items() for text, read in texts],
)
def test_what_is_read_otherwise_is_listed_here(name: str, text: str, read: str) -> None:
    lang = language(name)
    assert str(lang.read(text).formula) == read != str(lang.parse(text))


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        # Without a period or a wildcard, a period ends a sentence.
        ("01.", "0*1", "01"),
        ("**0*1.**", "0*1", "0*1"),
        ("01。", "0*1", "01"),
        ('"01."', "0*1", "01"),
        # With one, it is a sign.
        ("01.", "01.", "01[01]"),
        ("**0*.**", "0.", "0*[01]"),
        ("Answer: 01.", "01.", "01[01]"),
        (".", "0.", "[01]"),
        ("01.", "0(0|1)", "01[01]"),
        ("01.", r"0\.1", r"01[\.01]"),
        # Other punctuation, where the alphabet has it.
        ("01,", "0*1", "01"),
        ("01,", r"0\,", r"01\,"),
        ("0;", r"0\;", r"0\;"),
        # After a backslash, a period is always a sign.
        (r'"0\."', r"0\.1", r"0\."),
        (r".*\.\.\.", r"0\.1", r"[\.01]*\.\.\."),
        # In code, it is one, too.
        ("`01.`", "0*1", "01[01]"),
        ("```\n01.\n```", "0*1", "01[01]"),
    ],
)
def test_a_period_at_the_end_is_read_by_what_the_given_expression_has(
    text: str, given: str, expected: str
) -> None:
    lang = language("regex")
    _, names = lang.over(
        lang.tree(given), Vocabulary(alphabet=("0", "1")).including(lang.symbols(lang.tree(given)))
    )
    assert str(lang.read(text, vocabulary=names).formula) == expected


@pytest.mark.parametrize(
    ("text", "given"),
    [("01..", "0*1"), ("0*...", "0*1"), (".", "0*1"), ("The formula is 01.", "01.")],
)
def test_a_period_with_two_meanings_makes_the_answer_unreadable(text: str, given: str) -> None:
    lang = language("regex")
    _, names = lang.over(lang.tree(given), Vocabulary(alphabet=("0", "1")))
    reading = lang.read(text, vocabulary=names)
    assert reading.formula is None
    assert "it is unclear whether" in reading.problem
