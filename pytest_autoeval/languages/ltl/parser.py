"""From tokens to the tree: operator precedence with an explicit stack, so that no input exhausts the interpreter's.

Tightest first, as in NuSMV: the unary operators; ``U R W S T``; ``&``; ``|`` and ``xor``; ``<->``; ``->``. The last
groups to the right, the others to the left: ``a <-> b -> c`` is ``(a <-> b) -> c``, ``a U b U c`` is ``(a U b) U c``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn, cast

from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.ltl.limits import MAX_DEPTH, mark_checked, too_deep
from pytest_autoeval.languages.ltl.syntax import (
    INFIX_SIGNS,
    PREFIX_SIGNS,
    And,
    Atom,
    Binary,
    Bottom,
    Iff,
    Implies,
    Or,
    Temporal,
    Top,
    Unary,
    Xor,
)
from pytest_autoeval.languages.ltl.tokens import END, NAME, LtlToken, strict_tokens

PREFIXES: dict[str, type[Unary]] = {sign.strip(): node for node, sign in PREFIX_SIGNS.items()}
_STRENGTHS: dict[type[Binary], int] = {Implies: 1, Iff: 2, Or: 3, Xor: 3, And: 4}
_TEMPORAL = 5
#: How tightly each binary operator binds, and its node; ``xnor`` is a biconditional that binds like ``|``.
INFIXES: dict[str, tuple[int, type[Binary]]] = {
    **{sign: (_STRENGTHS.get(node, _TEMPORAL), node) for node, sign in INFIX_SIGNS.items()},
    "xnor": (_STRENGTHS[Or], Iff),
}
_PREFIX, _LOOSEST, _BRACKET = 9, 0, -1
_TRUTH: dict[str, type[Top | Bottom]] = {"true": Top, "false": Bottom}


def parse(text: str) -> Temporal:
    """The formula that a text strictly is; raises FormulaSyntaxError."""
    return parse_tokens(text, strict_tokens(text))


def parse_tokens(text: str, tokens: list[LtlToken]) -> Temporal:
    """The formula of all the tokens, the last of which is of kind ``end``; raises FormulaSyntaxError.

    ``text`` is what the tokens' offsets count in.
    """
    formula = _Parser(text, tokens).formula()
    mark_checked(formula)
    return formula


@dataclass(slots=True, eq=False)
class _Pending:
    """What the stack holds: an operator that lacks its last operand, or an open bracket."""

    strength: int
    token: LtlToken
    node: type[Unary | Binary] | None = None


@dataclass(slots=True, eq=False)
class _Parser:
    """One parse of one text."""

    text: str
    tokens: list[LtlToken]
    at: int = 0
    stack: list[_Pending] = field(default_factory=list)
    #: Finished formulas with their heights.
    operands: list[tuple[Temporal, int]] = field(default_factory=list)
    brackets: int = 0

    def formula(self) -> Temporal:
        """The tree of the whole text."""
        while True:
            self._operand()
            while self.tokens[self.at].kind == ")":
                self._close()
            token = self.tokens[self.at]
            if token.kind == END:
                break
            self._infix(token)
        self._reduce(_LOOSEST)
        if self.stack:
            opened = self.stack[-1].token
            self._fail(f"{opened.text!r} at {self._place(opened)} is never closed", ("a connective", "')'"))
        return self.operands[0][0]

    def _operand(self) -> None:
        """Prefixes and brackets, then an atom or a truth constant."""
        while True:
            token = self.tokens[self.at]
            if token.kind in PREFIXES:
                self.stack.append(_Pending(_PREFIX, token, PREFIXES[token.kind]))
            elif token.kind == "(":
                self.brackets += 1
                if self.brackets > MAX_DEPTH:
                    raise too_deep(self.text, token.start)
                self.stack.append(_Pending(_BRACKET, token))
            else:
                break
            self.at += 1
        if token.kind == NAME:
            self.operands.append((Atom(token.text), 1))
        elif token.kind in _TRUTH:
            self.operands.append((_TRUTH[token.kind](), 1))
        else:
            self._fail(self._unexpected(token), ("a formula",))
        self.at += 1

    def _close(self) -> None:
        self._reduce(_LOOSEST)
        if not self.stack:
            self._fail("')' closes nothing", ("a connective", "the end"))
        self.stack.pop()
        self.brackets -= 1
        self.at += 1

    def _infix(self, token: LtlToken) -> None:
        if token.kind not in INFIXES:
            self._refuse_after_formula(token)
        strength, node = INFIXES[token.kind]
        self._reduce(strength + (node is Implies))
        self.stack.append(_Pending(strength, token, node))
        self.at += 1

    def _reduce(self, strength: int) -> None:
        """Builds the nodes on top of the stack that bind at least as tightly, down to a bracket."""
        while self.stack and self.stack[-1].strength >= strength:
            entry = self.stack.pop()
            node = entry.node
            last, height = self.operands.pop()
            if entry.strength == _PREFIX:
                built: Temporal = cast("type[Unary]", node)(last)
            else:
                first, first_height = self.operands.pop()
                built = cast("type[Binary]", node)(first, last)
                height = max(height, first_height)
            if height >= MAX_DEPTH:
                raise too_deep(self.text, entry.token.start)
            self.operands.append((built, height + 1))

    def _refuse_after_formula(self, token: LtlToken) -> NoReturn:
        before = self.tokens[self.at - 1]
        if before.kind == NAME and len(before.text) > 1 and set(before.text) <= PREFIXES.keys():
            self.at -= 1
            self._fail(f"{before.text!r} is a name here; as operators, write {' '.join(before.text)!r}")
        bracket = any(entry.strength == _BRACKET for entry in self.stack)
        self._fail(self._unexpected(token), ("a connective", "')'" if bracket else "the end"))

    def _unexpected(self, token: LtlToken) -> str:
        return "the text ends too early" if token.kind == END else f"unexpected {token.text!r}"

    def _place(self, token: LtlToken) -> str:
        line, column = self.text.count("\n", 0, token.start), token.start - self.text.rfind("\n", 0, token.start)
        return f"line {line + 1}, column {column}" if "\n" in self.text else f"column {column}"

    def _fail(self, problem: str, expected: tuple[str, ...] = ()) -> NoReturn:
        raise FormulaSyntaxError(problem, self.text, self.tokens[self.at].start, expected)
