"""What a gate of a user says of a suite."""

from __future__ import annotations

from typing import Literal

import msgspec

from pytest_autoeval.errors import AutoevalError


class GateResult(msgspec.Struct, frozen=True):
    """What a gate of your own says of a suite.

    Attributes:
        verdict: ``passed``, ``failed`` or ``inconclusive``.
        reason: why, in a sentence with the measured numbers.
        gate: its name; by default that of the function.
    """

    verdict: Literal["passed", "failed", "inconclusive"]
    reason: str
    gate: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in {"passed", "failed", "inconclusive"}:
            problem = f"GateResult({self.verdict!r}, …): a verdict is 'passed', 'failed' or 'inconclusive'"
            raise AutoevalError(problem)
        if not isinstance(self.reason, str) or not isinstance(self.gate, str):
            raise AutoevalError("GateResult: give the reason, and the name of the gate, as texts")
