"""Does a description copy what it should describe?

A round trip through a description that repeats the formula proves nothing: the second half only copies it back.
"""

from __future__ import annotations

import html
import re
import unicodedata

from pytest_autoeval.languages import Formula, Language

#: Signs that stand for operators in some notation and have no place in plain English.
_OPERATOR_SIGNS = frozenset("∧∨¬→↔⊕∀∃⊤⊥⇒⇔⟶⟹⟷⟺⋀⋁⊻∪⊃≡∼∗□◇○")
_ASCII_OPERATORS = re.compile(
    r"/\\|\\/|->|=>|[&|~^]|(?<=[\w)])\*|!(?=[\w(])|\\(?:land|lor|lnot|neg|forall|exists|wedge|vee|oplus|to|cup|ast|star"
    r"|implies|iff|equiv|(?:long)?(?:left)?rightarrow)\b",
    re.IGNORECASE,
)
#: Markdown's marks of emphasis, which are no stars of a regular expression.
_EMPHASIS = re.compile(r"(?<![\w)*])(?P<mark>\*{1,3})(?=[^\s*])(?P<inside>[^*\n]*[^\s*])(?P=mark)(?![\w*])")
#: A copied part of the formula counts when it has at least this many characters, white space apart.
_SUBSTANTIAL = 6


def leaks(description: str, formula: Formula, language: Language) -> bool:
    """Whether a description uses operator signs or repeats the formula, or a substantial part of it, to the letter."""
    text = _EMPHASIS.sub(r"\g<inside>", unicodedata.normalize("NFKC", html.unescape(description)))
    if any(sign in _OPERATOR_SIGNS for sign in text) or _ASCII_OPERATORS.search(text):
        return True
    packed = _packed(text)
    return any(part in packed for part in _substantial_parts(formula, language))


def _substantial_parts(formula: Formula, language: Language) -> set[str]:
    """The texts of the compound subformulas that are long enough to be no accident."""
    parts: set[str] = set()
    pending = [formula]
    while pending:
        node = pending.pop()
        children = node.children()
        pending.extend(children)
        text = _packed(language.format(node))
        if children and len(text) >= _SUBSTANTIAL:
            parts.add(text)
    return parts


def _packed(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())
