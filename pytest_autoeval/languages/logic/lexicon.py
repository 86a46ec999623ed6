"""The clauses that a glossary makes: how a gloss is filled with terms, and which literals a clause can stand for.

A clause is a literal in English ("x is larger than y"). Glosses are a user's text and may hold any words, so nothing
about them is believed: :meth:`Lexicon.clause` finds every literal that the words can be, and whoever writes a clause
asks it whether the words can be that literal alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.logic.limits import MAX_TERM_DEPTH
from pytest_autoeval.languages.logic.parser import parse
from pytest_autoeval.languages.logic.syntax import Atom, Bottom, Equal, Not, Sentence, Term, Top
from pytest_autoeval.languages.ontology import Ontology, Symbol

#: Words at which a clause may end.
ENDS = frozenset((",", "and", "or", "if", "but"))
#: Words that, in a clause, a reader would take for ours.
_JOINING = ENDS | {"then", "nor", "unless", "iff", ";", ":"}
#: What begins anything but a clause.
OPENINGS = (
    "it is not the case that",
    "for every",
    "there is some",
    "if",
    "both",
    "either",
    "exactly one of these holds :",
    "(",
)
_OPENING_WORDS = tuple(tuple(opening.split()) for opening in OPENINGS)
_WORD = re.compile(r"\w+(?:-\w+)*|['’]\w+|\S")
#: Our own marks, which no gloss may hold.
_MARKS = str.maketrans("“”[]", "‘’()")
#: Ends of words that a clause may run over, readings of a place in it: more are as good as no reading.
_MOST_ENDS, _MOST_READINGS = 20, 64
#: Before these, and at the beginning, "a" can be a parameter even where the gloss has the article as well.
_BEFORE_A_NAME = frozenset("of to than from by with in on at for and as into behind above below near beside".split())


class Word(NamedTuple):
    """A word or a mark of a text, and where it stands."""

    text: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """The words and marks of a text; a possessive ending is a word of its own."""
    return [Word(match[0], match.start(), match.end()) for match in _WORD.finditer(text)]


def opens_with(words: Sequence[Word], at: int, phrase: Sequence[str]) -> bool:
    """Whether the words from a place on are these; capitals make no difference."""
    ahead = words[at : at + len(phrase)]
    return len(ahead) == len(phrase) and all(
        word.text.lower() == wanted for word, wanted in zip(ahead, phrase, strict=True)
    )


def opens_compound(words: Sequence[Word]) -> bool:
    """Whether words begin as something else than a clause does."""
    return any(opens_with(words, 0, opening) for opening in _OPENING_WORDS)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A gloss with its parameters found: a number stands for the term in that place, from 0.

    ``pieces`` is the text, ``words`` what is compared. ``is_risky``: its own words join clauses, those apart that join
    two terms ("x is between y and z").
    """

    pieces: tuple[str | int, ...]
    words: tuple[str | int, ...]
    arity: int
    is_risky: bool

    @property
    def is_readable(self) -> bool:
        """Whether it has words, and tells the term of every place."""
        return {*range(self.arity)} <= {*self.words} and any(isinstance(word, str) for word in self.words)

    def filled(self, terms: Sequence[str]) -> str:
        """The gloss about terms, given as they read in English."""
        return "".join(piece if isinstance(piece, str) else terms[piece] for piece in self.pieces)


def pattern(gloss: str, parameters: Sequence[str] = ()) -> Pattern:
    """The pattern of a gloss: a parameter is a word of its own, and all are replaced at once.

    Where a parameter is named "a" and the word is there several times, it is the article but for the first word and
    behind a preposition.
    """
    gloss = " ".join(gloss.translate(_MARKS).split())
    found = words_of(gloss)
    numbers = {name: number for number, name in reversed(list(enumerate(parameters)))}
    repeated = sum(word.text == "a" for word in found) > 1
    pieces: list[str | int] = []
    words: list[str | int] = []
    end = 0
    for at, word in enumerate(found):
        number = numbers.get(word.text)
        is_article = word.text == "a" and repeated and at > 0 and found[at - 1].text.lower() not in _BEFORE_A_NAME
        if number is None or is_article:
            words.append(word.text)
            continue
        words.append(number)
        pieces += [gloss[end : word.start], number]
        end = word.end
    pieces.append(gloss[end:])
    return Pattern(tuple(pieces), tuple(words), len(parameters), _is_risky(words))


def _is_risky(words: Sequence[str | int]) -> bool:
    depth = 0
    for at, word in enumerate(words):
        if isinstance(word, int):
            continue
        depth += (word == "(") - (word == ")")
        joins_terms = word in ("and", ",") and 0 < at < len(words) - 1 and not _strings(words[at - 1], words[at + 1])
        if depth < 0 or (word.lower() in _JOINING and not joins_terms):
            return True
    return depth != 0


