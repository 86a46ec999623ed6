"""Signatures in JSON as the lines that a person would have written, for one reader to read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

#: Objects of an answer that are looked into, and how deep: one that never ends could be taken for many.
_MOST_OBJECTS, _DEEPEST = 50, 6
_OPENING = re.compile(r"[{\[](?=\s*[\"{\[\]}])")
_NAME_KEYS = ("name", "symbol", "predicate", "constant", "function", "relation", "term")
_GLOSS_KEYS = ("gloss", "meaning", "description", "definition", "interpretation", "english", "explanation")
_PLACES_KEYS = ("parameters", "params", "arguments", "args", "places", "variables")
_ARITY_KEYS = ("arity", "places", "arguments")
#: Keys under which symbols stand, by the heading that a person would write.
_HEADINGS = {
    "predicates": "Predicates", "relations": "Predicates", "properties": "Predicates", "predicate": "Predicates",
    "constants": "Constants", "individuals": "Constants", "objects": "Constants", "constant": "Constants",
    "variables": "Variables", "functions": "Functions", "function": "Functions", "propositions": "Propositions",
    "symbols": "Symbols", "signature": "Symbols", "ontology": "Symbols", "vocabulary": "Symbols", "glossary": "Symbols",
}  # fmt: skip
_FORMULA_KEYS = frozenset(
    {"formula", "fol", "translation", "logic", "formalization", "answer", "final_formula", "fol_formula"}
)
_OTHER_KEYS = frozenset(
    {"reasoning", "sentence", "statement", "explanation", "note", "notes", "text", "reason", "input"}
)


def objects_as_lines(text: str) -> str:
    """A text with each object or list of JSON in it written as lines: headings, symbols with glosses, the formula."""
    decoder = json.JSONDecoder(strict=False)
    parts: list[str] = []
    end = 0
    for opening in islice(_OPENING.finditer(text), _MOST_OBJECTS):
        if opening.start() < end:
            continue
        try:
            value, closing = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            continue
        parts += [text[end : opening.start()], "\n", *(f"{line}\n" for line in _lines(value, _DEEPEST))]
        end = closing
    return "".join([*parts, text[end:]])


def _lines(value: object, depth: int) -> Iterator[str]:
    if depth == 0:
        return
    match value:
        case str():
            yield " ".join(value.split())
        case list():
            for item in value:
                yield from _lines(item, depth - 1)
        case dict():
            content = {str(key): entry for key, entry in value.items()}
            if symbol := _symbol(content):
                yield symbol
            else:
                for key, entry in content.items():
                    yield from _entry(key, entry, depth - 1)


def _entry(key: str, value: object, depth: int) -> Iterator[str]:
    plain = key.strip().lower().replace(" ", "_")
    if plain in _OTHER_KEYS:
        return
    if plain in _FORMULA_KEYS and isinstance(value, str):
        yield f"Formula: {value}"
    elif plain in _HEADINGS:
        yield f"{_HEADINGS[plain]}:"
        yield from _lines(value, depth)
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int):
        yield f"{key}/{value}"
    elif isinstance(value, str):
        yield f"{key}: {value}"
    elif isinstance(value, dict) and (symbol := _symbol({"name": key, **value})):
        yield symbol
    else:
        yield from _lines(value, depth)


def _symbol(content: Mapping[str, Any]) -> str:
    """An object that tells of one symbol, as a line; empty where it does not."""
    texts = {key.lower(): value for key, value in content.items()}
    name = next((texts[key] for key in _NAME_KEYS if isinstance(texts.get(key), str)), "").strip()
    if not name or len(texts) < 2 or _HEADINGS.keys() & texts.keys() - {*_NAME_KEYS, *_PLACES_KEYS}:
        return ""
    places = next((texts[key] for key in _PLACES_KEYS if isinstance(texts.get(key), list)), None)
    arity = next((texts[key] for key in _ARITY_KEYS if _is_number(texts.get(key))), None)
    if "(" not in name and places:
        name = f"{name}({', '.join(map(str, places))})"
    elif "(" not in name and "/" not in name and arity is not None:
        name = f"{name}/{arity}"
    gloss = next((texts[key] for key in _GLOSS_KEYS if isinstance(texts.get(key), str)), "")
    return f"{name}: {' '.join(gloss.split())}" if gloss else name


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10
