"""The states of a tableau from which a path meets every fairness constraint again and again.

Emerson, Lei, "Efficient model checking in fragments of the propositional mu-calculus", LICS 1986.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_autoeval.languages.ltl.oracle.diagrams import Diagram
from pytest_autoeval.languages.ltl.oracle.tableau import Tableau


def fair_states(tableau: Tableau) -> Diagram:
    """The states on fair paths; or false as soon as it shows that no fair path starts in an initial state."""
    false = tableau.diagrams.false
    found, before = tableau.diagrams.true, None
    while found != before:
        before = found
        for constraint in tableau.fairness or [tableau.diagrams.true]:
            reaching = false
            for ring in rings(tableau, found & constraint, found):
                reaching |= ring
            found &= tableau.before(reaching)
            if found & tableau.initial == false:
                return false
    return found


def rings(tableau: Tableau, target: Diagram, within: Diagram) -> Iterator[Diagram]:
    """The states at distance 0, 1, 2, … to a target over paths inside a set, as long as there are any."""
    reaching = ring = target & within
    while ring != tableau.diagrams.false:
        yield ring
        ring = tableau.before(ring) & within & ~reaching
        reaching |= ring
