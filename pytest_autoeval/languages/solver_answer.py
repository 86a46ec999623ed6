"""What a worker answers for z3, apart from z3: who reads the answer would import z3 too, which takes 50 ms and 3 MB."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class SolverAnswer(NamedTuple):
    """z3's answer to a script: ``outcome`` is ``sat``, ``unsat`` or ``unknown``.

    ``values`` has the Boolean and integer constants of the model; a constant that does not matter may be missing.
    """

    outcome: str
    values: Mapping[str, bool | int] = {}
    reason: str = ""
    spent: int = 0
