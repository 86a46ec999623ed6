"""The exact inverse of T(), from its English to formulas; :mod:`.verbalization` tells the rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from pytest_autoeval.languages.base import FormulaSyntaxError, LimitError
from pytest_autoeval.languages.limits import MAX_DEPTH, check_size, too_deep
from pytest_autoeval.languages.logic.gloss_patterns import Word, opens_compound, opens_with, words_of
from pytest_autoeval.languages.logic.lexicon import Lexicon, lexicon
from pytest_autoeval.languages.logic.syntax import (
    And,
    Binary,
    Exists,
    Forall,
    Iff,
    Implies,
    Not,
    Or,
    Quantified,
    Sentence,
    Xor,
)
from pytest_autoeval.languages.logic.tokens import is_name
from pytest_autoeval.languages.logic.verbalization import UnknownSymbolError, verbalize
from pytest_autoeval.languages.ontology import Ontology

#: Characters of a text that is read.
_LONGEST = 200_000


def read_verbal(text: str, ontology: Ontology) -> Sentence:
    """The formula that ``verbalize`` wrote as this text with this ontology; white space makes no difference.

    Raises :class:`FormulaSyntaxError` for every other text: what is returned would be written just so.
    """
    if len(text) > _LONGEST:
        raise LimitError(f"the text has {len(text):,} characters; at most {_LONGEST:,} are taken", text, _LONGEST)
    stop = len(text.rstrip()) - 1
    if not text.rstrip().endswith("."):
        raise FormulaSyntaxError("the text ends too early", text, stop + 1, ("a full stop",))
    known = lexicon(ontology)
    formula = _Reader(text, _as_inside(words_of(text[:stop]), known), known).whole()
    check_size(formula)
    try:
        written = verbalize(formula, ontology)
    except UnknownSymbolError as error:
        raise FormulaSyntaxError(str(error), text, 0) from error
    if written.split() != text.split():
        raise FormulaSyntaxError(f"not as the rules write it, which is {written!r}", text, 0)
    return formula


def _as_inside(words: list[Word], known: Lexicon) -> list[Word]:
    """The words without the capital letter that a sentence begins with."""
    at = next((at for at, word in enumerate(words) if word.text != "("), 0)
    if words and not opens_compound(words[at:]) and not known.begins_clause(words[at].text):
        first = words[at].text
        words[at] = words[at]._replace(text=first[0].lower() + first[1:])
    return words


@dataclass(slots=True)
class _Reader:
    """One reading of one text; ``bound`` are the variables of the quantifiers that reach here."""

    text: str
    words: list[Word]
    lexicon: Lexicon
    at: int = 0
    depth: int = 0
    bound: tuple[str, ...] = ()

    def whole(self) -> Sentence:
        formula = self._sentence()
        if self.at < len(self.words):
            self._fail("something follows the sentence", ("a full stop",))
        return formula

    def _sentence(self) -> Sentence:
        """Everything up to an end: a chain, a biconditional, or a single part."""
        formula = self._part()
        kind: type[Binary]
        for joint, kind in (("and", And), ("or", Or)):
            if not self._skip_joint(joint):
                continue
            formula = kind(formula, self._part())
            while self._skip_joint(joint):
                formula = kind(formula, self._part())
            return formula
        return Iff(formula, self._part()) if self._skip_joint("if and only if") else formula

    def _part(self) -> Sentence:
        """A clause, or what opens with words of its own."""
        self.depth += 1
        if self.depth > 2 * MAX_DEPTH:
            raise too_deep(self.text, self._offset())
        formula = self._compound()
        self.depth -= 1
        return formula

    def _compound(self) -> Sentence:  # noqa: PLR0911 (a return for each sort of opening)
        if self._skip("it is not the case that"):
            return Not(self._part())
        if self._skip("("):
            formula = self._sentence()
            self._need(")")
            return formula
        if self._skip("if"):
            condition = self._sentence()
            self._need(", then")
            return Implies(condition, self._sentence())
        if self._skip("both") or self._skip("all of these hold :"):
            return self._list(And, "and")
        if self._skip("exactly one of these holds :"):
            return self._list(Xor, "or")
        if self._skip("either"):
            listed = self._list(Or, "or")
            return Xor(listed.left, listed.right) if self._skip(", but not both") else listed
        if self._skip("for every"):
            return self._quantified(Forall, "every", ",")
        if self._skip("there is some"):
            return self._quantified(Exists, "some", "such that")
        return self._clause()

    def _list(self, kind: type[Binary], joint: str) -> Binary:
        """Parts with commas between them, and the joint before the last."""
        left = self._part()
        while not self._skip_joint(joint):
            self._need(",")
            left = kind(left, self._part())
        return kind(left, self._part())

    def _quantified(self, kind: type[Quantified], each: str, end: str) -> Sentence:
        variables = [self._variable()]
        while self._skip(f"and {each}"):
            variables.append(self._variable())
        self._need(end)
        outer = self.bound
        self.bound += tuple(variables)
        formula = self._sentence()
        self.bound = outer
        for variable in reversed(variables):
            formula = kind(variable, formula)
        return formula

    def _variable(self) -> str:
        start = self.at
        quoted = self._skip("“")
        while quoted and self.at < len(self.words) and self.words[self.at].text != "”":
            self.at += 1
        self.at += 1
        if self.at > len(self.words) or (quoted and self.at == start + 2):
            self._fail("the text ends too early", ("a variable",))
        first, last = (start + 1, self.at - 2) if quoted else (start, start)
        name = self.text[self.words[first].start : self.words[last].end]
        if not is_name(name):
            self._fail(f"{name!r} is no name", ("a variable",))
        return name

    def _clause(self) -> Sentence:
        end, readings = self.lexicon.clause(self.text, self.words, self.at, self.bound)
        if len(readings) != 1:
            problem = "can be read in several ways" if readings else "is no clause of this ontology"
            self._fail(f"{self.text[self._offset() :][:60]!r} {problem}")
        self.at = end
        return readings[0]

    # Words

    def _skip(self, phrase: str) -> bool:
        """Passes over these words if they are the next ones, and says whether they were."""
        wanted = phrase.replace(",", " , ").split()
        if not opens_with(self.words, self.at, wanted):
            return False
        self.at += len(wanted)
        return True

    def _skip_joint(self, phrase: str) -> bool:
        """The same for words that may have a comma before them."""
        return self._skip(phrase) or self._skip(f", {phrase}")

    def _need(self, phrase: str) -> None:
        if not self._skip(phrase):
            self._fail("something is missing", (repr(phrase),))

    def _offset(self) -> int:
        return self.words[self.at].start if self.at < len(self.words) else len(self.text)

    def _fail(self, problem: str, expected: tuple[str, ...] = ()) -> NoReturn:
        raise FormulaSyntaxError(problem, self.text, self._offset(), expected)
