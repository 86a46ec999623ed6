"""Tokens and the strict parser.

Precedence, tightest first: ¬ and quantifiers, ∧, ∨, ⊕, →, ↔. → groups to the right, the others to the left. A
quantifier followed by a dot or a colon reaches as far right as it can; without one it binds like ¬.

The words of :mod:`~pytest_autoeval.languages.logic.reserved` are never names. ``true false`` are ⊤ and ⊥, and applied
to arguments they are predicates.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, NoReturn, cast

from pytest_autoeval.languages import precedence
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.brackets import CLOSING, contents
from pytest_autoeval.languages.logic.notations import with_notation_named
from pytest_autoeval.languages.logic.quantifiers import (
    VARIABLE,
    Scope,
    beyond_their_scopes,
    is_glued,
    sort_at,
)
from pytest_autoeval.languages.logic.reserved import QUANTIFIER_WORDS, TRUTH_WORDS, reserved_as
from pytest_autoeval.languages.logic.signature import arguments_phrase
from pytest_autoeval.languages.logic.syntax import Sentence, Term
from pytest_autoeval.languages.precedence import LOOSEST, PREFIX, PrecedenceParser
from pytest_autoeval.languages.size_limits import (
    MAX_LARGE_LENGTH,
    MAX_LENGTH,
    MAX_TERM_DEPTH,
    too_deep,
)
from pytest_autoeval.lazy_pattern import lazy_pattern

LogicToken = precedence.FormulaToken
NAME, END = precedence.NAME, precedence.END

_STRICT_SIGNS = {
    **dict.fromkeys(("∧", "&", "&&", "/\\"), "∧"),
    **dict.fromkeys(("∨", "|", "||", "\\/"), "∨"),
    **dict.fromkeys(("¬", "~", "!", "-"), "¬"),
    **dict.fromkeys(("→", "->", "=>", "⇒", "⊃"), "→"),
    **dict.fromkeys(("↔", "<->", "<=>", "⇔", "≡"), "↔"),
    **dict.fromkeys(("⊕", "^"), "⊕"),
    **dict.fromkeys(("≠", "!="), "≠"),
    **{sign: sign for sign in "∀∃⊤⊥=(),.:"},
}
#: Rare signs too. Where a sign is not known, a broken answer could lose its second half and be read without it.
LENIENT_SIGNS = {
    **_STRICT_SIGNS,
    **dict.fromkeys(("·", "⋅", "∙", "•", "⋀", "⩓"), "∧"),
    **dict.fromkeys(("˄", "＆"), "∧"),
    **dict.fromkeys(("⋁", "˅", "｜", "∣"), "∨"),
    **dict.fromkeys(("∼", "～", "￢", "−"), "¬"),
    **dict.fromkeys(("⟶", "⟹", "⇾", "==>", "-->"), "→"),
    **dict.fromkeys(("⟷", "⟺", "<==>", "<-->"), "↔"),
    "⊻": "⊕",
    **{sign: sign for sign in "[]{}"},
    "（": "(", "）": ")", "，": ",",
    "\\{": "{", "\\}": "}",
    "\\&": "∧", "\\|": "∨",
}  # fmt: skip
LATEX_COMMANDS = {
    **dict.fromkeys(("land", "wedge", "cdot", "bullet", "bigwedge", "And"), "∧"),
    **dict.fromkeys(("lor", "vee", "bigvee"), "∨"),
    **dict.fromkeys(("lnot", "neg", "sim"), "¬"),
    **dict.fromkeys(
        ("to", "rightarrow", "Rightarrow", "implies", "longrightarrow", "Longrightarrow", "supset"),
        "→",
    ),
    **dict.fromkeys(
        (
            "leftrightarrow",
            "Leftrightarrow",
            "iff",
            "longleftrightarrow",
            "Longleftrightarrow",
            "equiv",
        ),
        "↔",
    ),
    **dict.fromkeys(("oplus", "veebar"), "⊕"),
    "forall": "∀",
    "exists": "∃",
    "top": "⊤",
    "bot": "⊥",
    **dict.fromkeys(("neq", "ne"), "≠"),
    "colon": ":",
    "lbrack": "[",
    "rbrack": "]",
    "lbrace": "{",
    "rbrace": "}",
    "lparen": "(",
    "rparen": ")",
}

# \w lacks combining marks of Latin, Hebrew, Arabic and Indic script; without them, words in these scripts would be
# split.
_LETTER = (
    r"\w\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0970-\u0dff\u0e31-\u0e4e"
)
#: A hyphen joins only what is a word on both sides, since "-" before a name is a negation.
_JOINT = r"(?:-(?=[^\W_])|(?<=[^\W\d_])['’](?=[^\W\d_]))"
_WORD = rf"[{_LETTER}]+(?:(?<=[^\W_]){_JOINT}[{_LETTER}]+)*"
# In LaTeX an underscore may be escaped, and a subscript may be in braces.
_LATEX_WORD = rf"[{_LETTER}]+(?:(?:\\_|(?<=[^\W_]){_JOINT})[{_LETTER}]+|(?<=_)\{{\w+\}})*"


def _scanner(space: str, word: str, signs: dict[str, str]) -> re.Pattern[str]:
    # The longest sign first, since the first alternative that matches counts: "<->" before "-", "&&" before "&".
    alternatives = "|".join(re.escape(sign) for sign in sorted(signs, key=len, reverse=True))
    return re.compile(rf"{space}(?:({word})|({alternatives})|(\\[A-Za-z]+)|(\Z)|(.))", re.DOTALL)


_STRICT = _scanner(r"\s*", _WORD, _STRICT_SIGNS)
#: Also marks without width, which come with copied text, and LaTeX's spaces and sizes of brackets. None has a meaning.
_SPACE = (
    r"(?:[\s\u200b-\u200d\u2060\ufeff]|\\[,;:!\s]|\\\\"
    r"|\\(?:left|right|[bB]igg?[lr]?|q?quad|displaystyle)(?![A-Za-z]))*"
)
_LENIENT = _scanner(_SPACE, _LATEX_WORD, LENIENT_SIGNS)
_WRAPPED = lazy_pattern(
    r"\\(?:text(?:it|bf|rm|sf|tt|sc|normal)?|math(?:rm|it|bf|sf|tt|cal|bb|ord|rel|bin|op)|operatorname\*?|mbox)\s*"
    r"\{([^{}]*)\}"
)


def is_name(text: str) -> bool:
    """Whether a text is one name of the strict syntax."""
    return re.fullmatch(_WORD, text) is not None and not reserved_as(text)[0]


def strict_tokens(text: str, longest: int = MAX_LENGTH) -> list[LogicToken]:
    """The tokens of the canonical notation and its strict variants; the last has the kind ``end``."""
    return _tokens(text, _STRICT, _STRICT_SIGNS, longest)


def lenient_tokens(text: str) -> list[LogicToken]:
    """The tokens of all supported notations, LaTeX included. Apply :func:`unwrapped` first."""
    tokens = _tokens(text, _LENIENT, LENIENT_SIGNS)
    if "\\" not in text and "{" not in text:
        return tokens
    return [
        token if token.kind != NAME else token._replace(text=_plain(token.text)) for token in tokens
    ]


def unwrapped(text: str) -> str:
    r"""The text with LaTeX's ``\text{…}``, ``\mathrm{…}`` and the like replaced by their contents."""
    # Wrappers may stand in wrappers. Each pass opens the innermost ones; a fixed number keeps the time linear.
    for _ in range(4):
        if "\\" not in text or len(text) > MAX_LENGTH:
            break
        changed = _WRAPPED.sub(r" \1", text)
        if changed == text:
            break
        text = changed
    return text


