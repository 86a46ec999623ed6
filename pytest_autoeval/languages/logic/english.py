"""Plain English for propositional and first-order logic, and its exact reader.

Every construct opens with words of its own, and lists say how many parts they have, so that a description has one
reading however deep it nests. Small formulas make one sentence. In larger ones every part stands on a line of its own,
indented below the words that join the parts; the indentation is for people, the reader does not need it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_autoeval.languages.controlled_english import Words, listed, named, read_list, sentence
from pytest_autoeval.languages.logic.chains import joined, parts_of
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Binary,
    Bottom,
    Equal,
    Exists,
    Forall,
    Iff,
    Implies,
    Not,
    Or,
    Quantified,
    Sentence,
    Term,
    Top,
    Xor,
)

#: The words of the constructs: a name that is one of them stands in quotes.
_RESERVED = frozenset(
    (
        *("all", "always", "an", "and", "are", "at", "both", "case", "does", "either", "equal", "equals", "every"),
        *("exactly", "false", "first", "for", "hold", "holds", "if", "is", "it", "least", "not", "number", "odd", "of"),
        *("one", "or", "relate", "relates", "second", "so", "some", "statement", "such", "terms", "that", "the"),
        *("then", "there", "these", "to", "true", "when"),
    )
)
_SHORT_LIST = 8


@dataclass(frozen=True, slots=True)
class _List:
    """How the parts of a connective are listed; ``{}`` stands for their number."""

    kind: type[Binary]
    two: str
    more: str
    conjunction: str


_LISTS = (
    _List(And, "both of these are true", "all {} of these are true", "and"),
    _List(Or, "at least one of these 2 is true", "at least one of these {} is true", "or"),
    _List(Xor, "exactly one of these 2 is true", "an odd number of these {} are true", "or"),
    _List(Implies, "if the first of these 2 is true, then so is the second", "", ""),
    _List(Iff, "these 2 are both true or both false", "", ""),
)


# Describing


def describe(formula: Sentence) -> str:
    """The formula in words: ``Both p1 holds and either p2 holds or p3 does not hold.``"""
    return sentence(_laid_out(formula, "\n"), _RESERVED)


def _laid_out(formula: Sentence, line: str) -> str:
    """The formula in words, over several lines where that is easier to follow; ``line`` breaks and indents one."""
    if _is_short(formula):
        return _in_one_line(formula)
    match formula:
        case Not() | Quantified():
            return _prefix(formula) + _laid_out(_inner(formula), line)
        case _:
            assert isinstance(formula, Binary)
            line += "  "
            parts = parts_of(formula)
            return f"{_heading(formula, len(parts))}:{line}" + f";{line}".join(_laid_out(part, line) for part in parts)


def _in_one_line(formula: Sentence) -> str:
    match formula:
        case Not(Atom() | Equal() | Top() | Bottom() as literal):
            return _literal(literal, negated=True)
        case Not() | Quantified():
            return _prefix(formula) + _in_one_line(_inner(formula))
        case Implies(left, right):
            return f"if {_in_one_line(left)}, then {_in_one_line(right)}"
        case Iff(left, right):
            return f"it is the case that {_in_one_line(left)}{_comma_after(left)} exactly when {_in_one_line(right)}"
        case Binary():
            return _chain_in_one_line(formula)
        case _:
            return _literal(formula, negated=False)


def _chain_in_one_line(formula: Binary) -> str:
    parts = parts_of(formula)
    shown = [_in_one_line(part) for part in parts]
    if len(parts) == 2 and not isinstance(formula, Xor):
        opening, conjunction = ("both", "and") if isinstance(formula, And) else ("either", "or")
        return f"{opening} {shown[0]}{_comma_after(parts[0])} {conjunction} {shown[1]}"
    conjunction = "and" if isinstance(formula, And) else "or"
    return f"{_heading(formula, len(parts))}: {listed(shown, conjunction)}"


def _comma_after(part: Sentence) -> str:
    """A comma behind all but a literal, so that what begins the part is not taken to go on after it."""
    literal = part.operand if isinstance(part, Not) else part
    return "," if isinstance(literal, Not | Binary | Quantified) else ""


def _heading(formula: Binary, count: int) -> str:
    form = next(form for form in _LISTS if form.kind is type(formula))
    return form.two if count == 2 else form.more.format(count)


def _prefix(formula: Not | Quantified) -> str:
    match formula:
        case Not():
            return "it is not the case that "
        case Forall(variable):
            return f"for every {_name(variable)}, "
        case _:
            return f"there is some {_name(formula.variable)} such that "


def _inner(formula: Not | Quantified) -> Sentence:
    return formula.operand if isinstance(formula, Not) else formula.body


def _literal(formula: Sentence, *, negated: bool) -> str:
    does, s = ("does not ", "") if negated else ("", "s")
    match formula:
        case Atom(predicate, ()):
            return f"{_name(predicate)} {does}hold{s}"
        case Atom(predicate, (first, second)):
            return f"{_name(predicate)} {does}relate{s} {_term(first)} to {_term(second)}"
        case Atom(predicate, arguments):
            return f"{_name(predicate)} {does}hold{s} of {_terms(arguments)}"
        case Equal(left, right):
            return f"{_term(left)} {does}equal{s} {_term(right)}"
        case _:
            return f"the always {'true' if isinstance(formula, Top) else 'false'} statement {does}hold{s}"


def _term(term: Term) -> str:
    return f"the {_name(term.name)} of {_terms(term.arguments)}" if term.arguments else _name(term.name)


def _terms(terms: tuple[Term, ...]) -> str:
    if len(terms) == 1:
        return _term(terms[0])
    return f"the {len(terms)} terms {listed([_term(term) for term in terms], 'and')}"


def _name(name: str) -> str:
    return named(name, _RESERVED)


def _is_short(formula: Sentence) -> bool:
    """Whether one line of words is easy to follow: few parts, little nesting, no scope that is hard to see."""
    joints = _joints(formula)
    if joints > 2 or not _scopes_are_plain(formula):
        return False
    return _leaves(formula) <= (4 if joints == 2 else _SHORT_LIST)


def _joints(formula: Sentence) -> int:
    """How many connectives lie on the longest way down, a chain of one connective counted once."""
    match formula:
        case Not() | Quantified():
            return _joints(_inner(formula))
        case Binary():
            return 1 + max(_joints(part) for part in parts_of(formula))
        case _:
            return 0


def _leaves(formula: Sentence) -> int:
    match formula:
        case Not() | Quantified():
            return _leaves(_inner(formula))
        case Binary():
            return sum(_leaves(part) for part in parts_of(formula))
        case _:
            return 1


def _scopes_are_plain(formula: Sentence) -> bool:
    """Whether quantifiers stand only in front, where nothing follows that could be taken into their scope."""
    while isinstance(formula, Not | Quantified):
        formula = _inner(formula)
    pending = [formula]
    while pending:
        match pending.pop():
            case Quantified():
                return False
            case Not(operand):
                pending.append(operand)
            case Binary(left, right):
                pending += [left, right]
    return True


# Reading


def read(description: str) -> Sentence:
    """The formula that was described; raises :class:`EnglishError` for any other text."""
    words = Words(description, _RESERVED)
    formula = _read(words)
    words.end()
    return formula


def _read(words: Words) -> Sentence:
    for form in _LISTS:
        if (parts := _read_list(words, form)) is not None:
            return joined(form.kind, parts)
    for opening, reader in _READERS:
        if words.skip(opening):
            return reader(words)
    return _read_literal(words)


def _read_list(words: Words, form: _List) -> list[Sentence] | None:
    before, _, after = form.more.partition("{}")
    first, *rest = form.two.split(", ")
    if words.skip(first):
        for phrase in rest:
            words.pause()
            words.need(phrase)
        count = 2
    elif not form.more or (found := words.count(before, after)) is None:
        return None
    else:
        count = found
    return read_list(words, count, form.conjunction, _read)


def _read_pair(words: Words, kind: type[Binary], between: str) -> Sentence:
    left = _read(words)
    words.pause()
    words.need(between)
    return kind(left, _read(words))


def _read_universal(words: Words) -> Sentence:
    variable = words.name()
    words.pause()
    return Forall(variable, _read(words))


def _read_existential(words: Words) -> Sentence:
    variable = words.name()
    words.need("such that")
    return Exists(variable, _read(words))


#: By opening words. The lists, which may open with "both" or "if" as well, are tried before these.
_READERS: tuple[tuple[str, Callable[[Words], Sentence]], ...] = (
    ("it is not the case that", lambda words: Not(_read(words))),
    ("it is the case that", lambda words: _read_pair(words, Iff, "exactly when")),
    ("for every", _read_universal),
    ("there is some", _read_existential),
    ("both", lambda words: _read_pair(words, And, "and")),
    ("either", lambda words: _read_pair(words, Or, "or")),
    ("if", lambda words: _read_pair(words, Implies, "then")),
)


def _read_literal(words: Words) -> Sentence:
    for text, constant in (("true", Top()), ("false", Bottom())):
        if words.skip(f"the always {text} statement"):
            return _read_verb(words, "hold")(constant)
    if words.ahead("the"):
        return _read_equality(words, _read_term(words))
    name = words.name()
    for verb in ("hold", "relate"):
        if words.ahead(f"{verb}s") or words.ahead(f"does not {verb}"):
            signed = _read_verb(words, verb)
            if verb == "relate":
                left = _read_term(words)
                words.need("to")
                return signed(Atom(name, (left, _read_term(words))))
            return signed(Atom(name, _read_terms(words) if words.skip("of") else ()))
    return _read_equality(words, Term(name))


def _read_equality(words: Words, left: Term) -> Sentence:
    signed = _read_verb(words, "equal")
    return signed(Equal(left, _read_term(words)))


def _read_verb(words: Words, verb: str) -> Callable[[Sentence], Sentence]:
    """Passes over the verb, and gives what turns the atom of its sentence into the formula."""
    if words.skip(f"does not {verb}"):
        return Not
    words.need(f"{verb}s")
    return lambda atom: atom


def _read_term(words: Words) -> Term:
    if not words.skip("the"):
        return Term(words.name())
    name = words.name()
    words.need("of")
    return Term(name, _read_terms(words))


def _read_terms(words: Words) -> tuple[Term, ...]:
    count = words.count("the", "terms")
    terms = [_read_term(words)]
    while len(terms) < (count or 1):
        words.pause()
        words.skip("and")
        terms.append(_read_term(words))
    return tuple(terms)
