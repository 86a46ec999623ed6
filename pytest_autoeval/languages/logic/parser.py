"""Tokens and the strict parser.

Precedence, tightest first: ¬ and quantifiers, ∧, ∨, ⊕, →, ↔. → groups to the right, the others to the left. A
quantifier followed by a dot or a colon reaches as far right as it can; without one it binds like ¬.

The words ``forall all exists some`` are quantifiers only before a name. ``true false`` are ⊤ and ⊥ only as formulas
that are not applied to arguments. Everywhere else these words are names.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import ClassVar, cast

from pytest_autoeval.languages import precedence
from pytest_autoeval.languages.limits import MAX_LENGTH, MAX_TERM_DEPTH, too_deep
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.signature import arguments_phrase
from pytest_autoeval.languages.logic.syntax import Sentence, Term
from pytest_autoeval.languages.precedence import LOOSEST, PREFIX, PrecedenceParser

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
    **dict.fromkeys(("to", "rightarrow", "Rightarrow", "implies", "longrightarrow", "Longrightarrow", "supset"), "→"),
    **dict.fromkeys(
        ("leftrightarrow", "Leftrightarrow", "iff", "longleftrightarrow", "Longleftrightarrow", "equiv"), "↔"
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
_LETTER = r"\w\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0970-\u0dff\u0e31-\u0e4e"
_JOINT = r"(?:-(?=[^\W_])|(?<=[^\W\d_])['’](?=[^\W\d_]))"
_WORD = rf"[{_LETTER}]+(?:(?<=[^\W_]){_JOINT}[{_LETTER}]+)*"
# In LaTeX an underscore may be escaped, and a subscript may be in braces.
_LATEX_WORD = rf"[{_LETTER}]+(?:(?:\\_|(?<=[^\W_]){_JOINT})[{_LETTER}]+|(?<=_)\{{\w+\}})*"


def _scanner(space: str, word: str, signs: dict[str, str]) -> re.Pattern[str]:
    alternatives = "|".join(re.escape(sign) for sign in sorted(signs, key=len, reverse=True))
    return re.compile(rf"{space}(?:({word})|({alternatives})|(\\[A-Za-z]+)|(\Z)|(.))", re.DOTALL)


_STRICT = _scanner(r"\s*", _WORD, _STRICT_SIGNS)
_SPACE = (
    r"(?:[\s\u200b-\u200d\u2060\ufeff]|\\[,;:!\s]|\\\\"
    r"|\\(?:left|right|[bB]igg?[lr]?|q?quad|displaystyle)(?![A-Za-z]))*"
)
_LENIENT = _scanner(_SPACE, _LATEX_WORD, LENIENT_SIGNS)
_WRAPPED = re.compile(
    r"\\(?:text(?:it|bf|rm|sf|tt|sc|normal)?|math(?:rm|it|bf|sf|tt|cal|bb|ord|rel|bin|op)|operatorname\*?|mbox)\s*"
    r"\{([^{}]*)\}"
)


def is_name(text: str) -> bool:
    """Whether a text is one name of the strict syntax."""
    return re.fullmatch(_WORD, text) is not None


def strict_tokens(text: str) -> list[LogicToken]:
    """The tokens of the canonical notation and its strict variants; the last has the kind ``end``."""
    return _tokens(text, _STRICT, _STRICT_SIGNS)


def lenient_tokens(text: str) -> list[LogicToken]:
    """The tokens of all supported notations, LaTeX included. Apply :func:`unwrapped` first."""
    tokens = _tokens(text, _LENIENT, LENIENT_SIGNS)
    if "\\" not in text and "{" not in text:
        return tokens
    return [token if token.kind != NAME else token._replace(text=_plain(token.text)) for token in tokens]


def unwrapped(text: str) -> str:
    r"""The text with LaTeX's ``\text{…}``, ``\mathrm{…}`` and the like replaced by their contents."""
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


def _tokens(text: str, scanner: re.Pattern[str], signs: dict[str, str]) -> list[LogicToken]:
    commands = LATEX_COMMANDS if signs is LENIENT_SIGNS else {}

    def kind_of(match: re.Match[str]) -> str | None:
        name, sign, command, end, _ = match.groups()
        if name:
            return NAME
        return END if end is not None else signs.get(sign) or commands.get((command or "")[1:])

    return precedence.scan(text, scanner, kind_of)


CONNECTIVES: dict[str, tuple[int, type[fol.Binary]]] = {
    "↔": (1, fol.Iff),
    "→": (2, fol.Implies),
    "⊕": (3, fol.Xor),
    "∨": (4, fol.Or),
    "∧": (5, fol.And),
}
QUANTIFIERS: dict[str, type[fol.Quantified]] = {
    **dict.fromkeys(("∀", "forall", "all"), fol.Forall),
    **dict.fromkeys(("∃", "exists", "some"), fol.Exists),
}
CLOSING = {"(": ")", "[": "]", "{": "}"}
_TRUTH = {"⊤": fol.Top, "⊥": fol.Bottom, "true": fol.Top, "false": fol.Bottom}
_EXPECTED_FORMULA = ("a formula",)


