"""The propositions of a sentence as a file writes them: which phrase stands for which atom."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

Pairs = tuple[tuple[str, str], ...]

_QUOTED = r"""["“”„][^"“”„]*["“”„]|['‘](?:[^'’]|['’](?=\w))*['’]"""
_NAME = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
#: A quoted side is the phrase, unless both are quoted.
_QUOTED_ATOM = rf"""["“”„'‘]{_NAME}["“”'’]"""
_MEANS, _END = r"\s*(?::|=|->|→)\s*", r"\s*(?:[,;\n]\s*|\Z)"
#: ``"the door is open" : x1``, with or without quotes.
_PHRASE_FIRST = re.compile(
    rf"""\s*(?:(?P<quoted>{_QUOTED}){_MEANS}(?P<sign>{_NAME}|{_QUOTED_ATOM})"""
    rf"""|(?P<bare>[^\s"“”„:=][^"“”„]*?){_MEANS}(?P<name>{_NAME})){_END}"""
)
#: ``x1: the door is open``; without quotes a phrase goes on until the next atom.
_NEXT = rf"(?:\s*\Z|\s*[,;\n]\s*(?=(?:{_NAME}|{_QUOTED_ATOM}){_MEANS}))"
_ATOM_FIRST = re.compile(
    rf"""\s*(?:(?P<sign>{_NAME}|{_QUOTED_ATOM}){_MEANS}(?P<quoted>{_QUOTED})"""
    rf"""|(?P<name>{_NAME}){_MEANS}(?P<bare>[^\s"“”„][^"“”„]*?)){_NEXT}"""
)
_NUMBERED = re.compile(r"[A-Za-z]+_?\d+")
_QUOTES = "\"“”„'‘’"


def read_propositions(value: Any, used: Collection[str] = (), *, is_atom: Callable[[str], bool]) -> Pairs:
    """The pairs of phrase and atom, in their order.

    Takes ``"phrase" : x1 , "phrase" : x2`` with any quotes or none, ``x1: phrase`` alike, a JSON object, a list of
    pairs. ``used`` are the atoms of the sentence's formula: where both sides of the colons could be atoms, they tell.
    ``is_atom`` finds names that a formula can use. Raises :class:`ValueError` for what cannot be read, and where a
    phrase (case does not count) or an atom stands twice.
    """
    pairs = _oriented(_candidates(value), used, is_atom)
    if not pairs:
        raise ValueError('write the propositions as `"phrase" : x1 , "phrase" : x2`')
    _check_one_to_one(pairs)
    return pairs


def _check_one_to_one(pairs: Pairs) -> None:
    atoms: dict[str, str] = {}
    phrases: dict[str, str] = {}
    for phrase, atom in pairs:
        known = phrase.casefold()
        if known in atoms:
            raise ValueError(
                f"the phrase {phrase!r} stands for {atoms[known]} and for {atom}"
                if atoms[known] != atom
                else f"the phrase {phrase!r} stands twice"
            )
        if atom in phrases:
            raise ValueError(f"{atom} stands for {phrases[atom]!r} and for {phrase!r}")
        atoms[known], phrases[atom] = atom, phrase


def _candidates(value: Any) -> list[Pairs]:
    """The readings as pairs of two sides, the one that is meant by default first."""
    if isinstance(value, str):
        value = _decoded(value)
    if isinstance(value, Mapping):
        value = list(value.items())
    if isinstance(value, str):
        return [_scanned(value, _PHRASE_FIRST), _scanned(value, _ATOM_FIRST)]
    if not isinstance(value, list) or not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in value):
        return []
    if not all(isinstance(side, str) for pair in value for side in pair):
        return []
    sides = tuple((_clean(left), _clean(right)) for left, right in value)
    return [sides, tuple((right, left) for left, right in sides)]


def _decoded(text: str) -> Any:
    try:
        found = json.loads(text)
    except ValueError:
        bare = text.strip()
        return bare[1:-1] if bare[:1] + bare[-1:] in {"{}", "[]"} else bare
    return found if isinstance(found, (dict, list)) else text


def _scanned(text: str, pattern: re.Pattern[str]) -> Pairs:
    pairs: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        match = pattern.match(text, at)
        if match is None or match.end() == at:
            return ()
        pairs.append((_clean(match["quoted"] or match["bare"]), _clean(match["sign"] or match["name"])))
        at = match.end()
    return tuple(pairs)


def _clean(side: str) -> str:
    side = side.strip()
    if len(side) > 1 and side[0] in _QUOTES and side[-1] in _QUOTES:
        side = side[1:-1]
    return " ".join(side.split())


def _oriented(candidates: list[Pairs], used: Collection[str], is_atom: Callable[[str], bool]) -> Pairs:
    """The reading whose second sides are atoms; of two such, the one that has the formula's, or numbered ones."""
    possible = [pairs for pairs in candidates if pairs and all(phrase and is_atom(atom) for phrase, atom in pairs)]
    with_used = [pairs for pairs in possible if used and {atom for _, atom in pairs}.issuperset(used)]
    numbered = [pairs for pairs in possible if all(_NUMBERED.fullmatch(atom) for _, atom in pairs)]
    return next(iter((*with_used, *numbered, *possible)), ())
