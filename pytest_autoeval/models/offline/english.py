"""Which English stands for which formal language; the one place to add the English of another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from importlib import import_module
from typing import ClassVar

from pytest_autoeval.languages import Formula, language_of
from pytest_autoeval.models.offline.words import NotThisEnglishError


class English(ABC):
    """A controlled English for one or more formal languages: what it says of a formula can be read back exactly."""

    languages: ClassVar[tuple[str, ...]]

    @abstractmethod
    def describe(self, formula: Formula) -> str:
        """The formula in plain English, without signs: ``read(describe(f)) == f``."""

    @abstractmethod
    def read(self, description: str) -> Formula:
        """The formula that was described; raises :class:`NotThisEnglishError` for any other text."""


#: Where each English stands; a description is tried on them in this order.
_LOCATIONS = (
    "pytest_autoeval.models.offline.english_logic:ENGLISH",
    "pytest_autoeval.models.offline.english_regex:ENGLISH",
    "pytest_autoeval.models.offline.english_ltl:ENGLISH",
)
_ADDED: list[English] = []


def register_english(english: English) -> None:
    """Teaches the offline models to describe and read the formulas of another language."""
    _ADDED.append(english)


def describe(formula: Formula) -> str:
    """The formula in the English of its language; raises :class:`NotThisEnglishError` where there is none."""
    name = language_of(formula).name
    for english in _known():
        if name in english.languages:
            return english.describe(formula)
    raise NotThisEnglishError(f"the offline models have no English for the language {name!r}: see register_english")


def read(description: str) -> Formula:
    """The formula that a description by :func:`describe` is of; raises :class:`NotThisEnglishError`."""
    for english in _known():
        try:
            return english.read(description)
        except NotThisEnglishError:
            continue
    raise NotThisEnglishError("the description is not in the English that the offline models write")


def _known() -> tuple[English, ...]:
    return (*_ADDED, *_built_in())


@cache
def _built_in() -> tuple[English, ...]:
    return tuple(_load(location) for location in _LOCATIONS)


def _load(location: str) -> English:
    module, _, attribute = location.partition(":")
    english = getattr(import_module(module), attribute)
    assert isinstance(english, English)
    return english
