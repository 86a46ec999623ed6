"""Symbols as models list them, labelled by hand: predicates with their places, terms marked by a star."""

from __future__ import annotations

import pytest

from pytest_autoeval.languages.ontology import Symbol
from pytest_autoeval.tasks.answers.signature_text import read_signature


def shown(symbol: Symbol) -> str:
    return f"{symbol}{'*' if symbol.is_term else ''}: {symbol.gloss}".rstrip(": ")


CUBE, LARGER, A = "Cube(x): x is a cube", "Larger(x, y): x is larger than y", "a*: block a"
BOTH = [CUBE, LARGER]
ALL = [CUBE, LARGER, A]

LISTS: list[tuple[str, list[str]]] = [
    ("Cube(x): x is a cube, Larger(x, y): x is larger than y, a: block a", ALL),
    ("Predicates: Cube(x), Larger(x, y). Constants: a.", ["Cube(x)", "Larger(x, y)", "a*"]),
    ("**Predicates:** Cube(x) (x is a cube). **Constants:** a (block a).", [CUBE, A]),
    ("Unary predicates:\n- Cube: is a cube\nBinary predicates: Larger", ["Cube(x): is a cube", "Larger(x, y)"]),
    ("a) Cube(x): x is a cube\nb) **Larger(x, y)**: x is larger than y", BOTH),
    ("🧊 Cube(x): x is a cube ✅\n🅰️ a: block a", [CUBE, A]),
    ("Cube(x)：x is a cube\na：block a", [CUBE, A]),
    ("Variables:\n- x: a block\n- y: a block\nPredicates:\n- Cube(x): x is a cube", [CUBE]),
    ("Variables: x, y\nCube(x): x is a cube", [CUBE]),
    ("Cube(x): x is a cube\nx: any block", [CUBE]),
    ("x: block a\nCube(x): x is a cube", ["x*: block a", CUBE]),
    ('{"variables": {"x": "a block"}, "predicates": {"Cube(x)": "x is a cube"}}', [CUBE]),
    ('[{"name": "Cube", "variables": ["x"], "gloss": "x is a cube"}]', [CUBE]),
    ("Cube(x): x is a cube\nA: block b", [CUBE, "A*: block b"]),
    ("Cube(x): x is a cube\nLarger(x, y): x is larger than y\na: block a", ALL),
    ("Cube(x): x is a cube\nLarger(x, y): x is larger than y\na: block a\nFormula: ∀x. (Cube(x) → Larger(x, a))", ALL),
    ("- Cube(x): x is a cube\n- Larger(x, y): x is larger than y.\n- a: block a", ALL),
    ("1. **Cube(x)**: x is a cube\n2. **Larger(x, y)**: x is larger than y\n3. **a**: block a", ALL),
    ("* `Cube(x)` - x is a cube\n* `Larger(x, y)` – x is larger than y\n* `a` — block a", ALL),
    ("Cube(x) := x is a cube\nLarger(x,y) := x is larger than y\na := block a", ALL),
    ("Cube(x) = x is a cube\nLarger(x, y) = x is larger than y\na = block a", ALL),
    ("Cube(x) means x is a cube\nLarger(x, y) means that x is larger than y\na denotes block a", ALL),
    ("Let Cube(x) mean x is a cube.\nLet Larger(x, y) mean that x is larger than y.\nLet a denote block a.", ALL),
    ('Cube(x): "x is a cube"\nLarger(x, y): “x is larger than y”\na: "block a"', ALL),
    ("Cube(x) → x is a cube\nLarger(x, y) → x is larger than y", BOTH),
    (
        "**Predicates:**\n- Cube(x): x is a cube\n- Larger(x, y): x is larger than y\n\n**Constants:**\n- a: block a",
        ALL,
    ),
    (
        "### Predicates\n- `Cube(x)`: x is a cube\n- `Larger(x, y)`: x is larger than y\n### Constants\n- `a`: block a",
        ALL,
    ),
    ("Predicates: Cube(x), Larger(x, y)\nConstants: a", ["Cube(x)", "Larger(x, y)", "a*"]),
    ("Predicates: Cube/1, Larger/2\nConstants: a, b", ["Cube(x)", "Larger(x, y)", "a*", "b*"]),
    ("Predicates: Cube/1 and Larger/2\nConstants: none", ["Cube(x)", "Larger(x, y)"]),
    ("Cube/1: x is a cube\nLarger/2: x is larger than y", BOTH),
    ("Cube/1\nLarger/2", ["Cube(x)", "Larger(x, y)"]),
    ("Cube (unary): x is a cube\nLarger (binary): x is larger than y", BOTH),
    ("Cube (arity 1): x is a cube\nLarger (arity 2): x is larger than y", BOTH),
    ("Cube(x), arity 1: x is a cube\nLarger(x, y), arity 2: x is larger than y", BOTH),
    ("Cube(x) (1-place): x is a cube", [CUBE]),
    ("Predicates:\nCube(x)\nLarger(x, y)\nConstants:\na", ["Cube(x)", "Larger(x, y)", "a*"]),
    ("Cube: x is a cube\nLarger: x is larger than y", BOTH),
    ("Larger(block1, block2): block1 is larger than block2", ["Larger(block1, block2): block1 is larger than block2"]),
    ("Larger(·, ·): the first is larger than the second", ["Larger(x, y): the first is larger than the second"]),
    ("Larger(_, _): is larger than", ["Larger(x, y): is larger than"]),
    (
        "|Symbol|Meaning|\n|-|-|\n| Cube(x) | x is a cube |\n| Larger(x, y) | x is larger than y |\n| a | block a |",
        ALL,
    ),
    (
        "| Predicate | Arity | Meaning |\n|:-|:-:|-|\n| Cube | 1 | x is a cube |\n| Larger | 2 | x is larger than y |",
        BOTH,
    ),
    (
        "|Symbol|Type|Arity|Meaning|\n|-|-|-|-|\n| `Cube` | predicate | 1 | x is a cube |\n|a|constant||block a|",
        [CUBE, A],
    ),
    ('{"Cube(x)": "x is a cube", "Larger(x, y)": "x is larger than y", "a": "block a"}', ALL),
    (
        '{"predicates": [{"name": "Larger", "arity": 2, "meaning": "x is larger than y"}], "constants": ["a"]}',
        [LARGER, "a*"],
    ),
    (
        '```json\n{"symbols": [{"symbol": "Cube(x)", "gloss": "x is a cube"}], "formula": "Cube(a)"}\n```',
        [CUBE],
    ),
    ('{"predicates": {"Cube": 1, "Larger": 2}, "constants": {"a": "block a"}}', ["Cube(x)", "Larger(x, y)", A]),
    ('{"predicates": {"Cube(x)": "x is a cube"}, "constants": []}', [CUBE]),
    ('["Cube(x): x is a cube", "a: block a"]', [CUBE, A]),
    (r"$\text{Cube}(x)$: $x$ is a cube" + "\n" + r"$\mathrm{Larger}(x, y)$: $x$ is larger than $y$", BOTH),
    (
        "Sure! Here are the symbols:\n\nCube(x): x is a cube\nLarger(x, y): x is larger than y\n\nI hope this helps!",
        BOTH,
    ),
    ("Cube(x): x is a cube; Larger(x, y): x is larger than y", BOTH),
    ("Predicates: Cube(x): x is a cube; Larger(x, y): x is larger than y", BOTH),
    ("Constants: a (block a)", [A]),
    ("Constants:\n- a (block a)\n- mara", [A, "mara*"]),
    ("motherOf(x): the mother of x", ["motherOf(x)*: the mother of x"]),
    ("Functions:\n- f(x): x's mother", ["f(x)*: x's mother"]),
    ("raining: it is raining", ["raining: it is raining"]),
    ("a: the block that is called a", ["a*: the block that is called a"]),
    ("a: a is a block of the sentence", ["a*: a is a block of the sentence"]),
    ("Mara: the person Mara", ["Mara*: the person Mara"]),
    ("Companies’Stock(x): x is a stock of companies", ["Companies’Stock(x): x is a stock of companies"]),
    ("Between(x, y, z): x is between y and z", ["Between(x, y, z): x is between y and z"]),
    ("left_of(x, y): x is to the left of y", ["left_of(x, y): x is to the left of y"]),
    (r"left\_of(x, y): x is to the left of y", ["left_of(x, y): x is to the left of y"]),
    ("<think>Cube(x): x is red</think>\nCube(x): x is a cube", [CUBE]),
    # begun anew
    (
        "Cube(x): x is red\nBig(x): x is big\nNo, better:\nCube(x): x is a cube\nLarger(x, y): x is larger than y",
        BOTH,
    ),
    (
        "Cube(x): x is a cube\na: block a\nFormula: Cube(a)\n\nExplanation:\n- Cube(x): restricts\n- a: the block\n",
        [CUBE, A],
    ),
    ("Cube(x): x is a cube\nNote: Cube(x) is used since the sentence says so.\na: block a", [CUBE, A]),
    # nothing is listed
    ("", []),
    ("∀x. (Cube(x) → Larger(x, a))", []),
    ("Formula: ∀x. (Cube(x) → Larger(x, a))", []),
    ("Formula:\nCube(a)", []),
    ("Cube(a) → Larger(a, b)", []),
    ("Larger(a, b) = Larger(b, a)", []),
    ("f(a) = b", []),
    ("Sentence: Every cube is larger than block a.", []),
    ("Statement to analyse: Every cube is larger than block a.", []),
    ("The sentence says that every cube is larger than a.", []),
    ("Answer: I cannot list any symbols.", []),
    ("Explanation: the quantifier ranges over blocks.", []),
    ("Scope: the whole sentence", []),
    ("Note: nothing is needed.", []),
    ("Constants: none", []),
    ("Every cube is larger than a - that is all.", []),
    ("∀x: Cube(x)", []),
    ("forall x: Cube(x)", []),
    ("Here is my answer:", []),
]


@pytest.mark.parametrize(("answer", "expected"), LISTS)
def test_symbols_are_read_where_they_are_listed_and_nowhere_else(answer: str, expected: list[str]) -> None:
    read = read_signature(answer)
    assert [shown(symbol) for symbol in read.symbols] == expected
    assert bool(read.problem) is (not expected)


def test_what_lists_no_symbols_is_left_for_the_formula() -> None:
    read = read_signature("Predicates:\nCube(x): x is a cube\na: block a\nFormula: Cube(a)")
    assert read.rest == "Formula: Cube(a)"


@pytest.mark.parametrize(
    "answer",
    ["(" * 5000, "{" * 5000, '{"a":' * 3000, "Cube(x): " + "x" * 50_000, "|" * 9_000, "Predicates: " + "a, " * 30_000],
)
def test_hostile_text_lists_nothing(answer: str) -> None:
    assert len(read_signature(answer).symbols) <= 1
