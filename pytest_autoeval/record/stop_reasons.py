"""Why a suite stopped before all of its samples ran."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Stopped(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a suite was ended early: by a planned look, or by the sequential test of an older release.

    Attributes:
        verdict: the decision: ``passed`` or ``failed``.
        ran: the number of samples that ran.
        planned: the number of samples that were planned.
        by: what decided: the ``threshold``, or a fall against the ``baseline``.
        look: the number of the planned look that decided, from 1; absent in files of older releases.
        gate: the rule of the gate over the threshold.
        alpha: the error rate of all looks together; 0 if the decision is certain.
        saved: what was not spent, such as ``120 calls``.
        calls: the number of calls that were not made.
    """

    verdict: Literal["passed", "failed"]
    ran: int
    planned: int
    by: Literal["threshold", "baseline"] = "threshold"
    look: int = 0
    gate: Literal["point", "interval"] = "point"
    alpha: float = 0.05
    saved: str = ""
    calls: int = 0

    @property
    def left(self) -> int:
        """The number of samples that did not run."""
        return self.planned - self.ran
