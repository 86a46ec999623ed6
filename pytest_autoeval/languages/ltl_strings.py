"""Strings of the symbols of temporal logic, which need not be formulas: the language of ill-formed formulas.

Two strings are equal if their symbols are. Only the language ``ltl`` decides whether a string is a formula.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Any, cast

from pytest_autoeval.languages.base import (
    Formula,
    FormulaSyntaxError,
    Reading,
    Relation,
    Tree,
    Verdict,
)
from pytest_autoeval.languages.contract import Language
from pytest_autoeval.languages.deciding import OUTCOMES
from pytest_autoeval.languages.size_limits import check_length
from pytest_autoeval.languages.vocabulary import Vocabulary
from pytest_autoeval.lazy_pattern import lazy_pattern

#: The operators of the canonical notation, which decide how large a string is.
OPERATORS = frozenset("X F G U R V W Y Z O H S T ! & | xor -> <->".split())  # noqa: SIM905
#: Also in capitals, as the notation of SMV has them.
_CONSTANTS = frozenset(("true", "false", "TRUE", "FALSE"))
#: The longest first: a name may have dots, and what begins with a digit is no name.
_SYMBOL = lazy_pattern(r"<->|->|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*|\w+|\S")
_NAME = lazy_pattern(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_NO_SPACE_AFTER, _NO_SPACE_BEFORE = frozenset("(!"), frozenset(")")


class String(Tree):
    """One symbol or more."""

    __slots__ = ()

    @property
    def symbols(self) -> tuple[StringSymbol, ...]:
        """The symbols, left to right."""
        return self.children() or (self,)

    def canonical_text(self) -> str:
        """The symbols spaced as in the canonical text of a formula, so that spacing gives nothing away."""
        names = [symbol.name for symbol in self.symbols]
        text = names[0]
        for before, after in pairwise(names):
            is_close = before in _NO_SPACE_AFTER or after in _NO_SPACE_BEFORE
            text += after if is_close else f" {after}"
        return text


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StringSymbol(String):
    """An operator, parenthesis, name or any other sign."""

    name: str

    def label(self) -> tuple[object, ...]:
        return (self.name,)

    @property
    def is_atom(self) -> bool:
        """Whether it can be the name of a proposition."""
        return bool(_NAME.fullmatch(self.name)) and self.name not in OPERATORS | _CONSTANTS


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Sequence(String):
    """Several symbols. Nested sequences are flattened."""

    parts: tuple[String, ...]

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "parts", tuple(symbol for string in self.parts for symbol in string.symbols)
        )
        Tree.__post_init__(self)  # dataclasses with slots know no bare super

    def children(self) -> tuple[String, ...]:
        return self.parts


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """The first place (from 0) at which two strings differ; the symbol is empty if a string has ended."""

    place: int
    left: str
    right: str

    def to_json(self) -> dict[str, Any]:
        return {"kind": "symbol", "place": self.place, "left": self.left, "right": self.right}

    def __str__(self) -> str:
        left = self.left or "none"
        right = self.right or "none"
        return f"symbol {self.place + 1} ({left} on the left, {right} on the right)"


class LtlStrings(Language):
    """Strings of symbols, compared symbol by symbol."""

    name = "ltl_strings"
    nodes = String

    def parse(self, text: str) -> String:
        """The string of all symbols of a text; raises :class:`FormulaSyntaxError` if there is none."""
        check_length(text)
        symbols = tuple(StringSymbol(name) for name in _SYMBOL.findall(text))
        if not symbols:
            raise FormulaSyntaxError("there is no symbol", text, 0)
        if len(symbols) == 1:
            return symbols[0]
        return Sequence(symbols)

    def read(self, answer: str, *, vocabulary: Vocabulary | None = None) -> Reading:  # noqa: ARG002
        """The whole answer as a string."""
        text = answer.strip()
        try:
            return Reading(self.parse(text), compliant=True, recovered=False, text=text)
        except FormulaSyntaxError as problem:
            return Reading(None, compliant=False, recovered=False, text=text, problem=str(problem))

    def measure(self, formula: Formula | str) -> dict[str, int | float]:
        """Sizes by name.

        ``operators`` counts as in a formula, without a ``!`` right before an atom. ``depth`` is the nesting of
        parentheses plus 1.
        """
        symbols = self.tree(formula).symbols
        operators = sum(symbol.name in OPERATORS for symbol in symbols)
        literal_negations = sum(
            before.name == "!" and after.is_atom for before, after in pairwise(symbols)
        )
        depth = deepest = 0
        for symbol in symbols:
            depth += {"(": 1, ")": -1}.get(symbol.name, 0)
            deepest = max(deepest, depth)
        return {
            "operators": operators - literal_negations,
            "operators_with_literal_negations": operators,
            "depth": deepest + 1,
            "symbols": len(symbols),
            "distinct_atoms": len({symbol.name for symbol in symbols if symbol.is_atom}),
        }

    def symbols(self, formula: Formula) -> Vocabulary:
        """The names that can be propositions, in order of appearance."""
        names = dict.fromkeys(
            symbol.name for symbol in self.tree(formula).symbols if symbol.is_atom
        )
        return Vocabulary(propositions=tuple(names))

    def simpler(self, formula: Formula, vocabulary: Vocabulary | None = None) -> Iterator[Formula]:  # noqa: ARG002
        """The strings with one symbol less."""
        symbols = self.tree(formula).symbols
        if len(symbols) == 1:  # there is no empty string
            return
        for index in range(len(symbols)):
            remaining = (*symbols[:index], *symbols[index + 1 :])
            yield Sequence(remaining) if len(remaining) > 1 else remaining[0]

    def decide(self, relation: Relation, left: Formula, right: Formula, timeout: float) -> Verdict:  # noqa: ARG002
        holds, fails = OUTCOMES[relation]
        left_names = [symbol.name for symbol in self.tree(left).symbols]
        right_names = [symbol.name for symbol in self.tree(right).symbols]
        # A string that ends earlier goes on with empty names, which no symbol has.
        pairs = zip_longest(left_names, right_names, fillvalue="")
        for index, (left_name, right_name) in enumerate(pairs):
            if left_name != right_name:
                witness = FirstDifference(index, left_name, right_name)
                return Verdict(fails, "symbol by symbol", witness)
        return Verdict(holds, "symbol by symbol")

    def tree(self, formula: Formula | str) -> String:
        return cast("String", super().tree(formula))


LANGUAGE = LtlStrings()
