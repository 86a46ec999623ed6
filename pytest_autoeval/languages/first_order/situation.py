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
    count = "is exactly 1 thing" if number == 1 else f"are exactly {number} things"
    facts = [f"Suppose there {count}: {things}."]
    constants = [(name, 0) for name in witness.constants]
    terms = [*constants, *witness.functions]
    # Without a phrase, a term is its name alone (the empty text), and a predicate is its name with "holds".
    for phrase, (name, arity) in zip(phrases_of(glossary, terms, ""), terms, strict=True):
        # A constant is like a function whose only row has no arguments.
        table = witness.functions[name, arity] if arity else {(): witness.constants[name]}
        for arguments, value in sorted(table.items()):
            term = phrase.of(*map(_thing, arguments))
            facts.append(sentence(f"{term} is {_thing(value)}"))
    phrases = phrases_of(glossary, list(witness.predicates), " holds")
    for phrase, (symbol, tuples) in zip(phrases, witness.predicates.items(), strict=True):
        facts += _cases(phrase, symbol, tuples, witness.domain)
    return " ".join(facts)


def _cases(
    phrase: Phrase, symbol: Symbol, tuples: frozenset[Elements], domain: Elements
) -> Iterator[str]:
    """The cases in which a predicate holds, and that there are no others."""
    _, arity = symbol
    if arity == 0:
        clause = phrase.text if () in tuples else f"{NOT}{phrase.text}"
        yield sentence(clause)
        return
    variables = listed(list(phrase.places), "and")
    if tuples >= set(product(domain, repeat=arity)):
        yield f"For all {variables}, {phrase.text}."
    elif not tuples:
        yield f"For no {variables}, {phrase.text}."
    else:
        for elements in sorted(tuples):
            yield sentence(phrase.of(*map(_thing, elements)))
        yield f"For no other {variables}, {phrase.text}."


def _thing(element: int) -> str:
    return f"thing {element}"


@readable_case()
def holds_in(formula: Sentence, case: Mapping[str, Any], *, closed: bool) -> bool | None:
    """See `Language.holds_in`: in the model of a witness's JSON. Not known either if it takes too long.

    In a ``closed`` case other predicates hold of nothing, and other terms denote the first element.
    """
    _check(case)  # it may come from a file of the user
    signature = joint_signature(formula)
    size = len(case["domain"])
    extensions = {
        (name, arity): _entry(case["predicates"], (name, arity), arity)
        for name, arity in signature.predicates
    }
    tables = {
        (name, arity): _entry(case["functions"], (name, arity), arity + 1)
        for name, arity in signature.functions
    }
    lacking_functions = [symbol for symbol, rows in tables.items() if rows is None]
    lacks_constant = not case["constants"].keys() >= set(signature.constants)
    is_open = bool(lacking_functions) or lacks_constant or None in extensions.values()
    if is_open and not closed:
        return None
    # A function that is lacking gets a whole table, which costs its rows.
    work = visits(formula, size) + sum(size**arity for _, arity in lacking_functions)
    # A closed case is evaluated for all sentences of a set, one case after another.
    if work > (MAX_VISITS // 10 if closed else MAX_VISITS):
        return None
    domain = tuple(case["domain"])
    first_element = case["domain"][0]
    functions: dict[Symbol, dict[Elements, int]] = {}
    for symbol, rows in tables.items():
        if rows is None:
            _, arity = symbol
            functions[symbol] = dict.fromkeys(product(domain, repeat=arity), first_element)
        else:
            functions[symbol] = {tuple(row[:-1]): row[-1] for row in rows}
    predicates: dict[Symbol, frozenset[Elements]] = {}
    for symbol, rows in extensions.items():
        # A proposition has a truth value in place of rows. If it is true, it holds of the empty tuple.
        if rows is True:
            predicates[symbol] = frozenset([()])
        else:
            # A proposition may be False; a predicate that a closed case lacks is None.
            predicates[symbol] = frozenset(map(tuple, rows or []))
    model = FiniteModel(
        domain=domain,
        constants=dict.fromkeys(signature.constants, first_element) | case["constants"],
        functions=functions,
        predicates=predicates,
        left=False,
        right=False,
    )
    return evaluate(formula, model)


def _check(witness: Mapping[str, Any]) -> None:
    """Raises :class:`ValueError` if elements are not of the domain, or if a function lacks a value or has two."""
    domain = set(witness["domain"])
    functions = witness["functions"].values()
    extensions = [rows for rows in witness["predicates"].values() if not isinstance(rows, bool)]
    used = set(witness["constants"].values())
    for rows in (*functions, *extensions):
        for row in rows:
            used.update(row)
    if not domain or not used <= domain:
        raise ValueError("the model has an element that is not in its domain")
    for rows in functions:
        arguments = {tuple(row[:-1]) for row in rows}
        arity = len(rows[0]) - 1
        if not len(rows) == len(arguments) == len(domain) ** arity:
            raise ValueError("a function does not have one value for each of its arguments")


def _entry(table: Mapping[str, Any], symbol: Symbol, width: int) -> Any:
    """The rows of a symbol, of ``width`` elements each; None if the witness lacks it or has other rows.

    A proposition has the width 0, and a truth value in place of rows. A name with several arities stands there with
    each arity.
    """
    name, arity = symbol
    rows = table.get(f"{name}/{arity}", table.get(name))
    if width == 0:
        return rows if isinstance(rows, bool) else None
    if not isinstance(rows, list) or any(len(row) != width for row in rows):
        return None
    return rows
