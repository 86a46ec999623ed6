"""The clauses of an ontology: glosses filled with terms, and the literals that a clause can stand for.

A clause is a literal in English ("x is larger than y"). Glosses are written by users and may have any words. Therefore
:meth:`Lexicon.clause` finds every literal that a clause can stand for, and a writer uses only unambiguous clauses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple

from pytest_autoeval.languages.base import FormulaSyntaxError, LimitError
from pytest_autoeval.languages.controlled_english import Word, words_of
from pytest_autoeval.languages.logic.parser import parse
from pytest_autoeval.languages.logic.syntax import Atom, Bottom, Equal, Not, Sentence, Term, Top
from pytest_autoeval.languages.ontology import Ontology

#: Words at which a clause may end.
_ENDS = frozenset((",", "and", "or", "if", "but"))
#: Words that join clauses.
_JOINING = _ENDS | {"then", "nor", "unless", "iff", ";", ":"}
#: The marks of controlled English, and their replacements in glosses.
_MARKS = str.maketrans("“”[]", "‘’()")
_CLOSING = {"“": "”", "[": "]"}
#: After these words, and at the beginning, "a" can be a parameter even if the gloss also has the article.
_BEFORE_A_NAME = frozenset(
    "above and as at behind below beside by for from in into near of on than to with".split()  # noqa: SIM905
)
#: Limits of joining words inside a clause, and of readings of one place. Beyond them the clause has no reading.
_MOST_ENDS, _MOST_READINGS = 20, 64


@dataclass(frozen=True, slots=True)
class Pattern:
    """A gloss whose parameters are numbers: the index of the term, from 0.

    ``pieces`` make up the text; ``words`` are compared. ``is_risky``: some words of the gloss join clauses, apart from
    those that join two terms ("x is between y and z").
    """

    pieces: tuple[str | int, ...]
    words: tuple[str | int, ...]
    arity: int
    is_risky: bool

    @property
    def is_readable(self) -> bool:
        """Whether the gloss has a word and mentions every parameter."""
        mentions_all = {*range(self.arity)} <= {*self.words}
        return mentions_all and any(isinstance(word, str) for word in self.words)

    def filled(self, terms: Sequence[str]) -> str:
        """The gloss with terms, given in English, in place of its parameters."""
        return "".join(piece if isinstance(piece, str) else terms[piece] for piece in self.pieces)


def pattern(gloss: str, parameters: Sequence[str] = ()) -> Pattern:
    """The pattern of a gloss, whose parameters are separate words.

    If a parameter is named "a" and the gloss has the word several times, then "a" is the parameter at the beginning and
    after a preposition, and the article elsewhere.
    """
    gloss = " ".join(gloss.translate(_MARKS).split())
    gloss_words = words_of(gloss)
    numbers: dict[str, int] = {}
    for number_of_parameter, name in enumerate(parameters):
        numbers.setdefault(name, number_of_parameter)
    repeated = [word.text for word in gloss_words].count("a") > 1
    pieces: list[str | int] = []
    words: list[str | int] = []
    end = 0
    for index, word in enumerate(gloss_words):
        number = numbers.get(word.text)
        is_article = False
        if word.text == "a" and repeated and index > 0:
            is_article = gloss_words[index - 1].text.lower() not in _BEFORE_A_NAME
        if number is None or is_article:
            words.append(word.text)
            continue
        words.append(number)
        pieces += [gloss[end : word.start], number]
        end = word.end
    pieces.append(gloss[end:])
    return Pattern(tuple(pieces), tuple(words), len(parameters), is_risky(words))


def is_risky(words: Sequence[str | int]) -> bool:
    """Whether some of these words, apart from numbers for terms, could be taken for words that join clauses."""
    depth = 0
    for index, word in enumerate(words):
        if isinstance(word, int):
            continue
        depth += (word == "(") - (word == ")")
        before = words[index - 1] if index > 0 else ""
        after = words[index + 1] if index + 1 < len(words) else ""
        is_between_terms = isinstance(before, int) and isinstance(after, int)
        joins_terms = word in ("and", ",") and is_between_terms
        if depth < 0 or (word.lower() in _JOINING and not joins_terms):
            return True
    # A bracket that stays open would take in the words of the next clause.
    return depth != 0


class _Form(NamedTuple):
    """A pattern to find in a text, and a function from its terms to the literal or term."""

    pattern: Pattern
    build: Callable[[tuple[Term, ...]], Any]


#: For each index where a term may begin: the index of its end, and the term.
_Terms = list[list[tuple[int, Term]]]


class TooManyReadingsError(Exception):
    """The words have too many readings."""


GlossKind = Literal["predicate", "negative", "term"]


class Lexicon:
    """The patterns of an ontology, and of equality and the constants ⊤ and ⊥."""

    def __init__(self, ontology: Ontology) -> None:
        self._forms: dict[tuple[GlossKind, str, int], _Form] = {
            ("predicate", "=", 2): _Form(
                pattern("x is the same as y", "xy"), lambda terms: Equal(*terms)
            ),
            ("negative", "=", 2): _Form(
                pattern("x is not the same as y", "xy"), lambda terms: Not(Equal(*terms))
            ),
            ("predicate", "⊤", 0): _Form(pattern("a tautology holds"), lambda _: Top()),
            ("predicate", "⊥", 0): _Form(pattern("a contradiction holds"), lambda _: Bottom()),
        }
        for symbol in reversed(ontology.symbols):  # the first of the same name and places counts
            name, parameters = symbol.name, symbol.parameters
            gloss = pattern(symbol.gloss, parameters)
            if symbol.is_term:
                self._forms["term", name, symbol.arity] = _Form(gloss, partial(Term, name))
                continue
            self._forms["predicate", name, symbol.arity] = _Form(gloss, partial(Atom, name))
            # Not the negative of a later symbol, which would say something else.
            self._forms.pop(("negative", name, symbol.arity), None)
            if symbol.negative:
                negative = pattern(symbol.negative, parameters)
                self._forms["negative", name, symbol.arity] = _Form(
                    negative, partial(_denial, name)
                )
        # By a word that the text must have.
        self._literals = tuple(
            _by_word(self._of_kind(kind), _longest_word) for kind in ("predicate", "negative")
        )
        terms = self._of_kind("term")
        self._terms_by_first_word = _by_word(terms, _first_word)
        #: Those that begin with a term, such as "x's mother": its number, and the form without it.
        self._terms_behind_terms: list[tuple[int, _Form]] = []
        for form, build in terms:
            if form.is_readable and isinstance(form.words[0], int):
                remainder = replace(form, words=form.words[1:])
                self._terms_behind_terms.append((form.words[0], _Form(remainder, build)))
        #: The words that a clause, or a term in it, can begin with.
        self.first_words = frozenset(_first_word(form.pattern) for form in self._forms.values())

    def _of_kind(self, kind: str) -> list[_Form]:
        return [form for key, form in self._forms.items() if key[0] == kind]

    def gloss(self, kind: GlossKind, name: str, arity: int) -> Pattern | None:
        """The pattern of a predicate (also ``=``, ``⊤`` and ``⊥``), of its negation, or of a term."""
        form = self._forms.get((kind, name, arity))
        return form and form.pattern

    def clause(
        self, text: str, words: list[Word], start: int, bound: Iterable[str]
    ) -> tuple[int, list[Sentence]]:
        """The end of the clause that begins at ``start``, and all literals that it may stand for.

        The clause ends at the first possible end where its words are a literal, so it does not depend on the words that
        follow. The list is empty if there is no reading.
        """
        variables = tuple(dict.fromkeys(bound))
        for end in _ends(words, start):
            readings = self._readings(text, words[start:end], variables)
            if readings:
                return end, readings
        return start, []

    def _readings(self, text: str, words: list[Word], bound: tuple[str, ...]) -> list[Sentence]:
        """The literals that these words together may stand for; negative glosses count only if there is no other."""
        # First, since the atom in brackets decides whatever the words before it may mean.
        if words[-1].text == "]":
            return _tagged(text, words)
        if words[0].text == "“" and words[-1].text == "”":
            words = words[1:-1]
        spelled = [word.text for word in words]
        try:
            terms = self._all_terms(spelled, bound)
            for literals in self._literals:
                forms = [form for word in dict.fromkeys(spelled) for form in literals.get(word, ())]
                matches = _matches(forms, spelled, (0, {}), terms)
                readings = [literal for end, literal in matches if end == len(spelled)]
                if readings:
                    return readings
        # Many readings count as none. A writer then takes quotation marks, or adds the atom itself.
        except TooManyReadingsError:
            pass
        return []

    def _all_terms(self, spelled: list[str], bound: tuple[str, ...]) -> _Terms:
        """The terms that may begin at each index, computed from the end, since a term contains only later terms."""
        variables = _by_word(
            [_Form(pattern(name), partial(Term, name)) for name in bound], _first_word
        )
        terms: _Terms = [[] for _ in range(len(spelled) + 1)]
        for index in range(len(spelled) - 1, -1, -1):
            word = spelled[index]
            forms = self._terms_by_first_word.get(word, ())
            terms_here = [
                (end, term)
                for end, term in _matches(forms, spelled, (index, {}), terms)
                if term.arguments
                or term.name not in bound  # a variable hides a constant of its name
            ]
            terms_here += _matches(variables.get(word, ()), spelled, (index, {}), terms)
            terms[index] = self._extended(terms_here, spelled, terms)
        return terms

    def _extended(
        self, terms_here: list[tuple[int, Term]], spelled: list[str], terms: _Terms
    ) -> list[tuple[int, Term]]:
        """The terms that begin at one index, with the terms that begin with one of them: "x's mother"."""
        readings = dict.fromkeys(terms_here)
        pending = list(readings)
        while pending:
            end, term = pending.pop()
            for number, form in self._terms_behind_terms:
                for reading in _matches([form], spelled, (end, {number: term}), terms):
                    if reading not in readings:
                        readings[reading] = None
                        pending.append(reading)
            if len(readings) > _MOST_READINGS:
                raise TooManyReadingsError
        return list(readings)


def _denial(name: str, terms: tuple[Term, ...]) -> Sentence:
    return Not(Atom(name, terms))


def _by_word(forms: Iterable[_Form], word_of: Callable[[Pattern], str]) -> dict[str, list[_Form]]:
    by_word: dict[str, list[_Form]] = {}
    for form in forms:
        if form.pattern.is_readable:
            by_word.setdefault(word_of(form.pattern), []).append(form)
    return by_word


def _first_word(form: Pattern) -> str:
    """The first word of a pattern; empty if it begins with a term or has no words."""
    word = form.words[0] if form.words else ""
    return word if isinstance(word, str) else ""


def _longest_word(form: Pattern) -> str:
    """The word by which a pattern is looked up: a long one is rare, so that few patterns are tried."""
    words = [word for word in form.words if isinstance(word, str)]
    return max(words, key=len)


#: The index up to which a pattern matches, and the terms found so far.
_State = tuple[int, dict[int, Term]]


def _matches(
    forms: Iterable[_Form], spelled: list[str], start: _State, terms: _Terms
) -> list[tuple[int, Any]]:
    """The ends and results of all forms that match from a state on."""
    results: dict[tuple[int, Any], None] = {}
    for form in forms:
        for end, filling in _fillings(form.pattern.words, spelled, start, terms):
            arguments = tuple(filling[number] for number in range(form.pattern.arity))
            with suppress(LimitError):  # nested too deeply
                results[end, form.build(arguments)] = None
    return list(results)


def _fillings(
    words: Sequence[str | int], spelled: list[str], start: _State, terms: _Terms
) -> list[_State]:
    """The states after all matches of a pattern's words."""
    # All states go on together, so that a text with several readings is read once.
    states = [start]
    for word in words:
        if isinstance(word, str):
            states = [
                (index + 1, filling)
                for index, filling in states
                if index < len(spelled) and spelled[index] == word
            ]
        else:
            states = [
                (end, {**filling, word: term})
                for index, filling in states
                for end, term in terms[index]
                # A gloss may mention a place twice; both must then be the same term.
                if filling.get(word, term) == term
            ]
        if len(states) > _MOST_READINGS:
            raise TooManyReadingsError
        if not states:
            break
    return states


