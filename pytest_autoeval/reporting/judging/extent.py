"""What is asked of a run, and how much of a suite was run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

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


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedEarly:
    """A suite that ended because a sequential test had decided its gate.

    ``ran`` of ``planned`` samples ran; ``verdict`` is what the test decided by the rule ``gate`` at error rate
    ``alpha``; ``saved`` says what was not spent, as in ``120 calls``.
    """

    verdict: Literal["passed", "failed"]
    ran: int
    planned: int
    gate: Rule = "point"
    alpha: float = 0.05
    saved: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain basic types."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> StoppedEarly:
        """What :meth:`to_json` wrote."""
        return cls(**data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """What only the run itself knows of a suite and model: it stands in no row.

    ``planned`` samples were to run, None where that is not known; ``interrupted``: not all did, for a reason that no
    verdict can rest on.
    """

    planned: int | None = None
    interrupted: bool = False
    stopped_early: StoppedEarly | None = None

    def incomplete(self, samples: int) -> bool:
        """Whether so many samples are a part of what was to run, and not the part that a sequential test asked for."""
        if self.interrupted or self.stopped_early is not None:
            return self.interrupted
        return self.planned is not None and self.planned > samples
