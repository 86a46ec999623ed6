"""Tokens of logic: the signs of the strict notation and of all others, names, and commands of LaTeX."""

from __future__ import annotations

import re

from msgspec import structs

from pytest_autoeval.languages import precedence
from pytest_autoeval.languages.logic.reserved import reserved_as
from pytest_autoeval.languages.size_limits import MAX_LENGTH
from pytest_autoeval.lazy_pattern import LazyPattern, lazy_pattern

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


def _scanner(space: str, word: str, signs: dict[str, str]) -> LazyPattern[str]:
    # The longest sign first, since the first alternative that matches counts: "<->" before "-", "&&" before "&".
    alternatives = "|".join(re.escape(sign) for sign in sorted(signs, key=len, reverse=True))
    # A plain answer needs only the strict scanner.
    return lazy_pattern(rf"{space}(?:({word})|({alternatives})|(\\[A-Za-z]+)|(\Z)|(.))", re.DOTALL)


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
        token if token.kind != NAME else structs.replace(token, text=_plain(token.text))
        for token in tokens
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
    text: str, scanner: LazyPattern[str], signs: dict[str, str], longest: int = MAX_LENGTH
) -> list[LogicToken]:
    commands = LATEX_COMMANDS if signs is LENIENT_SIGNS else {}

    def kind_of(token: re.Match[str]) -> str | None:
        # The groups of the scanner. Without a copy of them all, a token takes half the time.
        match token.lastindex:
            case 1:
                return NAME
            case 2:
                return signs[token[2]]
            case 3:
                return commands.get(token[3][1:])
            case 4:
                return END
        return None

    return precedence.scan(text, scanner, kind_of, longest)