def _strings(*words: str | int) -> bool:
    return any(isinstance(word, str) for word in words)


_Signed = Callable[[tuple[Term, ...]], Sentence]
#: The words of a clause that a term may be, by where it begins: where each ends, and the term.
_Terms = list[list[tuple[int, Term]]]


def _atom(name: str) -> _Signed:
    return lambda terms: Atom(name, terms)


def _negated(signed: _Signed) -> _Signed:
    return lambda terms: Not(signed(terms))


class TooManyReadingsError(Exception):
    """The words can be read in more ways than are worth counting."""


class Lexicon:
    """The patterns of an ontology, and of equality and the constants ⊤ and ⊥."""

    def __init__(self, ontology: Ontology) -> None:
        self._patterns: dict[tuple[str, int, bool], Pattern] = {}
        self._negative: dict[tuple[str, int], Pattern] = {}
        self._positive_readings: list[tuple[Pattern, _Signed]] = []
        self._negative_readings: list[tuple[Pattern, _Signed]] = []
        for symbol in ontology.symbols:
            self._add(symbol)
        self.equality = pattern("x is the same as y", "xy")
        self.inequality = pattern("x is not the same as y", "xy")
        self.truth, self.falsehood = pattern("a tautology holds"), pattern("a contradiction holds")
        self._positive_readings += [
            (self.equality, lambda terms: Equal(*terms)),
            (self.truth, lambda _: Top()),
            (self.falsehood, lambda _: Bottom()),
        ]
        self._negative_readings.append((self.inequality, lambda terms: Not(Equal(*terms))))
        self._terms = {key: found for key, found in self._patterns.items() if key[2] and found.is_readable}
        self._first_words = {
            found.words[0]
            for found in (*self._patterns.values(), *self._negative.values(), self.truth)
            if found.words and isinstance(found.words[0], str)
        }

    def _add(self, symbol: Symbol) -> None:
        key = (symbol.name, symbol.arity, symbol.is_term)
        if key in self._patterns:
            return
        positive = self._patterns[key] = pattern(symbol.gloss, symbol.parameters)
        if symbol.is_term:
            return
        self._positive_readings.append((positive, _atom(symbol.name)))
        if symbol.negative:
            negative = self._negative[key[:2]] = pattern(symbol.negative, symbol.parameters)
            self._negative_readings.append((negative, _negated(_atom(symbol.name))))

    def predicate(self, name: str, arity: int) -> Pattern | None:
        """The pattern of a predicate or proposition."""
        return self._patterns.get((name, arity, False))

    def negative(self, name: str, arity: int) -> Pattern | None:
        """The pattern of its negation."""
        return self._negative.get((name, arity))

    def term(self, name: str, arity: int) -> Pattern | None:
        """The pattern of a function or constant."""
        return self._patterns.get((name, arity, True))

    def begins_clause(self, word: str) -> bool:
        """Whether a clause, or a term in it, can begin with a word as it is written."""
        return word in self._first_words

    def clause(self, text: str, words: list[Word], start: int, bound: Iterable[str]) -> tuple[int, list[Sentence]]:
        """Where the clause that begins at a word ends, and all literals that it may stand for.

        It ends at the first place where it may end and its words are a literal: so what is a clause does not depend on
        what follows. Without a reading the list is empty.
        """
        variables = tuple(dict.fromkeys(bound))
        for end in _ends(words, start):
            if found := self._readings(text, words[start:end], variables):
                return end, found
        return start, []

    def _readings(self, text: str, words: list[Word], bound: tuple[str, ...]) -> list[Sentence]:
        """The literals that all these words together may stand for; a negative gloss counts where there is no other."""
        if words[-1].text == "]":
            return _tagged(text, words)
        if words[0].text == "“" and _closing(words, 0) == len(words) - 1:
            words = words[1:-1]
        spelled = [word.text for word in words]
        try:
            terms = self._all_terms(spelled, bound)
            for forms in (self._positive_readings, self._negative_readings):
                found = dict.fromkeys(
                    signed(tuple(filling[number] for number in range(form.arity)))
                    for form, signed in forms
                    if form.is_readable
                    for end, filling in _fillings(form.words, spelled, [(0, {})], terms)
                    if end == len(spelled)
                )
                if found:
                    return list(found)
        except TooManyReadingsError:
            pass
        return []

    def _all_terms(self, spelled: list[str], bound: tuple[str, ...]) -> _Terms:
        """For every place the terms that may begin there; found from the end, as a term holds only later ones."""
        names: dict[str, list[tuple[tuple[str | int, ...], Term]]] = {}
        for name in bound:
            words = tuple(word.text for word in words_of(name))
            names.setdefault(words[0], []).append((words, Term(name)))
        functions: list[tuple[Pattern, str]] = []
        for (name, arity, _), form in self._terms.items():
            if arity:
                functions.append((form, name))
            elif name not in bound:
                names.setdefault(str(form.words[0]), []).append((form.words, Term(name)))
        terms: _Terms = [[] for _ in range(len(spelled) + 1)]
        for at in range(len(spelled) - 1, -1, -1):
            terms[at] = self._terms_at(at, spelled, terms, names.get(spelled[at], []), functions)
        return terms

    def _terms_at(
        self,
        at: int,
        spelled: list[str],
        terms: _Terms,
        names: list[tuple[tuple[str | int, ...], Term]],
        functions: list[tuple[Pattern, str]],
    ) -> list[tuple[int, Term]]:
        found = dict.fromkeys(
            (at + len(words), term) for words, term in names if tuple(spelled[at : at + len(words)]) == words
        )
        if spelled[at] == "“" and (close := _closing_mark(spelled, at)) is not None:
            found |= dict.fromkeys((close + 1, term) for end, term in terms[at + 1] if end == close)
        fillings = [
            (name, form, filling)
            for form, name in functions
            if form.words[0] == spelled[at]
            for filling in _fillings(form.words, spelled, [(at, {})], terms)
        ]
        found |= dict.fromkeys(_applied(fillings))
        pending = list(found)
        while pending:
            end, term = pending.pop()
            fillings = [
                (name, form, filling)
                for form, name in functions
                if isinstance(first := form.words[0], int)
                for filling in _fillings(form.words[1:], spelled, [(end, {first: term})], terms)
            ]
            new = [reading for reading in dict.fromkeys(_applied(fillings)) if reading not in found]
            found |= dict.fromkeys(new)
            pending += new
            if len(found) > _MOST_READINGS:
                raise TooManyReadingsError
        return list(found)


