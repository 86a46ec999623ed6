"""T(): a first-order formula in English by rule, from the glosses of an ontology. Made to be read back exactly.

Source: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026), appendix C. Theirs drops
parentheses, and so gives formulas of different meaning one text; here a text has one formula:

- literals stand as their glosses, and are joined by "and" or "or" where nothing else could be meant;
- inside another connective "both … and …" ("all of these hold: …, … and …"), "either …, … or …" and "exactly one of
  these holds: … or …" tell what belongs together;
- what has no end of its own (a conditional, a biconditional, a quantifier, "it is not the case that …") stands in round
  brackets unless it is last;
- a chain is grouped to the left, as formulas are read: A ∧ (B ∧ C) is "A and both B and C".

A clause that could be read otherwise stands in quotation marks, its terms if need be, too; where even that is not
enough (two symbols with one gloss), the atom follows in square brackets.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.limits import check_size
from pytest_autoeval.languages.logic.chains import parts_of
from pytest_autoeval.languages.logic.gloss_patterns import Pattern, opens_compound, words_of
from pytest_autoeval.languages.logic.lexicon import Lexicon, lexicon
from pytest_autoeval.languages.logic.signature import count_of_arguments
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Binary,
    Bottom,
    Equal,
    Forall,
    Iff,
    Implies,
    Not,
    Quantified,
    Sentence,
    Term,
    Top,
    Xor,
)
from pytest_autoeval.languages.ontology import Ontology

_NOT = "it is not the case that "
#: Names of variables that stand in quotation marks.
_OUR_WORDS = frozenset(
    (
        *("all", "and", "both", "but", "either", "every", "exactly", "for", "if", "it", "of", "one", "or", "some"),
        *("such", "that", "the", "then", "there"),
    )
)


class UnknownSymbolError(AutoevalError):
    """A formula uses a symbol that the ontology has no gloss for; ``symbol`` is its name."""

    def __init__(self, kind: str, symbol: str, arity: int) -> None:
        self.symbol = symbol
        places = f" with {count_of_arguments(arity)}" if arity else ""
        super().__init__(
            f"the ontology has no {kind} {symbol!r}{places}, so there is no English for it; "
            "give it a gloss, or derive the ontology from the formulas"
        )


def verbalize(formula: Sentence, ontology: Ontology) -> str:
    """The formula in English: one sentence, which ``read_verbal`` turns back into just this formula.

    Variables stand as they are. A free name is a constant, and has to be in the ontology like any other. Raises
    :class:`UnknownSymbolError` for a symbol that the ontology lacks, ``LimitError`` for a formula that is too large.
    """
    check_size(formula)
    words = lexicon(ontology)
    return _sentence(_Writer(words).in_words(formula, _Place.ANY, ()), words)


def _sentence(text: str, known: Lexicon) -> str:
    """The text with a full stop and a capital letter, which a reader must be able to undo."""
    at = len(text) - len(text.lstrip("("))
    letter = text[at]
    if letter.upper().lower() == letter and len(letter.upper()) == 1:
        capital = text[:at] + letter.upper() + text[at + 1 :]
        first = words_of(capital[at:])[0].text
        if opens_compound(words_of(text)) or not known.begins_clause(first):
            text = capital
    return text + "."


class _Place(Flag):
    """What may stand at a place of a sentence without brackets, or words that open a pair."""

    CHAIN = auto()
    BICONDITIONAL = auto()
    CONDITIONAL = auto()
    QUANTIFIER = auto()
    NOTHING = 0
    #: The whole of a sentence, or of what stands in brackets.
    ANY = CHAIN | BICONDITIONAL | CONDITIONAL | QUANTIFIER

    def last(self) -> _Place:
        """The place of the last part of a connective that stands here: what goes on to the end may stand there."""
        return self & (_Place.CONDITIONAL | _Place.QUANTIFIER)


@dataclass(frozen=True, slots=True)
class _Writer:
    lexicon: Lexicon

    def in_words(  # noqa: PLR0911 (a case for each sort of node)
        self, formula: Sentence, place: _Place, bound: tuple[str, ...]
    ) -> str:
        """The formula in words, as it may stand at a place; ``bound`` are the variables of the quantifiers above."""
        match formula:
            case Not(Atom() | Equal() | Top() | Bottom()) | Atom() | Equal() | Top() | Bottom():
                text = self._literal(formula, bound)
                return f"({text})" if text.startswith(_NOT) and _Place.QUANTIFIER not in place else text
            case Not(operand) if _Place.QUANTIFIER in place:
                return _NOT + self.in_words(operand, place.last(), bound)
            case Quantified() if _Place.QUANTIFIER in place:
                variables, body = _same_quantifiers(formula)
                opening = _opening(formula, variables)
                return opening + self.in_words(body, place | _Place.CHAIN, (*bound, *variables))
            case Implies(left, right) if _Place.CONDITIONAL in place:
                condition = self.in_words(left, _Place.CHAIN | _Place.QUANTIFIER, bound)
                consequence = (place | _Place.CHAIN) & ~_Place.BICONDITIONAL
                return f"if {condition}, then {self.in_words(right, consequence, bound)}"
            case Iff(left, right) if _Place.BICONDITIONAL in place:
                condition = self.in_words(left, _Place.NOTHING, bound)
                joint = f"{_comma(left, condition)} if and only if "
                return condition + joint + self.in_words(right, _Place.QUANTIFIER, bound)
            case Not() | Implies() | Iff() | Quantified():
                return f"({self.in_words(formula, _Place.ANY, bound)})"
            case _:
                assert isinstance(formula, Binary)
                return self._joined(formula, place, bound)

    def _joined(self, formula: Binary, place: _Place, bound: tuple[str, ...]) -> str:
        """A conjunction or a disjunction: bare where it may be, else behind words that open a list."""
        is_bare = _Place.CHAIN in place
        joint = "and" if isinstance(formula, And) else "or"
        *first, last = [formula.left, formula.right] if isinstance(formula, Xor) else parts_of(formula)
        in_words = [self.in_words(part, _Place.NOTHING, bound) for part in first]
        commas = [_comma(part, text) for part, text in zip(first, in_words, strict=True)]
        end = self.in_words(last, place.last(), bound)
        listed = f"{', '.join(in_words)}{commas[-1]} {joint} {end}"
        match formula:
            case Xor(left, right) if is_bare and _is_literal(left) and _is_literal(right):
                return f"either {listed}, but not both"
            case Xor():
                return f"exactly one of these holds: {listed}"
            case _ if is_bare:
                return "".join(f"{text}{comma} {joint} " for text, comma in zip(in_words, commas, strict=True)) + end
            case And():
                return f"both {listed}" if len(in_words) == 1 else f"all of these hold: {listed}"
            case _:
                return f"either {listed}"

    # Clauses

    def _literal(self, formula: Sentence, bound: tuple[str, ...]) -> str:
        negated = isinstance(formula, Not)
        atom = formula.operand if isinstance(formula, Not) else formula
        form, terms = self._pattern(atom, negated=negated)
        clauses = [] if form is None else self._clauses(form, terms, bound)
        if not negated:
            clauses += [f"{clause} [{atom}]".strip() for clause in clauses]
        for clause in clauses:
            words = words_of(clause)
            end, readings = self.lexicon.clause(clause, words, 0, bound)
            if end == len(words) and readings == [formula]:
                return clause
        if not negated:
            raise AutoevalError(f"{str(atom)!r} cannot be said unambiguously: its names are none that a formula has")
        return _NOT + self._literal(atom, bound)

    def _pattern(self, atom: Sentence, *, negated: bool) -> tuple[Pattern | None, tuple[Term, ...]]:
        match atom:
            case Equal(left, right):
                return self.lexicon.inequality if negated else self.lexicon.equality, (left, right)
            case Atom(name, terms):
                positive = self.lexicon.predicate(name, len(terms))
                if positive is None:
                    raise UnknownSymbolError("predicate" if terms else "proposition", name, len(terms))
                return self.lexicon.negative(name, len(terms)) if negated else positive, terms
            case _:
                holds = self.lexicon.truth if isinstance(atom, Top) else self.lexicon.falsehood
                return None if negated else holds, ()

    def _clauses(self, form: Pattern, terms: tuple[Term, ...], bound: tuple[str, ...]) -> list[str]:
        """The clause with more and more quotation marks."""
        in_words = [self._term(term, bound) for term in terms]
        quoted = [text if text.startswith("“") else f"“{text}”" for text in in_words]
        clauses: list[str] = []
        for filled in (form.filled(in_words), form.filled(quoted)):
            if not form.is_risky and not opens_compound(words_of(filled)):
                clauses.append(filled)
            clauses.append(f"“{filled}”")
        return clauses

    def _term(self, term: Term, bound: tuple[str, ...]) -> str:
        if not term.arguments and term.name in bound:
            return _variable(term.name)
        form = self.lexicon.term(term.name, len(term.arguments))
        if form is None:
            raise UnknownSymbolError("function" if term.arguments else "constant", term.name, len(term.arguments))
        text = form.filled([self._term(argument, bound) for argument in term.arguments])
        return f"“{text}”" if form.is_risky or opens_compound(words_of(text)) else text


def _variable(name: str) -> str:
    return f"“{name}”" if name.lower() in _OUR_WORDS or len(words_of(name)) > 1 else name


def _opening(formula: Quantified, variables: list[str]) -> str:
    each = "every" if isinstance(formula, Forall) else "some"
    listed = " and ".join(f"{each} {_variable(name)}" for name in variables)
    return f"for {listed}, " if each == "every" else f"there is {listed} such that "


def _same_quantifiers(formula: Quantified) -> tuple[list[str], Sentence]:
    """The variables of a quantifier and of those like it right below, and what they range over."""
    variables = [formula.variable]
    body = formula.body
    while isinstance(body, Quantified) and type(body) is type(formula):
        variables.append(body.variable)
        body = body.body
    return variables, body


def _is_literal(formula: Sentence) -> bool:
    return isinstance(formula.operand if isinstance(formula, Not) else formula, Atom | Equal | Top | Bottom)


def _comma(formula: Sentence, in_words: str) -> str:
    """A comma behind what is neither a mere clause nor in brackets, lest what follows be taken to belong to it."""
    is_plain = in_words.startswith("(") or (_is_literal(formula) and not in_words.startswith(_NOT))
    return "" if is_plain else ","
