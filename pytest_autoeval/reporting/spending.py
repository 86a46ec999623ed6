"""Calls to models by their purpose: samples, blame, shrinking, kept formulas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pytest_autoeval.reporting.row import Calls, Row
from pytest_autoeval.reporting.text import count, percent

PURPOSES = ("samples", "blame", "shrinking", "kept formulas")


def spending(rows: Sequence[Row]) -> dict[str, Calls]:
    """The calls of some rows by purpose, also of rows that do not count in rates."""
    asked = [(row.kept, call) for row in rows for call in row.calls]
    parts = (
        Calls.of(call for kept, call in asked if not kept and call.stage != "blame"),
        Calls.of(call for kept, call in asked if not kept and call.stage == "blame"),
        Calls.total(row.shrinking for row in rows if row.shrinking is not None),
        Calls.of(call for kept, call in asked if kept),
    )
    return {purpose: calls for purpose, calls in zip(PURPOSES, parts, strict=True) if calls.number}


def together(parts: Iterable[Mapping[str, Calls]]) -> dict[str, Calls]:
    """The calls of several suites by purpose."""
    listed = list(parts)
    listed_parts = {what: [part[what] for part in listed if what in part] for what in PURPOSES}
    return {what: Calls.total(calls) for what, calls in listed_parts.items() if calls}


def calls_text(spent: Mapping[str, Calls]) -> str:
    """The calls in words: ``80 calls, 100.0 % replayed, 16,800 tokens in, 1,120 out (900 reasoning), $0.42``.

    Replayed calls were answered by a recording, repeated ones by an equal earlier call of the run.
    """
    calls = Calls.total(spent.values())
    parts = [count(calls.number, "call") + purposes_text(spent)]
    if calls.number:
        parts.append(f"{percent(calls.replayed / calls.number)} % replayed")
    if calls.repeated:
        parts.append(f"{percent(calls.repeated / calls.number)} % repeated")
    if calls.prompt_tokens is not None:
        parts.append(f"{calls.prompt_tokens:,} tokens in")
    if calls.completion_tokens is not None:
        thoughts = f" ({calls.reasoning_tokens:,} reasoning)" if calls.reasoning_tokens else ""
        parts.append(f"{calls.completion_tokens:,} out{thoughts}")
    if calls.cost is not None:
        parts.append(f"${calls.cost:.2f}" if calls.cost >= 0.01 or not calls.cost else "less than $0.01")
    return ", ".join(parts)


def purposes_text(spent: Mapping[str, Calls]) -> str:
    """The purposes of the calls, unless all were for samples: `` (140 calls for samples, 217 for shrinking)``."""
    if spent.keys() <= {"samples"}:
        return ""
    (first, calls), *others = spent.items()
    rest = "".join(f", {other.number:,} for {purpose}" for purpose, other in others)
    return f" ({count(calls.number, 'call')} for {first}{rest})"
