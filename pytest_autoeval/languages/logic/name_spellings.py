"""Maps other spellings of names to those of the vocabulary: ``p_1`` and ``p₁`` to ``p1``."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from itertools import pairwise

from msgspec import structs

from pytest_autoeval.languages.logic.brackets import contents
from pytest_autoeval.languages.logic.quantifiers import is_glued, without_glue
from pytest_autoeval.languages.logic.reserved import QUANTIFIER_WORDS
from pytest_autoeval.languages.logic.tokens import NAME, LogicToken
from pytest_autoeval.languages.vocabulary import Vocabulary

_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def resolved(tokens: list[LogicToken], vocabulary: Vocabulary | None) -> list[LogicToken]:
    """The tokens with each unknown name replaced by the only name of the vocabulary that it can stand for.

    ``∀xP(x)`` becomes ``∀x P(x)``, also without a vocabulary.
    """
    known_names = vocabulary.names | set(vocabulary.variables) if vocabulary else frozenset()
    meanings = spellings(vocabulary) if vocabulary else {}
    bound = {after.text for token, after in pairwise(tokens) if _quantifies(token)}
    result: list[LogicToken] = []
    for index, token in enumerate(tokens):
        if token.kind != NAME or token.text in known_names:
            result.append(token)
            continue
        names = _unglued(tokens, index, known_names) if _follows_quantifier(tokens, index) else ()
        meant = meanings.get(spelling(token.text))
        if names:
            end = token.start
            for name in names:
                result.append(LogicToken(NAME, name, end, end + len(name)))
                end += len(name)
        elif vocabulary and meant:
            # A variable that the answer binds itself must not become a constant of the vocabulary.
            is_free = token.text not in bound or meant in vocabulary.variables
            result.append(structs.replace(token, text=meant) if is_free else token)
        else:
            result.append(token)
    return result


def _quantifies(token: LogicToken) -> bool:
    return token.kind in ("∀", "∃") or (
        token.kind == NAME and token.text.casefold() in QUANTIFIER_WORDS
    )


def _follows_quantifier(tokens: list[LogicToken], index: int) -> bool:
    """Whether a name is the first one after a quantifier, or one of its list of variables."""
    # Back over the names of a list and the commas between them.
    while index > 1:
        before, comma = tokens[index - 2 : index]
        if comma.kind != "," or before.kind != NAME:
            break
        index -= 2
    return index > 0 and _quantifies(tokens[index - 1])


def _unglued(tokens: list[LogicToken], index: int, known_names: Collection[str]) -> tuple[str, ...]:
    """The variables and the predicate of ``xP`` in ``∀xP(x)``; empty unless this can be read in exactly one way.

    A known predicate decides: ``xyR`` in ``∀xyR(x, y)`` may be ``x`` and ``yR``.
    """
    if not is_glued(tokens, index):
        return ()
    inside = contents(tokens, index + 1)
    arguments = frozenset(token.text for token in inside if token.kind == NAME)
    ways = list(without_glue(tokens[index].text, arguments))
    if len(ways) > 1:
        ways = [names for names in ways if names[-1] in known_names]
    return ways[0] if len(ways) == 1 else ()


# The words of English occur again and again.
@lru_cache(maxsize=4096)
def spelling(name: str) -> str:
    """A name without marks of subscripts and of emphasis."""
    plain = name.strip("_").translate(_SUBSCRIPTS)
    # Only the underscores before a number at the end are marks of a subscript: ``is_a`` keeps its own.
    return re.sub(r"(?<!_)_++(?=\d++$)", "", plain)


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
