"""The halves of a round trip: the description of a formula, and its reading."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from pytest_autoeval.languages import Formula, Language


class Halves(Struct, frozen=True):
    """The two halves of a round trip, each of which can be made without the other.

    Attributes:
        language: the language of the formula that was described.
        describe: writes a faithful description of a formula, without a model; raises `EnglishError` if it cannot.
        read: gets a trial of its own and a description, and has the model read it there; raises as `Llm.autoformalize`.
    """

    language: Language
    describe: Callable[[Formula], str]
    read: Callable[[Any, str], Formula]