def _plain(name: str) -> str:
    return name.replace("\\_", "_").replace("{", "").replace("}", "")


def _tokens(
    text: str, scanner: re.Pattern[str], signs: dict[str, str], longest: int = MAX_LENGTH
) -> list[LogicToken]:
    commands = LATEX_COMMANDS if signs is LENIENT_SIGNS else {}

    def kind_of(match: re.Match[str]) -> str | None:
        name, sign, command, end, _ = match.groups()
        if name:
            return NAME
        return END if end is not None else signs.get(sign) or commands.get((command or "")[1:])

    return precedence.scan(text, scanner, kind_of, longest)


CONNECTIVES: dict[str, tuple[int, type[fol.Binary]]] = {
    "↔": (1, fol.Iff),
    "→": (2, fol.Implies),
    "⊕": (3, fol.Xor),
    "∨": (4, fol.Or),
    "∧": (5, fol.And),
}
_QUANTIFIERS: dict[str, type[fol.Quantified]] = {"∀": fol.Forall, "∃": fol.Exists}
_TRUTH: dict[str, type[Sentence]] = {"⊤": fol.Top, "⊥": fol.Bottom}
_EXPECTED_FORMULA = ("a formula",)
_EQUATION_SIGNS = ("=", "≠")


def parse(text: str, *, quantifiers: bool = True) -> Sentence:
    """Parses a formula in the strict notation; raises FormulaSyntaxError.

    ``quantifiers``: False for propositional logic, without quantifiers, terms and equality.
    """
    with with_notation_named():
        # What handles propositional trees does not recurse, so that they may be much longer.
        longest = MAX_LENGTH if quantifiers else MAX_LARGE_LENGTH
        parser = Parser(text, strict_tokens(text, longest), quantifiers=quantifiers)
        formula = parser.formula()
        parser.check_reach()
        return formula


