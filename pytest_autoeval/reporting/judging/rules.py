"""What is asked of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: How a threshold is read: against the pass rate, or against its 95 % interval.
Rule = Literal["point", "interval"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What is asked of a run.

    ``threshold`` is the pass rate, from 0 to 1, of suites that name none; ``gate`` how it is read; ``drop`` the drop
    against the baseline, from 0 to 1, that fails a suite (without one the comparison is reported, not judged);
    ``alpha`` the level of every test.
    """

    threshold: float | None = None
    gate: Rule = "point"
    alpha: float = 0.05
    drop: float | None = None
