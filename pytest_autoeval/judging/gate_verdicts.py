"""The verdicts of gates: their order, their words for readers, and their signs."""

from __future__ import annotations

import textwrap
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
#: What a reader can do about a suite that neither passed nor failed.
_ADVICE: Mapping[State, str] = {
    "failed": "Read the counterexamples: the smallest one of each kind stands under the suite. `reproduce` asks again.",
    "interrupted": "Run again with --autoeval-resume, which asks only what is missing.",
    "inconclusive": "The line under the suite says what would decide: more samples (--autoeval-samples), or a higher "
    "limit on calls or cost. The exit code is 10 if nothing failed, so that your CI can tell it from a failure.",
    "passed": "Nothing. The interval says how low the true pass rate may be.",
    "not judged alone": "Read the verdict of the whole run, above the table.",
    "no gate": "Give the test a threshold, such as @autoeval(…, threshold=0.9), or the run --autoeval-threshold.",
}
#: The words, the worst first.
STATES_WORST_FIRST: tuple[State, ...] = tuple(
    dict.fromkeys(STATES[verdict] for verdict in WORST_FIRST)
)
#: The verdicts with which a suite stands.
STANDS: frozenset[GateVerdict] = frozenset({"passed", "with the run", "reported"})
#: The exit code of a run in which no gate failed and one is inconclusive; pytest uses 0 to 6.
INCONCLUSIVE = 10
#: How the first line of a report begins if the run ends so: pytest's own last line may be green.
INCONCLUSIVE_RUN = f"inconclusive (exit code {INCONCLUSIVE})"
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


def explained_states() -> dict[str, str]:
    """The texts of ``--autoeval-explain`` for how a suite ends, the worst first."""
    return {state: _explained(state) for state in STATES_WORST_FIRST}


def _explained(state: State) -> str:
    meaning = {
        "passed": "every gate of the suite passed",
        "failed": "a gate of the suite failed, or samples ended in errors",
        **MEANINGS,
    }[state]
    advice = textwrap.fill(
        _ADVICE[state], 88, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
    )
    return f"{state}: {meaning}\n\nWhat to do\n{advice}\n"
