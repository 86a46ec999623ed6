"""The strict parser of temporal logic on finite traces: that of infinite traces, with ``X[!]`` and without the past.

Only ``X[!]`` is the strong next, and only ``X`` the weak one. Other spellings of a next operator are refused: ``○`` and
``next`` are the strong next in some papers and the weak one in others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, cast

from msgspec import structs

from pytest_autoeval.features.finite_traces import syntax
from pytest_autoeval.features.finite_traces.syntax import OnFiniteTraces
from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.ltl.letters import KnownNames
from pytest_autoeval.languages.ltl.parser import (
    INFIXES,
    NAME,
    PREFIXES,
    QUOTED,
    LtlToken,
    starts_operand,
    strict_tokens,
    with_letters_apart,
)
from pytest_autoeval.languages.precedence import PrecedenceParser
from pytest_autoeval.lazy_pattern import lazy_pattern

#: The strong next, also behind operator letters: ``GX[!] a``. Its letter is a group.
STRONG_NEXT = lazy_pattern(r"(?<![\w.])[XFG]*(X)[ ]?\[!\]")
_STRONG = "X[!]"
UNCLEAR = "could be the strong or the weak next; write 'X[!]' (strong) or 'X' (weak)"
_NODES: dict[str, type[OnFiniteTraces]] = {
    sign.strip(): node for node, sign in (*syntax.PREFIX_SIGNS.items(), *syntax.INFIX_SIGNS.items())
}
_TRUTH: dict[str, type[OnFiniteTraces]] = {"true": syntax.Top, "false": syntax.Bottom}


def parse(text: str) -> OnFiniteTraces:
    """The formula of a text in the strict syntax; raises :class:`FormulaSyntaxError`."""
    tokens = tokens_of(text)
    with naming_other_next(text):
        return cast("OnFiniteTraces", FiniteTraceParser(text, tokens).tree())


@contextmanager
def naming_other_next(text: str) -> Iterator[None]:
    """Says what to write where a text cannot be read behind the next operator of another tool.

    In LTLf2DFA, for example, ``X`` is the strong next and ``WX`` the weak one.
    """
    try:
        yield
    except FormulaSyntaxError as problem:
        # A proposition may have this name. Then a connective stands behind it, and the text can be read.
        word = re.search(r"(?<![\w.])(WX|WN|N)\s*+$", text[: problem.offset])
        if word is None:
            raise
        advice = f"{word[1]!r} is the next operator of another tool; write 'X' for the weak next, 'X[!]' for the strong"
        raise FormulaSyntaxError(advice, text, word.start()) from None


def tokens_of(text: str, *, apart: bool = True) -> list[LtlToken]:
    """The tokens of a text, the last of kind ``end``. With ``apart``, words such as ``GFa`` are several tokens."""
    strong = {match.start(1) for match in STRONG_NEXT.finditer(text)}
    # The brackets become spaces, so that the scanner of infinite traces reads the letter, at the same place.
    readable = STRONG_NEXT.sub(lambda match: match[0].rstrip(" [!]").ljust(len(match[0])), text)
    try:
        tokens = strict_tokens(readable)
        if apart:
            tokens = with_letters_apart(readable, tokens, KnownNames(), starts_operand)
    except FormulaSyntaxError as problem:
        # The message shows the text as it was written.
        raise type(problem)(problem.problem, text, problem.offset, problem.expected) from None
    return [
        structs.replace(token, kind=_STRONG)
        if token.kind == "X" and token.start in strong
        else token
        for token in tokens
    ]


@dataclass(slots=True, eq=False)
class FiniteTraceParser(PrecedenceParser):
    """One parse of one text."""

    rightward: ClassVar = syntax.Implies

    @property
    def is_large(self) -> bool:
        return True

    def prefix(self) -> bool:
        token = self.tokens[self.at]
        if token.kind != _STRONG and token.kind not in PREFIXES:
            return False
        if token.kind == "X":
            self._check_weak_next(token)
        self.push_prefix(token, self._node(token))
        self.at += 1
        return True

    def infix(self, token: LtlToken) -> tuple[int, type[OnFiniteTraces]] | None:
        if token.kind not in INFIXES:
            return None
        strength, _ = INFIXES[token.kind]
        return strength, self._node(token)

    def atom(self, token: LtlToken) -> OnFiniteTraces:
        if token.kind in _TRUTH:
            self.at += 1
            return _TRUTH[token.kind]()
        if token.kind not in (NAME, QUOTED):
            self.fail(self.unexpected(token), ("a formula",))
        self.at += 1
        return syntax.Atom(token.text)

    def _check_weak_next(self, token: LtlToken) -> None:
        following = self.tokens[self.at + 1]
        if token.text != "X":
            self.fail(f"{token.text!r} {UNCLEAR}")
        if following.kind == "!" and following.start == token.end:
            self.fail(f"'X!' {UNCLEAR}, or 'X !' for the weak next of a negation")

    def _node(self, token: LtlToken) -> type[OnFiniteTraces]:
        kind = "<->" if token.kind == "xnor" else token.kind
        if kind not in _NODES:
            self.fail(
                f"{token.text!r} is an operator of the past, which finite traces do not have here"
            )
        return _NODES[kind]
