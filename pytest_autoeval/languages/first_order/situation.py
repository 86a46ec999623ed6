"""A finite model in English, symbol by symbol.

"Suppose there are exactly 2 things: thing 1 and thing 2. The main library is thing 1. Thing 1 borrows thing 2. For no
other x and y, x borrows y."
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from pytest_autoeval.languages.base import Witness
from pytest_autoeval.languages.controlled_english import listed
from pytest_autoeval.languages.first_order.evaluate import (
    MAX_VISITS,
    Elements,
    FiniteModel,
    Symbol,
    evaluate,
    visits,
)
from pytest_autoeval.languages.logic.signature import joint_signature
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.situation import (
    NOT,
    Phrase,
    phrases_of,
    readable_case,
    sentence,
    unlike,
)


def situation(witness: Witness, glossary: Mapping[str, str]) -> str:
    """The model, with sentences for each symbol in order; raises :class:`EnglishError` for another witness."""
    if not isinstance(witness, FiniteModel):
        raise unlike("a finite model")
    things = listed(list(map(_thing, witness.domain)), "and")
    number = len(witness.domain)
    said = "is exactly 1 thing" if number == 1 else f"are exactly {number} things"
    facts = [f"Suppose there {said}: {things}."]
    terms = [*((name, 0) for name in witness.constants), *witness.functions]
    for phrase, (name, arity) in zip(phrases_of(glossary, terms, ""), terms, strict=True):
        table = witness.functions[name, arity] if arity else {(): witness.constants[name]}
        facts += [
            sentence(f"{phrase.of(*map(_thing, arguments))} is {_thing(value)}")
            for arguments, value in sorted(table.items())
        ]
    phrases = phrases_of(glossary, list(witness.predicates), " holds")
    for phrase, (symbol, tuples) in zip(phrases, witness.predicates.items(), strict=True):
        facts += _cases(phrase, symbol, tuples, witness.domain)
    return " ".join(facts)


def _cases(
    phrase: Phrase, symbol: Symbol, tuples: frozenset[Elements], domain: Elements
) -> Iterator[str]:
    """The cases in which a predicate holds, and that there are no others."""
    if not symbol[1]:
        yield sentence(f"{'' if () in tuples else NOT}{phrase.text}")
        return
    some = listed(list(phrase.places), "and")
    if tuples >= set(product(domain, repeat=symbol[1])):
        yield f"For all {some}, {phrase.text}."
    elif not tuples:
        yield f"For no {some}, {phrase.text}."
    else:
        yield from (sentence(phrase.of(*map(_thing, elements))) for elements in sorted(tuples))
        yield f"For no other {some}, {phrase.text}."


def _thing(element: int) -> str:
    return f"thing {element}"


@readable_case()
def holds_in(formula: Sentence, case: Mapping[str, Any], *, closed: bool) -> bool | None:
    """See `Language.holds_in`: in the model of a witness's JSON. Not known either if it takes too long.

    In a ``closed`` case other predicates hold of nothing, and other terms denote the first element.
    """
    _check(case)
    signature, size = joint_signature(formula), len(case["domain"])
    held = {
        symbol: _entry(case["predicates"], symbol, symbol[1]) for symbol in signature.predicates
    }
    tables = {
        symbol: _entry(case["functions"], symbol, symbol[1] + 1) for symbol in signature.functions
    }
    lacking = [symbol for symbol, rows in tables.items() if rows is None]
    is_open = (
        lacking or None in held.values() or not case["constants"].keys() >= set(signature.constants)
    )
    work = sum((size**arity for _, arity in lacking), visits(formula, size))
    if (is_open and not closed) or work > (MAX_VISITS // 10 if closed else MAX_VISITS):
        return None
    domain, first = tuple(case["domain"]), case["domain"][0]
    model = FiniteModel(
        domain=domain,
        constants=dict.fromkeys(signature.constants, first) | case["constants"],
        functions={
            symbol: dict.fromkeys(product(domain, repeat=symbol[1]), first)
            if rows is None
            else {tuple(row[:-1]): row[-1] for row in rows}
            for symbol, rows in tables.items()
        },
        predicates={
            symbol: frozenset([()] if rows is True else map(tuple, rows or []))
            for symbol, rows in held.items()
        },
        left=False,
        right=False,
    )
    return evaluate(formula, model)


def _check(witness: Mapping[str, Any]) -> None:
    """Raises :class:`ValueError` if elements are not of the domain, or if a function lacks a value or has two."""
    domain, functions = set(witness["domain"]), witness["functions"].values()
    sets = [rows for rows in witness["predicates"].values() if not isinstance(rows, bool)]
    used = {
        *witness["constants"].values(),
        *(each for rows in (*functions, *sets) for row in rows for each in row),
    }
    if not domain or not used <= domain:
        raise ValueError("the model has an element that is not in its domain")
    for rows in functions:
        arguments = {tuple(row[:-1]) for row in rows}
        if not len(rows) == len(arguments) == len(domain) ** (len(rows[0]) - 1):
            raise ValueError("a function does not have one value for each of its arguments")


def _entry(table: Mapping[str, Any], symbol: Symbol, width: int) -> Any:
    """The rows of a symbol, so many elements in each; None if the witness lacks it.

    A name with several arities stands there with each arity.
    """
    name, arity = symbol
    rows = table.get(f"{name}/{arity}", table.get(name))
    if width == 0:
        return rows if isinstance(rows, bool) else None
    return rows if isinstance(rows, list) and all(len(row) == width for row in rows) else None
