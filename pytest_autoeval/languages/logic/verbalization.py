"""T(): a first-order formula in English by rule, from the glosses of an ontology. Made to be read back exactly.

Source: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026), appendix C. Theirs drops
parentheses, and so gives formulas of different meaning one text; here a text has one formula:

- literals stand as their glosses, and are joined by "and" or "or" where nothing else could be meant;
- inside another connective the pairs "both … and …", "either … or …", "exactly one of these holds: … or …" tell what
  belongs together;
- what has no end of its own (a conditional, a biconditional, a quantifier) stands in round brackets unless it is last;
- a chain is grouped to the left, as formulas are read: A ∧ (B ∧ C) is "A and both B and C".

A clause that could be read otherwise stands in quotation marks, its terms if need be, too; where even that is not
enough (two symbols with one gloss), the atom follows in square brackets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Flag, auto

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.logic.lexicon import Lexicon, Pattern, lexicon, opens_compound, words_of
from pytest_autoeval.languages.logic.limits import check_size
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
    Or,
    Quantified,
    Sentence,
    Term,
    Top,
)
from pytest_autoeval.languages.ontology import Ontology

_NOT = "it is not the case that "
#: Names of variables that stand in quotation marks.
_OUR_WORDS = frozenset("and both but either every exactly for if it one or some such that the then there".split())


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
    return _sentence(_Writer(words).told(formula, _Place.ANY, ()), words)


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

    def told(self, formula: Sentence, place: _Place, bound: tuple[str, ...]) -> str:
        """The formula in words, as it may stand at a place; ``bound`` are the variables of the quantifiers above."""
        match formula:
            case Not(Atom() | Equal() | Top() | Bottom()) | Atom() | Equal() | Top() | Bottom():
                return self._literal(formula, bound)
            case Not(operand):
                return _NOT + self.told(operand, place.last(), bound)
            case Quantified() if _Place.QUANTIFIER in place:
                variables, body = _same_quantifiers(formula)
                opening = _opening(formula, variables)
                return opening + self.told(body, place | _Place.CHAIN, (*bound, *variables))
            case Implies(left, right) if _Place.CONDITIONAL in place:
                condition = self.told(left, _Place.CHAIN | _Place.QUANTIFIER, bound)
                consequence = (place | _Place.CHAIN) & ~_Place.BICONDITIONAL
                return f"if {condition}, then {self.told(right, consequence, bound)}"
            case Iff(left, right) if _Place.BICONDITIONAL in place:
                condition = self.told(left, _Place.NOTHING, bound)
                joint = f"{_comma(left, condition)} if and only if "
                return condition + joint + self.told(right, _Place.QUANTIFIER, bound)
            case Implies() | Iff() | Quantified():
                return f"({self.told(formula, _Place.ANY, bound)})"
            case _:
                assert isinstance(formula, Binary)
                return self._joined(formula, place, bound)

    def _joined(self, formula: Binary, place: _Place, bound: tuple[str, ...]) -> str:
        """A conjunction or a disjunction: bare where it may be, else as a pair."""
        is_bare = _Place.CHAIN in place
        is_exclusive = not isinstance(formula, And | Or)
        exclude = is_exclusive and is_bare and _is_literal(formula.left) and _is_literal(formula.right)
        parts = _left_chain(formula) if is_bare and not is_exclusive else [formula.left, formula.right]
        *first, last = parts
        joint = " and " if isinstance(formula, And) else " or "
        text = ""
        for part in first:
            told = self.told(part, _Place.NOTHING, bound)
            text += told + _comma(part, told) + joint
        text += self.told(last, place.last(), bound)
        if exclude:
            return f"either {text}, but not both"
        if is_exclusive:
            return f"exactly one of these holds: {text}"
        if is_bare:
            return text
        return f"{'both' if isinstance(formula, And) else 'either'} {text}"

    # Clauses

    def _literal(self, formula: Sentence, bound: tuple[str, ...]) -> str:
        negated = isinstance(formula, Not)
        atom = formula.operand if isinstance(formula, Not) else formula
        form, terms = self._pattern(atom, negated=negated)
        if form is not None:
            for clause in self._clauses(form, terms, bound):
                words = words_of(clause)
                end, readings = self.lexicon.clause(clause, words, 0, bound)
                if end == len(words) and readings == [formula]:
                    return clause
        if negated:
            return _NOT + self._literal(atom, bound)
        assert form is not None
        return f"{form.filled([self._term(term, bound) for term in terms])} [{atom}]".strip()

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

    def _clauses(self, form: Pattern, terms: tuple[Term, ...], bound: tuple[str, ...]) -> Iterator[str]:
        """The clause with more and more quotation marks."""
        told = [self._term(term, bound) for term in terms]
        quoted = [text if text.startswith("“") else f"“{text}”" for text in told]
        for filled in (form.filled(told), form.filled(quoted)):
            if not form.is_risky and not opens_compound(words_of(filled)):
                yield filled
            yield f"“{filled}”"

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


def _left_chain(formula: Binary) -> list[Sentence]:
    """The parts of a connective whose left sides are the same connective."""
    parts = [formula.right]
    left = formula.left
    while isinstance(left, Binary) and type(left) is type(formula):
        parts.append(left.right)
        left = left.left
    return [left, *reversed(parts)]


def _is_literal(formula: Sentence) -> bool:
    return isinstance(formula.operand if isinstance(formula, Not) else formula, Atom | Equal | Top | Bottom)


def _comma(formula: Sentence, told: str) -> str:
    """A comma behind what is neither a mere clause nor in brackets, so that what follows is not taken to belong to it."""
    is_plain = told.startswith("(") or (_is_literal(formula) and not told.startswith(_NOT))
    return "" if is_plain else ","
