"""Shrinks the failures of a suite: its body runs on smaller formulas, while the smallest that fails is looked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.languages import Formula, language
from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.running.bodies import TrialResult, first_fatal
from pytest_autoeval.running.sources import with_formula
from pytest_autoeval.tasks.shrinking import shrink

#: Runs the suite's body on some samples, at a repeat: a result for each, None where a fatal error came before.
Runner = Callable[[Sequence[Sample], int], Sequence[TrialResult | None]]


def shrunk(  # noqa: PLR0913, PLR0917 - a row with its sample, and what its suite can do with others
    row: Row,
    origin: Sample,
    run: Runner,
    row_of: Callable[[TrialResult], Row],
    command_of: Callable[[Row], str],
    budget: int,
) -> Counterexample:
    """The smallest counterexample that is found from a failing row, within ``budget`` round trips.

    ``row_of`` makes the row of a result. Raises the fatal error after which the model can be asked no more.
    """
    lang = language(origin.language)
    unanswered = False

    def smaller(formula: Formula) -> Iterator[Formula]:
        return lang.simpler(formula, origin.vocabulary)

    def results(formulas: Sequence[Formula], repeat: int) -> Sequence[TrialResult | None]:
        nonlocal unanswered
        found = run([with_formula(origin, formula) for formula in formulas], repeat)
        known = [result for result in found if result is not None]
        if (fatal := first_fatal(known)) is not None:
            raise fatal
        unanswered = unanswered or any(result.outcome == "error" for result in known)
        return found

    def fails(formulas: Sequence[Formula], repeat: int) -> list[bool]:
        return [result is not None and result.outcome == row.outcome for result in results(formulas, repeat)]

    best = shrink(origin.formula, smaller, fails, budget)
    smallest: Row | None = None
    if best.formula != origin.formula:
        (result,) = results([best.formula], 0)
        smallest = row_of(result) if result is not None else None
    return Counterexample(
        row=row,
        shrunk_row=smallest,
        minimal=best.minimal and not unanswered,
        confirmed=f"{best.repeats[0] + 1} of {best.repeats[1] + 1}" if smallest else "",
        round_trips_spent=best.spent,
        command=command_of(smallest or row),
    )
