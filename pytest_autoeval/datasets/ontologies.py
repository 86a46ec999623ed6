"""Ontologies of rows: symbols with their glosses, as JSON in the row or in a file beside it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import structs

from pytest_autoeval.datasets.data_set import DataSetError
from pytest_autoeval.datasets.file_text import text_of
from pytest_autoeval.datasets.table_files import decoded
from pytest_autoeval.languages.logic.reserved import name_problem
from pytest_autoeval.languages.logic.signature import uses
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.logic.tokens import is_name
from pytest_autoeval.languages.ontology import Ontology, Symbol, is_term_by_form
from pytest_autoeval.lazy_pattern import lazy_pattern

#: A symbol as prompts show it, with its arguments: ``Larger(x, y)``.
_SHOWN = lazy_pattern(r"\s*+(?P<name>[^\s()]++)\s*+(?:\((?P<places>[^()]*+)\)\s*+)?")
_FORM = 'write {"Larger(x, y)": "x is larger than y", "a": "the block called a"}, or name a JSON file with that'
#: The keys of an object with the glosses of a symbol.
_POLARITIES = ({"positive"}, {"positive", "negative"})

#: A symbol as formulas use it: its name, its number of places, and whether it is a constant or function.
Used = tuple[str, int, bool]


class Glossary(NamedTuple):
    """The symbols of an ontology, before it is known which are predicates and which are terms."""

    symbols: tuple[Symbol, ...]

    @property
    def constants(self) -> frozenset[str]:
        """The names of symbols without arguments."""
        return frozenset(symbol.name for symbol in self.symbols if not symbol.arity)

    def ontology(self, used: Collection[Used] = ()) -> Ontology:
        """The ontology; formulas decide which symbols are terms, or else the form of the symbol does."""
        return Ontology(
            tuple(
                structs.replace(symbol, is_term=_is_term(symbol, used)) for symbol in self.symbols
            )
        )


def _is_term(symbol: Symbol, used: Collection[Used]) -> bool:
    kinds = {
        is_term for name, arity, is_term in used if (name, arity) == (symbol.name, symbol.arity)
    }
    return (
        kinds.pop()
        if len(kinds) == 1
        else is_term_by_form(symbol.name, symbol.parameters, symbol.gloss)
    )


def used_symbols(formulas: Iterable[Sentence]) -> frozenset[Used]:
    """How formulas use their symbols."""
    used: set[Used] = set()
    for formula in formulas:
        for use in uses(formula):
            # A variable is a name of the formula, and no symbol.
            if use.kind != "variable":
                used.add((use.name, use.arity, use.kind in ("function", "constant")))
    return frozenset(used)


def glossary_of_row(value: Any, data: Path) -> Glossary:
    """The ontology in a row: an object, its JSON, or the name of a file beside it; raises :class:`DataSetError`."""
    if isinstance(value, Mapping):
        return glossary_of_object(value)
    if isinstance(value, str) and value.lstrip().startswith("{"):
        return _glossary_of_text(value)
    # Not printable is, for instance, half of a surrogate pair: no file has such a name.
    if not isinstance(value, str) or not value.strip().isprintable():
        raise DataSetError(f"an ontology cannot be {value!r}; {_FORM}")
    path = data.parent / value.strip()
    try:
        text = text_of(path)
    except DataSetError as problem:
        raise DataSetError(f"{problem}; {_FORM}") from None
    try:
        return _glossary_of_text(text)
    except DataSetError as problem:
        raise DataSetError(f"{path.name}: {problem}") from None


@lru_cache(maxsize=64)
def _glossary_of_text(text: str) -> Glossary:
    try:
        value = decoded(text)
    except ValueError as problem:
        raise DataSetError(str(problem)) from None
    if not isinstance(value, dict):
        raise DataSetError(f"an ontology must be an object; {_FORM}")
    return glossary_of_object(value)


def glossary_of_object(value: Mapping[str, Any]) -> Glossary:
    """The glossary of an object: a meaning for each symbol; raises :class:`DataSetError`."""
    symbols = tuple(_symbol(symbol_text, meaning) for symbol_text, meaning in value.items())
    if not symbols:
        raise DataSetError(f"an ontology needs symbols; {_FORM}")
    name, count = Counter(symbol.name for symbol in symbols).most_common(1)[0]
    if count > 1:
        raise DataSetError(f"{name!r} occurs {count} times; give each symbol another name")
    return Glossary(symbols)


def _symbol(symbol_text: str, meaning: Any) -> Symbol:
    match = _SHOWN.fullmatch(symbol_text)
    arguments = "" if match is None else (match["places"] or "").strip()
    if match is not None:
        problem = name_problem(match["name"], len(arguments))
        if problem:
            raise DataSetError(f"{symbol_text!r}: {problem}; give it another name")
    if match is None or not is_name(match["name"]):
        raise DataSetError(f"{symbol_text!r} is not a symbol; {_FORM}")
    variables: tuple[str, ...] = ()
    if arguments:
        variables = tuple(variable.strip() for variable in arguments.split(","))
    if not all(map(is_name, variables)) or len(set(variables)) < len(variables):
        raise DataSetError(f"{symbol_text!r}: each argument needs another name, as in Larger(x, y)")
    glosses = _glosses(symbol_text, meaning)
    for gloss in filter(None, glosses):
        missing = [variable for variable in variables if not _mentions(gloss, variable)]
        if missing:
            raise DataSetError(f"{symbol_text!r}: {gloss!r} does not mention {', '.join(missing)}")
    return Symbol(match["name"], variables, *glosses)


def _mentions(gloss: str, variable: str) -> bool:
    """Whether a gloss has the variable as a word."""
    return re.search(rf"(?<!\w){re.escape(variable)}(?!\w)", gloss) is not None


def _glosses(symbol_text: str, meaning: Any) -> tuple[str, str]:
    """The gloss of a symbol and that of its negation, which may be empty."""
    if isinstance(meaning, Mapping) and meaning.keys() in _POLARITIES:
        meaning = [meaning["positive"], meaning.get("negative", "")]
    listed = meaning if isinstance(meaning, list) else [meaning]
    are_texts = len(listed) in {1, 2} and all(isinstance(gloss, str) for gloss in listed)
    if not are_texts or not listed[0].strip():
        forms = '"…", ["…", "… not …"] or {"positive": "…", "negative": "…"}'
        raise DataSetError(f"{symbol_text!r} needs a gloss: {forms}")
    # A gloss is put into sentences, which have their own full stop.
    glosses = [" ".join(gloss.split()).rstrip(".") for gloss in listed]
    negative = glosses[1] if len(glosses) > 1 else ""
    return glosses[0], negative
