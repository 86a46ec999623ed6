r"""From characters to tokens: the strict signs, the lenient ones, LaTeX, and names.

A name is a word of letters, digits and underscores in any script; a hyphen between letters or digits belongs to it, and
an apostrophe between letters, so that ``mary-ann`` is a name while ``p->q`` and ``p1 -p2`` hold two. Words are never
keywords here: what a word means depends on where it stands, which is the parser's to know.
"""

from __future__ import annotations

import re

from pytest_autoeval.languages import precedence
from pytest_autoeval.languages.limits import MAX_LENGTH

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
COMMANDS = {
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

# Beyond \w: combining marks of Latin, Hebrew, Arabic and Indic script, without which their words fall apart.
_LETTER = r"\w\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0970-\u0dff\u0e31-\u0e4e"
_JOINT = r"(?:-(?=[^\W_])|(?<=[^\W\d_])['’](?=[^\W\d_]))"
_WORD = rf"[{_LETTER}]+(?:(?<=[^\W_]){_JOINT}[{_LETTER}]+)*"
# In LaTeX an underscore may be escaped, and a subscript stand in braces.
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
    """The tokens of the canonical notation and its plain variants, closed by one of kind ``end``."""
    return _tokens(text, _STRICT, _STRICT_SIGNS)


def lenient_tokens(text: str) -> list[LogicToken]:
    """The tokens of whatever notation models use, LaTeX included; see :func:`unwrapped`, which comes first."""
    tokens = _tokens(text, _LENIENT, LENIENT_SIGNS)
    if "\\" not in text and "{" not in text:
        return tokens
    return [token if token.kind != NAME else token._replace(text=_plain(token.text)) for token in tokens]


def unwrapped(text: str) -> str:
    r"""The text with LaTeX's ``\text{…}``, ``\mathrm{…}`` and their like replaced by what they hold."""
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
    commands = COMMANDS if signs is LENIENT_SIGNS else {}

    def kind_of(match: re.Match[str]) -> str | None:
        name, sign, command, end, _ = match.groups()
        if name:
            return NAME
        return END if end is not None else signs.get(sign) or commands.get((command or "")[1:])

    return precedence.scanned(text, scanner, kind_of)
