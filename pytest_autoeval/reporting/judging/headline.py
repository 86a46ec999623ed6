"""The verdict on a whole run, in a line or two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pytest_autoeval.reporting.judging.gates import Gate
from pytest_autoeval.reporting.judging.suite_judgement import AnyGate
from pytest_autoeval.reporting.text import Line, count

if TYPE_CHECKING:
    from pytest_autoeval.reporting.judging.baseline_gate import BaselineGate


def headline(gates: Sequence[Gate], comparisons: Sequence[BaselineGate] = ()) -> Iterator[Line]:
    """The verdict on the run, the interruption before it where there was one."""
    everything: list[AnyGate] = [*gates, *comparisons]
    broken = [gate for gate in everything if gate.verdict == "interrupted"]
    judged = [gate for gate in everything if gate.verdict in ("passed", "failed", "inconclusive")]
    if broken:
        yield Line(f"interrupted: {_progress(gates)} ran; {count(len(broken), 'gate')} could not be judged", "warn")
    covered = {gate.name for gate in judged + broken}
    free = sum(gate.name not in covered for gate in gates)
    without = f"; {count(free, 'suite')} without a threshold" if free and judged else ""
    failed = sum(gate.verdict == "failed" for gate in judged)
    open_ = sum(gate.verdict == "inconclusive" for gate in judged)
    if failed:
        some = "the gate failed" if len(judged) == 1 else f"{failed} of {len(judged)} gates failed"
        yield Line(f"{some}{f', {open_} inconclusive' if open_ else ''}{without}", "bad")
    elif open_:
        are = "is" if open_ == 1 else "are"
        some = "the gate is" if len(judged) == 1 else f"no gate failed, but {open_} of {len(judged)} {are}"
        yield Line(f"{some} inconclusive{without}", "warn")
    elif judged:
        passed = "the gate passed" if len(judged) == 1 else f"all {len(judged)} gates passed"
        yield Line(f"{passed}{without}", "good")
    elif free and comparisons:
        yield Line("no threshold or drop was given: rates and differences are reported, not judged", "dim")
    elif free:
        yield Line("no threshold was given: the pass rates are reported, not judged", "dim")


def _progress(gates: Sequence[Gate]) -> str:
    ran, planned = sum(gate.samples for gate in gates), [gate.planned for gate in gates]
    known = [number for number in planned if number is not None]
    return f"{ran} of {count(sum(known), 'sample')}" if len(known) == len(planned) else count(ran, "sample")
