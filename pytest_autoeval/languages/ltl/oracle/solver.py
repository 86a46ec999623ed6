"""What runs in a process of its own: lassos that satisfy a normal form, out of its symbolic tableau."""

from __future__ import annotations

import random

from pytest_autoeval.languages.ltl.oracle.diagrams import Backend
from pytest_autoeval.languages.ltl.oracle.fair_cycles import fair_states
from pytest_autoeval.languages.ltl.oracle.normal import NormalForm
from pytest_autoeval.languages.ltl.oracle.paths import Paths
from pytest_autoeval.languages.ltl.oracle.tableau import Tableau
from pytest_autoeval.languages.ltl.oracle.words import LassoWord

#: Attempts for each of the words wanted: some come twice, and there may be fewer than are wanted.
_ATTEMPTS = 4


def find(form: NormalForm, backend: Backend | None = None) -> LassoWord | None:
    """A word that satisfies a normal form; None proves that there is none."""
    tableau = Tableau(form, backend)
    fair = fair_states(tableau)
    return None if fair == tableau.diagrams.false else Paths(tableau, fair).word().reduced()


def draw(form: NormalForm, count: int, seed: int, backend: Backend | None = None) -> list[LassoWord]:
    """Up to ``count`` different words that satisfy a normal form, as many as a few attempts for each yield."""
    tableau = Tableau(form, backend)
    fair = fair_states(tableau)
    if fair == tableau.diagrams.false:
        return []
    paths = Paths(tableau, fair, random.Random(seed))  # noqa: S311 (no secret)
    found: dict[LassoWord, None] = {}
    for _ in range(_ATTEMPTS * count):
        if len(found) == count:
            break
        found[paths.word().reduced()] = None
    return list(found)
