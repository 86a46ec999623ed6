"""The strict syntax of temporal logic: what it reads, what it prints, what it refuses and where."""

from __future__ import annotations

import copy
import random
from contextlib import suppress
from itertools import product

import pytest
from support.ltl_formulas import random_formula

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import (
    FormulaSyntaxError,
    LimitError,
    Vocabulary,
    language,
    language_of,
)
from pytest_autoeval.languages.logic.syntax import Atom as LogicAtom
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.nusmv import parse_nusmv
from pytest_autoeval.languages.ltl.parser import is_name
from pytest_autoeval.languages.size_limits import MAX_DEPTH, MAX_LARGE_LENGTH, MAX_LENGTH

LTL = language("ltl")
A, B, C = ltl.Atom("a"), ltl.Atom("b"), ltl.Atom("c")

PREFIXES: dict[type[ltl.Unary], tuple[str, ...]] = {
    ltl.Not: ("!", "¬", "~"),
    ltl.Next: ("X ", "()", "○"),
    ltl.Eventually: ("F ", "<>", "◇"),
    ltl.Always: ("G ", "[]", "□"),
    ltl.Yesterday: ("Y ",),
    ltl.WeakYesterday: ("Z ",),
    ltl.Once: ("O ",),
    ltl.Historically: ("H ",),
}
INFIXES: dict[type[ltl.Binary], tuple[str, ...]] = {
    ltl.And: ("&", "∧", "&&", "/\\"),
    ltl.Or: ("|", "∨", "||", "\\/"),
    ltl.Xor: (" xor ", "⊕"),
    ltl.Implies: ("->", "→", "=>", "⇒"),
    ltl.Iff: ("<->", "↔", "<=>", "⇔"),
    ltl.Until: (" U ",),
    ltl.Release: (" R ", " V "),
    ltl.WeakUntil: (" W ",),
    ltl.Since: (" S ",),
    ltl.Triggered: (" T ",),
}
CONSTANTS: dict[type[ltl.Temporal], tuple[str, ...]] = {
    ltl.Top: ("true", "TRUE", "True", "⊤"),
    ltl.Bottom: ("false", "FALSE", "False", "⊥"),
}
#: The binary operators from the loosest to the tightest; the first groups to the right, the others to the left.
LEVELS: list[set[type[ltl.Binary]]] = [
    {ltl.Implies},
    {ltl.Iff},
    {ltl.Or, ltl.Xor},
    {ltl.And},
    {ltl.Until, ltl.Release, ltl.WeakUntil, ltl.Since, ltl.Triggered},
]


def level(kind: type[ltl.Binary]) -> int:
    return next(number for number, kinds in enumerate(LEVELS) if kind in kinds)


def formula(nodes: int, seed: int) -> ltl.Temporal:
    return random_formula(random.Random(seed), nodes, ["a", "x1", "X1", "_", "door.open"])


# --- reading what was printed ---


def test_thousands_of_trees_read_back_from_canonical_and_from_sparing_text() -> None:
    rng = random.Random(7)
    for seed in range(3_000):
        tree = formula(1 + seed % 30, seed)
        assert LTL.parse(LTL.format(tree)) == tree
        assert LTL.parse(sparing(tree, rng)) == tree


def sparing(tree: ltl.Temporal, rng: random.Random) -> str:
    """A text of the tree with the fewest parentheses, any variant of each sign and any spacing."""

    def space() -> str:
        return rng.choice(["", "", " ", "\n\t"])

    match tree:
        case ltl.Unary(operand):
            inner = sparing(operand, rng)
            inner = f"({inner})" if isinstance(operand, ltl.Binary) else inner
            return f"{rng.choice(PREFIXES[type(tree)])}{space()}{inner}"
        case ltl.Binary(left, right):
            sides = []
            for side, groups_here in (
                (left, type(tree) is not ltl.Implies),
                (right, type(tree) is ltl.Implies),
            ):
                text = sparing(side, rng)
                own = level(type(side)) if isinstance(side, ltl.Binary) else len(LEVELS)
                needs = own < level(type(tree)) or (own == level(type(tree)) and not groups_here)
                sides.append(f"({text})" if needs else text)
            return f"{sides[0]}{space()}{rng.choice(INFIXES[type(tree)])}{space()}{sides[1]}"
        case ltl.Atom(name):
            return name
        case _:
            return rng.choice(CONSTANTS[type(tree)])


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (ltl.Always(ltl.Implies(A, ltl.Eventually(B))), "G (a -> F b)"),
        (ltl.Not(ltl.Not(ltl.Always(ltl.Eventually(A)))), "!!G F a"),
        (ltl.Not(ltl.And(A, B)), "!(a & b)"),
        (ltl.Until(A, ltl.Until(B, C)), "a U (b U c)"),
        (ltl.Or(ltl.And(A, B), C), "(a & b) | c"),
        (ltl.Implies(A, ltl.Implies(B, C)), "a -> (b -> c)"),
        (ltl.Release(A, ltl.WeakUntil(B, C)), "a R (b W c)"),
        (ltl.Since(ltl.Yesterday(A), ltl.Triggered(B, ltl.WeakYesterday(C))), "Y a S (b T Z c)"),
        (ltl.And(ltl.Top(), ltl.Bottom()), "true & false"),
    ],
)
def test_the_canonical_text_is_parsed_back(tree: ltl.Temporal, text: str) -> None:
    assert LTL.format(tree) == text
    assert LTL.parse(text) == tree


