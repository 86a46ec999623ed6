"""Which name of the vocabulary a model meant: ``p_1`` and ``p₁`` for ``p1``, ``p1vp2`` for ``p1 ∨ p2``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from pytest_autoeval.languages.logic.parser import CLOSING, QUANTIFIERS
from pytest_autoeval.languages.logic.tokens import NAME, LogicToken
from pytest_autoeval.languages.vocabulary import Vocabulary

_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_UPPER = {"FORALL": "∀", "ForAll": "∀", "Forall": "∀", "EXISTS": "∃", "Exists": "∃"}
_TRUTH = {"True": "⊤", "TRUE": "⊤", "False": "⊥", "FALSE": "⊥"}
#: Longer words are not taken apart.
_LONGEST_SPLIT = 100


def resolved(tokens: list[LogicToken], vocabulary: Vocabulary | None) -> list[LogicToken]:
    """The tokens with every unknown name replaced by what it stands for, where only one thing can be meant.

    Without a vocabulary names stay as they are, but for a variable and a predicate written as one word: ``∀xP(x)``.
    """
    known = vocabulary.names | set(vocabulary.variables) if vocabulary else frozenset()
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
        elif vocabulary is None:
            found.append(token)
        elif token.text in _TRUTH and tokens[at + 1].kind != "(":
            found.append(token._replace(kind=_TRUTH[token.text]))
        elif meant := spellings(vocabulary).get(spelling(token.text)):
            # A variable that the answer binds itself must not become a constant of the vocabulary.
            free = token.text not in bound or meant in vocabulary.variables
            found.append(token._replace(text=meant) if free else token)
        else:
            found.extend(_taken_apart(token, vocabulary, after=tokens[at - 1 : at], before=tokens[at + 1]))
    return found


def _glued_variable(tokens: list[LogicToken], at: int) -> str:
    """The variable at the beginning of ``xP`` in ``∀xP(x)``, or an empty text.

    What follows must be a list of arguments with that variable among them, and not the whole word.
    """
    if tokens[at + 1].kind != "(":
        return ""
    word, arguments = tokens[at].text, set[str]()
    depth = 0
    for token in tokens[at + 1 :]:
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
    return re.sub(r"_+(?=\d+$)", "", name.strip("_").translate(_SUBSCRIPTS))


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


def _taken_apart(
    token: LogicToken, vocabulary: Vocabulary, after: list[LogicToken], before: LogicToken
) -> Iterator[LogicToken]:
    """A word as names with ``v`` between them, if that is possible in just one way.

    A side may be missing where the neighbouring token is the operand.
    """
    lacks_left = bool(after) and (after[0].kind in CLOSING.values() or after[0].kind == NAME)
    lacks_right = before.kind in (NAME, "¬", "∀", "∃", *CLOSING)
    ways = _ways(token.text, vocabulary.names, lacks_left, lacks_right)
    if len(ways) != 1:
        yield token
        return
    at = token.start
    for number, piece in enumerate(ways[0]):
        if number:
            yield LogicToken("∨", "v", at, at + 1)
            at += 1
        if piece:
            yield LogicToken(NAME, piece, at, at + len(piece))
            at += len(piece)


def _ways(text: str, names: frozenset[str], lacks_left: bool, lacks_right: bool) -> list[list[str]]:
    """The ways, at most two, to read a text as names with at least one v between them."""
    if len(text) > _LONGEST_SPLIT:
        return []
    #: For each offset the ways to read the text from there on as a chain of names.
    chains: dict[int, list[list[str]]] = {len(text): [[""]] if lacks_right else []}
    separators = [match.start() for match in re.finditer("[vV]", text)]
    for start in (*(at + 1 for at in reversed(separators) if at + 1 < len(text)), 0):
        chains[start] = [[text[start:]]] if start and text[start:] in names else []
        for at in separators:
            if at >= start and (text[start:at] in names or (at == start == 0 and lacks_left)):
                chains[start] += [[text[start:at], *rest] for rest in chains[at + 1]]
        del chains[start][2:]
    return chains[0]
