"""What became of the counterexamples that were kept: new, still failing, fixed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from pytest_autoeval.reporting.text import Line, Style, one_line, shorten, shorten_start, wrap

Status = Literal["new", "still failing", "undecided", "fixed", "not asked"]

_MARKS: MappingProxyType[Status, tuple[str, Style]] = MappingProxyType(
    {
        "new": ("✗", "bad"),
        "still failing": ("✗", "bad"),
        "undecided": ("?", "warn"),
        "fixed": ("✓", "good"),
        "not asked": ("!", "warn"),
    }
)
#: How many of a suite are shown with each status, unless the summary is verbose.
_SHOWN = 5
_LONGEST_FORMULA = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptResult:
    """One kept counterexample after a run.

    ``status``: ``new``, it was found in this run; ``still failing``, some model of this run failed on it; ``fixed``,
    every model of this run passed; ``undecided``, none failed, but some gave no answer that counts; ``not asked``,
    its ``problem`` says why. ``file`` is the name of its file, ``first_seen`` and ``last_seen`` the days, as ISO dates,
    on which it failed; ``failing`` the models that failed on it in this run, each with its outcome. Of a file that is
    no kept counterexample only ``file`` and ``problem`` are known.
    """

    status: Status
    file: str
    suite: str = ""
    formula: str = ""
    first_seen: str = ""
    last_seen: str = ""
    failing: tuple[str, ...] = ()
    problem: str = ""


def kept_lines(results: Iterable[KeptResult], *, verbose: bool = False, width: int = 80) -> list[Line]:
    """The summary's lines on what was kept, suite by suite; none where nothing was."""
    results = list(results)
    if not results:
        return []
    numbers = Counter(result.status for result in results)
    shown = ", ".join(f"{numbers[status]} {status}" for status in _MARKS if numbers[status])
    lines = [Line(""), Line(f"kept counterexamples: {shown}", "title")]
    suites: dict[str, list[KeptResult]] = defaultdict(list)
    for result in results:
        suites[result.suite].append(result)
    for suite in sorted(suites, key=lambda suite: (not suite, suite)):
        lines.append(Line(shorten_start(f"  {one_line(suite) or 'files of the folder'}", width)))
        lines += _of_suite(suites[suite], verbose=verbose, width=width)
    return lines


def _of_suite(results: Sequence[KeptResult], *, verbose: bool, width: int) -> Iterator[Line]:
    for status, (mark, style) in _MARKS.items():
        alike = [result for result in results if result.status == status]
        for result in alike if verbose else alike[:_SHOWN]:
            first, *rest = wrap(f"{mark} {_sentence(result)}", width - 6)
            yield Line(f"    {first}", style)
            yield from (Line(f"      {line}", style) for line in rest)
        if len(alike) > _SHOWN and not verbose:
            yield Line(f"    … and {len(alike) - _SHOWN} more {status}, which -v lists", "dim")


def _sentence(result: KeptResult) -> str:
    """One result in a sentence."""
    formula = shorten(one_line(result.formula), _LONGEST_FORMULA)
    if result.status == "not asked":
        about = f" ({formula})" if formula else ""
        return f"{one_line(result.file)}{about}: {one_line(result.problem)}"
    last = f", last seen {result.last_seen}" if result.status != "new" else ""
    failing = f"; fails: {', '.join(map(one_line, result.failing))}" if result.failing else ""
    problem = f"; {one_line(result.problem)}" if result.problem else ""
    return f"{result.status}: {formula} (first seen {result.first_seen}{last}){failing}{problem}"