def _ends(words: list[Word], start: int) -> Iterator[int]:
    """The indices where a clause may end, nearest first: before a joining word or closing bracket, and at the end."""
    index, depth, passed = start, 0, 0
    while index < len(words):
        mark = words[index].text
        if mark in _CLOSING:
            # A quotation is passed over as a whole: the words inside it join no clauses.
            index = _closing(words, index)
        # This bracket was opened before the clause, so the clause cannot go on behind it.
        elif mark == ")" and depth == 0:
            break
        depth += (mark == "(") - (mark == ")")
        if depth == 0 and mark.lower() in _ENDS and index > start:
            yield index
            passed += 1
            if passed > _MOST_ENDS:
                return
        index += 1
    if index > start:
        yield index


def _closing(words: list[Word], opening_index: int) -> int:
    """The index of the mark that closes the one at ``opening_index``, or of the last word."""
    closing = _CLOSING[words[opening_index].text]
    for index in range(opening_index, len(words)):
        if words[index].text == closing:
            return index
    return len(words) - 1


def _tagged(text: str, words: list[Word]) -> list[Sentence]:
    """The atom in square brackets at the end of a clause, which decides what it stands for."""
    opening = next((word for word in words if word.text == "["), None)
    if opening is None:
        return []
    try:
        formula = parse(text[opening.end : words[-1].start])
    except FormulaSyntaxError:
        return []
    return [formula] if isinstance(formula, Atom | Equal) else []
