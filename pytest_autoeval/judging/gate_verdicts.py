"""The verdicts of gates: their order, their words for readers, and their signs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from pytest_autoeval.text import Style

#: ``with the run``: the suite did not fall by itself, and only the whole run is judged on a drop.
GateVerdict = Literal["passed", "failed", "inconclusive", "with the run", "reported", "interrupted"]
#: What readers see of a verdict.
State = Literal["failed", "interrupted", "inconclusive", "passed", "not judged alone", "no gate"]

#: The verdicts, the worst first.
WORST_FIRST: tuple[GateVerdict, ...] = (
    "failed",
    "interrupted",
    "inconclusive",
    "passed",
    "with the run",
    "reported",
)
#: The word for each verdict that readers see.
STATES: Mapping[GateVerdict, State] = {
    "failed": "failed",
    "interrupted": "interrupted",
    "inconclusive": "inconclusive",
    "passed": "passed",
    "with the run": "not judged alone",
    "reported": "no gate",
}
#: What each word means that is neither passed nor failed.
MEANINGS: Mapping[State, str] = {
    "inconclusive": "the data are too few to tell whether the suite passes",
    "interrupted": "not all samples ran, so the suite cannot be judged",
    "not judged alone": "no fall shows in the suite alone; the drop is judged over the whole run",
    "no gate": "no threshold was given for the suite, or only a part of it ran",
}
#: The words, the worst first.
STATES_WORST_FIRST: tuple[State, ...] = tuple(
    dict.fromkeys(STATES[verdict] for verdict in WORST_FIRST)
)
#: The verdicts with which a suite stands.
STANDS: frozenset[GateVerdict] = frozenset({"passed", "with the run", "reported"})
#: The sign and the style of each verdict.
MARKS: Mapping[GateVerdict, tuple[str, Style]] = {
    "passed": ("✓", "good"),
    "failed": ("✗", "bad"),
    "inconclusive": ("?", "warn"),
    "with the run": ("·", "plain"),
    "reported": ("·", "plain"),
    "interrupted": ("!", "warn"),
}


def worst(verdicts: Iterable[GateVerdict]) -> GateVerdict:
    """The worst of some verdicts; ``reported`` without any."""
    return min(verdicts, key=WORST_FIRST.index, default="reported")
