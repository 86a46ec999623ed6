"""The part that the tasks of this study alone add to a sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pytest_autoeval.record.sample_parts import Part


class Symbols(Part, frozen=True):
    """The symbols that an answer lists, compared with those of the reference.

    Attributes:
        listed: the symbols that the answer of a translation lists.
        matched: pairs of the model's symbol and ours.
        missing: our symbols without a partner.
        surplus: the model's symbols without a partner.
        wrong_arity: the pairs with different numbers of places.
        precision: 0 to 1.
        recall: 0 to 1.
        f1: 0 to 1.
        arity_right: the share of the pairs with the same number of places.
    """

    flat_names: ClassVar[Mapping[str, str]] = {
        "listed": "ontology_answered",
        "precision": "symbols_precision",
        "recall": "symbols_recall",
        "f1": "symbols_f1",
    }

    listed: list[str] | None = None
    matched: list[Any] | None = None
    missing: list[Any] | None = None
    surplus: list[Any] | None = None
    wrong_arity: list[Any] | None = None
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    arity_right: float | None = None