# --- precedence ---


@pytest.mark.parametrize(("first", "second"), list(product(INFIXES, repeat=2)))
def test_precedence_of_two_binary_operators(
    first: type[ltl.Binary], second: type[ltl.Binary]
) -> None:
    text = f"a {INFIXES[first][0]} b {INFIXES[second][0]} c"
    to_the_left = level(first) > level(second) or (
        level(first) == level(second) and first is not ltl.Implies
    )
    wanted = second(first(A, B), C) if to_the_left else first(A, second(B, C))
    assert LTL.parse(text) == wanted
    if ltl.WeakUntil not in (first, second):
        assert parse_nusmv(text.replace(" R ", " V ")) == wanted


@pytest.mark.parametrize(("prefix", "infix"), list(product(PREFIXES, INFIXES)))
def test_unary_operators_bind_tightest(prefix: type[ltl.Unary], infix: type[ltl.Binary]) -> None:
    sign, between = PREFIXES[prefix][0], INFIXES[infix][0]
    assert LTL.parse(f"{sign} a {between} b") == infix(prefix(A), B)
    assert LTL.parse(f"a {between} {sign} b {between} c") == LTL.parse(
        f"a {between} ({sign} b) {between} c"
    )
    assert LTL.parse(f"{sign} ! {sign} a") == prefix(ltl.Not(prefix(A)))


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("a <-> b -> c", "(a <-> b) -> c"),
        ("a -> b <-> c", "a -> (b <-> c)"),
        ("a U b & c S d | e", "((a U b) & (c S d)) | e"),
        ("a | b xor c | d", "((a | b) xor c) | d"),
        ("□◇a ∧ ○b", "(G F a) & (X b)"),
        ("(()(a))", "X a"),
        ("a<>b", None),
    ],
)
def test_operators_without_brackets_group_by_precedence(text: str, grouped: str | None) -> None:
    if grouped is None:
        with pytest.raises(FormulaSyntaxError, match="column 2: unexpected '<>'"):
            LTL.parse(text)
    else:
        assert LTL.parse(text) == LTL.parse(grouped)


# --- names ---


@pytest.mark.parametrize(
    "name",
    "a x1 X1 Xray X_ U2 G1 GF FG true1 TRUEx truE xor1 XOR _ _x doorOpen door.open a.b.c V2 always next and".split(),  # noqa: SIM905
)
def test_a_name_goes_as_far_as_it_can(name: str) -> None:
    assert is_name(name)
    assert LTL.parse(name) == ltl.Atom(name)
    assert LTL.parse(f"G({name}->!{name})") == ltl.Always(
        ltl.Implies(ltl.Atom(name), ltl.Not(ltl.Atom(name)))
    )


@pytest.mark.parametrize(
    "word",
    [
        *"XFGURWVTYZOHS",
        "xor",
        "xnor",
        "true",
        "True",
        "FALSE",
        "X.a",
        "a.U",
        "a.",
        ".a",
        "1",
        "1a",
        "é",
        "a-b",
        "",
    ],
)
def test_what_is_no_name(word: str) -> None:
    assert not is_name(word)
    with suppress(FormulaSyntaxError):
        assert LTL.parse(word) in (ltl.Top(), ltl.Bottom())


# --- refusals ---


@pytest.mark.parametrize(
    ("text", "line", "column", "problem", "expected"),
    [
        ("", 1, 1, "ends too early", ("a formula",)),
        ("a &", 1, 4, "ends too early", ("a formula",)),
        ("a b", 1, 3, "unexpected 'b'", ("a connective", "the end")),
        ("a &\n ((b)", 2, 6, "'(' at column 2 is never closed", ("a connective", "')'")),
        (
            "G Fa",
            1,
            3,
            "'Fa' can be a name or operators: write 'F a', or put the name in double quotes",
            (),
        ),
        ("a = b", 1, 3, "'=' is not a connective here; write '<->'", ()),
        ("a != b", 1, 3, "'!=' is not a connective here; write 'xor'", ()),
        ("X.a", 1, 1, "'X.a' is not a name: 'X' is an operator", ()),
        ("a & \n §", 2, 2, "unexpected character '§'", ()),
    ],
)
def test_an_error_tells_where_and_what(
    text: str, line: int, column: int, problem: str, expected: tuple[str, ...]
) -> None:
    with pytest.raises(FormulaSyntaxError) as caught:
        LTL.parse(text)
    error = caught.value
    assert (error.line, error.column, error.expected, error.text) == (line, column, expected, text)
    assert problem in error.problem
    assert not isinstance(error, LimitError)


