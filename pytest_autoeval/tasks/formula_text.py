"""A subject's formula and propositions as prompts show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from pytest_autoeval.languages import language
from pytest_autoeval.languages.ltl.answers.python_notation import to_python
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.tasks.trial import Interface, Subject


def shown(subject: Subject, interface: Interface) -> str:
    """The formula in the notation of the interface: a Python expression or the language's canonical text."""
    if interface == "python":
        return to_python(cast("Temporal", subject.formula))
    return language(subject.language).format(subject.formula)


def listed(propositions: Iterable[Sequence[str]]) -> str:
    """Pairs of phrase and name, one a line: ``"the door is open": x1``."""
    return "\n".join(f'"{phrase}": {name}' for phrase, name in propositions)
