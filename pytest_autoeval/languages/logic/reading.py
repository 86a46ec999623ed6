"""The formula in a model's answer: the strict syntax first; failing that, the last formula that the answer gives."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_autoeval.languages.answers import Passage
from pytest_autoeval.languages.base import FormulaSyntaxError, Reading
from pytest_autoeval.languages.choosing import FoundFormula, Names, Notation, chosen, nothing, unreadable
from pytest_autoeval.languages.logic import prose
from pytest_autoeval.languages.logic.lenient import parse_leniently
from pytest_autoeval.languages.logic.parser import parse
from pytest_autoeval.languages.logic.signature import foreign, symbols
from pytest_autoeval.languages.logic.syntax import Atom, Bottom, Equal, Not, Sentence, Term, Top
from pytest_autoeval.languages.vocabulary import Vocabulary
from pytest_autoeval.languages.wrappings import unpacked

#: A ``!`` right after a word ends a sentence ("Sure! p1 ∧ p2"): no formula has a negation there.
_EXCLAMATION = re.compile(r"(?<=[\w)])(?<![∀∃]\w)(?<![∀∃] \w)!+(?!=)(?=\s*\S)")
#: Nor is there one in a dash or tilde that stands by itself after a word ("Answer - p1 ∧ p2") or a colon.
_DASH = re.compile(r"(?<=[\w:)])\s*(?<=\s)[-~](?=\s)[^\S\n]*")


def read(answer: str, vocabulary: Vocabulary | None = None, *, quantifiers: bool = True) -> Reading:
    """The formula in an answer; ``compliant`` if the answer is one of the strict syntax and means what that says.

    Where the lenient syntax sees something else in a compliant text (a name of the vocabulary spelt otherwise, the word
    ``not``, a quantifier that must reach further), that is taken, and the reading is recovered.
    """
    text = answer.strip()
    if problem := unreadable(text):
        return nothing(problem)
    notation = _Logic(vocabulary, quantifiers=quantifiers)
    whole, problem = notation.attempt(text)
    try:
        strict = parse(text, quantifiers=quantifiers)
    except FormulaSyntaxError:
        pass
    else:
        compliant = whole is None or whole == strict
        return Reading(strict if whole is None else whole, compliant, recovered=not compliant, text=text)
    prosaic = _DASH.sub(": ", _EXCLAMATION.sub(". ", unpacked(text))).strip()
    if found := chosen(prosaic, notation):
        return Reading(found.formula, compliant=False, recovered=True, text=found.passage.text)
    return nothing(f"no formula was found: {problem}")


class _Logic(Notation[Sentence]):
    def __init__(self, vocabulary: Vocabulary | None, *, quantifiers: bool) -> None:
        self._vocabulary = vocabulary
        self._quantifiers = quantifiers

    def attempt(self, text: str) -> tuple[Sentence | None, str]:
        try:
            return parse_leniently(text, self._vocabulary, quantifiers=self._quantifiers), ""
        except FormulaSyntaxError as error:
            return None, str(error)

    def continues(self, text: str, line: str) -> bool:
        return prose.continues(text, line)

    def runs(self, passage: Passage) -> Iterator[Passage]:
        return prose.runs(passage)

    def is_symbolic(self, text: str) -> bool:
        return prose.is_symbolic(text)

    def is_fragment(self, formula: Sentence, passage: Passage) -> bool:
        free = symbols(formula).constants
        return prose.is_fragment(passage.before, passage.after, free, is_basic=self.is_basic(formula))

    def is_followed_up(self, after: str) -> bool:
        return prose.is_followed_up(after)

    def names(self, formula: Sentence) -> Names:
        if self._vocabulary is None:
            return "free"
        if foreign(formula, self._vocabulary):
            return "strange"
        return "known" if symbols(formula) != Vocabulary() else "none"

    def is_slight(self, found: FoundFormula[Sentence]) -> bool:
        """A lone name, or an equation between names: what glossaries are made of."""
        match found.formula:
            case Atom(_, ()) | Top() | Bottom() | Equal(Term(_, ()), Term(_, ())):
                return True
        return False

    def is_basic(self, formula: Sentence) -> bool:
        return not (formula.operand if isinstance(formula, Not) else formula).children()

    def is_part(self, part: Sentence, formula: Sentence) -> bool:
        pending = list(formula.children())
        while pending:
            node = pending.pop()
            if node == part or (isinstance(part, Atom) and Term(part.predicate, part.arguments) in _arguments(node)):
                return True
            pending.extend(node.children())
        return False


def _arguments(node: object) -> tuple[Term, ...]:
    match node:
        case Atom(_, arguments):
            return arguments
        case Equal(left, right):
            return left, right
        case _:
            return ()
