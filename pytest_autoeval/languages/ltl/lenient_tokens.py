r"""From characters to tokens in whatever notation models use: LaTeX, other circles and boxes, brackets, quoted names.

What other logics have beside ours is refused by name here: bounds of time, path quantifiers, ``=`` between formulas.
"""

from __future__ import annotations

import re
import unicodedata

from pytest_autoeval.languages.base import FormulaSyntaxError, LimitError
from pytest_autoeval.languages.limits import MAX_LENGTH
from pytest_autoeval.languages.logic.tokens import unwrapped
from pytest_autoeval.languages.ltl.tokens import END, NAME, SIGNS, WORDS, LtlToken

CLOSING = {"(": ")", "[": "]", "{": "}"}
#: Every sign of the lenient notation, brackets apart, with the operator that it is.
LENIENT_SIGNS = {
    **{sign: kind for sign, kind in SIGNS.items() if sign not in "()"},
    "()": "X",
    **dict.fromkeys(("⋀", "⩓", "\\&"), "&"),
    **dict.fromkeys(("⋁", "\\|"), "|"),
    **dict.fromkeys(("∼", "￢"), "!"),
    **dict.fromkeys(("⟶", "⟹", "⊃", "==>", "-->"), "->"),
    **dict.fromkeys(("⟷", "⟺", "<==>", "<-->"), "<->"),
    "⊻": "xor",
    **dict.fromkeys(("◯", "⚪", "⭘"), "X"),
    **dict.fromkeys(("◊", "⋄", "♢", "⬦"), "F"),
    **dict.fromkeys(("◻", "☐", "⬜", "▢"), "G"),
    "⊖": "Y",
    **dict.fromkeys(("◆", "⬥", "⧫"), "O"),
    **dict.fromkeys(("■", "◼", "⊟"), "H"),
}
_BRACKETS = {**{sign: sign for sign in "()[]{},"}, "\\{": "{", "\\}": "}"}
_COMMANDS = {
    **dict.fromkeys(("land", "wedge", "bigwedge"), "&"),
    **dict.fromkeys(("lor", "vee", "bigvee"), "|"),
    **dict.fromkeys(("lnot", "neg", "sim"), "!"),
    **dict.fromkeys(("to", "rightarrow", "Rightarrow", "implies", "longrightarrow", "Longrightarrow", "supset"), "->"),
    **dict.fromkeys(("leftrightarrow", "Leftrightarrow", "iff", "longleftrightarrow", "Longleftrightarrow"), "<->"),
    **dict.fromkeys(("oplus", "veebar"), "xor"),
    "top": "true",
    "bot": "false",
    **dict.fromkeys(("bigcirc", "circ", "Circle", "ocircle"), "X"),
    **dict.fromkeys(("Diamond", "diamond", "lozenge", "diamondsuit"), "F"),
    **dict.fromkeys(("square", "Box", "box"), "G"),
    **dict.fromkeys(("ominus", "circleddash"), "Y"),
    **dict.fromkeys(("blacklozenge", "blackdiamond"), "O"),
    **dict.fromkeys(("blacksquare", "boxminus"), "H"),
    "lbrack": "[", "rbrack": "]", "lbrace": "{", "rbrace": "}", "lparen": "(", "rparen": ")",
}  # fmt: skip

