"""Strings of the symbols of temporal logic, which need not be formulas: the language of ill-formed formulas.

Two strings are equal if their symbols are. Only the language ``ltl`` decides whether a string is a formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise, zip_longest
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

OPERATORS = frozenset("X F G U R V W Y Z O H S T ! & | xor -> <->".split())  # noqa: SIM905
_CONSTANTS = frozenset(("true", "false", "TRUE", "FALSE"))
_SYMBOL = re.compile(r"<->|->|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*|\w+|\S")
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
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
        spaced = [
            before if before in _NO_SPACE_AFTER or after in _NO_SPACE_BEFORE else f"{before} "
            for before, after in pairwise(names)
        ]
        return "".join((*spaced, names[-1]))


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
            self, "parts", tuple(symbol for part in self.parts for symbol in part.symbols)
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
        return f"symbol {self.place + 1} ({self.left or 'none'} on the left, {self.right or 'none'} on the right)"


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
        return symbols[0] if len(symbols) == 1 else Sequence(symbols)

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
        literals = sum(before.name == "!" and after.is_atom for before, after in pairwise(symbols))
        depths = accumulate({"(": 1, ")": -1}.get(symbol.name, 0) for symbol in symbols)
        return {
            "operators": operators - literals,
            "operators_with_literal_negations": operators,
            "depth": max(0, *depths) + 1,
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
        parts = self.tree(formula).symbols
        for place in range(len(parts)) if len(parts) > 1 else ():
            rest = (*parts[:place], *parts[place + 1 :])
            yield Sequence(rest) if len(rest) > 1 else rest[0]

    def decide(self, relation: Relation, left: Formula, right: Formula, timeout: float) -> Verdict:  # noqa: ARG002
        names = [[symbol.name for symbol in self.tree(side).symbols] for side in (left, right)]
        for place, (ours, theirs) in enumerate(zip_longest(*names, fillvalue="")):
            if ours != theirs:
                return Verdict(
                    OUTCOMES[relation][1], "symbol by symbol", FirstDifference(place, ours, theirs)
                )
        return Verdict(OUTCOMES[relation][0], "symbol by symbol")

    def tree(self, formula: Formula | str) -> String:
        return cast("String", super().tree(formula))


LANGUAGE = LtlStrings()
