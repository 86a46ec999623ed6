"""The sorts of formula on which a model is worse, as lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pytest_autoeval.reporting.text import Line, bounds_text, count, one_line, p_text, shorten_start, wrap

if TYPE_CHECKING:
    from pytest_autoeval.reporting.judging.slices import Slice

#: Slices that a suite and model show, unless the summary is verbose.
_FEW = 3


def slice_lines(slices: Sequence[Slice], *, verbose: bool, width: int) -> Iterator[Line]:
    """The slices of each suite and model, the surest first; verbose shows all."""
    grouped: dict[tuple[str, str], list[Slice]] = defaultdict(list)
    for one in slices:
        grouped[one.suite, one.model].append(one)
    if grouped:
        yield Line("")
        yield Line("formulas that are worse than others, or than they were", "title")
    for (suite, model), some in sorted(grouped.items()):
        yield Line(f"  {shorten_start(one_line(f'{suite}[{model}]'), width - 2)}")
        for one in some if verbose else some[:_FEW]:
            first, *more = wrap(slice_text(one), width - 6)
            yield from (Line(f"    {line}") for line in (first, *(f"  {line}" for line in more)))
        if len(some) > _FEW and not verbose:
            yield Line(f"    and {count(len(some) - _FEW, 'other')}; -v shows them", "dim")


def slice_text(one: Slice) -> str:
    """A slice in a line: ``formulas with ∃: 71.2 %, the others 93.0 % (p 0.0012)``."""
    beside = ""
    if one.outside is not None:
        beside = f", the others {bounds_text(one.outside)} %"
    elif one.before is not None:
        beside = f", in the baseline {bounds_text(one.before)} %"
    return f"{one_line(one.name)}: {bounds_text(one.inside)} %{beside} (p {p_text(one.p_value)})"
