"""Strings of the symbols of temporal logic, which need not be formulas: what ill-formed ones are drawn in.

Two strings are the same if their symbols are. Whether a string is a formula is for the language ``ltl`` to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, ClassVar

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.base import Formula, FormulaSyntaxError, Language, Outcome, Reading, Verdict
from pytest_autoeval.languages.ltl_strings import symbols
from pytest_autoeval.languages.ltl_strings.symbols import Sequence, String
from pytest_autoeval.languages.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """The first place, from 0, at which two strings have different symbols; an empty one where a string has ended."""

    place: int
    left: str
    right: str

    def to_json(self) -> dict[str, Any]:
        return {"kind": "symbol", "place": self.place, "left": self.left, "right": self.right}

    def __str__(self) -> str:
        return f"symbol {self.place + 1} ({self.left or 'none'} on the left, {self.right or 'none'} on the right)"


class LtlStrings(Language):
    """Strings of symbols, compared symbol by symbol."""

    name: ClassVar[str] = "ltl_strings"

    def parse(self, text: str) -> String:
        """The symbols of a text; raises :class:`FormulaSyntaxError` where there is none."""
        return symbols.parse(text)

    def read(self, answer: str, *, vocabulary: Vocabulary | None = None) -> Reading:
        """The whole answer as a string."""
        _ = vocabulary
        text = answer.strip()
        try:
            return Reading(self.parse(text), compliant=True, recovered=False, text=text)
        except FormulaSyntaxError as problem:
            return Reading(None, compliant=False, recovered=False, text=text, problem=str(problem))

    def format(self, formula: Formula) -> str:
        """The symbols, spaced as those of a formula are."""
        return str(self.tree(formula))

    def measure(self, formula: Formula | str) -> dict[str, int | float]:
        """See :func:`~pytest_autoeval.languages.ltl_strings.symbols.measure`."""
        return symbols.measure(self.tree(formula))

    def owns(self, formula: Formula) -> bool:
        return isinstance(formula, String)

    def symbols(self, formula: Formula) -> Vocabulary:
        return Vocabulary(propositions=symbols.atoms(self.tree(formula)))

    def foreign(self, formula: Formula, vocabulary: Vocabulary) -> tuple[str, ...]:
        used = symbols.atoms(self.tree(formula))
        return tuple(f"unknown proposition {name}" for name in used if name not in vocabulary.propositions)

    def simpler(self, formula: Formula, vocabulary: Vocabulary | None = None) -> Iterator[Formula]:
        """The strings with one symbol less."""
        _ = vocabulary
        parts = self.tree(formula).symbols
        for place in range(len(parts)) if len(parts) > 1 else ():
            rest = (*parts[:place], *parts[place + 1 :])
            yield Sequence(rest) if len(rest) > 1 else rest[0]

    def decide_equivalence(self, left: Formula, right: Formula, timeout: float) -> Verdict:
        _ = timeout
        return self._compared(left, right, "equivalent", "different")

    def decide_entailment(self, left: Formula, right: Formula, timeout: float) -> Verdict:
        _ = timeout
        return self._compared(left, right, "entails", "does not entail")

    def tree(self, formula: Formula | str) -> String:
        if isinstance(formula, str):
            return self.parse(formula)
        if not isinstance(formula, String):
            raise AutoevalError(f"not a formula of the language {self.name!r}: {formula!r}")
        return formula

    def _compared(self, left: Formula, right: Formula, same: Outcome, other: Outcome) -> Verdict:
        names = [[symbol.name for symbol in self.tree(side).symbols] for side in (left, right)]
        for place, (ours, theirs) in enumerate(zip_longest(*names, fillvalue="")):
            if ours != theirs:
                return Verdict(other, "symbol by symbol", FirstDifference(place, ours, theirs))
        return Verdict(same, "symbol by symbol")


LANGUAGE = LtlStrings()
