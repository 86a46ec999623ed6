"""Reads the English of witnesses back. It shares no code with the writer, and knows only the glossary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import product
from typing import Any

Glossary = Mapping[str, str]
Symbol = tuple[str, int]
_NAMED = re.compile(r"“([^”/]+)(?:/(\d+))?”")


def _sentences(text: str) -> list[str]:
    assert text.endswith(".")
    return text[:-1].split(". ")


def _name_of(clause: str, glossary: Glossary) -> str:
    """The name for which a clause stands: it says the name, or only one phrase of the glossary is so."""
    if named := _NAMED.fullmatch(clause.removesuffix(" holds")) or re.search(
        r"\(“([^”]+)”\)$", clause
    ):
        return named[1]
    [name] = [name for name, phrase in glossary.items() if phrase.casefold() == clause.casefold()]
    return name


def read_assignment(text: str, glossary: Glossary) -> dict[str, bool]:
    if text == "Suppose anything.":
        return {}
    first, *sentences = _sentences(text)
    assert first == "Suppose the following"
    values = {}
    for clause in sentences:
        negated = re.fullmatch(r"It is not the case that (.*)", clause)
        values[_name_of(negated[1] if negated else clause, glossary)] = negated is None
    assert len(values) == len(sentences)
    return values


def read_trace(text: str, glossary: Glossary) -> dict[str, Any]:
    """The atoms, and the names that hold in each state of prefix and loop."""
    if text == "Suppose anything.":
        return {"atoms": [], "prefix": [], "loop": [[]]}
    first, *sentences = _sentences(text)
    last, start = 1, 1
    if several := re.fullmatch(r"Suppose the following for steps 1 (?:and|to) (\d+)", first):
        last = int(several[1])
        ending = sentences.pop()
        if stays := re.fullmatch(r"From step (\d+) on, everything stays the same", ending):
            start = int(stays[1])
            assert start == last
        else:
            repeated = re.fullmatch(
                r"After step (\d+), steps (\d+) (?:and|to) \1 repeat forever", ending
            )
            assert repeated
            assert int(repeated[1]) == last
            start = int(repeated[2])
    else:
        assert first == "Suppose the following"
    states: list[list[str]] = [[] for _ in range(last)]
    atoms = []
    for sentence in sentences:
        name, place = _place(sentence, glossary)
        atoms.append(name)
        yes, _, no = place.partition("but not")
        steps = [] if "no step" in yes else [int(number) for number in re.findall(r"\d+", yes)]
        if "every" in yes:
            steps = list(range(1, last + 1))
        if no:
            assert sorted([*steps, *map(int, re.findall(r"\d+", no))]) == list(range(1, last + 1))
        for step in steps:
            states[step - 1].append(atoms[-1])
    return {"atoms": atoms, "prefix": states[: start - 1], "loop": states[start - 1 :]}


def _place(sentence: str, glossary: Glossary) -> tuple[str, str]:
    """The name and the steps of a sentence; its phrase may speak of steps too, but only one division is a sentence."""
    divisions = []
    for at in re.finditer(r" at ", sentence):
        clause, place = sentence[: at.start()], sentence[at.end() :]
        if re.fullmatch(
            r"every step|no step|steps? [\d, and]+(?:, but not at steps? [\d, and]+)?", place
        ):
            with suppress(ValueError):
                divisions.append((_name_of(clause, glossary), place))
    [division] = divisions
    return division


def read_model(
    text: str, glossary: Glossary, predicates: Iterable[Symbol], terms: Iterable[Symbol]
) -> dict[str, Any]:
    """Domain, the value of each term for each tuple, and the tuples of each predicate; the signature is given."""
    first, *sentences = _sentences(text)
    counted = re.fullmatch(r"Suppose there (?:is|are) exactly (\d+) things?: (.*)", first)
    assert counted
    domain = [int(number) for number in re.findall(r"thing (\d+)", counted[2])]
    assert len(domain) == int(counted[1])
    patterns = {symbol: _pattern(symbol, glossary) for symbol in [*predicates, *terms]}
    values: dict[Symbol, dict[tuple[int, ...], int]] = {symbol: {} for symbol in terms}
    held: dict[Symbol, set[tuple[int, ...]]] = {symbol: set() for symbol in predicates}
    said: set[Symbol] = set()
    for sentence in sentences:
        negated = re.fullmatch(r"It is not the case that (.*)", sentence)
        value = re.fullmatch(r"(.*) is thing (\d+)", sentence)
        for symbol, (pattern, places) in patterns.items():
            if not _named(symbol, sentence):
                continue
            some = (
                f"{', '.join(places[:-1])} and {places[-1]}" if len(places) > 1 else "".join(places)
            )
            quantified = (
                re.fullmatch(rf"For (all|no other|no) {some}, (.*)", sentence) if places else None
            )
            if symbol in values:
                if value and (found := pattern.fullmatch(value[1])):
                    values[symbol][_elements(found, places)] = int(value[2])
            elif quantified:
                clause = re.sub(rf"(?<!\w)({'|'.join(places)})(?!\w)", "thing 0", quantified[2])
                if pattern.fullmatch(clause):
                    said.add(symbol)
                    held[symbol] |= (
                        set(product(domain, repeat=symbol[1])) if quantified[1] == "all" else set()
                    )
            elif not places and pattern.fullmatch(negated[1] if negated else sentence):
                said.add(symbol)
                held[symbol] |= set() if negated else {()}
            elif found := pattern.fullmatch(sentence):
                held[symbol].add(_elements(found, places))
    assert said == set(held)
    return {"domain": domain, "values": values, "held": held}


def _elements(found: re.Match[str], places: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(int(found[place]) for place in places)


def _named(symbol: Symbol, sentence: str) -> bool:
    """Whether a sentence that names a symbol names this one."""
    named = _NAMED.search(sentence)
    return named is None or (named[1] == symbol[0] and named[2] in (None, str(symbol[1])))


def _pattern(symbol: Symbol, glossary: Glossary) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """The pattern of a symbol's phrase, with a group for each place, and the places."""
    name, arity = symbol
    own = re.escape(name)
    for key, phrase in glossary.items():
        shown, _, rest = key.partition("(")
        places = tuple(filter(None, rest.rstrip(")").split(", ")))
        if (shown, len(places)) == symbol:
            parts = re.split(rf"(?<!\w)({'|'.join(places)})(?!\w)", phrase) if places else [phrase]
            text = "".join(_group(part) if part in places else re.escape(part) for part in parts)
            return re.compile(rf"{text}(?: \(“{own}(?:/{arity})?”\))?", re.IGNORECASE), places
    places = tuple("xyzuvw"[:arity])
    things = " of " + ", ".join(map(_group, places)) if arity else ""
    return re.compile(rf"“{own}”(?: holds)?{things}(?: \(“{own}/{arity}”\))?"), places


def _group(place: str) -> str:
    return rf"thing (?P<{place}>\d+)"
