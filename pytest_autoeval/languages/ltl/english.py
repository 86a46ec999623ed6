"""Plain English for linear temporal logic with past, and its exact reader.

Time is given in steps: "at every step", "at some step from then on", "at the next step". As in the English of logic,
every construct opens with words of its own and lists tell how many parts they have; what is large is laid out on
indented lines. A formula without any temporal operator is said to hold "at the start", so that its description is not
one of propositional logic.
"""

from __future__ import annotations

from functools import reduce

from pytest_autoeval.languages.base import EnglishError
from pytest_autoeval.languages.controlled_english import Words, listed, named, read_list, sentence
from pytest_autoeval.languages.ltl.syntax import (
    Always,
    And,
    Atom,
    Binary,
    Bottom,
    Eventually,
    FutureOperator,
    Historically,
    Iff,
    Implies,
    Next,
    Not,
    Once,
    Or,
    PastOperator,
    Release,
    Since,
    Temporal,
    Top,
    Triggered,
    Unary,
    Until,
    WeakUntil,
    WeakYesterday,
    Xor,
    Yesterday,
)

#: The words of the constructs: a name that is one of them stands in quotes.
_RESERVED = frozenset(
    (
        *("a", "all", "always", "an", "and", "any", "are", "at", "back", "before", "both", "case", "does", "either"),
        *("ever", "every", "exactly", "false", "first", "from", "hold", "holds", "if", "is", "it", "last", "later"),
        *("least", "next", "not", "now", "number", "odd", "of", "on", "one", "or", "second", "since", "so", "some"),
        *("start", "statement", "step", "steps", "that", "the", "then", "there", "these", "through", "to", "true"),
        *("until", "up", "when", "which"),
    )
)
_START = "at the start"
#: How each operator over one formula opens: where it speaks of the start, and inside another temporal operator.
_OPENINGS: dict[type[Unary], tuple[str, str]] = {
    Not: ("it is not the case that", "it is not the case that"),
    Next: ("at the next step", "at the next step"),
    Eventually: ("at some step", "at some step from then on"),
    Always: ("at every step", "at every step from then on"),
    Yesterday: ("there is a step before at which", "there is a step before at which"),
    WeakYesterday: ("at the step before, if there is one", "at the step before, if there is one"),
    Once: ("at some step up to now", "at some step up to then"),
    Historically: ("at every step up to now", "at every step up to then"),
}
_NO_COMMA = (Not, Yesterday)
#: The words between two formulas. Of release and its mirror image, the second operand comes first.
_BETWEEN: dict[type[Binary], str] = {
    Until: "until a step at which",
    WeakUntil: "until the step, if any, at which",
    Release: "through the step, if any, at which",
    Since: "ever since a step at which",
    Triggered: "back through the last step, if any, at which",
}
_TURNED = (Release, Triggered)
#: What heads a list of two parts, and one of more; ``{}`` stands for their number.
_HEADINGS: dict[type[Binary], tuple[str, str]] = {
    And: ("both of these are true", "all {} of these are true"),
    Or: ("at least one of these 2 is true", "at least one of these {} is true"),
    Xor: ("exactly one of these 2 is true", "an odd number of these {} are true"),
    Implies: ("if the first of these 2 is true, then so is the second", ""),
    Iff: ("these 2 are both true or both false", ""),
} | {
    kind: (f"the {first} of these 2 is true {between} the {second} is true", "")
    for kind, between in _BETWEEN.items()
    for first, second in [("second", "first") if kind in _TURNED else ("first", "second")]
}
_CHAINED = (And, Or, Xor)
_SHORT_LIST = 8
#: The most steps that are written, and read, as one number.
_FARTHEST = 100


# Describing


def describe(formula: Temporal) -> str:
    """The formula in words: ``At every step, if p1 holds, then at some step from then on p2 holds.``"""
    opening = "" if _has_temporal_operator(formula) else f"{_START}, "
    return sentence(opening + _laid_out(formula, "\n", inside=False), _RESERVED)


