"""The strict notation of regular expressions, the trees, and their canonical text."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from support.deep_stack import at_depth
from support.regex_expressions import expressions, strict_expressions

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import FormulaSyntaxError, LimitError, language
from pytest_autoeval.languages.base import substitute
from pytest_autoeval.languages.regex import LANGUAGE as REGEX
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.languages.regex.evaluate import accepts
from pytest_autoeval.languages.regex.measures import DistinguishingString
from pytest_autoeval.languages.regex.parser import parse as strict
from pytest_autoeval.languages.size_limits import MAX_DEPTH, MAX_LENGTH

ZERO, ONE = regex.Character("0"), regex.Character("1")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("0", ZERO),
        ("01", regex.Concat((ZERO, ONE))),
        ("(01)*0*1", regex.Concat((regex.Star(regex.Concat((ZERO, ONE))), regex.Star(ZERO), ONE))),
        ("(0*)*", regex.Star(regex.Star(ZERO))),
        ("0((1)0)", regex.Concat((ZERO, ONE, ZERO))),
        (" 0*1\n", regex.Concat((regex.Star(ZERO), ONE))),
        ("aB", regex.Concat((regex.Character("a"), regex.Character("B")))),
    ],
)
def test_parse_reads_the_strict_notation(text: str, tree: regex.Expression) -> None:
    assert REGEX.parse(text) == tree


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1),
        ("*", 1),
        ("0**", 3),
        ("()", 2),
        ("0((1)", 2),
        ("0)", 2),
        ("0||1", 2),
        ("0 1", 2),
        ("^$", 1),
        ("[10]", 1),
    ],
)
def test_parse_refuses_what_is_neither_strict_nor_canonical_and_says_where(
    text: str, column: int
) -> None:
    with pytest.raises(FormulaSyntaxError) as caught:
        REGEX.parse(text)
    assert (caught.value.line, caught.value.column) == (1, column)


@pytest.mark.parametrize(
    ("text", "place"), [("0 1\n00:1", "line 1, column 2: unexpected ' '"), (r"\p", r"\p is not")]
)
def test_parse_names_a_sign_of_another_notation_where_the_strict_one_ends(
    text: str, place: str
) -> None:
    with pytest.raises(FormulaSyntaxError) as caught:
        REGEX.parse(text)
    assert place in str(caught.value)


@pytest.mark.parametrize(
    "text", ["0", "01", "(01)*0*1", "(0*)*", "((01)*0)*", "0*1*0*", "(((0*)*1)*0)*"]
)
def test_canonical_text_is_strict_and_minimal(text: str) -> None:
    assert REGEX.format(REGEX.parse(text)) == text


#: Symbols of every sort: such as the notations use for something else, letters of other scripts, signs.
SYMBOLS = "01aB*+?|.()[]{}^$\\-/\"'`,:=~!·∪ε∅Σλ∗²é字«＊"


@given(expressions(SYMBOLS))
def test_parse_inverts_format(expression: regex.Expression) -> None:
    assert REGEX.parse(REGEX.format(expression)) == expression


@given(strict_expressions())
def test_the_canonical_text_is_strict_where_the_tree_is(expression: regex.Expression) -> None:
    assert strict(REGEX.format(expression)) == expression
    assert REGEX.read(REGEX.format(expression)).compliant


@given(expressions())
def test_every_tree_is_read_back_from_its_text(expression: regex.Expression) -> None:
    assert REGEX.read(f"`{REGEX.format(expression)}`").formula == expression


@pytest.mark.parametrize(
    ("text", "char", "string"),
    [(r"0\*", "*", "0*"), (r"0\[", "[", "0["), (r"0\\", "\\", "0\\"), (r"0\ε", "ε", "0ε")],
)
def test_a_sign_behind_a_backslash_is_a_symbol_to_all(text: str, char: str, string: str) -> None:
    expression = REGEX.parse(text)
    assert expression == regex.Concat((ZERO, regex.Character(char)))
    assert REGEX.format(expression) == text
    assert accepts(expression, string)
    witness = REGEX.entails(expression, regex.Empty()).witness
    assert isinstance(witness, DistinguishingString)
    assert witness.text == string
    assert REGEX.read_description(REGEX.describe(expression)) == expression
    assert REGEX.symbols(expression).alphabet == tuple(sorted(("0", char)))


@given(expressions(), expressions())
def test_equality_and_hash_are_of_the_structure(
    left: regex.Expression, right: regex.Expression
) -> None:
    assert (left == right) == (str(left) == str(right))
    twin = pickle.loads(pickle.dumps(left))
    assert twin == left == copy.deepcopy(left)
    assert hash(twin) == hash(left)
    assert left != str(left)


@given(expressions())
def test_children_rebuild_the_node(expression: regex.Expression) -> None:
    assert expression.with_children(expression.children()) == expression


def test_concatenations_and_unions_are_flat() -> None:
    assert (
        regex.Concat((regex.Concat((ZERO, ONE)), ZERO))
        == regex.Concat((ZERO, regex.Concat((ONE, ZERO))))
        == regex.Concat((ZERO, ONE, ZERO))
    )
    assert regex.Union((regex.Union((ZERO, ONE)), ZERO)) == regex.Union((ZERO, ONE, ZERO))
    hole = regex.Character("h")
    assert substitute(
        regex.Concat((hole, ONE)), {hole: regex.Concat((ZERO, ZERO))}
    ) == regex.Concat((ZERO, ZERO, ONE))


def test_a_class_is_a_set() -> None:
    assert regex.CharacterClass(("1", "0", "1")) == regex.CharacterClass(("0", "1"))
    assert str(regex.CharacterClass(("1", "0"), negated=True)) == "[^01]"


def test_impossible_nodes_are_refused() -> None:
    for build in (
        lambda: regex.Character("01"),
        lambda: regex.Character(" "),
        lambda: regex.Concat((ZERO,)),
        lambda: regex.CharacterClass(()),
        lambda: regex.Repeat(ZERO, 3, 2),
        lambda: regex.Repeat(ZERO, -1, None),
    ):
        with pytest.raises(AutoevalError):
            build()


def test_trees_and_texts_of_other_kinds_are_refused() -> None:
    with pytest.raises(AutoevalError, match="regex"):
        REGEX.tree(language("propositional").parse("p1"))
    with pytest.raises(FormulaSyntaxError):
        REGEX.measure("0**+")
    assert REGEX.tree("0|1") == regex.Union((ZERO, ONE))


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000 + "0" + ")" * 10_000,
        "(" * 10_000,
        "(" * (MAX_DEPTH // 2 + 1) + "0" + "1)*" * (MAX_DEPTH // 2 + 1),
        "0" * (MAX_LENGTH + 1),
    ],
)
def test_limits_hold_however_deep_the_stack_is(text: str) -> None:
    def refused() -> None:
        with pytest.raises(LimitError):
            REGEX.parse(text)
        assert REGEX.read(text).formula is None
        assert "at most" in REGEX.read(text).problem

    at_depth(400, refused)


def test_what_is_within_the_limits_is_taken_however_deep_the_stack_is() -> None:
    text = "(" * 74 + "0" + "1)*" * 74

    def taken() -> None:
        tree = REGEX.parse(text)
        assert REGEX.format(tree) == text
        assert {tree: 1}[REGEX.parse(text)] == 1
        assert REGEX.measure(tree)["stars"] == 74
        assert REGEX.equivalent(tree, f"({text})0").outcome == "different"

    at_depth(400, taken)


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("(01)*0", ()),
        ("0|1+", ("|", "+")),
        (r"\b0\B", (r"\b", r"\B")),
        ("[01][^0]", ("[]", "[^]")),
        (".?", ("?", "[]")),
        (r"\*|[\-0]", ("|", "[]", "\\")),
    ],
)
def test_the_signs_beyond_the_strict_notation_are_known(text: str, signs: tuple[str, ...]) -> None:
    assert REGEX.signs(REGEX.tree(text)) == signs
