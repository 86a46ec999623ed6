"""From tokens to the tree.

Tightest first, as in NuSMV: the unary operators; ``U R W S T``; ``&``; ``|`` and ``xor``; ``<->``; ``->``. The last
groups to the right, the others to the left: ``a <-> b -> c`` is ``(a <-> b) -> c``, ``a U b U c`` is ``(a U b) U c``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ltl.tokens import NAME, LtlToken, strict_tokens
from pytest_autoeval.languages.precedence import PrecedenceParser

PREFIXES: dict[str, type[ltl.Unary]] = {sign.strip(): node for node, sign in ltl.PREFIX_SIGNS.items()}
_STRENGTHS: dict[type[ltl.Binary], int] = {ltl.Implies: 1, ltl.Iff: 2, ltl.Or: 3, ltl.Xor: 3, ltl.And: 4}
_TEMPORAL = 5
#: How tightly each binary operator binds, and its node; ``xnor`` is a biconditional that binds like ``|``.
INFIXES: dict[str, tuple[int, type[ltl.Binary]]] = {
    **{sign: (_STRENGTHS.get(node, _TEMPORAL), node) for node, sign in ltl.INFIX_SIGNS.items()},
    "xnor": (_STRENGTHS[ltl.Or], ltl.Iff),
}
_TRUTH = {"true": ltl.Top, "false": ltl.Bottom}


def parse(text: str) -> Temporal:
    """The formula that a text strictly is; raises FormulaSyntaxError."""
    return parse_tokens(text, strict_tokens(text))


def parse_tokens(text: str, tokens: list[LtlToken]) -> Temporal:
    """The formula of all the tokens, the last of which is of kind ``end``; raises FormulaSyntaxError.

    ``text`` is what the tokens' offsets count in.
    """
    return cast("Temporal", _Parser(text, tokens).tree())


@dataclass(slots=True, eq=False)
class _Parser(PrecedenceParser):
    rightward: ClassVar = ltl.Implies

    def prefix(self) -> bool:
        token = self.tokens[self.at]
        if token.kind not in PREFIXES:
            return False
        self.push_prefix(token, PREFIXES[token.kind])
        self.at += 1
        return True

    def infix(self, token: LtlToken) -> tuple[int, type[ltl.Binary]] | None:
        before = self.tokens[self.at - 1]
        if token.kind not in INFIXES and before.kind == NAME and set(before.text) <= PREFIXES.keys():
            problem = f"{before.text!r} is a name here; as operators, write {' '.join(before.text)!r}"
            self.fail(problem, at=self.at - 1)
        return INFIXES.get(token.kind)

    def atom(self, token: LtlToken) -> Temporal:
        if token.kind != NAME and token.kind not in _TRUTH:
            self.fail(self.unexpected(token), ("a formula",))
        self.at += 1
        return ltl.Atom(token.text) if token.kind == NAME else _TRUTH[token.kind]()