def _laid_out(formula: Temporal, line: str, *, inside: bool) -> str:
    """The formula in words, over several lines where that is easier to follow; ``line`` breaks and indents one.

    ``inside`` says whether it stands within a temporal operator, and so speaks of a step other than the start.
    """
    if _is_short(formula):
        return _in_one_line(formula, inside=inside)
    if isinstance(formula, Unary):
        opening, operand = _opening(formula, inside=inside)
        return opening + _laid_out(operand, line, inside=inside or not isinstance(formula, Not))
    assert isinstance(formula, Binary)
    line += "  "
    parts = _parts(formula)
    inside = inside or type(formula) in _BETWEEN
    shown = [_laid_out(part, line, inside=inside) for part in parts]
    return f"{_heading(formula, len(parts))}:{line}" + f";{line}".join(shown)


def _in_one_line(formula: Temporal, *, inside: bool) -> str:
    match formula:
        case Not(Atom() | Top() | Bottom() as literal):
            return _literal(literal, negated=True)
        case Unary():
            opening, operand = _opening(formula, inside=inside)
            return opening + _in_one_line(operand, inside=inside or not isinstance(formula, Not))
        case Binary() if type(formula) in _BETWEEN:
            return _relation_in_one_line(formula)
        case Binary():
            return _connective_in_one_line(formula, inside=inside)
        case _:
            return _literal(formula, negated=False)


def _relation_in_one_line(formula: Binary) -> str:
    first, second = (formula.right, formula.left) if type(formula) in _TURNED else (formula.left, formula.right)
    between = _BETWEEN[type(formula)]
    shown = _in_one_line(first, inside=True), _in_one_line(second, inside=True)
    if _is_literal(first) and _is_literal(second):
        return f"{shown[0]} {between} {shown[1]}"
    return f"it is the case that {shown[0]}, {between} {shown[1]}"


def _connective_in_one_line(formula: Binary, *, inside: bool) -> str:
    parts = _parts(formula)
    shown = [_in_one_line(part, inside=inside) for part in parts]
    comma = "" if _is_literal(parts[0]) else ","
    match formula:
        case Implies():
            return f"if {shown[0]}, then {shown[1]}"
        case Iff():
            return f"it is the case that {shown[0]}{comma} exactly when {shown[1]}"
        case And() if len(parts) == 2:
            return f"both {shown[0]}{comma} and {shown[1]}"
        case Or() if len(parts) == 2:
            return f"either {shown[0]}{comma} or {shown[1]}"
        case _:
            return f"{_heading(formula, len(parts))}: {listed(shown, 'and' if isinstance(formula, And) else 'or')}"


def _opening(formula: Unary, *, inside: bool) -> tuple[str, Temporal]:
    """The words before what an operator is over, and that formula; several nexts in a row are counted."""
    operand, steps = formula.operand, 1
    while isinstance(formula, Next) and isinstance(operand, Next) and steps < _FARTHEST:
        operand, steps = operand.operand, steps + 1
    words = f"{steps} steps later" if steps > 1 else _OPENINGS[type(formula)][inside]
    plain = isinstance(formula, _NO_COMMA) or (_is_literal(operand) and not isinstance(formula, WeakYesterday))
    return f"{words} " if plain else f"{words}, ", operand


def _has_temporal_operator(formula: Temporal) -> bool:
    return any(isinstance(node, FutureOperator | PastOperator) for node in formula.subformulas())


def _heading(formula: Binary, count: int) -> str:
    two, more = _HEADINGS[type(formula)]
    return two if count == 2 else more.format(count)


def _literal(formula: Temporal, *, negated: bool) -> str:
    verb = "does not hold" if negated else "holds"
    match formula:
        case Atom(name):
            return f"{named(name, _RESERVED)} {verb}"
        case _:
            return f"the always {'true' if isinstance(formula, Top) else 'false'} statement {verb}"


def _is_literal(formula: Temporal) -> bool:
    return isinstance(formula.operand if isinstance(formula, Not) else formula, Atom | Top | Bottom)


def _parts(formula: Binary) -> list[Temporal]:
    """The operands; of a chain that nests to the left in the same &, | or xor, all its parts."""
    parts, first = [formula.right], formula.left
    while type(first) is type(formula) and isinstance(first, _CHAINED):
        parts.append(first.right)
        first = first.left
    return [first, *reversed(parts)]


