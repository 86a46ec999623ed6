"""Maps other spellings of names to those of the vocabulary: ``p_1`` and ``p₁`` to ``p1``."""

from __future__ import annotations

import re
from functools import lru_cache

from pytest_autoeval.languages.logic.parser import NAME, QUANTIFIERS, LogicToken
from pytest_autoeval.languages.vocabulary import Vocabulary

_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_TRUTH = {"True": "⊤", "TRUE": "⊤", "False": "⊥", "FALSE": "⊥"}


def resolved(tokens: list[LogicToken], vocabulary: Vocabulary | None) -> list[LogicToken]:
    """The tokens with each unknown name replaced by the only name of the vocabulary that it can stand for.

    ``∀xP(x)`` becomes ``∀x P(x)``, also without a vocabulary.
    """
    known = vocabulary.names | set(vocabulary.variables) if vocabulary else frozenset()
    meanings = spellings(vocabulary) if vocabulary else {}
    quantifying = [token.kind in ("∀", "∃") or token.text in QUANTIFIERS for token in tokens]
    bound = {after.text for follows, after in zip(quantifying, tokens[1:], strict=False) if follows}
    result: list[LogicToken] = []
    for at, token in enumerate(tokens):
        if token.kind != NAME or token.text in known:
            result.append(token)
        elif at and tokens[at - 1].kind in ("∀", "∃") and (variable := _glued_variable(tokens, at)):
            end = token.start + len(variable)
            result.append(LogicToken(NAME, variable, token.start, end))
            result.append(LogicToken(NAME, token.text[len(variable) :], end, token.end))
        elif vocabulary and token.text in _TRUTH and tokens[at + 1].kind != "(":
            result.append(token._replace(kind=_TRUTH[token.text]))
        elif vocabulary and (meant := meanings.get(spelling(token.text))):
            # A variable that the answer binds itself must not become a constant of the vocabulary.
            free = token.text not in bound or meant in vocabulary.variables
            result.append(token._replace(text=meant) if free else token)
        else:
            result.append(token)
    return result


def _glued_variable(tokens: list[LogicToken], at: int) -> str:
    """The variable at the beginning of ``xP`` in ``∀xP(x)``, or an empty string.

    The variable must be one of the arguments, and the whole word must not be.
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
    """A name without marks of subscripts and of emphasis."""
    return re.sub(r"(?<!_)_++(?=\d++$)", "", name.strip("_").translate(_SUBSCRIPTS))


@lru_cache(maxsize=64)
def spellings(vocabulary: Vocabulary) -> dict[str, str]:
    """The names of the vocabulary by their spelling, without ambiguous spellings."""
    names: dict[str, str] = {}
    ambiguous: set[str] = set()
    for name in (*sorted(vocabulary.names), *vocabulary.variables):
        plain = spelling(name)
        if names.setdefault(plain, name) != name:
            ambiguous.add(plain)
    return {plain: name for plain, name in names.items() if plain not in ambiguous}
