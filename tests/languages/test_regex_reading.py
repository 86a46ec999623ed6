"""Regular expressions in models' answers: what is found, what is left alone."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.regex_expressions import expressions, strict_expressions

from pytest_autoeval.languages import FormulaSyntaxError, Vocabulary
from pytest_autoeval.languages.regex import LANGUAGE as REGEX
from pytest_autoeval.languages.regex.evaluate import accepts
from pytest_autoeval.languages.regex.parser import parse
from pytest_autoeval.languages.regex.reading import _Notation
from pytest_autoeval.languages.regex.syntax import Expression

BINARY = Vocabulary(alphabet=("0", "1"))
LETTERS = Vocabulary(alphabet=tuple("abcdefghijklmnopqrstuvwxyz"))


@pytest.mark.parametrize("answer", ["0", "01", "0*1", "(01)*0*1", " (0*)*\n", "((0))", "0123"])
def test_a_strict_answer_is_compliant(answer: str) -> None:
    reading = REGEX.read(answer, vocabulary=BINARY)
    assert reading.formula == REGEX.parse(answer)
    assert (reading.compliant, reading.recovered, reading.text) == (True, False, answer.strip())


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        # Marks around the expression.
        ("`0*1`", "0*1"),
        ("```regex\n(01)*0*\n```", "(01)*0*"),
        ("Sure! The regex is `(01)*`.", "(01)*"),
        ("$$ (01)* 0 $$", "(01)*0"),
        ("/^0*1$/g", "0*1"),
        ('{"regex": "0*1"}', "0*1"),
        ("<code>0*1</code>", "0*1"),
        # Bold: the stars of the expression touch the marks.
        ("**0*1***", "0*1*"),
        ("The answer is **(01)***.", "(01)*"),
        ("**Regex:** 0*1", "0*1"),
        # Labels and sentences.
        ("Formula: 0*1.", "0*1"),
        ("The regex is 01.", "01"),
        ("Here is the regular expression:\n\n0*1*", "0*1*"),
        ("1. 0*1", "0*1"),
        # Several in one answer: the last complete one.
        ("0*1\n\nIncorrect: 1*0", "0*1"),
        ("(01)*0\n\nExplanation: `0` is a zero, `1` a one, `(01)*` repeats.", "(01)*0"),
        ("Answer:\n(01)*\n\nIt matches:\n- 01\n- 0101\n", "(01)*"),
        # Standard notation.
        ("0+1?", "0+1?"),
        ("(01)<sup>*</sup>", "(01)*"),
        ("0&ast;1", "0*1"),
        ("[0-1]*", "[01]*"),
        ("[^0]", "[1]"),
        (".*", "[01]*"),
        (r"\d*", "[01]*"),
        ("0{2,3}", "0{2,3}"),
        ("0{2,}", "0{2,}"),
        ("^$", "ε"),
        # Powers of LaTeX.
        ("$0^*1$", "0*1"),
        ("$(01)^{*}0^{+}$", "(01)*0+"),
        ("0^{2}1", "0{2}1"),
        ("(0|ε)1", "(0|ε)1"),
        ("∅", "∅"),
        ("0||1", "0|ε|1"),
        ("(1 0)* 1", "(10)*1"),
        ("(?:01)*", "(01)*"),
        (r"0\*1", "0*1"),
        (r"(0\,1)*", "(01)*"),
        ("0**", "(0*)*"),
        ("0{2}*", "(0{2})*"),
    ],
)
def test_an_expression_is_recovered(answer: str, text: str) -> None:
    reading = REGEX.read(answer, vocabulary=BINARY)
    assert str(reading.formula) == text, reading.problem
    assert (reading.compliant, reading.recovered, reading.problem) == (False, True, "")


FURTHER = Vocabulary(alphabet=("0", "1"), signs=("|", "&", "~", "[]"))


@pytest.mark.parametrize(
    "answer", ["0|1*", "((0|1))*0", "(0|1)*&01", "~(0)", "(~(0))*1", "[01]*&~(1)", "0.1*"]
)
def test_an_answer_with_the_signs_that_the_prompt_explains_is_compliant(answer: str) -> None:
    reading = REGEX.read(answer, vocabulary=FURTHER)
    assert reading.compliant, reading.problem
    assert not reading.recovered
    assert not REGEX.read(answer, vocabulary=BINARY).compliant
    formula = REGEX.read(answer, vocabulary=BINARY).formula
    assert reading.formula == formula


@pytest.mark.parametrize("answer", ["0+|1", "0?&1", "`0|1`", "0||1", "0|1**", "0 | 1", r"0\*|1"])
def test_other_signs_and_marks_stay_recovered(answer: str) -> None:
    reading = REGEX.read(answer, vocabulary=FURTHER)
    assert (reading.compliant, reading.recovered) == (False, True)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "There are 2 zeros.",
        "A digit(s) 0 and 1(s)",
        "As shown in [1]",
        "either zero | or one",
        "*0*",
        "<think>\nSo 0*1",
        "`(01)*` followed by `0*`",
        "`0*`1",
        "0* 1* it is",
        "{0,1}*",
        "(0",
        "0{1000}",
        "((0{100}){100}){100}",
        "0$1",
        "0^2",
        "0^1",
        r"(0 \cup 1)*",
        "Σ*0",
        "λ",
        "0*+",
        r"(0)\1",
        "0(?=1)",
        "[1-0]",
        "[[:digit:]]",
        "0\\",
    ],
)
def test_what_is_no_expression_is_not_read_as_one(answer: str) -> None:
    reading = REGEX.read(answer, vocabulary=BINARY)
    assert reading.formula is None
    assert reading.problem
    assert not reading.compliant
    assert not reading.recovered


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        # Lines of KB13: words inside an expression are symbols.
        (".*and", ".*and"),
        (".*or", ".*or"),
        ("(.)*and", ".*and"),
        (".*I am mad.*", ".*Iammad.*"),
        ("(.*Go for it).*", ".*Goforit.*"),
        (r".*\.\.\.", r".*\.\.\."),
        (".", "."),
        ("Answer: .*or", ".*or"),
        ("```\n.*and.*\n```", ".*and.*"),
    ],
)
def test_english_words_inside_an_expression_are_symbols(answer: str, text: str) -> None:
    assert str(REGEX.read(answer).formula) == text


#: How an expression stands in an answer, as it is or in a string of JSON.
FRAMES = ("{}", "Answer: {}", "`{}`", "The regex is `{}`.", "```\n{}\n```")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (r":;<=>?@\[\\\]\^`".join("[]"), r"[\:\;\<\=\>\?\@\[\\\]\^\`]"),
        (r"[a\[0\]b]", r"[0\[\]ab]"),
        (r"[\[01\]]*", r"[01\[\]]*"),
        (r"[^\[0\]]*", r"[^0\[\]]*"),
        (r"x[\(a\)]y", r"x[\(\)a]y"),
        ("[$$a$$]", r"[\$a]"),
        ("[$a$]b[$c$]", r"[\$a]b[\$c]"),
        ("[<b>]", r"[\<\>b]"),
        # Brackets that touch a symbol.
        (r"a\[0\]b", r"a\[0\]b"),
        (r"a*\[0\]*", r"a*\[0\]*"),
        (r"f\(0\)", r"f\(0\)"),
    ],
)
def test_signs_of_an_expression_are_no_marks_of_mathematics(text: str, canonical: str) -> None:
    frames = FRAMES if "`" not in text else FRAMES[:1]
    answers = [*(frame.format(text) for frame in frames), json.dumps({"regex": text})]
    for answer in answers:
        reading = REGEX.read(answer)
        assert str(reading.formula) == canonical, (answer, reading.problem)
        assert reading.text in (text, f"`{text}`")


@pytest.mark.parametrize(
    "answer",
    [
        r"\[ [01]* \]",
        r"The regex is \([01]*\).",
        r"The regex is\[[01]*\]",
        r"**\([01]*\)**",
        r"$[01]*$",
        r"So it is:\[[01]*\]",
        "\\[\n[01]*\n\\]",
        "<code>[01]*</code>",
    ],
)
def test_marks_of_mathematics_are_read_as_before(answer: str) -> None:
    assert str(REGEX.read(answer, vocabulary=BINARY).formula) == "[01]*"


@pytest.mark.parametrize(
    "answer",
    ["`0*`\n\nor\n\n`1*`", "0*\n**or**\n1*", "0* or 1*", "Answer: 0* or 1*", "Really?\n0*."],
)
def test_words_between_expressions_are_no_symbols(answer: str) -> None:
    assert REGEX.read(answer, vocabulary=LETTERS.including(BINARY)).formula in (
        None,
        REGEX.parse("0*"),
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (r"0\s1", r"\s is not supported (white space"),
        (r"(0)\1", r"\1 is not supported (a back reference"),
        (r"\G01", r"\G is not supported (an anchor"),
        (r"\p{L}", r"\p is not supported (a class of Unicode"),
        (r"0 \cup 1", r"\cup of LaTeX is not supported"),
        ("0^1", "an anchor is allowed only where the expression begins or ends"),
        ("(^0)*", "an anchor is allowed only where the expression begins or ends"),
        ("(0$|1)0", "an anchor is allowed only where the expression begins or ends"),
        ("(?=0)1", "'(?=' is not supported (a lookahead: write an intersection"),
        ("(?<!0)1", "'(?<!' is not supported (a negative lookbehind: write a complement"),
        ("(?P=n)", "'(?P=' is not supported (a back reference"),
        ("(?>0)", "'(?>' is not supported (an atomic group: write '(?:'"),
        ("(?i:0)1", "'(?' is not supported (a flag of a group"),
        ("0(?i)1", "flags are allowed only in front of the whole expression"),
        ("(?x)0", "the flag 'x' is not supported"),
        (r"[\s]", r"\s is not supported (white space"),
        (r"\x00", r"\x00 is not a visible character"),
        ("[[:digit:]]", "a class of POSIX is not supported"),
        ("(?#0)1", "'(?#' is not supported (a comment: leave it out)"),
        ("[a-z&&[^b]]", r"unexpected '[' in a class; expected '\[' for the symbol"),
        ("[]0]", r"an empty class; expected '\]' for the symbol"),
        ("0{,3}", "unexpected '{'; expected '{0,'"),
        ("0++", "a possessive repetition"),
    ],
)
def test_what_is_not_supported_is_named(text: str, named: str) -> None:
    assert named in REGEX.read(text, vocabulary=BINARY).problem
    with pytest.raises(FormulaSyntaxError) as caught:
        REGEX.tree(text)
    assert named in str(caught.value)


@pytest.mark.parametrize(
    "answer", ["I have a problem", "the answer is unknown", "see above", "a b is it"]
)
def test_words_over_an_alphabet_of_letters_are_not_expressions(answer: str) -> None:
    assert REGEX.read(answer, vocabulary=LETTERS).formula is None


def test_symbols_that_the_alphabet_does_not_have_are_foreign() -> None:
    reading = REGEX.read("`[0-2]*a`", vocabulary=BINARY)
    assert reading.formula is not None
    assert REGEX.foreign(reading.formula, BINARY) == ("unknown symbol 2", "unknown symbol a")
    assert REGEX.symbols(reading.formula).alphabet == ("0", "1", "2", "a")
    assert REGEX.foreign(REGEX.parse("(01)*"), BINARY) == ()


def test_wildcards_stay_open_without_an_alphabet() -> None:
    assert str(REGEX.read(".*[^0]").formula) == ".*[^0]"
    assert str(REGEX.read(r"`0\*`").formula) == r"0\*"


@given(
    strict_expressions(),
    st.sampled_from(
        ["{}", "`{}`", "${}$", "Regex: {}", "```\n{}\n```", "So: **{}**", "It is `{}`."]
    ),
)
@settings(max_examples=140)
def test_marks_do_not_change_what_is_read(expression: Expression, frame: str) -> None:
    answer = frame.format(f"({expression})*")
    assert str(REGEX.read(answer, vocabulary=BINARY).formula) == REGEX.format(
        REGEX.parse(f"({expression})*")
    )


@given(
    st.text(alphabet="01abor*() .", max_size=10),
    st.sampled_from(["01", "ab", "or", "a*", "0(", "1."]),
)
@settings(max_examples=400)
def test_a_text_of_known_signs_alone_is_read_like_any_other(answer: str, alphabet: str) -> None:
    names = Vocabulary(alphabet=tuple(alphabet))
    reading = REGEX.read(answer, vocabulary=names)
    with pytest.MonkeyPatch.context() as patch:
        # The search for marks, which such a text does not need.
        patch.setattr(_Notation, "has_only_known_signs", lambda _notation, _text: False)
        assert reading == REGEX.read(answer, vocabulary=names)


@given(expressions(alphabet="01"))
def test_the_standard_notation_means_what_the_standard_library_takes_it_for(
    expression: Expression,
) -> None:
    text = REGEX.format(expression)
    # Periods alone are taken for the end of a sentence.
    assume(text.strip("."))
    formula = REGEX.read(f"`{text}`", vocabulary=BINARY).formula
    assert formula is not None
    compiled = re.compile(text.replace("ε", "(?:)").replace("∅", "(?!)"))
    for string in ("", "0", "1", "00", "01", "10", "11", "010", "0110", "11111"):
        literal = string or "ε"
        matches = REGEX.entails(REGEX.tree(literal), formula).outcome == "entails"
        assert matches == (compiled.fullmatch(string) is not None)


def anchored_texts() -> st.SearchStrategy[str]:
    """Texts with anchors anywhere, most of which begin or end the expression."""
    pieces = st.sampled_from(
        ["a", "b", "^", "$", "^a", "b$", "(^a|b)", "(a|b$)", "(^|a)", "", "c*"]
    )

    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        union = st.builds("({}|{})".format, inner, inner)
        row = st.builds("{}{}".format, inner, inner)
        return union | row | inner.map("({})?".format) | inner.map("({})*".format)

    return st.recursive(pieces, grow, max_leaves=5)


@given(anchored_texts())
@settings(max_examples=300)
def test_anchors_mean_what_the_standard_library_takes_them_for(text: str) -> None:
    try:
        expression = REGEX.tree(text)
    except FormulaSyntaxError:
        return
    for string in ("", "a", "b", "c", "ab", "ba", "aa", "cc", "aba", "abc", "bab"):
        assert accepts(expression, string) == bool(re.fullmatch(text, string)), text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        # Shorthand classes are those of ASCII; white space is no symbol.
        (r"\w", "[01_ab]"),
        (r"\W\D", r"[\-][\-_ab]"),
        (r"\S", r"[\-01_ab]"),
        (r"[\w\s]", "[01_ab]"),
        (r"[^\W\d]", "[_ab]"),
        (r"[\W0]", r"[\-0]"),
        # Names of groups and lazy signs change no match; a flag stands in front.
        ("(?<name>0)(?P<other>1)(?'third'a)", "01a"),
        ("0*?1+?a??", "0*1+a?"),
        ("(?i)0A[B-B]", "0[Aa][Bb]"),
        ("/^0a$/gi", "0a"),
        (r"\x30\u0031[\x61-b]", "01[ab]"),
        # Anchors at the edges.
        (r"\A0\Z", "0"),
        ("(^0|^1)a$", "(0|1)a"),
        ("^0|1$", "0|1"),
    ],
)
def test_what_programmers_write_is_read_over_the_alphabet(text: str, canonical: str) -> None:
    names = Vocabulary(alphabet=("0", "1", "a", "b", "_", "-"))
    canonical = canonical.replace("_", r"\_")
    formula = REGEX.read(text, vocabulary=names).formula
    assert formula is not None, REGEX.read(text, vocabulary=names).problem
    assert REGEX.equivalent(formula, REGEX.tree(canonical)).outcome == "equivalent", str(formula)


@pytest.mark.parametrize("text", [r"\beta", r"\begin", r"\dots", r"\Sigma", r"\wedge", r"\Delta*"])
def test_commands_of_latex_are_no_boundaries_or_classes(text: str) -> None:
    assert "of LaTeX is not supported" in REGEX.read(text).problem


@given(st.text(alphabet="01ab*|+?()[]{}^$.,\\ \n`εΣ", max_size=20))
@settings(max_examples=210)
def test_read_never_raises_and_compliance_is_the_strict_notation(answer: str) -> None:
    reading = REGEX.read(answer)
    try:
        strict = parse(answer.strip())
    except FormulaSyntaxError:
        assert not reading.compliant
    else:
        assert reading.compliant
        assert reading.formula == strict
    if reading.formula is not None:
        assert REGEX.parse(REGEX.format(reading.formula)) == reading.formula