def parse(text: str, *, quantifiers: bool = True) -> Sentence:
    """Parses a formula in the strict notation; raises FormulaSyntaxError.

    ``quantifiers``: False for propositional logic, without quantifiers, terms and equality.
    """
    return Parser(text, strict_tokens(text), quantifiers=quantifiers).formula()


@dataclass(slots=True, eq=False)
class Scope:
    """The scope of a quantifier: the tokens ``start`` to ``end - 1``; the quantifier is the token ``first``."""

    first: int
    start: int
    variable: str
    wide: bool
    end: int = -1


@dataclass(slots=True, eq=False)
class Parser(PrecedenceParser):
    """One parse of one text. The lenient parser overrides its first methods."""

    quantifiers: bool = True
    scopes: list[Scope] = field(default_factory=list)
    #: The indices of the tokens that are free names without arguments, used as terms.
    free_terms: list[int] = field(default_factory=list)
    _bound: Counter[str] = field(default_factory=Counter)
    _predicates: dict[str, int] = field(default_factory=dict)
    _functions: dict[str, int] = field(default_factory=dict)

    closing = CLOSING
    rightward: ClassVar = fol.Implies

    def formula(self) -> Sentence:
        formula = self.tree()
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
            self.push_quantifier(first, variable, wide=wide)
            return True
        return False

    # --- shared by both ---

    def is_quantifier(self, at: int) -> bool:
        """Whether the token at this index, where an operand may begin, is a quantifier."""
        token = self.tokens[at]
        if token.kind == NAME:
            return self.quantifiers and token.text in QUANTIFIERS and self.tokens[at + 1].kind == NAME
        if token.kind in ("∀", "∃") and not self.quantifiers:
            self.fail("propositional logic has no quantifiers", _EXPECTED_FORMULA, at=at)
        return token.kind in ("∀", "∃")

    def push_negation(self, token: LogicToken) -> None:
        self.push_prefix(token, fol.Not)
        self.at += 1

    def push_quantifier(self, first: int, variable: LogicToken, *, wide: bool) -> None:
        """Takes a quantifier over one variable: the tokens ``first`` to ``self.at - 1``."""
        token = self.tokens[first + (self.tokens[first].kind in CLOSING)]
        node = QUANTIFIERS[token.kind if token.kind != NAME else token.text]
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

    def expect_name(self, what: str) -> LogicToken:
        token = self.tokens[self.at]
        if token.kind != NAME:
            self.fail(self.unexpected(token), (what,))
        self.at += 1
        return token

    def infix(self, token: LogicToken) -> tuple[int, type[fol.Binary]] | None:
        return CONNECTIVES.get(self.connective(token))

    def atom(self, token: LogicToken) -> Sentence:
        word = token.kind if token.kind != NAME else token.text
        if word in _TRUTH and self.tokens[self.at + 1].kind not in ("(", "=", "≠"):
            self.at += 1
            return _TRUTH[word]()
        if token.kind != NAME:
            self.fail(self.unexpected(token), _EXPECTED_FORMULA)
        start = self.at
        term = self._application(0)
        sign = self.tokens[self.at].kind
        if not self.quantifiers and (term.arguments or sign in ("=", "≠")):
            self.at = start + 1
            self.fail("propositional logic has no predicates, functions or equality", ("a connective", "the end"))
        if sign not in ("=", "≠"):
            self._fix_arity(self._predicates, term, start)
            return fol.Atom(term.name, term.arguments)
        self._note_term(term, start)
        self.at += 1
        equality = fol.Equal(term, self._term(1))
        return equality if sign == "=" else fol.Not(equality)

    def _term(self, depth: int) -> Term:
        start = self.at
        term = self._application(depth)
        self._note_term(term, start)
        return term

    def _application(self, depth: int) -> Term:
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
        elif not self._bound[term.name]:
            self.free_terms.append(start)

    def _fix_arity(self, arities: dict[str, int], term: Term, start: int) -> None:
        arity = len(term.arguments)
        known = arities.setdefault(term.name, arity)
        if known != arity:
            self.fail(f"{term.name!r} is used with {arguments_phrase(arity)} after {arguments_phrase(known)}", at=start)

    def _check_constants(self) -> None:
        """A free name without arguments must not be a function elsewhere; a bound variable may be."""
        for at in self.free_terms:
            name = self.tokens[at].text
            if name in self._functions:
                arity = arguments_phrase(self._functions[name])
                self.fail(f"{name!r} is used without arguments and with {arity}", at=at)
