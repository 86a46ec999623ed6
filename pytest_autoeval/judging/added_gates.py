"""Gates of a suite besides its threshold and the baseline: those of shipped plugins, and those of a user."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from msgspec import Struct

from pytest_autoeval.built_in import PLUGINS, shipped
from pytest_autoeval.judging.baseline import BaselineGate
from pytest_autoeval.judging.gate_verdicts import GateVerdict
from pytest_autoeval.judging.gates import Gate
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.figure_sentences import sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.gate_results import GateResult
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.suite_names import named
from pytest_autoeval.statistics.paired import PairedTest
from pytest_autoeval.text import brief, one_line

#: A function of `registry.add_gate`.
GateFunction = Callable[[Sequence[Sample]], GateResult | None]
_PARTS = "not judged, because the suite ran in parts"


class AddedGate(Struct, frozen=True, kw_only=True):
    """A judged suite, by a gate that a plugin or a user adds.

    ``kind`` is the name of the gate. ``explanation`` has the measurement and the decision, ``figures`` what the gate
    requires. A gate that ``compares`` with the baseline has the ``drop`` in question, None if it is not judged, and the
    ``test``, None if nothing could be compared; ``title`` says what is compared, and ``items`` what the test counts.
    """

    kind: str
    suite: str
    model: str
    verdict: GateVerdict
    explanation: Sentence
    figures: tuple[Figure, ...] = ()
    compares: bool = False
    title: str = ""
    items: str = "pairs"
    drop: float | None = None
    test: PairedTest | None = None

    @property
    def name(self) -> str:
        """The suite with its model, as in headings."""
        return named(self.suite, self.model)

    @property
    def reason(self) -> str:
        """The explanation as plain text."""
        return str(self.explanation)


class Judged(Struct, frozen=True, kw_only=True):
    """What an added gate knows of a suite: its samples and rules, and how the gates of the core judged it.

    The ``gate`` over the threshold has the confidence of an interval that is judged once, at the end of the suite.
    ``rows_left_out`` are the rows of its data that no sample was made of: what the samples say is not said of them.
    """

    suite: SuiteRecord
    rules: Rules
    gate: Gate
    comparison: BaselineGate | None
    rows_left_out: Sequence[str] = ()


class SuiteGate(ABC):
    """A gate of shipped plugins. Its intervals share the error of the suite with those of the other gates."""

    #: Its name.
    kind: ClassVar[str]
    #: Whether it compares with the baseline. It then shares the error of these tests, and stands after the baseline.
    compares: ClassVar[bool] = False
    #: Whether it judges an interval, which shares the error of the suite. A gate that proves something has none.
    has_interval: ClassVar[bool] = True

    @abstractmethod
    def wanted(self, suite: SuiteRecord, rules: Rules) -> bool:
        """Whether the gate can fail a suite of this kind."""

    @abstractmethod
    def judge(self, judged: Judged) -> AddedGate | None:
        """The judgement; None if there is nothing to say. A gate that is not `wanted` may report its measurement."""


def shipped_gates(suite: SuiteRecord) -> list[SuiteGate]:
    """The gates of shipped plugins for a suite like this."""
    names = [gate.name for plugin in PLUGINS for gate in plugin.gates if gate.used(suite)]
    return [shipped("gate", name) for name in names]


def own_results(
    functions: Iterable[GateFunction], suite: SuiteRecord, *, is_part: bool = False
) -> list[GateResult]:
    """What the functions of a user say of a suite. A function that fails is a gate that fails.

    A function gets the samples that count, in order. It is not called for a suite without samples, nor for a part of a
    suite, which says nothing about the whole: when the parts are joined, the suite is inconclusive.
    """
    if is_part:
        return [GateResult("inconclusive", _PARTS, _name_of(function)) for function in functions]
    samples = sorted(suite.counted, key=lambda sample: sample.key)
    if not samples:
        return []
    results = [_result(function, samples) for function in functions]
    return [result for result in results if result is not None]


def _name_of(function: GateFunction) -> str:
    return getattr(function, "__name__", type(function).__name__).replace("_", " ")


def _result(function: GateFunction, samples: Sequence[Sample]) -> GateResult | None:
    name = _name_of(function)
    try:
        # A list of its own, so that no function sees what another did to it.
        result = function(list(samples))
    except KeyboardInterrupt:
        # The user ends the run; the function is not to blame.
        raise
    except BaseException as problem:  # noqa: BLE001  (a test's outcome is no Exception; the run has been paid for)
        return GateResult(
            "failed", brief(f"it could not judge: {type(problem).__name__}: {problem}"), name
        )
    if result is None:
        return None
    if not isinstance(result, GateResult):
        return GateResult("failed", brief(f"it gave {result!r:.100}, which is no GateResult"), name)
    return GateResult(result.verdict, brief(result.reason), one_line(result.gate) or name)


def judged_by_user(results: Iterable[GateResult], gate: Gate) -> list[AddedGate]:
    """The gates of a user, of a suite that the gate over the threshold could judge.

    A suite that did not run whole, and a part of one, says nothing about all of its samples.
    """
    if gate.interrupted or gate.part:
        return []
    return [
        AddedGate(
            kind=result.gate,
            suite=gate.suite,
            model=gate.model,
            verdict=result.verdict,
            explanation=sentence("{gate}: {reason}", gate=result.gate, reason=result.reason),
        )
        for result in results
    ]