def _is_short(formula: Temporal) -> bool:
    """Whether one line of words is easy to follow: few parts, little nesting."""
    joints, leaves = _joints_and_leaves(formula)
    return joints <= 2 and leaves <= (4 if joints == 2 else _SHORT_LIST)


def _joints_and_leaves(formula: Temporal) -> tuple[int, int]:
    """How many connectives lie on the longest way down, a chain counted once; and how many atoms there are."""
    while isinstance(formula, Unary):
        formula = formula.operand
    if not isinstance(formula, Binary):
        return 0, 1
    counts = [_joints_and_leaves(part) for part in _parts(formula)]
    return 1 + max(joints for joints, _ in counts), sum(leaves for _, leaves in counts)


# Reading


def read(description: str) -> Temporal:
    """The formula that was described; raises :class:`EnglishError` for any other text."""
    words = Words(description, _RESERVED)
    at_the_start = words.skip(_START)
    words.pause()
    formula = _read(words)
    words.end()
    if at_the_start == _has_temporal_operator(formula):
        raise EnglishError("a description speaks of steps, or of the start alone")
    return formula


#: Longer openings first: some begin with a shorter one.
_READ_OPENINGS = sorted(
    {(words, kind) for kind, both in _OPENINGS.items() for words in both},
    key=lambda opening: (-len(opening[0]), opening[0]),
)


def _read(words: Words) -> Temporal:
    for opening, kind in _READ_OPENINGS:
        if _skip(words, opening):
            words.pause()
            return kind(_read(words))
    if (steps := words.count("", "steps later")) is not None:
        return _read_steps(words, steps)
    for connective, headings in _HEADINGS.items():
        if count := _read_heading(words, *headings):
            return reduce(connective, read_list(words, count, "and" if connective is And else "or", _read))
    if words.skip("it is the case that"):
        return _read_joined(words)
    for first, pair, second in (("if", Implies, "then"), ("both", And, "and"), ("either", Or, "or")):
        if words.skip(first):
            return _read_pair(words, pair, second)
    return _read_relation(words)


def _read_steps(words: Words, steps: int) -> Temporal:
    if not 1 < steps <= _FARTHEST:
        raise EnglishError(f"{steps} is no number of steps from 2 to {_FARTHEST:,}")
    words.pause()
    return reduce(lambda operand, _: Next(operand), range(steps), _read(words))


def _read_heading(words: Words, two: str, more: str) -> int | None:
    """The number of parts that a heading announces; None, and nothing passed over, where it does not stand here."""
    if _skip(words, two):
        return 2
    before, _, after = more.partition("{}")
    return words.count(before, after) if more else None


def _read_pair(words: Words, kind: type[Binary], between: str) -> Temporal:
    left = _read(words)
    words.pause()
    words.need(between)
    return kind(left, _read(words))


def _read_joined(words: Words) -> Temporal:
    """What follows "it is the case that"."""
    first = _read(words)
    words.pause()
    if words.skip("exactly when"):
        return Iff(first, _read(words))
    if kind := _read_between(words):
        return _related(kind, first, _read(words))
    raise words.surprise("'exactly when' or 'until a step at which'")


def _read_relation(words: Words) -> Temporal:
    """A literal, or two with the words of a temporal operator between them."""
    first = _read_literal(words)
    kind = _read_between(words)
    return _related(kind, first, _read_literal(words)) if kind else first


def _read_between(words: Words) -> type[Binary] | None:
    return next((kind for kind, between in _BETWEEN.items() if _skip(words, between)), None)


def _related(kind: type[Binary], first: Temporal, second: Temporal) -> Temporal:
    return kind(second, first) if kind in _TURNED else kind(first, second)


def _skip(words: Words, phrase: str) -> bool:
    """Passes over a phrase with commas in it, if it comes next."""
    return words.skip(phrase.replace(",", " ,"))


def _read_literal(words: Words) -> Temporal:
    for text, constant in (("true", Top()), ("false", Bottom())):
        if words.skip(f"the always {text} statement"):
            return _read_verb(words, constant)
    return _read_verb(words, Atom(words.name()))


def _read_verb(words: Words, subject: Temporal) -> Temporal:
    if words.skip("does not hold"):
        return Not(subject)
    words.need("holds")
    return subject
