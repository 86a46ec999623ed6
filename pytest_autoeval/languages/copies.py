"""Decides whether a description is a copy of the formula instead of English.

A round trip measures meaning only if the text in the middle is English. Four rules find a copy:

1. an operator sign, in any notation (:meth:`Language.operator_sign`);
2. a line, a marked span or the whole text that reads as a formula, also one with words as operators. Words alone, as
   in ``p1 or not p2``, are English, unless they are marked as code: the verdict decides, also over their ambiguity;
3. a piece of the formula's own text with two operators or more;
4. a code: fixed words in one-to-one correspondence with the signs of the formula, brackets included.

The first paper on ∀uto∃val names the danger (section 4); the rules are ours. All rules take linear time.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pytest_autoeval.languages.answers import FORMULA_LABELS, MAX_REPLY, passages
from pytest_autoeval.languages.base import Formula
from pytest_autoeval.languages.marks import bare, undecorated
from pytest_autoeval.languages.plain_replies import without_entities
from pytest_autoeval.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from pytest_autoeval.languages.contract import Language
    from pytest_autoeval.languages.vocabulary import Vocabulary

#: Markdown's emphasis marks, which are not stars of a regular expression.
_EMPHASIS = lazy_pattern(
    r"(?<![\w)*])(?P<mark>\*{1,3})(?=[^\s*])(?P<inside>[^*\n]*[^\s*])(?P=mark)(?!(?!s\b)[\w*])"
)
_STRUCK = lazy_pattern(r"~~([^~\n]+)~~")
#: A table of Markdown, and its rows; an arrow as a bullet before a sentence.
_TABLE = lazy_pattern(r"^[ \t]*\|(?:[ \t:]*-{3,}[ \t:]*\|)+[ \t]*$", re.MULTILINE)
_ROW = lazy_pattern(r"^[ \t]*\|.*\|[ \t]*$", re.MULTILINE)
_ARROW = lazy_pattern(r"^\s*(?:[-=]+>|[→➜⇒])\s+(?=(?:\S+\s+){3})")
#: A name assigned to the following text, and a bracket in words.
_ASSIGNED = lazy_pattern(r"^\w+\s*:?=\s*(?=\S)")
_BRACKET = lazy_pattern(
    r"\b(?:open|close|left|right|begin|end)(?:ing)?[\s-]+(?:paren(?:thes[ie]s)?|bracket|brace)\b",
    re.IGNORECASE,
)
_QUOTED = lazy_pattern(
    r"\"([^\"\n]{3,})\"|“([^“”\n]{3,})”|(?<!\w)'([^'\n]{3,})'(?!\w)|‘([^‘’\n]{3,})’|`([^`\n]{3,})`"
)
#: A span that is marked as notation: code or mathematics.
_NOTATION = lazy_pattern(
    r"(?P<mark>`{1,3}|\${1,2})([^`$\n]{3,})(?P=mark)|\\\(((?:(?!\\\()[^\n]){3,}?)\\\)"
)
#: A name with its arguments, such as `likes(x1, Ann)`. English may repeat it, since there is no other name for it.
_ATOM = lazy_pattern(r"\b(\w+)\(([\w\s,]*)\)")
#: The end of a part of a line.
_END = lazy_pattern(r"(?<=\w|\))[.:;](?:\s|$)")
_HOLDS = lazy_pattern(r"(?<=\S)\s(?:holds?|(?:is|are) (?:true|the case))\.?$")
#: A name, or a sign of a formula's text.
_PRINTED = lazy_pattern(r"\w+|<?->|[^\w\s]")
#: The fewest signs of a code. With one sign, every two names with any word between them would be a code.
_LEAST_SIGNS = 2

#: Words for operators.
_OPERATORS = frozenset(
    """
    and or not xor nand nor implies iff equiv if then only forall exists always globally never eventually finally next
    until release releases since once historically previously yesterday weak
    """.split()  # noqa: SIM905
)
#: Words with which English joins and groups clauses. A code of only such words cannot be distinguished from English.
_ENGLISH = frozenset(
    """
    a above after again all along also always an and any are as at be because before being below both but by can
    cannot case combined contains did do does each either else entails equals eventually every exactly exist
    exists fail fails false finally first follow followed follows for forever from given globally has have
    having held here hold holding holds if implies imply in instant is it its itself later leads least means
    moment more must neither never next no none nor not nothing now of on once one only or other otherwise
    precisely previous previously provided requires same satisfied second since so some sometime step string such symbol
    taken than that the their them then there they thing things this time times to together true two unless
    until when whenever where whereas which while with without yet zero
    """.split()  # noqa: SIM905
)
#: Words that bind a variable. In English, "such that" follows; "exists x P(x)" is notation.
_BINDING = frozenset({"all", "every", "exist", "exists", "some"})


class _Piece(NamedTuple):
    """A piece of a text, the operators that it needs to be a copy, and whether it is marked as notation."""

    text: str
    least: int
    is_notation: bool = False


def copied(description: str, formula: Formula, language: Language) -> str:
    """Why a description is a copy of the formula, as a phrase; empty for English.

    Args:
        description: the model's text; at most 100,000 characters are examined.
        formula: the described formula, a tree of ``language``.
        language: gives the signs and the reader.
    """
    # So that look-alikes of signs, such as those of full width, count as the signs.
    marked = unicodedata.normalize("NFKC", without_entities(description[:MAX_REPLY]))
    if _TABLE.search(marked):
        marked = _ROW.sub(lambda row: row[0].replace("|", "\n"), marked)
    lines = [_ARROW.sub("", undecorated(line)) for line in marked.splitlines()]
    text = "\n".join(lines)
    text = _EMPHASIS.sub(r"\g<inside>", _STRUCK.sub(r"\1", text))
    if sign := language.operator_sign(text, formula):
        return f"it has the sign {sign!r} of an operator"
    symbols = language.symbols(formula)
    names = _names(formula, symbols)
    if piece := _formula_in(text, marked, language, symbols, names):
        return f"{piece!r} reads as a formula"
    if piece := _own_piece(text, formula, language):
        return f"it repeats {piece!r}"
    if bracket := _BRACKET.search(text):
        return f"it spells a bracket as {bracket[0]!r}"
    return _code(text, formula, language.format(formula), symbols, names)


def _formula_in(
    text: str, marked: str, language: Language, vocabulary: Vocabulary, names: frozenset[str]
) -> str:
    """The first piece of the text that reads as a formula over the names of a formula. ``marked`` has emphasis."""
    for piece, least, is_notation in _pieces(text, marked):
        if not is_notation and _is_words_alone(piece, names):
            continue
        words = set(re.findall(r"\w+", piece)) - names
        # The reader may find the grouping of such a piece unclear, and so read nothing.
        if "(" in piece and len(words) > 1 and words <= _OPERATORS:
            return piece
        reading = language.read(piece, vocabulary=vocabulary)
        formula = reading.formula
        if formula is None or not language.symbols(formula).names <= names:
            continue
        if not is_notation and _is_words_alone(reading.text, names):
            continue
        is_string = re.search(r"\W", language.format(formula)) is None
        if is_string and reading.text != bare(text):  # English may quote it
            continue
        operators = sum(bool(node.children()) for node in formula.subformulas())
        if operators >= least:
            return piece
    return ""


def _is_words_alone(piece: str, names: frozenset[str]) -> bool:
    """Whether a piece consists of names and English words, without signs, brackets of its own and code words.

    English joins names with the words that operators have, so that such a piece reads as a formula by chance. Words in
    capitals (``AND``) and words that only formulas have (``iff``, ``xor``) are code.
    """

    def without_brackets(atom: re.Match[str]) -> str:
        name, arguments = atom.groups()
        if name in names:
            return f"{name} {arguments}"
        return atom[0]

    words = re.split(r"[\s,]+", _ATOM.sub(without_brackets, piece))
    return all(word in names or _is_english(word) for word in words if word)


def _is_english(word: str) -> bool:
    if word.isupper() and len(word) > 1:  # "AND"; "A" and "I" are words of English
        return False
    lower = word.lower()
    return lower in _ENGLISH and lower not in _BINDING


def _pieces(text: str, marked: str) -> Iterator[_Piece]:
    """The pieces of a text that may be a formula. ``marked`` is the text with its marks of emphasis.

    A piece that only punctuation and brackets separate from the words around it must have brackets of its own.
    """
    answer_passages = [*passages(marked, FORMULA_LABELS)]
    whole_text = bare(text)
    notation = [passage.text for passage in answer_passages if passage.place == "block"]
    # The first group of the pattern is the mark itself.
    notation += [_matched_text(span.groups()[1:]) for span in _NOTATION.finditer(marked)]
    plain = [whole_text, *text.splitlines(), *(passage.text for passage in answer_passages)]
    plain += [_matched_text(quoted.groups()) for quoted in _QUOTED.finditer(text)]
    candidates: dict[tuple[str, bool], None] = {}  # a set that keeps the order
    for is_notation, pieces in ((True, notation), (False, plain)):
        for piece in pieces:
            candidates[_ASSIGNED.sub("", bare(piece)), is_notation] = None
    for piece, is_notation in candidates:
        if piece == whole_text or (re.search(r"\W", piece) and "\n" not in piece):
            yield _Piece(piece, 1, is_notation)
    clauses = [clause for line in text.splitlines() for clause in _END.split(line)]
    for clause in dict.fromkeys([*clauses, *_groups(text)]):
        piece = bare(_HOLDS.sub("", clause))
        if "(" in piece:
            yield _Piece(piece, 2)


def _matched_text(groups: Iterable[str | None]) -> str:
    """The text of the only alternative of a pattern that matched."""
    return next(text for text in groups if text)


def _groups(text: str) -> Iterator[str]:
    """The contents of the outermost brackets of a text."""
    depth = start = 0
    for index, sign in enumerate(text):
        if sign == "(":
            start = index + 1 if depth == 0 else start
            depth += 1
        elif sign == ")" and depth:
            depth -= 1
            if depth == 0:
                yield text[start:index]


def _own_piece(text: str, formula: Formula, language: Language) -> str:
    """The first smallest part of the formula with two operators or more that the text repeats, ignoring white space."""
    packed = "".join(text.split())
    for subformula in formula.subformulas():
        operators = [child for child in subformula.children() if child.children()]
        operands = [operand for child in operators for operand in child.children()]
        # A part with three levels of operators holds a smaller one, which is looked at by itself.
        if not operators or any(operand.children() for operand in operands):
            continue
        piece = unicodedata.normalize("NFKC", language.format(subformula))
        if re.search(r"\W", piece) and "".join(piece.split()) in packed:
            return piece
    return ""


def _code(
    text: str, formula: Formula, printed: str, symbols: Vocabulary, names: frozenset[str]
) -> str:
    """Why a text, a line of it or the text after a colon is a code of the formula; empty if there is none."""
    lines = text.splitlines()
    # By length: a code has as many words as the formula has names and signs.
    pieces_by_length = defaultdict[int, list[list[str]]](list)
    behind_colons = [line.rpartition(":")[2] for line in lines]
    for piece in dict.fromkeys([text, *lines, *behind_colons]):
        tokens = re.findall(r"\w+(?:-\w+)*", piece)
        written = [word for token in tokens for word in _words(token, names)]
        pieces_by_length[len(written)].append(written)
    for spelled, is_polish in _spellings(formula, printed, symbols, names, pieces_by_length):
        for written in pieces_by_length.get(len(spelled), ()):
            if _is_code(spelled, written, names, is_polish=is_polish):
                return "it spells each sign of the formula as a word of its own"
    return ""


def _is_code(
    spelled: Sequence[str], written: Sequence[str], names: frozenset[str], *, is_polish: bool
) -> bool:
    """Whether names stand in the places of names, and each other word stands for one sign.

    Brackets must be invented words, or all signs if there are none. In Polish notation with three or more signs any
    words count, since English has no such order.
    """
    codes: dict[str, str] = {}
    for sign, word in zip(spelled, written, strict=True):
        if sign in names or word in names:
            if sign != word:
                return False
        elif codes.setdefault(sign, word) != word:
            return False
    signs = sum(sign not in names for sign in spelled)
    is_one_to_one = len({*codes.values()}) == len(codes)
    if not is_one_to_one or signs < _LEAST_SIGNS:
        return False
    if is_polish and signs > _LEAST_SIGNS:
        return True
    invented = {sign for sign, word in codes.items() if word.lower() not in _ENGLISH}
    return invented >= ({"(", ")"} if "(" in codes else codes.keys())


def _names(formula: Formula, symbols: Vocabulary) -> frozenset[str]:
    values = (
        getattr(node, field.name)
        for node in formula.subformulas()
        for field in fields(cast("Any", node))
    )
    bound = (value for value in values if isinstance(value, str) and value.isidentifier())
    return symbols.names | {*symbols.alphabet, *symbols.variables, *bound}


def _words(token: str, names: frozenset[str]) -> Iterable[str]:
    """A run of alphabet symbols as single symbols; any other token as it is."""
    if token in names:
        return (token,)
    is_run = all(sign in names for sign in token)
    return token if is_run else (token,)


def _spellings(
    formula: Formula, text: str, symbols: Vocabulary, names: frozenset[str], lengths: Container[int]
) -> Iterator[tuple[list[str], bool]]:
    """The names and signs of a formula, in the orders in which a code may write them, and whether the order is Polish.

    As printed in its ``text``: with all its signs, with all brackets, with those that group, with none. From its tree,
    where these ``lengths`` have them: each operator between its parts in brackets, before them with and without
    brackets, after them.
    """
    printed = [word for sign in _PRINTED.findall(text) for word in _words(sign, names)]
    yield printed, False
    flat = [sign for sign in printed if sign not in ",."]
    yield flat, False
    with_arguments = (*symbols.predicates, *symbols.functions)
    applied = frozenset(name for name, _ in with_arguments)
    yield list(compress(flat, _grouping(flat, applied))), False
    yield [sign for sign in flat if sign not in "()"], False
    polish = [*_in_order(formula, "o l r", names)]
    inner = sum(bool(node.children()) for node in formula.subformulas())
    if len(polish) + 2 * inner in lengths:
        for order in ("(l o r)", "o(l r)"):
            yield [*_in_order(formula, order, names)], False
    if len(polish) in lengths:
        is_branched = any(len(node.children()) > 1 for node in formula.subformulas())
        yield polish, is_branched
        yield [*_in_order(formula, "l r o", names)], is_branched


def _grouping(signs: Sequence[str], applied: frozenset[str]) -> Iterator[bool]:
    """For each sign whether it is not a bracket around arguments, which follows an ``applied`` name."""
    groups: list[bool] = []
    for before, sign in zip(("", *signs), signs, strict=False):
        if sign == "(":
            groups.append(before not in applied)
        yield groups[-1] if sign in "()" and groups else True
        if sign == ")" and groups:
            groups.pop()


def _in_order(formula: Formula, order: str, names: frozenset[str]) -> Iterator[str]:
    """The names and signs of a tree, with each node's operator ``o`` before, between or after its parts."""
    pending: list[Formula | str] = [formula]
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            yield node
            continue
        operands = node.children()
        own = _own_words(node, names)
        if not operands:
            yield from own
            continue
        ordered: list[Formula | str]
        if order == "(l o r)" and len(operands) == 1:
            ordered = ["(", *own, operands[0], ")"]
        elif order == "(l o r)":
            ordered = ["(", operands[0], *own, *operands[1:], ")"]
        elif order == "o(l r)":
            ordered = [*own, "(", *operands, ")"]
        elif order == "l r o":
            ordered = [*operands, *own]
        else:
            ordered = [*own, *operands]
        pending += reversed(ordered)


def _own_words(node: Formula, names: frozenset[str]) -> list[str]:
    """The names of a leaf, or the operator of another node with the name that it binds."""
    if not node.children():
        tokens = _PRINTED.findall(str(node))
        words = [word for token in tokens for word in _words(token, names)]
        return [word for word in words if word in names] or [type(node).__name__]
    values = [getattr(node, field.name) for field in fields(cast("Any", node))]
    bound = [value for value in values if isinstance(value, str) and value in names]
    return [type(node).__name__, *bound]
