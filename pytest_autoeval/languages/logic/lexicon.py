"""The clauses that a glossary makes: how a gloss is filled with terms, and which literals a clause can stand for.

A clause is a literal in English ("x is larger than y"). Glosses are a user's text and may hold any words, so nothing
about them is believed: :meth:`Lexicon.clause` finds every literal that the words can be, and whoever writes a clause
asks it whether the words can be that literal alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, NamedTuple

from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.limits import MAX_TERM_DEPTH
from pytest_autoeval.languages.logic.gloss_patterns import ENDS, Pattern, Word, pattern
from pytest_autoeval.languages.logic.parser import parse
from pytest_autoeval.languages.logic.syntax import Atom, Bottom, Equal, Not, Sentence, Term, Top
from pytest_autoeval.languages.ontology import Ontology

#: Ends of words that a clause may run over, readings of a place in it: more are as good as no reading.
_MOST_ENDS, _MOST_READINGS = 20, 64


class _Form(NamedTuple):
    """A pattern to be found in a text, and what it makes of the terms in its places."""

    pattern: Pattern
    made: Callable[[tuple[Term, ...]], Any]


#: By the place where a term may begin: where it ends, and the term.
_Terms = list[list[tuple[int, Term]]]


class TooManyReadingsError(Exception):
    """The words can be read in more ways than are worth counting."""


class Lexicon:
    """The patterns of an ontology, and of equality and the constants ⊤ and ⊥."""

    def __init__(self, ontology: Ontology) -> None:
        self.equality, self.inequality = pattern("x is the same as y", "xy"), pattern("x is not the same as y", "xy")
        self.truth, self.falsehood = pattern("a tautology holds"), pattern("a contradiction holds")
        self._patterns: dict[tuple[str, int, bool], Pattern] = {}
        self._negative: dict[tuple[str, int], Pattern] = {}
        for symbol in reversed(ontology.symbols):  # the first of the same name and places counts
            key = (symbol.name, symbol.arity, symbol.is_term)
            self._patterns[key] = pattern(symbol.gloss, symbol.parameters)
            self._negative.pop(key[:2], None)
            if symbol.negative and not symbol.is_term:
                self._negative[key[:2]] = pattern(symbol.negative, symbol.parameters)
        self._index()

    def _index(self) -> None:
        """Sorts the patterns by words that a text must have for them."""
        items = self._patterns.items()
        predicates = [_Form(form, partial(Atom, name)) for (name, _, is_term), form in items if not is_term]
        predicates.append(_Form(self.equality, lambda terms: Equal(*terms)))
        predicates += [_Form(self.truth, lambda _: Top()), _Form(self.falsehood, lambda _: Bottom())]
        negative = [_Form(form, _denial(name)) for (name, _), form in self._negative.items()]
        negative.append(_Form(self.inequality, lambda terms: Not(Equal(*terms))))
        self._literals = tuple(_by_word(forms, _longest_word) for forms in (predicates, negative))
        terms = [_Form(form, partial(Term, name)) for (name, _, is_term), form in items if is_term]
        self._terms_by_first_word = _by_word(terms, _first_word)
        self._terms_behind_terms = [
            (first, _Form(replace(form, words=form.words[1:]), made))
            for form, made in terms
            if form.is_readable and isinstance(first := form.words[0], int)
        ]
        forms = (*self._patterns.values(), *self._negative.values(), self.truth)
        self._first_words = frozenset(map(_first_word, forms))

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
            for literals in self._literals:
                forms = [form for word in dict.fromkeys(spelled) for form in literals.get(word, ())]
                found = _made(forms, spelled, (0, {}), terms)
                if readings := [literal for end, literal in found if end == len(spelled)]:
                    return readings
        except TooManyReadingsError:
            pass
        return []

    def _all_terms(self, spelled: list[str], bound: tuple[str, ...]) -> _Terms:
        """For every place the terms that may begin there; found from the end, as a term holds only later ones."""
        variables = _by_word([_Form(pattern(name), partial(Term, name)) for name in bound], _first_word)
        quotations = _quotations(spelled)
        terms: _Terms = [[] for _ in range(len(spelled) + 1)]
        for at in range(len(spelled) - 1, -1, -1):
            word = spelled[at]
            found = _made(self._terms_by_first_word.get(word, ()), spelled, (at, {}), terms)
            found = [(end, term) for end, term in found if term.arguments or term.name not in bound]
            found += _made(variables.get(word, ()), spelled, (at, {}), terms)
            if (close := quotations.get(at)) is not None:
                found += [(close + 1, term) for end, term in terms[at + 1] if end == close]
            terms[at] = self._extended(found, spelled, terms)
        return terms

    def _extended(self, found: list[tuple[int, Term]], spelled: list[str], terms: _Terms) -> list[tuple[int, Term]]:
        """The terms that begin at one place, with those that begin with one of them: "x's mother"."""
        known = dict.fromkeys(found)
        pending = list(known)
        while pending:
            end, term = pending.pop()
            for first, form in self._terms_behind_terms:
                for reading in _made([form], spelled, (end, {first: term}), terms):
                    if reading not in known:
                        known[reading] = None
                        pending.append(reading)
            if len(known) > _MOST_READINGS:
                raise TooManyReadingsError
        return list(known)


@lru_cache(maxsize=64)
def lexicon(ontology: Ontology) -> Lexicon:
    """The lexicon of an ontology."""
    return Lexicon(ontology)


def _denial(name: str) -> Callable[[tuple[Term, ...]], Sentence]:
    return lambda terms: Not(Atom(name, terms))


def _by_word(forms: Iterable[_Form], word_of: Callable[[Pattern], str]) -> dict[str, list[_Form]]:
    """The readable forms by a word of each."""
    found: dict[str, list[_Form]] = {}
    for form in forms:
        if form.pattern.is_readable:
            found.setdefault(word_of(form.pattern), []).append(form)
    return found


def _first_word(form: Pattern) -> str:
    """The word that a pattern begins with, empty where it begins with a term or has no words."""
    first = form.words[0] if form.words else ""
    return first if isinstance(first, str) else ""


def _longest_word(form: Pattern) -> str:
    return max((word for word in form.words if isinstance(word, str)), key=len)


#: The place in a text up to which a pattern is found, and the terms in its places so far.
_State = tuple[int, dict[int, Term]]


def _made(forms: Iterable[_Form], spelled: list[str], start: _State, terms: _Terms) -> list[tuple[int, Any]]:
    """What forms make of the words from a place on, and where each ends."""
    found: dict[tuple[int, Any], None] = {}
    for form in forms:
        for end, filling in _fillings(form.pattern.words, spelled, start, terms):
            arguments = tuple(filling[number] for number in range(form.pattern.arity))
            if max(map(_height, arguments), default=0) <= MAX_TERM_DEPTH:
                found[end, form.made(arguments)] = None
    return list(found)


def _height(term: Term) -> int:
    return 1 + max(map(_height, term.arguments), default=-1)


def _fillings(words: Sequence[str | int], spelled: list[str], start: _State, terms: _Terms) -> list[_State]:
    """The ways to go on through the words of a pattern."""
    states = [start]
    for word in words:
        if isinstance(word, str):
            states = [(at + 1, filling) for at, filling in states if at < len(spelled) and spelled[at] == word]
        else:
            states = [
                (end, {**filling, word: term})
                for at, filling in states
                for end, term in terms[at]
                if filling.get(word, term) == term
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
    """The place of the mark that closes the quotation begun at a place; None if nothing does."""
    depth = 0
    for place in range(at, len(words)):
        depth += (words[place].text == "“") - (words[place].text == "”")
        if depth == 0:
            return place
    return None


def _quotations(spelled: list[str]) -> dict[int, int]:
    """Where each quotation begins and ends."""
    opened: list[int] = []
    found: dict[int, int] = {}
    for at, word in enumerate(spelled):
        if word == "“":
            opened.append(at)
        elif word == "”" and opened:
            found[opened.pop()] = at
    return found


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
