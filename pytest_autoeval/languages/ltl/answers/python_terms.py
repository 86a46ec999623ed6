"""Constructors in Python notation: from a syntax tree of Python's to a formula. Nothing is ever evaluated.

The constructors that prompts show are strict; what models invent beside them (``And``, ``Globally``, ``LOnce``, ``&``)
is understood where it has one meaning only, and noted.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from pytest_autoeval.languages.base import FormulaSyntaxError, LimitError
from pytest_autoeval.languages.limits import MAX_DEPTH, MAX_NODES, too_deep
from pytest_autoeval.languages.ltl.parser import INFIXES, PREFIXES
from pytest_autoeval.languages.ltl.syntax import (
    Always,
    And,
    Atom,
    Binary,
    Bottom,
    Eventually,
    Historically,
    Iff,
    Implies,
    Next,
    Not,
    Once,
    Or,
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
from pytest_autoeval.languages.ltl.tokens import is_name

Operator = type[Unary] | type[Binary]

#: The constructors that prompts show.
CONSTRUCTORS: dict[str, Operator] = {
    "LNot": Not,
    "LAnd": And,
    "LOr": Or,
    "LImplies": Implies,
    "LEquiv": Iff,
    "Next": Next,
    "Always": Always,
    "Eventually": Eventually,
    "Until": Until,
    "Since": Since,
    "Once": Once,
    "Historically": Historically,
    "Yesterday": Yesterday,
}
#: How the other operators are written in the same style.
FURTHER: dict[str, Operator] = {
    "LXor": Xor,
    "Release": Release,
    "WeakUntil": WeakUntil,
    "WeakYesterday": WeakYesterday,
    "Triggered": Triggered,
}
ATOM, LITERAL = "AtomicProposition", "Literal"

#: What models call constructors, by stem.
_INVENTED: dict[str, Operator] = {
    **{name.lower().removeprefix("l"): node for name, node in (CONSTRUCTORS | FURTHER).items()},
    **dict.fromkeys(("negation", "neg"), Not),
    "conjunction": And,
    "disjunction": Or,
    **dict.fromkeys(("imply", "implication"), Implies),
    **dict.fromkeys(("iff", "equivalent", "equivalence", "biconditional"), Iff),
    **dict.fromkeys(("globally", "global"), Always),
    "finally": Eventually,
    "releases": Release,
    **dict.fromkeys(("prev", "previous", "previously"), Yesterday),
    **dict.fromkeys(("weakprev", "weakprevious"), WeakYesterday),
    "trigger": Triggered,
}
#: Letters are constructors in upper case alone.
_LETTERS: dict[str, Operator] = {
    **{sign: node for sign, node in PREFIXES.items() if sign.isupper()},
    **{sign: node for sign, (_, node) in INFIXES.items() if sign.isupper()},
    "V": Release,
}
_ATOMS = frozenset(
    {"atomicproposition", "atomicprop", "atomic", "atom", "proposition", "prop", "ap", "variable", "var", "literal"}
)
_TRUTH: dict[str, type[Top | Bottom]] = {"true": Top, "false": Bottom}
_CALLED_TRUTH: dict[str, type[Top | Bottom]] = {**_TRUTH, "top": Top, "bottom": Bottom}
_SIGNS: dict[type[ast.operator], type[Binary]] = {ast.BitAnd: And, ast.BitOr: Or}
#: The fields of two operands that have other names than left and right.
_FIRST = frozenset({"left", "a", "first", "lhs", "antecedent", "premise", "condition"})
_SECOND = frozenset({"right", "b", "second", "rhs", "consequent", "conclusion", "consequence"})
_ADVICE = {
    ast.Compare: "a comparison is no constructor; write LEquiv(…)",
    ast.BoolOp: "'and' and 'or' are no constructors; write LAnd(…) or LOr(…)",
    ast.Attribute: "a constructor is written without a dot",
}


@dataclass(frozen=True, slots=True)
class Value:
    """A formula that a piece of code builds, with its height and its number of nodes."""

    formula: Temporal
    height: int = 1
    nodes: int = 1


#: What a name stands for: a value, or why it can stand for none.
Names = Mapping[str, Value | str]
#: Why a name stands for nothing yet.
NOT_YET = "is used before it is assigned"


def is_constructor(name: str) -> bool:
    """Whether a name that is called makes a formula."""
    return _operator(name) is not None or _stem(name) in _ATOMS or _stem(name) in _CALLED_TRUTH


def truth(name: str) -> type[Top | Bottom] | None:
    """The constant that a word in quotes or a bare name means."""
    return _TRUTH.get(name.lower()) if name in (name.lower(), name.title(), name.upper()) else None


@dataclass(slots=True)
class Terms:
    """Builds formulas from the expressions of one source.

    ``is_strict`` tells afterwards whether only the constructors that prompts show have been used.
    """

    source: str
    is_strict: bool = True
    _line_starts: list[int] = field(default_factory=list)

    def value(self, node: ast.expr, names: Names, depth: int = 1) -> Value:
        """What an expression builds; raises :class:`FormulaSyntaxError`.

        ``names`` are the variables that have been assigned so far; a name that is none of them is a proposition.
        """
        if depth > MAX_DEPTH:
            raise too_deep(self.source, self._offset(node))
        match node:
            case ast.Call(ast.Name(name)):
                return self._call(node, name, names, depth)
            case ast.Name(name):
                return self._name(node, name, names)
            case ast.Constant(bool(value)):
                self.is_strict = False
                return Value(Top() if value else Bottom())
            case ast.Constant(str(text)):
                self.is_strict = False
                return self._quoted(node, text)
            case ast.BinOp(left, sign, right) if type(sign) in _SIGNS:
                self.is_strict = False
                operands = [self.value(operand, names, depth + 1) for operand in (left, right)]
                return self._built(node, _SIGNS[type(sign)], operands)
            case ast.UnaryOp(ast.Invert(), operand):
                self.is_strict = False
                return self._built(node, Not, [self.value(operand, names, depth + 1)])
        raise self._refusal(node, _ADVICE.get(type(node), "only constructors and names are taken"))

    def _refusal(self, node: ast.AST, problem: str) -> FormulaSyntaxError:
        return FormulaSyntaxError(problem, self.source, self._offset(node))

    def _call(self, node: ast.Call, name: str, names: Names, depth: int) -> Value:
        if isinstance(problem := names.get(name), str):
            raise self._refusal(node, f"{name!r} {problem}")
        operator = _operator(name)
        if operator is None:
            if _stem(name) in _ATOMS:
                return self._atom(node, name, names)
            if (constant := _CALLED_TRUTH.get(_stem(name))) and not node.args and not node.keywords:
                self.is_strict = False
                return Value(constant())
            raise self._refusal(node, f"there is no constructor {name!r}")
        self.is_strict &= name in CONSTRUCTORS
        arguments = self._arguments(node, name, operator)
        return self._built(node, operator, [self.value(argument, names, depth + 1) for argument in arguments])

    def _arguments(self, node: ast.Call, name: str, operator: Operator) -> list[ast.expr]:
        arguments = [*node.args]
        keywords = list(node.keywords)
        if any(isinstance(argument, ast.Starred) for argument in arguments) or any(not word.arg for word in keywords):
            raise self._refusal(node, f"the arguments of {name!r} must be written out")
        wanted = 1 if issubclass(operator, Unary) else 2
        given = len(arguments) + len(keywords)
        if operator in (And, Or) and given > 2 and not keywords:
            self.is_strict = False
            return arguments
        if given != wanted:
            raise self._refusal(node, f"{name!r} takes {_count(wanted)}, not {given}")
        if wanted == 2 and keywords:
            sides = {self._side(word): word.value for word in keywords}
            if len(sides) < len(keywords) or (arguments and 0 in sides):
                raise self._refusal(node, f"an argument of {name!r} is given twice")
            return arguments + [sides[side] for side in sorted(sides)]
        return arguments + [word.value for word in keywords]

    def _side(self, word: ast.keyword) -> int:
        name = cast("str", word.arg).lower()
        if name not in _FIRST | _SECOND:
            raise self._refusal(word.value, f"it is unclear which argument {word.arg!r} is; write left and right")
        return int(name in _SECOND)

    def _atom(self, node: ast.Call, name: str, names: Names) -> Value:
        """``AtomicProposition("x1")``, ``AtomicProposition(x1)``, ``Literal("True")``."""
        arguments = [*node.args, *(word.value for word in node.keywords)]
        if len(arguments) != 1:
            raise self._refusal(node, f"{name!r} takes one argument, not {len(arguments)}")
        self.is_strict &= name in (ATOM, LITERAL)
        match arguments[0]:
            case ast.Constant(bool(value)):
                self.is_strict &= name == LITERAL
                return Value(Top() if value else Bottom())
            case ast.Constant(str(text)):
                self.is_strict &= (truth(text) is not None) == (name == LITERAL)
                return self._quoted(node, text)
            case ast.Name(text):
                known = names.get(text)
                if isinstance(known, Value) and not isinstance(known.formula, Atom | Top | Bottom):
                    raise self._refusal(node, f"{text!r} is a formula already, and no name of a proposition")
                if isinstance(known, str) and known != NOT_YET:
                    raise self._refusal(node, f"{text!r} {known}")
                self.is_strict &= truth(text) is None and name == ATOM
                return known if isinstance(known, Value) else self._quoted(node, text)
        raise self._refusal(node, f"{name!r} takes a name")

    def _quoted(self, node: ast.expr, text: str) -> Value:
        name = text.strip()
        if constant := truth(name):
            return Value(constant())
        if not is_name(name):
            raise self._refusal(node, f"{text!r} is no name of a proposition")
        return Value(Atom(name))

    def _name(self, node: ast.Name, name: str, names: Names) -> Value:
        known = names.get(name)
        if isinstance(known, Value):
            return known
        if known is not None:
            raise self._refusal(node, f"{name!r} {known}")
        if name in CONSTRUCTORS or name in FURTHER or name in (ATOM, LITERAL):
            raise self._refusal(node, f"the constructor {name!r} lacks its arguments")
        self.is_strict &= truth(name) is None
        return self._quoted(node, name)

    def _built(self, node: ast.expr, operator: Operator, operands: list[Value]) -> Value:
        """The formula of an operator over its operands, of which a conjunction or disjunction may have many."""
        built = operands[0]
        if issubclass(operator, Unary):
            return self._checked(node, Value(operator(built.formula), built.height + 1, built.nodes + 1))
        for operand in operands[1:]:
            formula = operator(built.formula, operand.formula)
            height, nodes = max(built.height, operand.height) + 1, built.nodes + operand.nodes + 1
            built = self._checked(node, Value(formula, height, nodes))
        return built

    def _checked(self, node: ast.expr, value: Value) -> Value:
        if value.height > MAX_DEPTH:
            raise too_deep(self.source, self._offset(node))
        if value.nodes > MAX_NODES:
            raise LimitError(f"the formula has more than {MAX_NODES:,} parts", self.source, self._offset(node))
        return value

    def _offset(self, node: ast.AST) -> int:
        """Where in the source a piece of code begins, in characters; Python counts in bytes of UTF-8."""
        if not self._line_starts:
            lines = self.source.splitlines(keepends=True)
            self._line_starts = [sum(map(len, lines[:at])) for at in range(len(lines) + 1)]
        start = self._line_starts[min(getattr(node, "lineno", 1), len(self._line_starts)) - 1]
        before = self.source[start:].encode()[: getattr(node, "col_offset", 0)]
        return start + len(before.decode(errors="ignore"))


def _count(number: int) -> str:
    return "one argument" if number == 1 else f"{number} arguments"


def _stem(name: str) -> str:
    """A constructor's name in lower case, without underscores and the ``L`` that stands for logic."""
    stem = name.lower().replace("_", "")
    return stem[1:] if stem.startswith("l") and stem != "literal" else stem


def _operator(name: str) -> Operator | None:
    """The operator that a constructor is called after."""
    if name in CONSTRUCTORS:
        return CONSTRUCTORS[name]
    if len(name) == 1:
        return _LETTERS.get(name)
    return _INVENTED.get(_stem(name))
