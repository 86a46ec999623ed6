"""From tokens to the tree: operator precedence with an explicit stack, so that no input exhausts the interpreter's.

Tightest first: ¬ and quantifiers, ∧, ∨, ⊕, →, ↔; → groups to the right, the others to the left. A quantifier followed
by a dot or a colon reaches as far right as it can; without one it binds like ¬.

The words ``forall all exists some`` are quantifiers only where a name follows them, ``true false`` are ⊤ and ⊥ only
where they stand as formulas and nothing is applied; everywhere else they are names.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.logic.limits import MAX_DEPTH, MAX_TERM_DEPTH, too_deep
from pytest_autoeval.languages.logic.signature import count_of_arguments
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
from pytest_autoeval.languages.logic.tokens import END, NAME, LogicToken, strict_tokens

CONNECTIVES: dict[str, tuple[int, type[Binary]]] = {
    "↔": (1, Iff),
    "→": (2, Implies),
    "⊕": (3, Xor),
    "∨": (4, Or),
    "∧": (5, And),
}
QUANTIFIERS: dict[str, type[Quantified]] = {
    "∀": Forall,
    "∃": Exists,
    "forall": Forall,
    "all": Forall,
    "exists": Exists,
    "some": Exists,
}
CLOSING = {"(": ")", "[": "]", "{": "}"}
_TRUTH: dict[str, type[Top | Bottom]] = {"⊤": Top, "⊥": Bottom, "true": Top, "false": Bottom}
_FORMULA = ("a formula",)
_AFTER_FORMULA = ("a connective", "the end")
_PREFIX, _WIDE, _BRACKET = 9, 0, -1


def parse(text: str, *, quantifiers: bool = True) -> Sentence:
    """The formula that a text strictly is; raises FormulaSyntaxError.

    ``quantifiers``: False for propositional logic, which has neither quantifiers nor terms nor equality.
    """
    return Parser(text, strict_tokens(text), quantifiers=quantifiers).formula()


@dataclass(slots=True, eq=False)
class Pending:
    """What the stack holds: a binary connective, a prefix (¬ or a quantifier), or an open bracket."""

    strength: int
    token: LogicToken
    node: type[Sentence] | None = None
    variable: str = ""


@dataclass(slots=True, eq=False)
class Scope:
    """What a quantifier binds: the tokens from ``start`` to before ``end``; its own text begins at ``first``."""

    first: int
    start: int
    variable: str
    wide: bool
    end: int = -1


@dataclass(slots=True, eq=False)
class Parser:
    """One parse of one text; the lenient parser overrides what stands in a method of its own."""

    text: str
    tokens: list[LogicToken]
    quantifiers: bool = True
    at: int = 0
    scopes: list[Scope] = field(default_factory=list)
    #: The numbers of the tokens that are terms without arguments: variables or constants.
    plain_terms: list[int] = field(default_factory=list)
    _stack: list[Pending] = field(default_factory=list)
    _operands: list[tuple[Sentence, int]] = field(default_factory=list)
    _open_scopes: list[Scope] = field(default_factory=list)
    _brackets: int = 0
    _predicates: dict[str, int] = field(default_factory=dict)
    _functions: dict[str, int] = field(default_factory=dict)

    def formula(self) -> Sentence:
        """The tree of the whole text."""
        while True:
            self._operand()
            while self._closes():
                pass
            token = self.tokens[self.at]
            if token.kind == END:
                break
            self._connective(token)
        self._reduce(_WIDE)
        if self._stack:
            opened = self._stack[-1].token
            self.fail(f"{opened.text!r} at column {opened.start + 1} is never closed", (repr(CLOSING[opened.kind]),))
        self._check_constants()
        return self._operands[0][0]

    # --- what the lenient parser sees differently ---

    def connective(self, token: LogicToken) -> str:
        """The sign of the connective that a token is after an operand, or an empty text."""
        return token.kind if token.kind in CONNECTIVES else ""

    def prefix(self) -> bool:
        """Puts a negation or a quantifier on the stack if one stands here."""
        token = self.tokens[self.at]
        if token.kind == "¬":
            self.push_negation(token)
            return True
        if self.is_quantifier(self.at):
            first = self.at
            self.at += 1
            variable = self.expect_name("a variable")
            wide = self.tokens[self.at].kind in (".", ":")
            self.at += wide
            self.push_quantifier(first, variable, wide=wide)
            return True
        return False

    def opens(self, token: LogicToken) -> bool:
        """Whether a token is an opening bracket."""
        return token.kind == "("

    # --- shared by both ---

    def is_quantifier(self, at: int) -> bool:
        """Whether the token with a number, where an operand may begin, is a quantifier."""
        token = self.tokens[at]
        if token.kind == NAME:
            return self.quantifiers and token.text in QUANTIFIERS and self.tokens[at + 1].kind == NAME
        if token.kind in ("∀", "∃") and not self.quantifiers:
            self.fail("propositional logic has no quantifiers", _FORMULA, at=at)
        return token.kind in ("∀", "∃")

    def push_negation(self, token: LogicToken) -> None:
        """Takes a negation."""
        self._stack.append(Pending(_PREFIX, token, Not))
        self.at += 1

    def push_quantifier(self, first: int, variable: LogicToken, *, wide: bool) -> None:
        """Takes a quantifier over one variable, read from the token with the number ``first`` up to ``self.at``."""
        token = self.tokens[first + (self.tokens[first].kind in CLOSING)]
        node = QUANTIFIERS[token.kind if token.kind != NAME else token.text]
        mark = self.tokens[self.at]
        if node is Exists and mark.text == "!" and mark.start == variable.end:
            self.fail("'∃x!' may say 'exactly one' or 'not'", ("a dot behind the variable",))
        self._stack.append(Pending(_WIDE if wide else _PREFIX, token, node, variable.text))
        scope = Scope(first, self.at, variable.text, wide)
        self.scopes.append(scope)
        self._open_scopes.append(scope)

    def expect_name(self, what: str) -> LogicToken:
        """Takes a name."""
        token = self.tokens[self.at]
        if token.kind != NAME:
            self.fail(self.unexpected(token), (what,))
        self.at += 1
        return token

    def unexpected(self, token: LogicToken) -> str:
        """The problem that a token is out of place."""
        return "the text ends too early" if token.kind == END else f"unexpected {token.text!r}"

    def fail(self, problem: str, expected: tuple[str, ...] = (), at: int | None = None) -> NoReturn:
        """Raises the error for the token here, or for that with the number ``at``."""
        raise FormulaSyntaxError(problem, self.text, self.tokens[self.at if at is None else at].start, expected)

    def _operand(self) -> None:
        """Prefixes, brackets and then an atom."""
        while True:
            token = self.tokens[self.at]
            if self.prefix():
                continue
            if not self.opens(token):
                break
            self._brackets += 1
            if self._brackets > MAX_DEPTH:
                raise too_deep(self.text, token.start)
            self._stack.append(Pending(_BRACKET, token))
            self.at += 1
        atom = self._atom(token)
        self._operands.append((atom, 1 + isinstance(atom, Not)))

    def _atom(self, token: LogicToken) -> Sentence:
        truth = token.kind if token.kind != NAME else token.text
        if truth in _TRUTH and self.tokens[self.at + 1].kind not in ("(", "=", "≠"):
            self.at += 1
            return _TRUTH[truth]()
        if token.kind != NAME:
            self.fail(self.unexpected(token), _FORMULA)
        start = self.at
        term = self._applied(0)
        sign = self.tokens[self.at].kind
        if not self.quantifiers and (term.arguments or sign in ("=", "≠")):
            self.at = start + 1
            self.fail("propositional logic has no predicates, functions or equality", _AFTER_FORMULA)
        if sign not in ("=", "≠"):
            self._fix_arity(self._predicates, term, start)
            return Atom(term.name, term.arguments)
        self._note_term(term, start)
        self.at += 1
        equality = Equal(term, self._term(1))
        return equality if sign == "=" else Not(equality)

    def _term(self, depth: int) -> Term:
        start = self.at
        term = self._applied(depth)
        self._note_term(term, start)
        return term

    def _applied(self, depth: int) -> Term:
        """A name and its arguments, if there are any."""
        token = self.expect_name("a term")
        opened = self.tokens[self.at]
        if opened.kind != "(" or "\n" in self.text[token.end : opened.start]:
            return Term(token.text)
        if depth > MAX_TERM_DEPTH:
            raise too_deep(self.text, opened.start)
        self.at += 1
        arguments: list[Term] = []
        if self.tokens[self.at].kind != ")":
            arguments.append(self._term(depth + 1))
            while self.tokens[self.at].kind == ",":
                self.at += 1
                arguments.append(self._term(depth + 1))
        if self.tokens[self.at].kind != ")":
            self.fail(self.unexpected(self.tokens[self.at]), ("','", "')'"))
        self.at += 1
        return Term(token.text, tuple(arguments))

    def _note_term(self, term: Term, start: int) -> None:
        if term.arguments:
            self._fix_arity(self._functions, term, start)
        else:
            self.plain_terms.append(start)

    def _fix_arity(self, arities: dict[str, int], term: Term, start: int) -> None:
        arity = len(term.arguments)
        known = arities.setdefault(term.name, arity)
        if known != arity:
            self.fail(
                f"{term.name!r} is used with {count_of_arguments(arity)} after {count_of_arguments(known)}", at=start
            )

    def _check_constants(self) -> None:
        """A free name without arguments must not be a function elsewhere; a bound variable may be named like one."""
        for at in self.plain_terms:
            name = self.tokens[at].text
            if name in self._functions and not self.binds(name, at):
                arity = count_of_arguments(self._functions[name])
                self.fail(f"{name!r} is used without arguments and with {arity}", at=at)

    def binds(self, name: str, at: int) -> bool:
        """Whether a quantifier binds the name at the token with the number ``at``."""
        return any(scope.variable == name and scope.start <= at < scope.end for scope in self.scopes)

    def _closes(self) -> bool:
        """Takes one closing bracket, if one stands here."""
        token = self.tokens[self.at]
        if token.kind not in CLOSING.values():
            return False
        self._reduce(_WIDE)
        if not self._stack:
            self.fail(f"{token.text!r} closes nothing", _AFTER_FORMULA)
        closing = CLOSING[self._stack[-1].token.kind]
        if token.kind != closing:
            self.fail(self.unexpected(token), (repr(closing), "a connective"))
        self._stack.pop()
        self._brackets -= 1
        self.at += 1
        return True

    def _connective(self, token: LogicToken) -> None:
        sign = self.connective(token)
        if not sign:
            end = f"'{CLOSING[bracket.token.kind]}'" if (bracket := self._open_bracket()) else "the end"
            self.fail(self.unexpected(token), ("a connective", end))
        strength, node = CONNECTIVES[sign]
        self._reduce(strength + (node is Implies))
        self._stack.append(Pending(strength, token, node))
        self.at += 1

    def _open_bracket(self) -> Pending | None:
        return next((entry for entry in reversed(self._stack) if entry.strength == _BRACKET), None)

    def _reduce(self, strength: int) -> None:
        """Builds the nodes on top of the stack that bind at least as tightly, down to a bracket."""
        while self._stack and self._stack[-1].strength >= strength:
            entry = self._stack.pop()
            operand, depth = self._operands.pop()
            node = entry.node
            if node is Not:
                built: Sentence = Not(operand)
            elif entry.variable:
                built = node(entry.variable, operand)  # type: ignore[misc, call-arg]
                self._open_scopes.pop().end = self.at
            else:
                left, left_depth = self._operands.pop()
                built = node(left, operand)  # type: ignore[misc, call-arg]
                depth = max(depth, left_depth)
            if depth >= MAX_DEPTH:
                raise too_deep(self.text, entry.token.start)
            self._operands.append((built, depth + 1))
