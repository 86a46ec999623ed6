"""Checks instances with which a solver refutes a script: without quantifiers, they must contradict each other.

The solver is not trusted. Each of its instances becomes a lemma that holds in every model, whatever the solver says:

1. "If ∀x A(x), then A(t)", for an instance of a quantified formula by a term t.
2. "If not ∀x A(x), then not A(c)", for a constant c that stands for a counter-example. Each formula has its own one.

Then each quantified formula becomes a proposition. z3 must find the assertions and the lemmas unsatisfiable as formulas
without quantifiers. Equal propositions must stand for equivalent formulas. So all formulas get a canonical form first,
in which order, names of variables, and scopes of quantifiers do not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from pytest_autoeval.languages.first_order.proof_check import Refutes
from pytest_autoeval.languages.first_order.tptp import ProofRefusedError
from pytest_autoeval.lazy_pattern import lazy_pattern

#: z3's work on the lemmas; it needs a hundredth of it.
_RLIMIT = 1_000_000
#: Nodes of all formulas that are read, and levels of nesting in the texts.
_MAX_NODES, _MAX_NESTING = 300_000, 200
_WORD = lazy_pattern(r"[()]|[^\s()]+")

#: An expression of SMT-LIB: a word, or expressions in brackets.
_Expression: TypeAlias = Any
#: A canonical formula or term: its kind, with names, other forms, or the index of a variable. A variable's index is
#: the number of quantifiers between it and its own.
Form: TypeAlias = tuple[Any, ...]
TRUE: Form = ("true",)
FALSE: Form = ("not", TRUE)


def check_instances(script: str, instances: str, refutes: Refutes) -> None:
    """Checks that a script is unsatisfiable by instances as cvc5 prints them. Raises :class:`ProofRefusedError`.

    ``refutes`` decides whether an SMT-LIB script is unsatisfiable.
    """
    try:
        ground_script = _Lemmas(_expressions(script)).ground_script(_expressions(instances))
    except (ValueError, IndexError, TypeError, RecursionError):
        raise ProofRefusedError("the instances cannot be read") from None
    if not refutes(ground_script, _RLIMIT):
        raise ProofRefusedError("the instances do not contradict each other")


def _expressions(text: str) -> list[_Expression]:
    """The expressions of a text. Raises :class:`ProofRefusedError` or `IndexError`."""
    stack: list[list[_Expression]] = [[]]
    for word in _WORD.findall(text):
        if word == "(":
            stack.append([])
        elif word == ")":
            expression = tuple(stack.pop())
            stack[-1].append(expression)
        else:
            stack[-1].append(word)
        if len(stack) > _MAX_NESTING:
            raise ProofRefusedError("the instances are nested too deeply")
    (expressions,) = stack
    return expressions


class _Lemmas:
    """The assertions of a script, and lemmas about their quantified formulas, in canonical form."""

    def __init__(self, script: Iterable[_Expression]) -> None:
        #: The number of arguments of each symbol.
        self._predicates: dict[str, int] = {}
        self._functions: dict[str, int] = {}
        #: The constants for the counter-examples of each quantified formula.
        self._constants: dict[_Expression, list[str]] = {}
        self._propositions: dict[Form, str] = {}
        self._nodes = 0
        self._known: list[Form] = []
        assertions = []
        for command, *details in script:
            if command == "declare-fun":
                name, arguments, sort = details
                symbols = self._predicates if sort == "Bool" else self._functions
                symbols[name] = len(arguments)
            elif command == "assert":
                assertions += details
        self._known += [self._formula(assertion, {}, 0) for assertion in assertions]

    def ground_script(self, entries: Iterable[_Expression]) -> str:
        """A script without quantifiers that is satisfiable if the given one is."""
        for kind, quantified, *rows in entries:
            if kind != "instantiations":
                raise ValueError(kind)
            premise = _negation(self._formula(quantified, {}, 0))
            for row in rows:
                terms = [self._term(term, {}, 0) for term in row]
                self._known.append(_disjunction([premise, self._instance(quantified, terms)]))
        assertions = [f"(assert {self._text(form)})" for form in self._known]
        lines = ["(declare-sort U 0)"]
        lines += [_declaration(name, arity, "Bool") for name, arity in self._predicates.items()]
        lines += [_declaration(name, arity, "U") for name, arity in self._functions.items()]
        lines += [_declaration(name, 0, "Bool") for name in self._propositions.values()]
        return "\n".join([*lines, *assertions])

    def _instance(self, quantified: _Expression, terms: Sequence[Form]) -> Form:
        """The body of a quantified formula with terms for its variables."""
        quantifier, variables, body = quantified
        if quantifier != "forall":
            raise ValueError(quantifier)
        names = [name for name, _ in variables]
        return self._formula(body, dict(zip(names, terms, strict=True)), 0)

    def _counter_example(self, quantified: _Expression, index: str) -> Form:
        """A constant: the value of a variable of a quantified formula in a case in which the formula fails."""
        if quantified not in self._constants:
            # Read first, so that constants inside the formula are made before its own.
            formula = self._formula(quantified, {}, 0)
            number = len(self._constants)
            names = [f"h{number}_{at}" for at, _ in enumerate(quantified[1])]
            if quantified in self._constants or self._functions.keys() & {*names}:
                raise ValueError(names)
            self._constants[quantified] = names
            self._functions |= dict.fromkeys(names, 0)
            body = self._instance(quantified, [("apply", name) for name in names])
            self._known.append(_disjunction([formula, _negation(body)]))
        return ("apply", self._constants[quantified][int(index)])

    def _term(self, expression: _Expression, values: Mapping[str, int | Form], depth: int) -> Form:
        """A term under ``depth`` quantifiers; ``values`` has the depth or the value of each variable."""
        self._count()
        if isinstance(expression, str):
            value = values.get(expression)
            if isinstance(value, int):
                return ("variable", depth - value)
            if value is not None:
                return value
            expression = (expression,)
        name, *arguments = expression
        if name == "@quantifiers_skolemize":
            return self._counter_example(*arguments)
        if self._functions.get(name) != len(arguments):
            raise ValueError(name)
        return ("apply", name, *[self._term(argument, values, depth) for argument in arguments])

    def _formula(
        self, expression: _Expression, values: Mapping[str, int | Form], depth: int
    ) -> Form:
        """The canonical form of a formula; the arguments are those of `_term`."""
        self._count()
        if isinstance(expression, str):
            expression = (expression,)
        sign, *operands = expression
        if sign in {"forall", "exists"}:
            return self._quantified(expression, values, depth)
        if sign in self._predicates or (sign == "=" and not self._is_formula(operands[0])):
            terms = [self._term(operand, values, depth) for operand in operands]
            if sign == "=":
                return _equation(*terms)
            if self._predicates[sign] != len(terms):
                raise ValueError(sign)
            return ("atom", sign, *terms)
        return _connected(sign, [self._formula(operand, values, depth) for operand in operands])

    def _is_formula(self, expression: _Expression) -> bool:
        sign = expression if isinstance(expression, str) else expression[0]
        return sign in self._predicates or sign in _SIGNS

    def _quantified(
        self, expression: _Expression, values: Mapping[str, int | Form], depth: int
    ) -> Form:
        quantifier, variables, body = expression
        inner = dict(values)
        for name, sort in variables:
            if sort != "U":
                raise ValueError(sort)
            depth += 1
            inner[name] = depth
        form = self._formula(body, inner, depth)
        if quantifier == "exists":
            form = _negation(form)
        for _ in variables:
            form = _universal(form)
        return _negation(form) if quantifier == "exists" else form

    def _count(self) -> None:
        self._nodes += 1
        if self._nodes > _MAX_NODES:
            raise ProofRefusedError("the instances are too large to check them")

    def _text(self, form: Form) -> str:
        """A formula or term as SMT-LIB, with a proposition for each quantified formula."""
        match form:
            case ("all", _):
                name = f"q{len(self._propositions)}"
                if name in self._functions or name in self._predicates:
                    raise ValueError(name)
                return self._propositions.setdefault(form, name)
            case ("atom" | "apply", name):
                return str(name)
            case ("atom" | "apply", name, *arguments):
                return f"({name} {' '.join(map(self._text, arguments))})"
            case ("true",):
                return "true"
            case ("variable", _):
                raise ValueError(form)
        sign = "=" if form[0] == "iff" else form[0]
        return f"({sign} {' '.join(map(self._text, form[1:]))})"


def _declaration(name: str, arity: int, sort: str) -> str:
    return f"(declare-fun {name} ({' '.join(['U'] * arity)}) {sort})"


_SIGNS = {"true", "false", "not", "and", "or", "=>", "=", "xor", "forall", "exists"}


def _connected(  # noqa: PLR0911 (a return for each connective)
    sign: str, operands: list[Form]
) -> Form:
    """The canonical form of a connective over canonical operands."""
    match sign, operands:
        case ("true", []):
            return TRUE
        case ("false", []):
            return FALSE
        case ("not", [operand]):
            return _negation(operand)
        case ("and", _):
            return _negation(_disjunction(map(_negation, operands)))
        case ("or", _):
            return _disjunction(operands)
        case ("=>", [left, right]):
            return _disjunction([_negation(left), right])
        case ("=", [left, right]):
            return _biconditional(left, right)
        case ("xor", [left, right]):
            return _negation(_biconditional(left, right))
    raise ValueError(sign)


def _negation(form: Form) -> Form:
    if form[0] == "not":
        operand: Form = form[1]
        return operand
    return ("not", form)


def _disjunction(forms: Iterable[Form]) -> Form:
    members: set[Form] = set()
    for form in forms:
        members.update(form[1:] if form[0] == "or" else [form])
    members.discard(FALSE)
    if TRUE in members or any(_negation(member) in members for member in members):
        return TRUE
    if not members:
        return FALSE
    ordered = sorted(members, key=repr)
    return ordered[0] if len(ordered) == 1 else ("or", *ordered)


def _biconditional(left: Form, right: Form) -> Form:
    """Whether two formulas have the same value; negations stand outside, in the canonical form."""
    is_negated = (left[0] == "not") is not (right[0] == "not")
    left, right = (side[1] if side[0] == "not" else side for side in (left, right))
    if left == right:
        form = TRUE
    elif TRUE in {left, right}:
        form = right if left == TRUE else left
    else:
        form = ("iff", *sorted((left, right), key=repr))
    return _negation(form) if is_negated else form


def _equation(left: Form, right: Form) -> Form:
    return TRUE if left == right else ("=", *sorted((left, right), key=repr))


def _universal(body: Form) -> Form:
    """A form for all values of the variable 0 of ``body``, with the smallest scopes."""
    if body in {TRUE, FALSE}:  # there is always an element
        return body
    if body[0] == "not" and body[1][0] == "or":
        conjuncts = map(_negation, body[1][1:])
        return _negation(_disjunction([_negation(_universal(form)) for form in conjuncts]))
    members = body[1:] if body[0] == "or" else [body]
    outside, inside = [], []
    for member in members:
        lowered = _lowered(member, 0)
        if lowered is None:
            inside.append(member)
        else:
            outside.append(lowered)
    if not inside:
        return _disjunction(outside)
    if outside:
        return _disjunction([*outside, _universal(_disjunction(inside))])
    return ("all", body)


def _lowered(form: Form, own: int) -> Form | None:
    """The form outside the quantifier whose variable has the index ``own`` here; None if it has that variable."""
    kind, *details = form
    if kind == "variable":
        (index,) = details
        if index == own:
            return None
        return ("variable", index - 1) if index > own else form
    if kind in {"atom", "apply"}:
        name, *details = details
        make = partial(_application, kind, name)
    else:
        make = partial(_made, kind)
    # Under a further quantifier, the index of a variable is larger by one.
    inner_index = own + 1 if kind == "all" else own
    operands = [_lowered(operand, inner_index) for operand in details]
    lowered = [operand for operand in operands if operand is not None]
    return make(lowered) if len(lowered) == len(operands) else None


def _application(kind: str, name: str, arguments: list[Form]) -> Form:
    return (kind, name, *arguments)


def _made(kind: str, operands: list[Form]) -> Form:
    """The canonical form of this kind. Other indices of variables can change the order of the operands."""
    match kind:
        case "=":
            return _equation(*operands)
        case "iff":
            return _biconditional(*operands)
        case "all":
            return _universal(*operands)
    return _connected(kind, operands)