@lru_cache(maxsize=64)
def lexicon(ontology: Ontology) -> Lexicon:
    """The lexicon of an ontology."""
    return Lexicon(ontology)


def _applied(fillings: Iterable[tuple[str, Pattern, tuple[int, dict[int, Term]]]]) -> Iterator[tuple[int, Term]]:
    for name, form, (end, filling) in fillings:
        term = Term(name, tuple(filling[number] for number in range(form.arity)))
        if _height(term) <= MAX_TERM_DEPTH:
            yield end, term


def _height(term: Term) -> int:
    return 1 + max(map(_height, term.arguments), default=-1)


def _fillings(
    form: Sequence[str | int], spelled: list[str], states: list[tuple[int, dict[int, Term]]], terms: _Terms
) -> list[tuple[int, dict[int, Term]]]:
    """The ways to go on through the words of a pattern: where each ends, and the terms in its places."""
    for part in form:
        if isinstance(part, str):
            states = [(at + 1, filling) for at, filling in states if at < len(spelled) and spelled[at] == part]
        else:
            states = [
                (end, {**filling, part: term})
                for at, filling in states
                for end, term in terms[at]
                if filling.get(part, term) == term
            ]
        if len(states) > _MOST_READINGS:
            raise TooManyReadingsError
        if not states:
            break
    return states


def _ends(words: list[Word], start: int) -> Iterator[int]:
    """The places where a clause may end, nearest first: before a joining word, a closing bracket, at the end."""
    at, depth, passed = start, 0, 0
    while at < len(words):
        mark = words[at].text
        if mark == "“":
            at = _closing(words, at) or len(words) - 1
        elif mark == "[":
            at = next((later for later in range(at, len(words)) if words[later].text == "]"), len(words) - 1)
        elif mark == ")" and depth == 0:
            break
        depth += (mark == "(") - (mark == ")")
        if depth == 0 and mark.lower() in ENDS and at > start:
            yield at
            passed += 1
            if passed > _MOST_ENDS:
                return
        at += 1
    if at > start:
        yield at


def _closing(words: list[Word], at: int) -> int | None:
    return _closing_mark([word.text for word in words], at)


def _closing_mark(spelled: list[str], at: int) -> int | None:
    """The place of the mark that closes a quotation."""
    depth = 0
    for place in range(at, len(spelled)):
        depth += (spelled[place] == "“") - (spelled[place] == "”")
        if depth == 0:
            return place
    return None


def _tagged(text: str, words: list[Word]) -> list[Sentence]:
    """The atom in square brackets at the end of a clause."""
    opening = next((word for word in words if word.text == "["), None)
    if opening is None:
        return []
    try:
        found = parse(text[opening.end : words[-1].start])
    except FormulaSyntaxError:
        return []
    return [found] if isinstance(found, Atom | Equal) else []