_SPACE = (
    r"(?:[\s\u200b-\u200d\u2060\ufeff]|\\[,;:!\s]|\\\\"
    r"|\\(?:left|right|[bB]igg?[lr]?|q?quad|displaystyle|math(?:cal|bf|sf|rm|it|tt)|(?:bf|rm|it|sf|tt))(?![A-Za-z]))*"
)
_WORD = r"[A-Za-z_](?:[A-Za-z0-9_]|\\_|(?<=_)\{\w+\})*"
_SCANNER = re.compile(
    rf"{_SPACE}(?:(?P<name>{_WORD}(?:\.{_WORD})*)|(?P<quote>[\"'])(?P<quoted>[A-Za-z_]\w*)(?P=quote)"
    rf"|(?P<sign>{'|'.join(map(re.escape, sorted(LENIENT_SIGNS | _BRACKETS, key=len, reverse=True)))})"
    r"|\\(?P<command>[A-Za-z]+)|(?P<end>\Z))"
)
#: An operator in another font, which LaTeX does not take for a part of the name behind it.
_LETTERS = re.compile(
    r"\\(?:math\w+|text\w*|operatorname\*?|mbox)\s*\{\s*([XFGURWYZOHSTV]+)\s*\}(?!\s*_)"
    r"|\\math(?:cal|bb|bf|sf|rm|it|tt)\s*([XFGURWYZOHSTV])(?![_{])"
)
_SUPERSCRIPT = re.compile("[⁰¹²³⁴-⁹]|\\^")
_OPERATOR = (
    r"(?:(?<![A-Za-z0-9_])(?:[XFGURWYZOHSTV]|(?i:globally|always|eventually|finally|next|until|once|historically|since))"
    r"|[□◇○◯◊]|\[\]|<>|\\(?:square|Box|Diamond|diamond|bigcirc)(?![A-Za-z])|\\math\w+\{[XFGURWYZOHSTV]\})"
)
#: What belongs to other logics, and what to say of it.
_ELSEWHERE = tuple(
    (re.compile(pattern), problem)
    for pattern, problem in (
        (rf"{_OPERATOR}\s*[_^]?\s*\{{?\s*(?:[\[({{]\s*\d|(?:[<>≤≥]=?|\\[lg]eq?(?![a-z]))\s*\d)", "a bound of time"),
        (r"(?<![A-Za-z0-9_])[XN]\s*\[\s*!\s*\]", "an operator over finite traces"),
        (r"[∀∃]|\\(?:forall|exists)(?![A-Za-z])", "a quantifier"),
    )
)
_EQUALITY = re.compile(r"(?<![=<>!:-])={1,2}(?![=>])|≡|\\equiv(?![A-Za-z])")
_UNEQUAL = re.compile(r"!=|≠|\\neq?(?![A-Za-z])")


def normalized(text: str) -> str:
    r"""The text with letters and digits of other fonts made plain, and without LaTeX's ``\mathbf{…}`` and their like.

    Raises FormulaSyntaxError for what no text of linear temporal logic has.
    """
    if len(text) > MAX_LENGTH:
        problem = f"the text has {len(text):,} characters; at most {MAX_LENGTH:,} are taken"
        raise LimitError(problem, text, MAX_LENGTH)
    for pattern, what in _ELSEWHERE:
        if found := pattern.search(text):
            raise FormulaSyntaxError(f"{what}, which linear temporal logic does not have", text, found.start())
    if found := _EQUALITY.search(text):
        raise FormulaSyntaxError(f"{found[0]!r} is no connective; write '<->'", text, found.start())
    if found := _UNEQUAL.search(text):
        raise FormulaSyntaxError(f"{found[0]!r} is no connective; write 'xor'", text, found.start())
    if found := _SUPERSCRIPT.search(text):
        raise FormulaSyntaxError(f"unexpected {found[0]!r}", text, found.start())
    text = _LETTERS.sub(lambda letters: f" {letters[1] or letters[2]} ", text)
    return unicodedata.normalize("NFKC", unwrapped(text))


def lenient_tokens(text: str) -> list[LtlToken]:
    """The tokens of a normalized text, closed by one of kind ``end``; words that may be names are all names yet."""
    tokens: list[LtlToken] = []
    at = 0
    while match := _SCANNER.match(text, at):
        group = match.lastgroup or "end"
        found, start, at = match[group], match.start(group), match.end()
        kind = NAME
        if group == "name":
            found = found.replace("\\_", "_").replace("{", "").replace("}", "")
            kind = WORDS.get(found, NAME)
        elif group == "sign":
            kind = LENIENT_SIGNS.get(found) or _BRACKETS[found]
        elif group == "command":
            if found not in _COMMANDS:
                raise FormulaSyntaxError(f"unknown command '\\{found}'", text, start - 1)
            kind = _COMMANDS[found]
        elif group == "end":
            tokens.append(LtlToken(END, "", start, start))
            return _ungrouped(tokens)
        tokens.append(LtlToken(kind, found, start, at))
    while text[at].isspace():
        at += 1
    raise FormulaSyntaxError(f"unexpected character {text[at]!r}", text, at)


def _ungrouped(tokens: list[LtlToken]) -> list[LtlToken]:
    r"""The tokens without LaTeX's braces around a single operator, as in ``{\bf G} p``."""
    kept: list[LtlToken] = []
    for at, token in enumerate(tokens):
        before, after = tokens[at - 1] if at else token, tokens[min(at + 1, len(tokens) - 1)]
        two_before, two_after = tokens[max(at - 2, 0)], tokens[min(at + 2, len(tokens) - 1)]
        if token.kind == "{" and _is_operator(after) and two_after.kind == "}":
            continue
        if token.kind == "}" and _is_operator(before) and two_before.kind == "{":
            continue
        kept.append(token)
    return kept


def _is_operator(token: LtlToken) -> bool:
    return token.kind not in (NAME, END, "true", "false", ",", *CLOSING, *CLOSING.values())
