"""Lists of propositions in a cell: each with its phrase, in any of the forms that published files have."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pytest_autoeval.datasets.table_files import decoded, first_repeated
from pytest_autoeval.languages.ltl.parser import is_name
from pytest_autoeval.lazy_pattern import lazy_pattern

#: Pairs of a phrase and the name of its proposition.
Pairs = tuple[tuple[str, str], ...]

#: A name of a proposition, whose parts may be joined by dots.
_NAME = lazy_pattern(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
#: Names such as ``x1``: a phrase is seldom one.
_NUMBERED = lazy_pattern(r"[A-Za-z]+_?\d+")
#: The tokens of a list of propositions whose quotes are straight.
_TOKEN = lazy_pattern(
    r"""(?P<quoted>"[^"]*"|(?<!\w)'[^'",;:=\n]*+'(?!\w))|(?P<means>(?:->|→|[:=])\n?)|(?P<end>[,;\n])"""
    r"""|(?P<word>[^\s"'`:=→,;-]++)|\S"""
)
#: Quotes of all kinds, each with the straight one that stands for it.
_STRAIGHT = str.maketrans(dict.fromkeys("“”„‟«»＂″", '"') | dict.fromkeys("‘’‚‛′", "'"))
#: Quotes of two single signs, and single quotes that are not apostrophes.
_DOUBLED = lazy_pattern(r"``|''")
_OUTSIDE_WORDS = lazy_pattern(r"(?<!\w)'|'(?!\w)")


def read_propositions(value: Any, used: Collection[str] = ()) -> Pairs:
    """The pairs of phrase and atom, in their order.

    Accepts ``"phrase" : x1 , "phrase" : x2`` with any quotes or none, with quotes also without colons, ``x1: phrase``,
    a JSON object, or a list of pairs. ``used`` are the atoms of the formula; they decide if both sides of a colon could
    be atoms. Raises :class:`ValueError` for other texts, and for a phrase or an atom that occurs twice (in any case).
    """
    pairs = _likeliest(_readings(value), used)
    if not pairs:
        raise ValueError('write the propositions as `"phrase" : x1 , "phrase" : x2`')
    for side in ([phrase.casefold() for phrase, _ in pairs], [atom for _, atom in pairs]):
        twice = first_repeated(side)
        if twice:
            raise ValueError(f"{twice!r} occurs twice")
    return pairs


def _readings(value: Any) -> list[Pairs]:
    """The possible readings as pairs; the default reading is first."""
    if isinstance(value, str):
        value = _decoded(value)
    if isinstance(value, Mapping):
        value = list(value.items())
    if isinstance(value, str):
        text = _DOUBLED.sub('"', value.translate(_STRAIGHT))
        text = "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()
        # Opened by one kind of quotes, closed by the other.
        mixed = _OUTSIDE_WORDS.sub('"', text)
        for form in (text, mixed):
            readings = [_pairs(form, atoms_first=False), _pairs(form, atoms_first=True)]
            if any(readings):
                return readings
        return []
    if not isinstance(value, list) or not all(map(_is_pair, value)):
        return []
    if not all(isinstance(side, str) for pair in value for side in pair):
        return []
    sides = tuple((_clean(former), _clean(latter)) for former, latter in value)
    return [sides, tuple((latter, former) for former, latter in sides)]


def _is_pair(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2


def _decoded(text: str) -> Any:
    try:
        value = decoded(text)
    except ValueError:
        bare = text.strip()
        has_brackets = bare[:1] + bare[-1:] in {"{}", "[]"}
        return bare[1:-1] if has_brackets else bare
    return value if isinstance(value, (dict, list)) else text


def _pairs(text: str, *, atoms_first: bool) -> Pairs:
    """The pairs of ``"phrase" : x1`` or, read from the end, of ``x1: phrase``; empty if a token is left over."""
    # Read from the end, an atom before a phrase is an atom after it: so one loop reads both orders.
    order = -1 if atoms_first else 1
    tokens = [*_TOKEN.finditer(text)][::order]
    pairs: list[tuple[str, str]] = []
    phrase: list[re.Match[str]] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        has_colon = token.lastgroup == "means"
        atom_index = index + 1 if has_colon else index
        # The colon is optional after a quoted phrase; after an atom, an apostrophe is not a quote.
        needs_no_colon = _is_quoted(phrase) and not (atoms_first and len(phrase) > 1)
        if phrase and (has_colon or needs_no_colon) and _ends_with_atom(tokens, atom_index):
            atom = tokens[atom_index]
            # The quoted side is the phrase, unless both are quoted.
            are_both_quoted = has_colon and _is_quoted(phrase)
            if atoms_first and atom.lastgroup == "quoted" and not are_both_quoted:
                return ()
            pairs.append((_phrase(text, phrase[::order]), _clean(atom[0])))
            phrase = []
            index = atom_index + 2
        else:
            is_space = token[0] == "\n" or (token.lastgroup == "end" and not phrase)
            if not is_space:
                phrase.append(token)
            index += 1
    if phrase or not all(text for text, _ in pairs):
        return ()
    return tuple(pairs[::order])


def _ends_with_atom(tokens: Sequence[re.Match[str]], index: int) -> bool:
    """Whether a pair ends with the token at this index, which is an atom."""
    if index >= len(tokens) or not _is_atom(tokens[index]):
        return False
    return index + 1 == len(tokens) or tokens[index + 1].lastgroup == "end"


def _is_atom(token: re.Match[str]) -> bool:
    return token.lastgroup in ("word", "quoted") and _NAME.fullmatch(_clean(token[0])) is not None


def _is_quoted(tokens: Sequence[re.Match[str]]) -> bool:
    if not tokens:
        return False
    if len(tokens) == 1:
        return tokens[0].lastgroup == "quoted"
    # A quoted phrase with an apostrophe in it comes in several tokens.
    return tokens[0][0] == tokens[-1][0] == "'"


def _phrase(text: str, tokens: Sequence[re.Match[str]]) -> str:
    """The phrase in these tokens of a text; empty if there is none, or its quotes do not match."""
    if not tokens or "means" in (tokens[0].lastgroup, tokens[-1].lastgroup):
        return ""
    written = text[tokens[0].start() : tokens[-1].end()]
    phrase = _clean(written)
    is_odd = '"' in phrase or (written[0] == "'" and _OUTSIDE_WORDS.search(phrase))
    return "" if is_odd else phrase


def _clean(side: str) -> str:
    side = side.strip()
    is_quoted = len(side) > 1 and side[0] == side[-1] and side[0] in "\"'"
    if is_quoted:
        side = side[1:-1]
    return " ".join(side.split())


def _likeliest(candidates: list[Pairs], used: Collection[str]) -> Pairs:
    """The reading whose second sides are atoms; if several are, prefer the formula's atoms, then numbered ones."""
    possible = [pairs for pairs in candidates if pairs and _are_named(pairs)]
    with_used, numbered = [], []
    for pairs in possible:
        atoms = {atom for _, atom in pairs}
        if used and atoms.issuperset(used):
            with_used.append(pairs)
        if all(map(_NUMBERED.fullmatch, atoms)):
            numbered.append(pairs)
    likeliest_first = [*with_used, *numbered, *possible]
    return likeliest_first[0] if likeliest_first else ()


def _are_named(pairs: Pairs) -> bool:
    """Whether each second side can be an atom, and no phrase is empty."""
    return all(phrase and is_name(atom) for phrase, atom in pairs)