@pytest.mark.parametrize(
    "space", ["\u00a0", "\u2009", "\u3000", "\u2028", "\u0085", "\u200b", "\ufeff"]
)
def test_only_ascii_white_space_separates(space: str) -> None:
    for text in (f"a{space}& b", f"a &{space}b", f"{space}a", f"G{space}a", f"a{space}"):
        with pytest.raises(FormulaSyntaxError, match="unexpected character") as caught:
            LTL.parse(text)
        assert (caught.value.line, caught.value.column) == (1, text.index(space) + 1)
    assert LTL.parse("a\t&\r\n\v\fb") == ltl.And(A, B)


# --- limits ---


@pytest.mark.parametrize(
    "text",
    [
        "!" * MAX_DEPTH + "a",
        "X !" * (MAX_DEPTH // 2) + "a",
        "F " * MAX_DEPTH + "a",
        "->".join(["a"] * (MAX_DEPTH + 1)),
        "a & (b | " * (MAX_DEPTH // 2) + "a" + ")" * (MAX_DEPTH // 2),
        "a " * MAX_LARGE_LENGTH,
        "&".join(["a"] * (MAX_LARGE_LENGTH // 3)),
    ],
)
def test_what_is_too_deep_or_too_long_is_refused(text: str) -> None:
    with pytest.raises(LimitError):
        LTL.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "!" * (MAX_DEPTH - 1) + "a",
        "(" * MAX_LENGTH + "a" + ")" * MAX_LENGTH,
        *(f" {sign} ".join(["a"] * 5_000) for sign in ("&", "|", "xor", "<->", "U", "R", "S")),
        "a U (" * 5_000 + "a" + ")" * 5_000,
        "X " * 5_000 + "a",
        "->".join(["a"] * MAX_DEPTH),
    ],
)
def test_what_is_within_the_limits_is_read(text: str) -> None:
    tree = LTL.parse(text)
    assert LTL.parse(LTL.format(tree)) == tree
    assert LTL.owns(copy.deepcopy(tree))


def test_trees_made_in_python_have_the_same_limits() -> None:
    deep: ltl.Temporal = A
    for _ in range(50_000):
        deep = ltl.Not(deep)
    wide: ltl.Temporal = A
    for _ in range(15):
        wide = ltl.And(wide, wide)
    for tree in (deep, wide):
        for refused in (LTL.format, LTL.measure, LTL.symbols, LTL.owns):
            with pytest.raises(LimitError):
                refused(tree)


# --- trees ---


def test_the_language_knows_its_own() -> None:
    assert language_of(LTL.parse("a")) is LTL
    assert language_of(LTL.parse("G (a -> F b)")) is LTL
    assert not LTL.owns(LogicAtom("a", ()))
    assert not LTL.owns(ltl.Not(LogicAtom("a", ())))  # type: ignore[arg-type]
    assert not language("propositional").owns(LTL.parse("a & b"))
    with pytest.raises(AutoevalError, match="not a formula of the language 'ltl'"):
        LTL.format(LogicAtom("a", ()))
    assert str(LTL.trivial()["tautology"]) == "true"
    assert str(LTL.trivial()["contradiction"]) == "false"


def test_symbols_and_foreign_names() -> None:
    tree = LTL.parse("G (x2 -> F x9) | x1 & x2 & X1")
    assert LTL.symbols(tree) == Vocabulary(propositions=("x2", "x9", "x1", "X1"))
    vocabulary = Vocabulary(propositions=("x1", "x2"))
    assert LTL.foreign(tree, vocabulary) == ("unknown proposition x9", "unknown proposition X1")
    assert LTL.foreign(LTL.parse("x1 U x2"), vocabulary) == ()
    assert LTL.foreign(LTL.parse("true"), Vocabulary()) == ()


# --- NuSMV's notation ---


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("a R b", 3, "NuSMV has no 'R'; write 'V'"),
        ("a W b", 3, "NuSMV has no 'W'; write '(a U b) | G a'"),
        ("G true", 3, "NuSMV has no 'true'; write 'TRUE'"),
        ("¬a", 1, "NuSMV has no '¬'; write '!'"),
        ("a & next", 5, "'next' is a keyword of NuSMV and not a name"),
    ],
)
def test_what_nusmv_has_not(text: str, column: int, problem: str) -> None:
    with pytest.raises(FormulaSyntaxError) as caught:
        parse_nusmv(text)
    assert (caught.value.column, caught.value.problem) == (column, problem)
