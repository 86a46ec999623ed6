"""Items of first-order logic with an ontology, and what comes of scripted answers about them."""

from __future__ import annotations

from typing import Any

from logic_items import LogicItem
from scripted import Scripted

from pytest_autoeval.languages import language
from pytest_autoeval.languages.ontology import Ontology, Symbol
from pytest_autoeval.models.base import Reply
from pytest_autoeval.tasks import task
from pytest_autoeval.tasks.failures import MeaningLostError, UndecidedError
from pytest_autoeval.tasks.trial import Interface, Prompting, Trial, Way

FIRST_ORDER = language("first_order")


def predicate(shown: str, gloss: str) -> Symbol:
    """A predicate: ``predicate("Larger(x, y)", "x is larger than y")``."""
    name, _, places = shown.partition("(")
    return Symbol(name, tuple(places.rstrip(")").split(", ")) if places else (), gloss)


def constant(name: str, gloss: str = "") -> Symbol:
    """A constant, by default a block."""
    return Symbol(name, (), gloss or f"block {name}", is_term=True)


CUBE, TETRAHEDRON = predicate("Cube(x)", "x is a cube"), predicate("Tet(x)", "x is a tetrahedron")
SMALL, LARGE = predicate("Small(x)", "x is small"), predicate("Large(x)", "x is large")
LARGER, SMALLER = predicate("Larger(x, y)", "x is larger than y"), predicate("Smaller(x, y)", "x is smaller than y")
LEFT_OF, RIGHT_OF = predicate("LeftOf(x, y)", "x is left of y"), predicate("RightOf(x, y)", "x is right of y")
BETWEEN = predicate("Between(x, y, z)", "x is between y and z")
NEXT_TO = predicate("NextTo(x, y)", "x is next to y")
A, B = constant("a"), constant("b")
BLOCKS = (CUBE, TETRAHEDRON, SMALL, LARGE, LARGER, SMALLER, LEFT_OF, RIGHT_OF, BETWEEN, NEXT_TO, A, B)


def item(formula: str, symbols: tuple[Symbol, ...] = BLOCKS, **facts: Any) -> LogicItem:
    """An item with an ontology."""
    ontology = Ontology(symbols)
    told = {"sentence": "A sentence.", "ontology": ontology.to_facts(), "ontology_derived": False, **facts}
    return LogicItem(FIRST_ORDER.parse(formula), ontology.vocabulary, told)


def performed(
    name: str,
    subject: LogicItem,
    *answers: Reply | str,
    interface: Interface = "",
    way: Way = "zero-shot",
    verify_timeout: float = 5.0,
) -> Trial:
    """The trial after a task was performed on an item, however it ended."""
    prompting = Prompting(way=way, interface=interface)
    trial = Trial(Scripted(*answers), prompting=prompting, subject=subject, verify_timeout=verify_timeout)
    try:
        task(name).perform(trial)
    except (MeaningLostError, UndecidedError) as lost:
        trial.notes["message"] = str(lost)
    return trial
