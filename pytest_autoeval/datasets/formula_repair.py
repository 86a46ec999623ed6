"""Formulas as people write them: read strictly if possible, else repaired if only one meaning is possible.

Every repair is reported. A text with two possible meanings is an error, with its place in the text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from pytest_autoeval.languages import FormulaSyntaxError, Vocabulary
from pytest_autoeval.languages.logic.notations import with_notation_named
from pytest_autoeval.languages.logic.parser import Parser
from pytest_autoeval.languages.logic.reading import parse_leniently
from pytest_autoeval.languages.logic.signature import free_names, symbols
from pytest_autoeval.languages.logic.syntax import Atom, Quantified, Sentence
from pytest_autoeval.languages.logic.tokens import LogicToken, strict_tokens
from pytest_autoeval.languages.size_limits import check_length
from pytest_autoeval.lazy_pattern import lazy_pattern

_DECIMAL = lazy_pattern(r"(?<!\w)\w++(?<=\d)\.\d\w*+")
#: The end of a formula in Prover9's notation.
_FINAL_PERIOD = lazy_pattern(r"(?<=\))\s*+\.\s*+$")
#: Names that are variables by custom; ``y1984`` is a year.
_VARIABLE = lazy_pattern(r"[u-z](?:_?\d{1,2}|[₀-₉]+|['’′_]+)?")


class _KnownNames(NamedTuple):
    constants: frozenset[str]
    variables: frozenset[str]


@dataclass(frozen=True, slots=True)
class Repaired:
    """A formula, the repairs that it needed, and oddities; one phrase each."""

    formula: Sentence
    repairs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def repaired(
    text: str, *, constants: Collection[str] = (), variables: Collection[str] = ()
) -> Repaired:
    """The formula of a text, repaired if needed.

    ``constants`` and ``variables`` are names that are known to be such. Raises :class:`FormulaSyntaxError`.
    """
    check_length(text)
    plain = _with_plain_numbers(text)
    formula, repairs, notes = _read(plain, _KnownNames(frozenset(constants), frozenset(variables)))
    if plain != text:
        repairs = ("the point in a number read as _", *repairs)
    return Repaired(formula, repairs, (*notes, *_oddities(formula)))


def _with_plain_numbers(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        name = match[0].replace(".", "_")
        # Two names must not become the same.
        return match[0] if name in text else name

    return _DECIMAL.sub(plain, text)


@lru_cache(maxsize=1 << 16)
def _read(text: str, names: _KnownNames) -> tuple[Sentence, tuple[str, ...], tuple[str, ...]]:
    """The formula of a text, its repairs, and notes on its quantifiers.

    Cached, because several data sets are made of the same rows.
    """
    try:
        with with_notation_named():
            parser = Parser(text, strict_tokens(text))
            narrow = parser.formula()
    except FormulaSyntaxError as problem:
        try:
            formula = _leniently(_FINAL_PERIOD.sub("", text), names.constants)
        except FormulaSyntaxError:
            raise problem from None
        # With its variables as constants, the lenient reader extends no quantifier.
        narrow = _leniently(
            _FINAL_PERIOD.sub("", text), names.constants.union(symbols(formula).variables)
        )
        _check_reach(text, 0, formula, narrow, names)
        return formula, (f"another notation, read as {formula}",), ()
    unbound = _unbound(parser, _free(narrow, names))
    if unbound is None:
        beyond = dict.fromkeys(
            parser.tokens[index].text for _, index in parser.beyond_their_scopes()
        )
        return (
            narrow,
            (),
            tuple(
                f"{name} beyond its quantifier read as the constant: {narrow}" for name in beyond
            ),
        )
    formula = _leniently(text, names.constants)
    _check_reach(text, unbound.start, formula, narrow, names)
    return formula, (f"a quantifier extended to {unbound.text!r}: {formula}",), ()


def _unbound(parser: Parser, free: Collection[str]) -> LogicToken | None:
    """The first occurrence of a variable that nothing binds."""
    unbound = (parser.tokens[index] for index in parser.free_terms)
    return next((token for token in unbound if token.text in free), None)


def _leniently(text: str, constants: Collection[str]) -> Sentence:
    return parse_leniently(text, Vocabulary(constants=tuple(sorted(constants))))


def _check_reach(
    text: str, position: int, formula: Sentence, narrow: Sentence, names: _KnownNames
) -> None:
    """Refuses a formula with a variable that nothing binds, or that several quantifiers of ``narrow`` could bind."""
    free = _free(formula, names)
    if free:
        raise FormulaSyntaxError(
            f"no quantifier binds {', '.join(map(repr, sorted(free)))} here", text, position
        )
    quantified = [node.variable for node in narrow.subformulas() if isinstance(node, Quantified)]
    # With two quantifiers of one name the author's meaning is a guess, and a guess may be a wrong verdict.
    for name in sorted(_free(narrow, names)):
        if quantified.count(name) > 1:
            raise FormulaSyntaxError(f"several quantifiers could bind {name!r}", text, position)


def _free(formula: Sentence, names: _KnownNames) -> set[str]:
    used = symbols(formula)
    unknown = {*used.constants}.difference(names.constants)
    return {
        name
        for name in unknown
        if name in used.variables or name in names.variables or _VARIABLE.fullmatch(name)
    }


def _oddities(formula: Sentence) -> Iterator[str]:
    """Notes on quantifiers that bind nothing, or bind a variable again."""
    pending: list[tuple[Sentence, frozenset[str]]] = [(formula, frozenset())]
    while pending:
        node, bound = pending.pop()
        if isinstance(node, Atom) and not node.arguments and node.predicate in bound:
            yield f"{node.predicate} is a variable, but stands in place of a formula: read as a proposition"
        if isinstance(node, Quantified):
            if node.variable in bound:
                yield f"{node.variable} is bound again within its scope"
            if node.variable not in free_names(node.body):
                yield f"the quantifier over {node.variable} binds nothing"
            bound |= {node.variable}
        pending += [(child, bound) for child in reversed(node.children())]