@dataclass(slots=True, eq=False)
class Parser(PrecedenceParser):
    """One parse of one text. The lenient parser overrides its first methods."""

    quantifiers: bool = True
    scopes: list[Scope] = field(default_factory=list)
    #: The indices of the tokens that are free names without arguments, used as terms.
    free_terms: list[int] = field(default_factory=list)
    # A count and not a set: after ∀x. (∃x. P(x)) ∧ Q(x) the inner x has ended, and the outer one is still bound.
    _bound: Counter[str] = field(default_factory=Counter)
    _predicates: dict[str, int] = field(default_factory=dict)
    _functions: dict[str, int] = field(default_factory=dict)

    #: Whether ``True`` and ``EXISTS`` are ⊤ and a quantifier, as ``true`` and ``exists`` are.
    any_case: ClassVar[bool] = False
    closing = CLOSING
    rightward: ClassVar = fol.Implies

    @property
    def is_large(self) -> bool:
        return not self.quantifiers

    def formula(self) -> Sentence:
        formula = self.tree()
        # At the end, since the name may come before the function: P(f) ∧ Q(f(a)).
        self._check_constants()
        return cast("Sentence", formula)

    # --- overridden by the lenient parser ---

    def connective(self, token: LogicToken) -> str:
        """The sign of the connective, if the token is one after an operand; else an empty string."""
        return token.kind if token.kind in CONNECTIVES else ""

    def prefix(self) -> bool:
        """Takes a negation or a quantifier if one stands here."""
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
            self.check_variable(variable)
            self.push_quantifier(first, variable, wide=wide)
            return True
        return False

    @property
    def bound(self) -> frozenset[str]:
        """The variables in scope."""
        return frozenset(name for name, times in self._bound.items() if times)

    def looks_like_variable(self, token: LogicToken) -> bool:
        """Whether a name has the form of a variable."""
        return VARIABLE.fullmatch(token.text) is not None

    # --- shared by both ---

    def beyond_their_scopes(self) -> Iterator[tuple[int, int]]:
        """See :func:`~pytest_autoeval.languages.logic.quantifiers.beyond_their_scopes`."""
        return beyond_their_scopes(self.tokens, self.scopes, self.free_terms)

    def check_reach(self) -> None:
        """Refuses a free name to the right of the scope of its quantifier, which may have been meant to reach it."""
        for number, at in self.beyond_their_scopes():
            scope = self.scopes[number]
            sign = self.quantifier_sign(scope.first)
            problem = f"{scope.variable!r} stands to the right of the scope of its quantifier, which has no dot"
            self.fail(
                problem,
                (f"'{sign}{scope.variable}. (…)' around all that it binds", "another name"),
                at=at,
            )

    def quantifier_sign(self, first: int) -> str:
        """The sign of the quantifier that begins at a token, perhaps with a bracket."""
        token = self.tokens[first + (self.tokens[first].kind in CLOSING)]
        return token.kind if token.kind != NAME else QUANTIFIER_WORDS[token.text.casefold()]

    def check_variable(self, variable: LogicToken) -> None:
        """Refuses a quantifier that was just taken, up to its dot, if its variable is unclear."""
        token, before = self.tokens[self.at], self.tokens[self.at - 1]
        if token.kind == NAME and before.kind == ":" and not self.prefix_follows():
            if sort_at(
                self.tokens, self.at, is_operator=bool(self.connective(self.tokens[self.at + 1]))
            ):
                self._fail_at_sort(token, variable)
        elif before is variable and is_glued(self.tokens, self.at - 1):
            problem = (
                f"{variable.text!r} may be a variable, or variables and a predicate without spaces"
            )
            self.fail(problem, ("a dot after each variable",), at=self.at - 1)
        elif before is variable and self._is_sort_before(variable):
            self.fail(
                f"{variable.text!r} is not a variable",
                ("a variable after the quantifier",),
                at=self.at - 1,
            )

    def _fail_at_sort(self, sort: LogicToken, variable: LogicToken) -> NoReturn:
        x = variable.text
        typed = f"'∀{x}. ({sort.text}({x}) → …)' and '∃{x}. ({sort.text}({x}) ∧ …)' for a sort"
        problem = f"{sort.text!r} may be the sort of {variable.text!r}, or a predicate"
        self.fail(problem, (typed, "a dot after the variable for a predicate"))

    def _is_sort_before(self, name: LogicToken) -> bool:
        """Whether the name after a quantifier may be a sort, with the variable behind it: ``∀ Cube x (Small(x))``.

        It is none if it is an argument of what follows: ``∀cube P(cube)``.
        """
        following = self.tokens[self.at]
        if following.kind != NAME or self.connective(following) or self.prefix_follows():
            return False
        if self.looks_like_variable(name) or not self.looks_like_variable(following):
            return False
        return all(token.text != name.text for token in contents(self.tokens, self.at + 1))

    def prefix_follows(self) -> bool:
        """Whether the next token is a quantifier or the word of a negation."""
        return self.is_quantifier(self.at) or bool(reserved_as(self.tokens[self.at].text)[0])

    def is_quantifier(self, at: int) -> bool:
        """Whether the token at this index, where an operand may begin, is a quantifier."""
        token = self.tokens[at]
        if token.kind == NAME:
            return (
                self.quantifiers
                and self._is_quantifier_word(token)
                and self.tokens[at + 1].kind == NAME
            )
        if token.kind in ("∀", "∃") and not self.quantifiers:
            self.fail("propositional logic has no quantifiers", _EXPECTED_FORMULA, at=at)
        return token.kind in ("∀", "∃")

    def _is_quantifier_word(self, token: LogicToken) -> bool:
        return (token.text.casefold() if self.any_case else token.text) in QUANTIFIER_WORDS

    def push_negation(self, token: LogicToken) -> None:
        self.push_prefix(token, fol.Not)
        self.at += 1

    def push_quantifier(self, first: int, variable: LogicToken, *, wide: bool) -> None:
        """Takes a quantifier over one variable: the tokens ``first`` to ``self.at - 1``."""
        token = self.tokens[first + (self.tokens[first].kind in CLOSING)]
        node = _QUANTIFIERS[self.quantifier_sign(first)]
        mark = self.tokens[self.at]
        if node is fol.Exists and mark.text == "!" and mark.start == variable.end:
            self.fail("'∃x!' may mean 'exactly one' or 'not'", ("a dot after the variable",))
        scope = Scope(first, self.at, variable.text, wide)
        self.scopes.append(scope)
        self._bound[variable.text] += 1

        def quantified(body: Sentence) -> Sentence:
            scope.end = self.at
            self._bound[variable.text] -= 1
            return node(variable.text, body)

        self.push_prefix(token, quantified, LOOSEST if wide else PREFIX)

    def expect_name(self, expected: str) -> LogicToken:
        token = self.tokens[self.at]
        if token.kind != NAME:
            self.fail(self.unexpected(token), (expected,))
        reason, instead = reserved_as(token.text)
        if reason:
            self.fail(f"{token.text!r} is {reason}", (instead,))
        self.at += 1
        return token

    def infix(self, token: LogicToken) -> tuple[int, type[fol.Binary]] | None:
        return CONNECTIVES.get(self.connective(token))

    def atom(self, token: LogicToken) -> Sentence:
        # Before names, since the words of truth constants have the form of names.
        if truth := self._truth_at(self.at):
            if self.tokens[self.at + 1].kind in _EQUATION_SIGNS:
                self._fail_at_truth(token)
            if token.kind == NAME and token.text not in TRUTH_WORDS and not self.any_case:
                self.fail(f"{token.text!r} is a truth constant, not a name", (truth,))
            self.at += 1
            return _TRUTH[truth]()
        if token.kind != NAME:
            self.fail(self.unexpected(token), _EXPECTED_FORMULA)
        start = self.at
        name, arguments = self._application(0)
        sign = self.tokens[self.at].kind
        if not self.quantifiers and (arguments or sign in _EQUATION_SIGNS):
            self.at = start + 1
            self.fail(
                "propositional logic has no predicates, functions or equality",
                ("a connective", "the end"),
            )
        if sign not in _EQUATION_SIGNS:
            self._fix_arity(self._predicates, name, len(arguments), start)
            return fol.Atom(name, arguments)
        term = Term(name, arguments)
        self._note_term(term, start)
        self.at += 1
        equality = fol.Equal(term, self._term(1))
        return equality if sign == "=" else fol.Not(equality)

    def _truth_at(self, at: int) -> str:
        """The sign of the truth constant at a token, or an empty string. A word with arguments is none."""
        token = self.tokens[at]
        if token.kind == NAME:
            return (
                ""
                if self.tokens[at + 1].kind == "("
                else TRUTH_WORDS.get(token.text.casefold(), "")
            )
        return token.kind if token.kind in _TRUTH else ""

    def _fail_at_truth(self, token: LogicToken) -> NoReturn:
        problem = f"{token.text!r} is a truth value, not a term"
        self.fail(
            problem,
            (
                "'P(a)' for 'P(a, True)' and 'P(a) = True'",
                "'¬P(a)' for 'P(a, False)' and 'P(a) = False'",
            ),
        )

    def _term(self, depth: int) -> Term:
        start = self.at
        if self._truth_at(start):
            self._fail_at_truth(self.tokens[start])
        term = Term(*self._application(depth))
        self._note_term(term, start)
        return term

    def _application(self, depth: int) -> tuple[str, tuple[Term, ...]]:
        """Takes a name and its arguments, if it has any."""
        token = self.expect_name("a term")
        opened = self.tokens[self.at]
        if opened.kind != "(" or "\n" in self.text[token.end : opened.start]:
            return token.text, ()
        # Terms are parsed by recursion, so the bound must hold before the interpreter's stack ends.
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
        return token.text, tuple(arguments)

    def _note_term(self, term: Term, start: int) -> None:
        if term.arguments:
            self._fix_arity(self._functions, term.name, len(term.arguments), start)
        elif not self._bound[term.name]:
            self.free_terms.append(start)

    def _fix_arity(self, arities: dict[str, int], name: str, arity: int, start: int) -> None:
        known_arity = arities.setdefault(name, arity)
        if known_arity != arity:
            self.fail(
                f"{name!r} is used with {arguments_phrase(arity)} after {arguments_phrase(known_arity)}",
                at=start,
            )

    def _check_constants(self) -> None:
        """A free name without arguments must not be a function elsewhere; a bound variable may be."""
        for at in self.free_terms:
            name = self.tokens[at].text
            if name in self._functions:
                arity = arguments_phrase(self._functions[name])
                self.fail(f"{name!r} is used without arguments and with {arity}", at=at)
