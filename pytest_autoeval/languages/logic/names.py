"""Which name of the vocabulary a model meant: ``p_1`` and ``p₁`` for ``p1``."""

from __future__ import annotations

import re
from functools import lru_cache

from pytest_autoeval.languages.logic.parser import NAME, QUANTIFIERS, LogicToken
from pytest_autoeval.languages.vocabulary import Vocabulary

_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_UPPER = {"FORALL": "∀", "ForAll": "∀", "Forall": "∀", "EXISTS": "∃", "Exists": "∃"}
_TRUTH = {"True": "⊤", "TRUE": "⊤", "False": "⊥", "FALSE": "⊥"}


def resolved(tokens: list[LogicToken], vocabulary: Vocabulary | None) -> list[LogicToken]:
    """The tokens with every unknown name replaced by what it stands for, where only one thing can be meant.

    Without a vocabulary names stay as they are, but for a variable and a predicate written as one word: ``∀xP(x)``.
    """
    known = vocabulary.names | set(vocabulary.variables) if vocabulary else frozenset()
    meanings = spellings(vocabulary) if vocabulary else {}
    quantifying = [token.kind in ("∀", "∃") or token.text in QUANTIFIERS or token.text in _UPPER for token in tokens]
    bound = {after.text for follows, after in zip(quantifying, tokens[1:], strict=False) if follows}
    found: list[LogicToken] = []
    for at, token in enumerate(tokens):
        if token.kind != NAME or token.text in known:
            found.append(token)
        elif token.text in _UPPER and tokens[at + 1].kind == NAME:
            found.append(token._replace(kind=_UPPER[token.text]))
        elif at and tokens[at - 1].kind in ("∀", "∃") and (variable := _glued_variable(tokens, at)):
            end = token.start + len(variable)
            found.append(LogicToken(NAME, variable, token.start, end))
            found.append(LogicToken(NAME, token.text[len(variable) :], end, token.end))
        elif vocabulary and token.text in _TRUTH and tokens[at + 1].kind != "(":
            found.append(token._replace(kind=_TRUTH[token.text]))
        elif vocabulary and (meant := meanings.get(spelling(token.text))):
            # A variable that the answer binds itself must not become a constant of the vocabulary.
            free = token.text not in bound or meant in vocabulary.variables
            found.append(token._replace(text=meant) if free else token)
        else:
            found.append(token)
    return found


def _glued_variable(tokens: list[LogicToken], at: int) -> str:
    """The variable at the beginning of ``xP`` in ``∀xP(x)``, or an empty text.

    What follows must be a list of arguments with that variable among them, and not the whole word.
    """
    if tokens[at + 1].kind != "(":
        return ""
    word, arguments = tokens[at].text, set[str]()
    depth = 0
    for number in range(at + 1, len(tokens)):
        token = tokens[number]
        depth += (token.kind == "(") - (token.kind == ")")
        if depth == 0:
            break
        if token.kind == NAME:
            arguments.add(token.text)
        elif token.kind not in ("(", ")", ","):
            return ""
    glued = [name for name in arguments if word.startswith(name) and word[len(name) :][:1].isalpha()]
    return max(glued, key=len) if glued and word not in arguments else ""


def spelling(name: str) -> str:
    """A name without the marks of a subscript, and without those of emphasis that stuck to it."""
    return re.sub(r"(?<!_)_++(?=\d++$)", "", name.strip("_").translate(_SUBSCRIPTS))


@lru_cache(maxsize=64)
def spellings(vocabulary: Vocabulary) -> dict[str, str]:
    """The names of the vocabulary by their spelling, where that is unambiguous."""
    found: dict[str, str] = {}
    ambiguous: set[str] = set()
    for name in (*sorted(vocabulary.names), *vocabulary.variables):
        plain = spelling(name)
        if found.setdefault(plain, name) != name:
            ambiguous.add(plain)
    return {plain: name for plain, name in found.items() if plain not in ambiguous}
