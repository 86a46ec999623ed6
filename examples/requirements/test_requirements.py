"""The round trip from two sets of sentences.

They are in natural English, so name a model: the built-in offline model understands only its own English.
"""

from collections.abc import Callable

from pytest_autoeval import autoeval


@autoeval.sentences("lift.md", language="ltl")
def test_lift(perform: Callable[[], object]) -> None:
    perform()


@autoeval.sentences("library.md", language="first_order")
def test_library(perform: Callable[[], object]) -> None:
    perform()
