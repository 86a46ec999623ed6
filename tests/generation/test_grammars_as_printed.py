"""Grammars as books print them: with empty alternatives and with parentheses that add nothing, against brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_autoeval.generation.counting import outcomes
from pytest_autoeval.generation.drawing import formula_space
from pytest_autoeval.generation.drawing_errors import GrammarError
from pytest_autoeval.generation.samples import sample_formulas
from pytest_autoeval.languages import language

#: Each rule with its alternatives: rules in capitals, everything else is text.
Rules = dict[str, list[str]]
Written = Callable[[str], Path]

#: Texts of grammars, the same rules without the steps that add nothing, and the greatest length of a text.
PRINTED: dict[str, tuple[str, Rules, str, int]] = {
    "regular expressions": (
        '// language: regex\nstart: "(" start ")" _k | start SYMBOL _k | SYMBOL _k\n_k: "*" |\nSYMBOL: /0/\n',
        {"S": ["(S)*", "S0K", "0K"], "K": ["*", ""]},
        "(S)",
        11,
    ),
    "a rule that may be empty": (
        '// language: regex\nstart: a b\na: "0" a\n  |\nb: "1"\n',
        {"S": ["AB"], "A": ["0A", ""], "B": ["1"]},
        "",
        6,
    ),
    "empty by other rules": (
        '// language: regex\nstart: start "1" ends | "1"\nends: a b\na: "0" |\nb: "2" | "(" "2" ")" "*" |\n',
        {"S": ["S1E", "1"], "E": ["AB"], "A": ["0", ""], "B": ["2", "(2)*", ""]},
        "",
        10,
    ),
    "always empty": (
        '// language: propositional\nstart: "p" | "(" start "∧" start ")" no\nno: nothing nothing\nnothing:\n',
        {"S": ["p", "(S∧S)"]},
        "",
        13,
    ),
    "parentheses": (
        '// language: propositional\nstart: "p" | "(" start ")" | "¬" "(" start ")" | "(" start "∨" start ")"\n',
        {"S": ["p", "¬(S)", "(S∨S)"]},
        "(S)",
        19,
    ),
}


def derived(rules: Rules, longest: int) -> Counter[str]:
    """Every text of at most this length with the number of its leftmost derivations."""
    found: Counter[str] = Counter()
    forms = Counter({"S": 1})
    while forms:
        following: Counter[str] = Counter()
        for form, ways in forms.items():
            at = next((at for at, sign in enumerate(form) if sign in rules), None)
            if at is None:
                found[form] += ways
                continue
            for alternative in rules[form[at]]:
                expanded = form[:at] + alternative + form[at + 1 :]
                if sum(sign not in rules for sign in expanded) <= longest:
                    following[expanded] += ways
        forms = following
    return found


@pytest.mark.parametrize("name", PRINTED)
def test_each_derivation_without_a_step_that_adds_nothing_is_equally_likely(
    grammar_file: Written, name: str
) -> None:
    text, rules, nothing, longest = PRINTED[name]
    space = formula_space(grammar_file(text), {"alphabet": "0"})
    lang = space.language
    expected: dict[int, Counter[str]] = {}
    for formula, ways in derived(rules, longest).items():
        tree = lang.parse(formula)
        expected.setdefault(int(lang.measure(tree)[lang.size_measure]), Counter())[str(tree)] += (
            ways
        )
    # The formulas of greater sizes are longer than the texts that were listed.
    for size in range(min(expected) + 3):
        found: dict[str, Fraction] = {}
        if size in space:
            for drawn, probability in outcomes(lambda choose, size=size: space.draw(size, choose)):  # type: ignore[misc]
                found[str(drawn)] = found.get(str(drawn), Fraction(0)) + probability
        ways_of_size = expected.get(size, Counter())
        assert space.derivations(size) == ways_of_size.total()
        assert found == {
            formula: Fraction(ways, ways_of_size.total()) for formula, ways in ways_of_size.items()
        }
    if nothing:
        # With the step there are no more formulas, only more texts of them.
        with_step = derived(rules | {"S": [*rules["S"], nothing]}, longest - 2)
        formulas = {formula for of_size in expected.values() for formula in of_size}
        assert {str(lang.parse(one)) for one in with_step} <= formulas


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            'start: "p" |\n',
            "line 1, column 1: an alternative of start is empty; write a formula there, or remove its |",
        ),
        (
            'start: a a\na: "p" |\n',
            "line 1, column 1: start may be empty, and no formula is; make one of its parts",
        ),
        (
            f'start: "p" | "p" {"a " * 12}\na: "q" |\n',
            "too many parts of one alternative may be empty",
        ),
        ('start: "(" "p" k ")"\nk: "∧" "q" |\n', r"line 2, column 1: .* write _k for k"),
        ("start: a b\na: start\nb: |\n", "the rule start never ends"),
        ('start: "p" | a b\na: start\nb: |\n', "start → a → start form a cycle that adds nothing"),
    ],
)
def test_what_cannot_be_drawn_is_refused(grammar_file: Written, text: str, told: str) -> None:
    with pytest.raises(GrammarError, match=told):
        sample_formulas(grammar_file(text), 1, 1, language="propositional")


def test_the_languages_of_both_forms_are_the_same(grammar_file: Written) -> None:
    text, *_ = PRINTED["regular expressions"]
    printed = grammar_file(text)
    for depth in range(1, 5):
        drawn = [
            sample_formulas(grammar, depth, 2_000, warn=False) for grammar in (printed, "regex")
        ]
        assert all(found.exhausted for found in drawn)
        assert {*map(str, drawn[0])} == {*map(str, drawn[1])}
    assert language("regex").parse("((0))(1)*") == language("regex").parse("01*")
