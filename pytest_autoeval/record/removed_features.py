"""Reads rows of releases that had more features than this one. Nothing behind this module knows those features.

A row keeps its outcome. What asked or judged it in a way that no longer exists is in ``incomparable``, as a reason why
the row is not paired with another run's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def never_counted(row: Mapping[str, Any]) -> bool:
    """Whether the row is of an earlier counterexample that was asked again (kept). It counted in no rate."""
    return bool(row.get("kept"))


def as_rows_are_today(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row of a results file without the keys of removed features."""
    data = dict(row)
    reasons = [
        reason
        for key, take in _TAKEN.items()
        if key in data and (reason := take(data, data.pop(key)))
    ]
    if reasons:
        data["incomparable"] = "; ".join(reasons)
    return data


def _hops(_data: dict[str, Any], hops: Any) -> str:
    """Several round trips in a row for one formula. The outcome of the row is that of the last one."""
    several = isinstance(hops, list) and len(hops) > 1
    return "its formulas made several round trips in a row (hops)" if several else ""


def _asked_again(data: dict[str, Any], asked_again: Any) -> str:
    """Answers without the form of their task were asked for once more. The outcome of the row is that of the last."""
    calls = data.get("calls")
    stages = (
        [str(call.get("stage")) for call in calls if isinstance(call, dict)]
        if isinstance(calls, list)
        else []
    )
    if asked_again and not any(stage.endswith("refined") for stage in stages):
        # Without self-refinement, these keys are about the answer before the question was asked again.
        data.pop("first_answer", None)
        data.pop("first_outcome", None)
    return "it asked again for answers that lacked their form (reask)"


def _kept(_data: dict[str, Any], _kept: Any) -> str:
    """The mark of an earlier counterexample that was asked again; see :func:`never_counted`."""
    return ""


def _adaptive(data: dict[str, Any], _design: Any) -> str:
    """The sizes were chosen by earlier answers, so that a rate over all samples depends on the answers."""
    data["ungated"] = "not judged, because its sizes were chosen by the answers (adaptive)"
    return "its sizes were chosen by the answers (adaptive)"


def _horizon_gate(data: dict[str, Any], _sizes: Any) -> str:
    """The required horizons, which are not judged any more."""
    if data.get("threshold") is None:
        data["ungated"] = "not judged, because the gate on its horizon was removed"
    return ""


#: For each key of a removed feature: what it means for the row, which is changed, and why the row has no pair.
_TAKEN = {
    "hops": _hops,
    "asked_again": _asked_again,
    "kept": _kept,
    "adaptive": _adaptive,
    "horizon_gate": _horizon_gate,
}
